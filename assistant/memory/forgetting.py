"""What goes when a memory is forgotten, what holds again without it, and what stays though it drew on it."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from assistant.memory.naming import find_node
from storage.records import Concept, Conversation, Turn
from storage.vault import Vault


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgettingPlan:
    """Shown before anything is erased; nothing but this is erased."""

    turns: tuple[Turn, ...]
    """The memories that go, with their words, vectors, index entries and lines in the records of answers."""
    conversations: tuple[Conversation, ...]
    """Conversations that are left without a turn, and go too."""
    concepts: tuple[Concept, ...]
    """What was made of these memories and cannot stay without them, and what was named itself."""
    returning: tuple[Turn, ...]
    """Older statements of the same thing that hold again, since nothing that stays took their place."""
    answers: tuple[Turn, ...]
    """Answers that had one of them in their prompt, and stay: their words may repeat it."""


def plan_forgetting(vault: Vault, ids: Sequence[str], *, with_answers: bool = False) -> ForgettingPlan:
    """Give the plan for these memories and concepts, named by unique prefixes of their ids.

    On request with the answers that they led to.

    Raises
    ------
    NotFound, AmbiguousId
        An id names nothing, or several memories. Then nothing at all is planned.
    """
    named = [find_node(vault, id) for id in ids]  # noqa: A001
    turns = {one.node: one for one in named if isinstance(one, Turn)}
    concepts = {one.node: one for one in named if isinstance(one, Concept)}
    answers = [turn for turn in vault.recollections.answers_that_had(list(turns)) if turn.node not in turns]
    if with_answers:
        turns |= {turn.node: turn for turn in answers}
        answers = []
    going = Counter(turn.conversation for turn in turns.values())
    conversations = [vault.conversations.get(id) for id in going]  # noqa: A001
    emptied = tuple(conversation for conversation in conversations if conversation.turns == going[conversation.id])
    return ForgettingPlan(
        turns=tuple(turns.values()),
        conversations=emptied,
        concepts=tuple((concepts | {one.node: one for one in vault.concepts.resting_on(list(turns))}).values()),
        returning=tuple(vault.turns.by_nodes(_returning(vault, turns))),
        answers=tuple(answers),
    )


def _returning(vault: Vault, going: Collection[int]) -> list[int]:
    """Give the nodes of turns that only turns that go superseded, ascending; those that go themselves are left out."""
    freed = {one.older for one in vault.successions.of(list(going)) if one.newer in going} - set(going)
    held = {one.older for one in vault.successions.of(sorted(freed)) if one.newer not in going}
    return sorted(freed - held)
