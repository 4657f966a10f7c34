"""Memories and concepts by the beginning of their ids."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from storage.records import Concept, Turn

if TYPE_CHECKING:
    from storage.vault import Vault


def find_turns(vault: "Vault", ids: Sequence[str]) -> list[Turn]:
    """Give the memories whose ids begin so, each once.

    Raises
    ------
    NotFound, AmbiguousId
        One of them names nothing, or several.
    """
    return list(dict.fromkeys(vault.turns.get(prefix) for prefix in ids))


def by_node(vault: "Vault", nodes: Iterable[int]) -> dict[int, Turn | Concept]:
    """Give memories and concepts by their nodes; those that are gone are left out."""
    wanted = list(nodes)
    turns: dict[int, Turn | Concept] = {turn.node: turn for turn in vault.turns.by_nodes(wanted)}
    return turns | {concept.node: concept for concept in vault.concepts.by_nodes(wanted)}
