"""What a turn takes to be drawn. A long conversation keeps these, and widgets only for those near where one reads."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from storage.records import Fork, RecalledTurn, Role, Turn, TurnState
from tui.reasons import Account
from tui.text import count

OUTCOMES = {TurnState.STOPPED: "stopped", TurnState.FAILED: "failed"}


@dataclass(slots=True, kw_only=True, eq=False)
class Asked:
    """What somebody said who is not the assistant."""

    text: str
    speaker: str = ""
    """Who said it, when it was not the user."""
    attached: Sequence[str] = ()
    """What was sent with it."""
    kept: str = ""
    """Identifier of the turn that keeps it, or would; empty while there is none."""
    fork: Fork | None = None
    """Where this is one of several versions: the conversations with the others."""

    @property
    def version(self) -> str:
        """Which version this is: `‹ 1/2 ›`; empty where there is but one."""
        return "" if self.fork is None else f"‹ {self.fork.shown + 1}/{len(self.fork.versions)} ›"


@dataclass(slots=True, kw_only=True, eq=False)
class Answered:
    """What the assistant said, as far as it was written, and what is told under it."""

    text: str = ""
    """As the model wrote it."""
    kept: str = ""
    """Identifier of the turn that keeps it; empty while there is none."""
    memories: tuple[RecalledTurn, ...] = ()
    """Those in the prompt, best first."""
    account: Account | None = None
    """Why an answer that is kept nowhere says what it says."""
    outcome: str = ""
    """How it ended."""
    foot: str = ""
    """The line under it: how much was remembered for it, and how it ended."""
    failed: bool = False
    notice: str = ""
    """What the user should know about it."""
    fate: str = ""
    """What became of what was said: the last words of the line under it."""

    @property
    def last_line(self) -> str:
        """The whole line under it."""
        return " · ".join(part for part in (self.foot, self.fate) if part)

    def recalled(self, lines: Sequence[RecalledTurn]) -> None:
        """Take what the vault has on record about the memories behind it."""
        self.memories = tuple(line for line in lines if line.injected)
        self.foot = self.foot or foot_line(self.memories, self.outcome)

    def end(self, outcome: str, *, failed: bool) -> None:
        """Take how it ended."""
        self.outcome, self.failed = outcome, failed
        self.foot = foot_line(self.memories, outcome)

    def rest(self) -> None:
        """Let go of what the vault gives again when this is drawn the next time."""
        if self.kept:
            self.memories = ()

    def forget(self, kept: Mapping[int, str]) -> bool:
        """Keep only memories that still have these words; gives whether any went.

        The line under it tells of the prompt, and stays.
        """
        still = tuple(line for line in self.memories if kept.get(line.turn.node) == line.turn.text)
        gone = still != self.memories
        self.memories = still
        return gone


Said = Asked | Answered


def said(turn: Turn) -> Said:
    """Give what it takes to draw a turn that a conversation kept."""
    match turn.role:
        case Role.ASSISTANT:
            return Answered(text=turn.text, kept=turn.id, outcome=OUTCOMES.get(turn.state, ""))
        case Role.USER:
            return Asked(text=turn.text, kept=turn.id)
        case Role.OTHER:
            return Asked(text=turn.text, speaker=turn.speaker, kept=turn.id)


def foot_line(memories: Sequence[RecalledTurn], outcome: str) -> str:
    """Give the line under an answer: how much was remembered for it, and how it ended."""
    used = sum(line.used for line in memories)
    known = count(len(memories), "memory", "memories") if memories else ""
    if known and used:
        known += f", {used} used"
    return " · ".join(part for part in (known, outcome) if part)
