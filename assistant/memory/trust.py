"""How far a memory may be believed: by the way it came in, and by who is said to have spoken.

What the user told this program stands above everything that was brought in, whatever name and date that bears: a file
can claim both. What the assistant said is no source at all. Trust passes to what is made of memories as the least of
theirs.
"""

from collections.abc import Iterable
from enum import IntEnum

from storage.records import Role, Source, Turn, Utterance


class Trust(IntEnum):
    """From the least to the most."""

    ASSISTANT = 0
    """A model wrote it, here or elsewhere: never a source of facts."""
    TOOL = 1
    """Another program handed it over."""
    FILE = 2
    """It stood in a file."""
    IMPORTED_OTHER = 3
    """Somebody else said it, according to what was imported."""
    IMPORTED_USER = 4
    """The user said it, according to what was imported."""
    USER = 5
    """The user told it to this program, in a chat or as a note."""

    @property
    def words(self) -> str:
        """Its name for people."""
        return self.name.lower().replace("_", " ")

    @property
    def reason(self) -> str:
        """Why it is believed so far, for people."""
        return _REASONS[self]


_REASONS = {
    Trust.ASSISTANT: "a model wrote it, which is no source of facts",
    Trust.TOOL: "another program handed it over",
    Trust.FILE: "it stood in a file",
    Trust.IMPORTED_OTHER: "somebody else said it, as far as what was brought in can be believed",
    Trust.IMPORTED_USER: "you said it, as far as what was brought in can be believed",
    Trust.USER: "you told it to this program",
}

OWN = frozenset({Source.CHAT, Source.NOTE})
"""Where the user speaks to this program."""


def trust_of(said: Utterance) -> Trust:
    """Give how far what was said may be believed."""
    if said.role is Role.ASSISTANT:
        return Trust.ASSISTANT
    match said.source:
        case Source.FILE:
            return Trust.FILE
        case Source.TOOL | Source.MEMORY:
            return Trust.TOOL
        case Source.IMPORTED:
            return Trust.IMPORTED_USER if said.role is Role.USER else Trust.IMPORTED_OTHER
        case _:
            return Trust.USER if said.role is Role.USER else Trust.IMPORTED_OTHER


def least_trust(support: Iterable[Utterance]) -> Trust:
    """Give how far something may be believed that rests on all of these; of nothing at all, not at all."""
    return min((trust_of(said) for said in support), default=Trust.ASSISTANT)


def has_the_say(one: Turn, other: Turn) -> bool:
    """Whether one statement of a user holds instead of another about the same thing.

    Among equally trusted ones of the same teller the later does; otherwise the one that is trusted more, whenever and
    under whatever name the other was said: an import may bear any date.
    """
    if one.node == other.node or not (one.role is other.role is Role.USER):
        return False
    mine, others = trust_of(one), trust_of(other)
    if mine is not others:
        return mine > others
    return one.speaker.casefold() == other.speaker.casefold() and one.time > other.time
