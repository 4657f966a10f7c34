"""What goes when memories are forgotten, what holds again without them, and what stays though it drew on them.

First a plan, which changes nothing and can be shown; then all it lists is put aside, from where it can be taken back
for a while, or erased at once. What waits is in no table that anything reads: it is recalled, listed and counted by
nothing, and erased when its time has come.
"""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from assistant.memory.active import begin_epoch
from assistant.memory.archive import pin
from assistant.memory.choosing import Selection, choose
from assistant.memory.names import Name
from storage.grace import Forgetting
from storage.records import Concept, Conversation, Maker, Receipt, Turn
from storage.ties import TieCounts
from storage.vault import Vault

PAST_THEIR_TIME = "forgetting.past"
"""Setting: ids of forgettings, as `put_aside_by_time` gives them."""
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Weakened:
    """A concept that stays with what is left of its support."""

    concept: Concept
    """As it is before."""
    left: int
    """Turns that support it afterwards; at least one, and fewer than before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgettingPlan:
    """Shown before anything goes; nothing but this goes."""

    turns: tuple[Turn, ...]
    """The memories that go, with their words, vectors, index entries and lines in the records of answers."""
    conversations: tuple[Conversation, ...]
    """Conversations that are left without a turn, and go too."""
    concepts: tuple[Concept, ...]
    """What was made of these memories and cannot stay without them, and what was named itself."""
    weakened: tuple[Weakened, ...] = ()
    """Concepts that stay: other turns support them, and hold the words that they are written with."""
    read_again: int = 0
    """Turns that stay and wait for a language model to read them again, since what it had made of them and of what goes
    together cannot stay."""
    ties: TieCounts = field(default_factory=TieCounts)
    """Edges of the graph that go."""
    returning: tuple[Turn, ...] = ()
    """Older statements of the same thing that hold again, since nothing that stays took their place."""
    answers: tuple[Turn, ...] = ()
    """Answers that had one of them in their prompt, and stay: their words may repeat it."""
    archived: frozenset[int] = frozenset()
    pinned: frozenset[int] = frozenset()
    """Nodes of those turns that go out of the archive, and of those that were pinned."""
    look_alikes: frozenset[str] = frozenset()
    """Longer words that begin like the name by which was chosen, and were taken for other names."""
    titled: tuple[Conversation, ...] = ()
    """Conversations that stay though their title, or what they were imported from, has the name that was told."""
    is_past_its_time: bool = False
    """Whether it was chosen for that: then what is brought back of it is pinned, or it would go again at once."""

    @property
    def nodes(self) -> list[int]:
        """All that goes, by nodes."""
        return [turn.node for turn in self.turns] + [concept.node for concept in self.concepts]

    @property
    def is_empty(self) -> bool:
        """Whether nothing fits the selection."""
        return not self.turns and not self.concepts


def plan_forgetting(vault: Vault, selection: Selection, *, with_answers: bool = False) -> ForgettingPlan:
    """Give the plan for what is selected; on request with the answers that these memories led to. Changes nothing.

    Raises
    ------
    NotFound, AmbiguousId, BadInput
        As for `choose`. Then nothing at all is planned.
    """
    chosen = choose(vault, selection)
    turns = set(chosen.turns)
    answers = [turn for turn in vault.recollections.answers_that_had(sorted(turns)) if turn.node not in turns]
    if with_answers:
        turns |= {turn.node for turn in answers}
        answers = []
    going = vault.turns.by_nodes(sorted(turns))
    resting = {concept.node: concept for concept in vault.concepts.resting_on(sorted(turns))}
    weakened = _weakened(vault, turns, resting.keys() | chosen.concepts)
    named = [*chosen.concepts, *(one.concept.node for one in weakened if one.left == 0)]
    concepts = resting | {concept.node: concept for concept in vault.concepts.by_nodes(named)}
    nodes = sorted({*turns, *concepts})
    traces = vault.traces.of(sorted(turns))
    emptied = _emptied(vault, going)
    return ForgettingPlan(
        turns=tuple(going),
        conversations=emptied,
        concepts=tuple(concepts[node] for node in sorted(concepts)),
        weakened=tuple(one for one in weakened if one.left),
        read_again=len(_read_again(resting.values(), turns)),
        ties=vault.ties.of(nodes),
        returning=tuple(vault.turns.by_nodes(_returning(vault, turns))),
        answers=tuple(answers),
        archived=frozenset(node for node, trace in traces.items() if trace.archived),
        pinned=frozenset(node for node, trace in traces.items() if trace.pinned),
        look_alikes=chosen.look_alikes,
        titled=_titled(vault, selection.about, emptied) if selection.about else (),
        is_past_its_time=selection.expired is not None,
    )


def forget(vault: Vault, plan: ForgettingPlan, *, now: datetime, grace: timedelta) -> Forgetting | Receipt:
    """Put aside what the plan lists, to be erased when the grace is over; without one, erase it at once."""
    return put_aside(vault, plan, now=now, grace=grace) if grace else erase(vault, plan)


def put_aside(vault: Vault, plan: ForgettingPlan, *, now: datetime, grace: timedelta) -> Forgetting:
    """Take all that the plan lists out of the memory, to be erased when the grace is over; until then `undo` works."""
    with vault.transaction():
        forgetting = vault.put_aside(plan.nodes, now=now, until=now + grace)
        if plan.is_past_its_time:
            vault.settings.put(PAST_THEIR_TIME, json.dumps([*put_aside_by_time(vault), forgetting.id]))
        begin_epoch(vault)
    return forgetting


def erase(vault: Vault, plan: ForgettingPlan) -> Receipt:
    """Erase all that the plan lists, every trace of it in the vault's file, and prove it."""
    receipt = vault.erase(plan.nodes)
    begin_epoch(vault)
    return receipt


