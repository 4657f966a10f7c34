"""Which recalled memories are worth a place in the prompt."""

from collections.abc import Sequence

from assistant.memory.evidence import asks_of_the_past, only_asks
from assistant.memory.recollection import ConceptHit, Hit
from assistant.memory.terms import terms
from storage.records import Maker, Role

LEAST_COSINE = 0.2
"""A question and a turn that have nothing to do with each other reach 0.1 on average, MiniLM. -1 to 1."""
LEAST_COVERAGE = 0.35
"""Share of the question's idf that the turn's words hold. 0 to 1."""
LEAST_KNOWLEDGE_COSINE = 0.35
"""Of a question and a piece of knowledge: between what is about the same and what is not, MiniLM. -1 to 1."""
LEAST_SHARE_OF_BEST = 0.3
"""Of the best memory's activation. What is far below it came along by accident. 0 to 1."""


def worth_telling(hits: Sequence[Hit], question: str = "") -> list[Hit]:
    """Give the hits that may go into a prompt, best first.

    Only what people said: what the assistant once answered is not evidence, and would come back as if it were. Not a
    mere question to the assistant, which tells nothing. Nothing at all when no hit stands out by its own words or
    meaning: a memory that does not fit costs seconds of reading, and misleads. What a newer statement superseded is
    told only when the question is about the past: a small model answers from it though it says until when it held.
    """
    told = [hit for hit in hits if hit.turn.role is not Role.ASSISTANT and not only_asks(hit.turn)]
    if question and not asks_of_the_past(question):
        told = [hit for hit in told if hit.superseded_by is None]
    if not any(hit.parts.cosine >= LEAST_COSINE or hit.parts.coverage >= LEAST_COVERAGE for hit in told):
        return []
    least = LEAST_SHARE_OF_BEST * max(hit.parts.activation for hit in told)
    seen: set[tuple[str, ...]] = set()
    chosen = []
    for hit in told:
        words = (hit.turn.speaker, *terms(hit.turn.text))
        if hit.parts.activation >= least and words not in seen:
            seen.add(words)
            chosen.append(hit)
    return chosen


def worth_knowing(concepts: Sequence[ConceptHit]) -> list[ConceptHit]:
    """Give the pieces of knowledge that may go into a prompt, best first: distilled ones that bear on the question.

    Facts that a model read off single windows stay out: the memories they were read off tell it better.
    """
    return [
        hit
        for hit in concepts
        if hit.concept.maker is Maker.DISTILLED
        and (hit.cosine >= LEAST_KNOWLEDGE_COSINE or hit.coverage >= LEAST_COVERAGE)
    ]
