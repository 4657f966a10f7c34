"""What would go when the user says in their own words what is to be forgotten."""

import re
from collections.abc import Iterable, Sequence

from assistant.errors import BadInput
from assistant.memory.choosing import Selection, choose
from assistant.memory.forgetting import ForgettingPlan, plan_forgetting
from assistant.memory.names import Name
from assistant.memory.requests import NUMBER, ForgetRequest
from assistant.memory.terms import terms
from storage.errors import NotFound
from storage.records import Role, Source, Turn
from storage.vault import Vault

LEAST_DIGITS = 6
"""Of a number that is somebody's own, such as that of a phone; a year or a price has fewer."""
_DATE = re.compile(r"\d{4}-\d\d?-\d\d?|\d\d?[./-]\d\d?[./-](?:\d\d){1,2}")
_ID = re.compile(r"[0-9a-f]{8,32}")


def propose(vault: Vault, request: ForgetRequest, *, last: Sequence[Turn] = ()) -> ForgettingPlan:
    """Give the plan for a request; it is empty when nothing fits. Changes nothing.

    What goes with the memories that were meant: the answers to them and those that had one of them in their prompt,
    for their words may repeat it; and, where the user's own things are meant and not a name, whatever else has a long
    number that stands in them.

    Parameters
    ----------
    request
        What is to be forgotten.
    last
        For what was said last: these turns.
    """
    if request.everything:
        return plan_forgetting(vault, Selection(everything=True))
    if request.last:
        return _plan(vault, last)
    if request.name:
        return _plan(vault, _chosen(vault, Selection(about=request.name)), named=request.name)
    turns = {
        turn.id: turn
        for words in (request.words, request.number)
        if words
        for turn in _chosen(vault, Selection(query=words))
    }
    for number in {number for turn in turns.values() for number in _own_numbers(turn.text)}:
        turns |= {turn.id: turn for turn in _chosen(vault, Selection(query=number))}
    return _plan(vault, turns.values())


def propose_ids(vault: Vault, words: Sequence[str]) -> ForgettingPlan | None:
    """Give the plan for memories and concepts named by their ids; None where these are words and no ids.

    Raises
    ------
    AmbiguousId
        Several things have such an id.
    """
    if not words or not all(_ID.fullmatch(word) for word in words):
        return None
    try:
        return plan_forgetting(vault, Selection(ids=tuple(words)), with_answers=True)
    except NotFound:
        return None


def is_meant(request: ForgetRequest, text: str) -> bool:
    """Whether a text that is kept nowhere is meant by a request for words, a number, a name or everything."""
    if request.everything:
        return True
    if request.name:
        return Name(request.name).is_in(text)
    said = set(terms(text))
    return any(wanted and set(wanted) <= said for wanted in (terms(request.words), terms(request.number)))


def _chosen(vault: Vault, selection: Selection) -> list[Turn]:
    try:
        return vault.turns.by_nodes(sorted(choose(vault, selection).turns))
    except BadInput:  # not one word in it
        return []


def _plan(vault: Vault, turns: Iterable[Turn], *, named: str = "") -> ForgettingPlan:
    """Give the plan for these turns, the answers to them, and concepts with this name."""
    chosen = list(turns)
    concepts = vault.concepts.by_nodes(sorted(choose(vault, Selection(about=named)).concepts)) if named else []
    nodes = {turn.node for turn in (*chosen, *_answers_to(vault, chosen))} | {concept.node for concept in concepts}
    if not nodes:
        return ForgettingPlan(turns=(), conversations=(), concepts=())
    return plan_forgetting(vault, Selection(nodes=frozenset(nodes)), with_answers=True)


def _answers_to(vault: Vault, turns: Sequence[Turn]) -> list[Turn]:
    """Give what the assistant said at once to any of these turns of the user's own chats."""
    asked = {turn.node for turn in turns if turn.role is Role.USER and turn.source is Source.CHAT}
    answers = []
    for conversation in {turn.conversation for turn in turns if turn.node in asked}:
        answered = False
        for turn in vault.turns.in_conversation(conversation):
            if turn.role is not Role.ASSISTANT:
                answered = turn.node in asked
            elif answered:
                answers.append(turn)
    return answers


def _own_numbers(text: str) -> list[str]:
    """Give the numbers in a text that are long, and no dates."""
    found = NUMBER.findall(_DATE.sub(" ", text))
    return [number for number in found if sum(map(str.isdecimal, number)) >= LEAST_DIGITS]