def undo(vault: Vault, id: str) -> Forgetting:  # noqa: A002
    """Put back what was put aside, as it was; named by a unique beginning of the id of its forgetting.

    What had gone because it was past its time is pinned, too: whoever wants it back wants it to stay.

    In no transaction: what has no place any more, since what it was about was forgotten for good, is erased.

    Raises
    ------
    NotFound, AmbiguousId
        Nothing that waits has such an id, or several things have.
    """
    past, before = put_aside_by_time(vault), set(vault.turns.nodes_of())
    forgetting = vault.take_back(id)
    with vault.transaction():
        if forgetting.id in past:
            pin(vault, sorted(set(vault.turns.nodes_of()) - before), pinned=True)
        begin_epoch(vault)
    return forgetting


def put_aside_by_time(vault: Vault) -> list[str]:
    """Give the ids of the forgettings that wait since what they hold was past its time, oldest first."""
    waiting = {one.id for one in vault.forgettings()}
    return [id for id in json.loads(vault.settings.get(PAST_THEIR_TIME) or "[]") if id in waiting]  # noqa: A001


def _emptied(vault: Vault, going: Sequence[Turn]) -> tuple[Conversation, ...]:
    """Give the conversations that only these turns are in."""
    leaving = Counter(turn.conversation for turn in going)
    if len(leaving) == 1:
        conversations = [vault.conversations.get(next(iter(leaving)))]
    else:  # one look at all of them is quicker than one at each
        conversations = [one for one in vault.conversations.listing() if one.id in leaving]
    return tuple(one for one in conversations if one.turns == leaving[one.id])


def _titled(vault: Vault, about: str, emptied: Collection[Conversation]) -> tuple[Conversation, ...]:
    """Give the conversations beside these that are called by a name."""
    name, going = Name(about), {one.id for one in emptied}
    return tuple(
        one
        for one in vault.conversations.listing()
        if one.id not in going and (name.is_in(one.title) or name.is_in(one.origin))
    )


def _weakened(vault: Vault, turns: Collection[int], going: Collection[int]) -> list[Weakened]:
    """Give the concepts that lose support and do not rest on it, with what is left of it.

    Nothing is left where none of the turns that stay holds the very words of the concept: one that is written "Zürich"
    does not stay for a turn that says "Zurich". It is made again, in words that are left, when a turn next says it.
    """
    concepts = [one for one in vault.concepts.of_turns(sorted(turns)) if one.node not in going]
    others = {node for concept in concepts for node in concept.support}.difference(turns)
    texts = {turn.node: _folded(f"{turn.speaker}: {turn.text}") for turn in vault.turns.by_nodes(sorted(others))}
    return [
        Weakened(concept=one, left=len(set(one.support).difference(turns)) if _is_said(one, texts) else 0)
        for one in concepts
    ]


def _is_said(concept: Concept, texts: Mapping[int, str]) -> bool:
    """Whether one of these turns holds all words of a concept that it supports."""
    words = _WORD.findall(_folded(concept.text))
    return any(all(word in texts[node] for word in words) for node in concept.support if node in texts)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold()


def _read_again(concepts: Collection[Concept], turns: Collection[int]) -> set[int]:
    """Give the nodes of the turns that stay and that concepts of a model which go were made of, too."""
    written = [concept for concept in concepts if concept.maker is not Maker.SALIENT]
    return {node for concept in written for node in concept.support}.difference(turns)


def _returning(vault: Vault, going: Collection[int]) -> list[int]:
    """Give the nodes of turns that only turns that go superseded, ascending; those that go themselves are left out."""
    freed = {one.older for one in vault.successions.of(sorted(going)) if one.newer in going} - set(going)
    held = {one.older for one in vault.successions.of(sorted(freed)) if one.newer not in going}
    return sorted(freed - held)
