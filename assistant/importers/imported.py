"""What an importer yields: turns, and what it left out on purpose; and what it may have to be told."""

from dataclasses import dataclass
from enum import StrEnum

from storage.records import Utterance


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedTurn:
    """One turn of a conversation that was held elsewhere."""

    conversation: str
    """Its conversation's identifier there, unique within the format."""
    title: str
    """The conversation's title there; empty when it has none."""
    utterance: Utterance
    """With an `external_id`, by which it is known when it is imported again."""
    tags: tuple[str, ...] = ()
    """Normal ones, which it is given when it is kept: see `storage.tag_names`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SkippedConversation:
    """A conversation that is not imported."""

    conversation: str
    reason: str


Imported = ImportedTurn | SkippedConversation


class DateOrder(StrEnum):
    """In which order a date is written."""

    DAY_FIRST = "dmy"
    MONTH_FIRST = "mdy"
    YEAR_FIRST = "ymd"
