"""What the memory screen can list: all that is remembered, what is held back, and what waits to be forgotten."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from typing import ClassVar

from textual.content import Content
from textual.widgets.option_list import Option

from assistant.bootstrap import Assistant
from assistant.memory.terms import terms
from storage.grace import Forgetting
from storage.records import Turn, TurnState
from storage.vault import Vault
from tui.forgetting import counted
from tui.past import past_of
from tui.screens.browse import Found
from tui.text import count, day, fitted, inert, minute, moment, one_line

NEWEST = 500
"""Memories listed at once; a search finds the others."""
SPEAKER_CELLS = 10
SHOWN_ID = 8
"""Digits of an identifier: enough to be unique among millions."""
MARKED = "● "
HELD_BACK = "! "


class View(ABC):
    """One of the lists. Its methods read the vault, and run in a thread."""

    name: ClassVar[str]
    actions: ClassVar[frozenset[str]]
    """What can be done with a line, beside reading it."""

    @abstractmethod
    def fetch(self, assistant: Assistant, wanted: str, *, narrow: bool, marked: Collection[str]) -> Found:
        """Give the lines that a search finds."""

    @abstractmethod
    def detail(self, assistant: Assistant, chosen: str) -> tuple[str, str]:
        """Give the words of a line, and what else is known of it.

        Raises
        ------
        NotFound
            It went meanwhile.
        """


class Everything(View):
    """All turns, the newest first."""

    name = "all"
    actions = frozenset({"edit", "forget", "mark", "pin", "rest"})

    def fetch(self, assistant: Assistant, wanted: str, *, narrow: bool, marked: Collection[str]) -> Found:
        """Give the newest memories, or the newest that hold all the words."""
        vault = assistant.vault
        found = vault.turns.listing(limit=NEWEST, match_terms=terms(wanted))
        total = len(found) if wanted.strip() else vault.turns.count()
        caption = count(total, "memory", "memories")
        if len(found) == NEWEST:
            caption = f"newest {NEWEST:,} that fit" if wanted.strip() else f"newest {NEWEST:,} of {total:,}"
        nothing = "Nothing that was said holds these words." if wanted.strip() else "Nothing is remembered yet."
        held_back = vault.quarantine.waiting([turn.node for turn in found])
        lines = [
            memory_line(turn, narrow=narrow, marked=turn.id in marked, held_back=turn.node in held_back)
            for turn in found
        ]
        return Found(lines=lines, caption=caption, nothing=nothing)

    def detail(self, assistant: Assistant, chosen: str) -> tuple[str, str]:
        """Give the words of a memory, and where it comes from."""
        turn = assistant.vault.turns.get(chosen)
        return inert(turn.text), facts_of(assistant.vault, turn) + past_of(assistant.vault, turn)


class Quarantined(Everything):
    """The turns that are used for nothing until the user accepts them."""

    name = "quarantined"
    actions = frozenset({"accept", "forget", "mark"})

    def fetch(self, assistant: Assistant, wanted: str, *, narrow: bool, marked: Collection[str]) -> Found:
        """Give those that hold all the words, the newest first."""
        vault = assistant.vault
        words = wanted.casefold().split()
        turns = vault.turns.by_nodes(list(vault.quarantine.waiting()))
        found = [turn for turn in reversed(turns) if all(word in turn.text.casefold() for word in words)]
        nothing = "Nothing that is held back holds these words." if words else "Nothing is held back."
        lines = [memory_line(turn, narrow=narrow, marked=turn.id in marked) for turn in found[:NEWEST]]
        return Found(lines=lines, caption=f"{count(len(found), 'memory', 'memories')} held back", nothing=nothing)


class Waiting(View):
    """What was forgotten, and can be taken back. Its words are in no table that could be read."""

    name = "forgotten"
    actions = frozenset({"undo"})

    def fetch(self, assistant: Assistant, wanted: str, *, narrow: bool, marked: Collection[str]) -> Found:  # noqa: ARG002
        """Give all that waits, what is due first at the top."""
        found = sorted(assistant.vault.forgettings(), key=lambda one: one.until)
        return Found(
            lines=[waiting_line(one, narrow=narrow) for one in found],
            caption=f"{count(sum(one.turns for one in found), 'memory', 'memories')} to take back" if found else "",
            nothing="Nothing waits to be forgotten.",
        )

    def detail(self, assistant: Assistant, chosen: str) -> tuple[str, str]:
        """Give until when it waits, and what it is."""
        one = next((each for each in assistant.vault.forgettings() if each.id == chosen), None)
        if one is None:
            return "", ""
        text = f"It can be taken back until {minute(one.until.astimezone())}. After that nothing is left of it."
        facts = {
            "forgotten": moment(one.time.astimezone()),
            "memories": str(one.turns),
            "concepts": str(one.concepts),
            "emptied": count(one.conversations, "conversation"),
            "id": one.id[:SHOWN_ID],
        }
        return text, fact_lines(facts)


EVERYTHING, QUARANTINED, WAITING = Everything(), Quarantined(), Waiting()


def memory_line(turn: Turn, *, narrow: bool, marked: bool, held_back: bool = False) -> Option:
    """Give the line of a memory: when, who, and the words as far as they fit; on a narrow terminal day and words."""
    signs = ((MARKED, "$text-accent") if marked else "", (HELD_BACK, "$text-warning") if held_back else "")
    words = one_line(turn.text)
    if narrow:
        return Option(Content.assemble(*signs, (day(turn.time)[5:], "$secondary"), " ", words), id=turn.id)
    speaker = fitted(turn.speaker, SPEAKER_CELLS)
    parts = ((minute(turn.time), "$secondary"), "  ", (speaker, "$text-accent"), "  ", words)
    return Option(Content.assemble(*signs, *parts), id=turn.id)


def waiting_line(one: Forgetting, *, narrow: bool) -> Option:
    """Give the line of what waits to be forgotten: until when, how much, and when it was forgotten."""
    until = minute(one.until.astimezone())
    if narrow:
        return Option(Content.assemble((until[5:], "$secondary"), " ", counted(one)), id=one.id)
    since = f"  forgotten {minute(one.time.astimezone())}"
    return Option(
        Content.assemble((f"until {until}", "$secondary"), "  ", counted(one), (since, "$secondary")), id=one.id
    )


def facts_of(vault: Vault, turn: Turn) -> str:
    """Give what is known of a memory beside its words, a line each."""
    trace = vault.traces.of([turn.node]).get(turn.node)
    expires = vault.tags.expiry_of([turn.node]).get(turn.node)
    facts = {
        "said by": one_line(turn.speaker),
        "when": moment(turn.time),
        "in": one_line(vault.conversations.get(turn.conversation).title),
        "place": f"turn {turn.position + 1}",
        "source": " · ".join(part for part in (turn.source.value, one_line(turn.origin)) if part),
        "state": "" if turn.state is TurnState.COMPLETE else turn.state.value,
        "tags": " ".join(one_line(tag) for tag in vault.tags.of([turn.node]).get(turn.node, ())),
        "expires": "" if expires is None else moment(expires.astimezone()),
        "pinned": "yes" if trace is not None and trace.pinned else "",
        "rests": "in the archive" if trace is not None and trace.archived else "",
        "used": count(trace.used_count, "time") if trace is not None and trace.used_count else "",
        "held back": "; ".join(one_line(reason) for reason in vault.quarantine.waiting([turn.node]).get(turn.node, ())),
        "id": turn.id[:SHOWN_ID],
    }
    return fact_lines(facts)


def fact_lines(facts: Mapping[str, str]) -> str:
    """Give a line for each thing that is known."""
    return "\n".join(f"{name:<10}{value}" for name, value in facts.items() if value)
