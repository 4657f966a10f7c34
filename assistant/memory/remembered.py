"""What there is to show when the user asks what is remembered: what people said, and what was made of it."""

from dataclasses import dataclass

from assistant.errors import BadInput
from assistant.memory.choosing import Selection, choose
from assistant.memory.evidence import only_asks
from storage.records import Concept, Maker, Role, Turn
from storage.vault import Vault

MOST_TURNS = 20
MOST_CONCEPTS = 10
"""Shown at once: a screen of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """Memories to show, pinned ones first, then the latest first."""

    turns: tuple[Turn, ...]
    concepts: tuple[Concept, ...]
    more_turns: int = 0
    more_concepts: int = 0
    """How many there are beside those."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing is remembered."""
        return not self.turns and not self.concepts


def remembered(vault: Vault, about: str = "") -> Remembered:
    """Give what is remembered: of the user, or about somebody or something that is named.

    Own words of people only: neither what the assistant said, nor a mere question to it, nor what is held back.
    About a name: what names it or was said by them, or else what has all of these words.
    """
    turns, concepts = _about(vault, about) if about else _of_the_user(vault)
    pinned = {node for node, trace in vault.traces.of([turn.node for turn in turns]).items() if trace.pinned}
    told = sorted(turns, key=lambda turn: (turn.node in pinned, turn.node), reverse=True)
    made = sorted(concepts, key=lambda one: (one.maker is not Maker.SALIENT, len(one.support), one.node), reverse=True)
    return Remembered(
        turns=tuple(told[:MOST_TURNS]),
        concepts=tuple(made[:MOST_CONCEPTS]),
        more_turns=max(len(told) - MOST_TURNS, 0),
        more_concepts=max(len(made) - MOST_CONCEPTS, 0),
    )


def _of_the_user(vault: Vault) -> tuple[list[Turn], list[Concept]]:
    turns = vault.turns.listing(roles=[Role.USER], held_back=False)
    return [turn for turn in turns if not only_asks(turn)], vault.concepts.listing()


def _about(vault: Vault, about: str) -> tuple[list[Turn], list[Concept]]:
    try:
        chosen = choose(vault, Selection(about=about))
        if not chosen.turns and not chosen.concepts:
            chosen = choose(vault, Selection(query=about))
    except BadInput:  # not one word in it
        return [], []
    held_back = vault.quarantine.waiting(sorted(chosen.turns))
    turns = [
        turn
        for turn in vault.turns.by_nodes(sorted(chosen.turns))
        if turn.role is not Role.ASSISTANT and turn.node not in held_back and not only_asks(turn)
    ]
    return turns, vault.concepts.by_nodes(sorted(chosen.concepts))
