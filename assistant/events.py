"""What a reply tells on its way, in order. `ask` prints them, the chat screen draws them, tests read them.

A reply is TurnKept, Recalled, any number of Loading, Notice and Reading, then Token for every piece, then one of
ReplyFinished, ReplyStopped and ReplyFailed. In a temporary chat nothing is kept: there is no TurnKept.

What orders the memory itself ("what do you remember about me?", "forget my phone number") is answered from the vault,
without the model, and is not kept: such a reply is Token and ReplyFinished, after ForgetProposed when something is to
be forgotten.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from assistant.memory.recollection import Recollection
from storage.records import Turn

if TYPE_CHECKING:
    from assistant.memory.forgetting import ForgettingPlan
    from assistant.memory.requests import ForgetRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnKept:
    """What the user said is on disk."""

    turn: Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """What memory gave, before it is decided what fits into the prompt."""

    recollection: Recollection


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetProposed:
    """The user wants something forgotten. Nothing is before they confirm it: then `Session.forget(plan)` does it."""

    request: "ForgetRequest"
    """What they named. If that is everything, it wants more than a yes."""
    plan: "ForgettingPlan"
    """All that would go; never empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loading:
    """The model is being made ready."""

    what: str
    share: float | None
    """0 to 1; None where it cannot be told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """Something the user should know, such as what no longer fits into the context."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The model is reading the prompt."""

    done: int
    """Tokens read, those kept from the last request included."""
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A piece of the answer."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyFigures:
    """What an answer cost."""

    prompt_tokens: int
    reused_tokens: int
    """Of the prompt, kept from the last request."""
    completion_tokens: int
    first_token_seconds: float
    """From the question to the first piece of the answer, recall and loading included."""
    seconds: float
    tokens_per_second: float
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyEnd:
    """What there is at the end of a reply, however it ended."""

    text: str
    """All that was written."""
    turn: Turn | None
    """Where it is kept; None in a temporary chat, or when nothing was written."""
    injected: tuple[str, ...]
    """Identifiers of the memories in the prompt."""
    used: tuple[str, ...]
    """Of these, the ones the answer drew on."""
    asked: str = ""
    """Identifier of the question, by which another can take its place; of one that is not kept, it is that of this chat
    alone. Empty for what orders the memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyFinished(ReplyEnd):
    """The answer is whole."""

    figures: ReplyFigures
    cut: bool
    """True when the longest allowed answer was reached."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyStopped(ReplyEnd):
    """The user stopped it; what was written is kept and marked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyFailed(ReplyEnd):
    """The model failed; what was written is kept and marked."""

    message: str
    """What happened and what to do."""


Event = (
    TurnKept
    | Recalled
    | ForgetProposed
    | Loading
    | Notice
    | Reading
    | Token
    | ReplyFinished
    | ReplyStopped
    | ReplyFailed
)
