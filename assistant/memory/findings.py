"""What an audit looks at, and what it finds."""

from collections import defaultdict
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from storage.records import Role, Turn
from storage.vault import Vault

LEAST_COPIES = 3
"""Times that a text is there before it is told: twice is an import of two overlapping exports."""
LEAST_TERMS = 6
"""Terms of a text that counts as repeated."""


class Kind(StrEnum):
    """Kinds of findings."""

    CONTRADICTION = "contradiction"
    OUTRANKED = "outranked"
    DUPLICATES = "duplicates"
    ORPHAN = "orphan"
    UNSUPPORTED = "unsupported"
    QUARANTINED = "quarantined"
    NAME = "name"
    GROWTH = "growth"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that is doubtful."""

    kind: Kind
    id: str
    """Of the memory, the concept or the conversation."""
    why: str
    mend: str
    """The command that mends it."""
    others: tuple[str, ...] = ()
    """Identifiers of what it is held against."""


class Held:
    """What a vault holds, read once."""

    def __init__(self, vault: Vault) -> None:
        self.vault = vault
        self.held_back = vault.quarantine.waiting()

    @cached_property
    def turns(self) -> dict[int, Turn]:
        """All turns that are in use, by their nodes, oldest first."""
        return {turn.node: turn for turn in reversed(self.vault.turns.listing(held_back=False))}

    @cached_property
    def terms(self) -> dict[int, tuple[str, ...]]:
        """The terms of each turn of people, their names left out."""
        rows = self.vault.turns.graph_rows()
        return {
            row.node: tuple(row.terms.split())
            for row in rows
            if row.role is not Role.ASSISTANT and row.node in self.turns
        }

    @cached_property
    def copies(self) -> list[list[int]]:
        """Nodes of the turns of people with the same words, in whatever order and with whatever numbers, if many."""
        groups: dict[frozenset[str], list[int]] = defaultdict(list)
        for node, words in self.terms.items():
            telling = frozenset(word for word in words if not word.isdecimal())
            if len(telling) >= LEAST_TERMS:
                groups[telling].append(node)
        return [nodes for nodes in groups.values() if len(nodes) >= LEAST_COPIES]
