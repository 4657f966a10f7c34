"""What happened to a memory or a concept, as far as it is on record: from where it came to which answers drew on it.

Much is not on record, on purpose. A memory that is edited loses its old words for good, also from here; and what the
user makes of it, such as a pin or a tag, is kept as it is, without the time at which it was made so.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from assistant.memory.arrivals import here_since
from storage.instants import from_columns
from storage.records import Concept, Source, Turn
from storage.vault import Vault

BROUGHT_IN = frozenset({Source.IMPORTED, Source.FILE, Source.TOOL})
"""Words that may have been said long before they came in."""


class What(StrEnum):
    """What can happen to a memory or a concept."""

    SAID = "said"
    CAME_IN = "came_in"
    """It was here by then: what was brought in may have been said long before."""
    RESTS_ON = "rests_on"
    """A turn that a concept was made of was said."""
    RECALLED = "recalled"
    """It came to mind for an answer, and was not told to the model."""
    TOLD = "told"
    """It was put into the prompt of an answer, which did not draw on it."""
    USED = "used"
    """An answer drew on it."""
    LED_ON = "led_on"
    """It led to other memories for an answer."""
    REPLACED = "replaced"
    """Other words have held in its place since then."""
    REPLACES = "replaces"
    """It has held in the place of other words since then."""
    EXPIRES = "expires"
    PINNED = "pinned"
    ARCHIVED = "archived"
    TAGGED = "tagged"
    HELD_BACK = "held_back"
    ACCEPTED = "accepted"
    """It was held back until the user accepted it."""
    SUPPORTS = "supports"
    """A concept was made of it."""

    @property
    def words(self) -> str:
        """Its name for people."""
        return self.value.replace("_", " ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    """One thing that happened, or that is so since a time that nobody kept."""

    what: What
    time: datetime | None
    """None: when it was is not on record."""
    other: Turn | Concept | None = None
    """The answer, the other words, or the concept."""
    note: str = ""
    """What else there is to say: from where it came, the tags, the reasons."""
    rank: int | None = None
    """Which of the memories of an answer it was, from 1."""
    score: float | None = None


def timeline(vault: Vault, of: Turn | Concept) -> tuple[Happening, ...]:
    """Give what happened to a memory or a concept in the order of time; then what is so without a time."""
    found = list(_of_turn(vault, of) if isinstance(of, Turn) else _of_concept(vault, of))
    found += _answers(vault, of.node)
    dated = sorted(((one.time, one) for one in found if one.time is not None), key=lambda pair: pair[0])
    return (*(one for _, one in dated), *(one for one in found if one.time is None))


def not_recorded(of: Turn | Concept) -> tuple[str, ...]:
    """Give what nobody can tell of it, a sentence each."""
    if isinstance(of, Concept):
        return ("When the concept was made is not on record.",)
    return (
        "Whether its words were edited is not on record: the words before are erased for good.",
        "Nor is when it was pinned, tagged, archived, held back or accepted: only that it is so.",
    )


def _of_turn(vault: Vault, turn: Turn) -> Iterator[Happening]:
    conversation = vault.conversations.get(turn.conversation)
    origin = ", ".join(part for part in (turn.source.value, turn.origin, conversation.title) if part)
    yield Happening(what=What.SAID, time=turn.time, note=origin)
    if turn.source in BROUGHT_IN and (since := here_since(vault, [turn.node], 0)[0]):
        yield Happening(what=What.CAME_IN, time=from_columns(since, 0))
    yield from _successions(vault, turn)
    yield from _marks(vault, turn)
    for concept in vault.concepts.of_turns([turn.node]):
        yield Happening(what=What.SUPPORTS, time=None, other=concept)


def _of_concept(vault: Vault, concept: Concept) -> Iterator[Happening]:
    for turn in vault.turns.by_nodes(concept.support):
        yield Happening(what=What.RESTS_ON, time=turn.time, other=turn)


def _successions(vault: Vault, turn: Turn) -> Iterator[Happening]:
    """Give what holds in the place of what: since both were said, for words that are trusted more may be the older."""
    for succession in vault.successions.of([turn.node]):
        newer = succession.newer == turn.node
        for other in vault.turns.by_nodes([succession.older if newer else succession.newer]):
            yield Happening(
                what=What.REPLACES if newer else What.REPLACED,
                time=max(turn.time, other.time),
                other=other,
                note=succession.slot,
            )


def _marks(vault: Vault, turn: Turn) -> Iterator[Happening]:
    """Give what the user or the memory made of it, as it is."""
    expires = vault.tags.expiry_of([turn.node]).get(turn.node)
    trace = vault.traces.of([turn.node]).get(turn.node)
    reasons = vault.quarantine.waiting([turn.node]).get(turn.node)
    tags = vault.tags.of([turn.node]).get(turn.node)
    if expires is not None:
        yield Happening(what=What.EXPIRES, time=expires)
    if trace is not None and trace.pinned:
        yield Happening(what=What.PINNED, time=None)
    if trace is not None and trace.archived:
        yield Happening(what=What.ARCHIVED, time=None)
    if tags:
        yield Happening(what=What.TAGGED, time=None, note=", ".join(tags))
    if reasons:
        yield Happening(what=What.HELD_BACK, time=None, note="; ".join(reasons))
    if turn.node in vault.quarantine.accepted():
        yield Happening(what=What.ACCEPTED, time=None)


def _answers(vault: Vault, node: int) -> Iterator[Happening]:
    """Give the answers that it was of use for, and how many more there were that were forgotten since."""
    given = vault.recollections.of_memory(node)
    for one in given:
        what = What.USED if one.used else What.TOLD if one.injected else What.RECALLED
        yield Happening(what=what, time=one.answer.time, other=one.answer, rank=one.rank, score=one.score)
    known = {one.answer.node for one in given}
    for answer in vault.recollections.led_by(node):
        if answer.node not in known:
            yield Happening(what=What.LED_ON, time=answer.time, other=answer)
    trace, used = vault.traces.of([node]).get(node), sum(one.used for one in given)
    if trace is not None and trace.used_count > used:
        last = None if used or trace.last_used_us is None else from_columns(trace.last_used_us, 0)
        yield Happening(what=What.USED, time=last, note=f"by answers that were forgotten: {trace.used_count - used:,}")
