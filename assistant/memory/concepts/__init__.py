"""Concepts: what turns have in common, each with the turns that say it. Extractors find them, consolidation keeps them.

Only what people said is a source: never what the assistant said, which it may have recalled from here.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from assistant.memory.concepts.known import KnownConcepts
from storage.records import Category, Maker, Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """Something that turns say."""

    text: str
    """In the words and the language of those who said it."""
    category: Category
    evidence: tuple[int, ...]
    """Nodes of the turns that say it, ascending; at least one."""
    confidence: float
    """0 to 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """What an extractor found in some turns."""

    items: tuple[Item, ...] = ()
    dropped: int = 0
    """Items that were not found in the turns they name."""
    common: tuple[int, ...] = ()
    """Nodes of concepts that too many turns say by now to tell anything."""


class Extractor(Protocol):
    """Finds what turns say."""

    @property
    def maker(self) -> Maker:
        """What the concepts it finds are signed with."""

    @property
    def by_conversation(self) -> bool:
        """Whether it reads small windows of one conversation each; otherwise turns in large batches, as they came."""

    def extract(self, turns: Sequence[Turn], *, known: KnownConcepts, cancel: threading.Event) -> Extraction:
        """Give what these turns say, which are in the order in which they were said.

        Raises
        ------
        ModelFailed
            The model failed, or what it gave cannot be read: the turns are to be read another time.
        Cancelled
            `cancel` was set.
        """


class Cancelled(Exception):
    """An extraction was called off."""
