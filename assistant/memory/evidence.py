"""What may speak for an answer: what people told, not what they asked, and not what the assistant said."""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from assistant.memory.gate import Certainty, Judgement
from assistant.memory.graph import MemoryGraph
from assistant.memory.recollection import Hit
from assistant.memory.slots import slot_of
from storage.records import Role, Source, Turn

STATEMENTS = 10
"""Memories looked at for a fact that the user stated."""
QUESTION_MARKS = "?？؟"
_ONLY_ASKS = re.compile(rf"[^.!。！;:\n]*[{QUESTION_MARKS}]\s*")
_ASKED_OF_MEMORY = re.compile(
    r"\b(?:what|who|whom|whose|where|when|which)(?:'s)?\b(?:\s+(?!(?:should|could|would|can|may|might)\b)[\w'’-]+){0,4}?"
    r"\s+(?:my|our|i|we)\b"
    r"|\bhow (?:old|many|much|long|often)\b.*\b(?:my|our|i|we)\b"
    r"|\bdo you (?:still )?(?:remember|know) (?:my|our|what|who|where|when|which|whose)\b"
    r"|\b(?:was|wer|wen|wem|wo|wohin|woher|wann|welche[rnsm]?|wie (?:heißt|heiße|alt|viele?|lange|oft))\b"
    r"(?:\s+(?!(?:soll|sollte|könnte|kann|würde)\w*\b)[\w'’-]+){0,4}?\s+(?:ich|wir|mein\w*|unser\w*)\b",
    re.IGNORECASE,
)
_ASKS_FOR_A_FACT = re.compile(
    r"\s*(?:(?:in|on|at|for|from|with|to|of|by|about|mit|bei|von|aus|für) )?"
    r"(?:what|who|whom|whose|where|when|which|did|does|do|is|are|was|were|has|have|had"
    r"|how (?:old|many|much|long|often)|was|wer|wen|wem|wo|wohin|woher|wann|welche[rnsm]?|hat|haben|ist|sind)\b",
    re.IGNORECASE,
)
_OF_THE_PAST = re.compile(
    r"\b(?:did|was|were|had|used to|before|former|formerly|previous|previously|earlier|then|once|until|since|ago|last"
    r"|changed?|moved?|(?:19|20)\d\d|war|waren|hatte|hatten|wurde|früher|vorher|damals|bis|seit|letzte[nsrm]?)\b",
    re.IGNORECASE,
)
_GERMAN = re.compile(r"\b(?:ich|wir|mein\w*|unser\w*)\b", re.IGNORECASE)
_ASKED_FOR_HELP = re.compile(
    r"\b(?:should|could|would|can|need|wrong|mean|do if|soll|sollte|könnte|kann|brauche)\b", re.IGNORECASE
)


def only_asks(turn: Turn) -> bool:
    """Whether all that the user did with it was to ask the assistant: such a turn tells nothing."""
    return turn.source is Source.CHAT and _ONLY_ASKS.fullmatch(turn.text.strip()) is not None


def asks_the_memory(text: str, *, others: bool = False) -> bool:
    """Whether a question can be answered from memory alone: one for a fact of the user's own life, or of another's.

    "Where do I live?" is one; "What should I cook?" and "How do I sort a list?" are for the model. In English and
    German; of any other question it is taken that the model may know.

    Parameters
    ----------
    text
        The question.
    others
        Whether it names people who speak in the memory: then it is about them.
    """
    if not any(mark in text for mark in QUESTION_MARKS) or _ASKED_FOR_HELP.search(text):
        return False
    return _ASKED_OF_MEMORY.search(text) is not None or (others and _ASKS_FOR_A_FACT.match(text) is not None)


def asks_of_the_past(text: str) -> bool:
    """Whether a question may be about how things were, in English and German; else it is about how they are."""
    return _OF_THE_PAST.search(text) is not None


def no_memory(text: str) -> str:
    """Give the answer to a question that the memory does not know, in its language."""
    return "Daran habe ich keine Erinnerung." if _GERMAN.search(text) else "I have no memory of that."


def softened(judged: Judgement, found: Sequence[Hit]) -> Judgement:
    """Give the judgement, unsure instead of unknown where one of the best memories states a fact of the user.

    "I moved to Lisbon" answers "Where do I live?", and has next to nothing in common with it, in words or meaning.
    """
    if judged.outcome is not Certainty.UNKNOWN:
        return judged
    stated = any(hit.turn.role is Role.USER and slot_of(hit.turn.text) for hit in found[:STATEMENTS])
    return replace(judged, outcome=Certainty.UNSURE) if stated else judged


def evidence_of(graph: MemoryGraph, left_out: Collection[int]) -> NDArray[np.bool_]:
    """Tell of each turn (n,) whether it may speak for an answer.

    Parameters
    ----------
    left_out
        Nodes that may not, such as the question itself.
    """
    told = graph.by_people.copy()
    told[[row for row in map(graph.row_of.get, left_out) if row is not None and row < told.size]] = False
    return told
