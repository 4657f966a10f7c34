"""Which recalled memories are worth a place in the prompt."""

from collections.abc import Iterable, Sequence

from assistant.language.prompt import Known
from assistant.language.quoting import place_of
from assistant.memory.evidence import asks_of_the_past, only_asks
from assistant.memory.recollection import ConceptHit, Hit
from assistant.memory.terms import terms
from assistant.memory.trust import Trust, least_trust, trust_of
from storage.records import Category, Concept, Maker, Role, Turn
from storage.vault import Vault

LEAST_COSINE = 0.2
"""A question and a turn that have nothing to do with each other reach 0.1 on average, MiniLM. -1 to 1."""
LEAST_COVERAGE = 0.35
"""Share of the question's idf that the turn's words hold. 0 to 1."""
LEAST_KNOWLEDGE_COSINE = 0.35
"""Of a question and a piece of knowledge: between what is about the same and what is not, MiniLM. -1 to 1."""
LEAST_SHARE_OF_BEST = 0.3
"""Of the best memory's activation. What is far below it came along by accident. 0 to 1."""
LEAST_ALIKE = 0.8
"""Share of their words, taken together, that two texts have in common that say the same. 0 to 1."""
LEAST_WORDS = 6
"""Words of a text that says enough to be said the same way twice by design: "Thanks, see you tomorrow" is no flood."""


def worth_telling(hits: Sequence[Hit], question: str = "") -> list[Hit]:
    """Give the hits that may go into a prompt, best first.

    Only what people said: what the assistant once answered is not evidence, and would come back as if it were. Not a
    mere question to the assistant, which tells nothing. Nothing at all when no hit stands out by its own words or
    meaning: a memory that does not fit costs seconds of reading, and misleads. What a newer statement superseded is
    told only when the question is about the past: a small model answers from it though it says until when it held.
    What was brought in, and repeats with few other words what stands there already, counts once, whoever says it.
    """
    told = [hit for hit in hits if hit.turn.role is not Role.ASSISTANT and not only_asks(hit.turn)]
    if question and not asks_of_the_past(question):
        told = [hit for hit in told if hit.superseded_by is None]
    if not any(hit.parts.cosine >= LEAST_COSINE or hit.parts.coverage >= LEAST_COVERAGE for hit in told):
        return []
    least = LEAST_SHARE_OF_BEST * max(hit.parts.activation for hit in told)
    seen: set[tuple[str, ...]] = set()
    kept: list[frozenset[str]] = []
    chosen = []
    for hit in told:
        words = terms(hit.turn.text)
        said = (hit.turn.speaker, *words)
        if hit.parts.activation < least or said in seen or _repeats(hit.turn, frozenset(words), kept):
            continue
        seen.add(said)
        kept.append(frozenset(words))
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


def told_knowledge(vault: Vault, concepts: Iterable[Concept]) -> tuple[Known, ...]:
    """Give pieces of knowledge as a prompt takes them, each text once, with where the least trusted of its sources is.

    How the user wants to be answered is taken from what they told this program alone.
    """
    found: dict[str, Known] = {}
    for concept in concepts:
        support = vault.turns.by_nodes(concept.support)
        if not support or (concept.category is Category.AGENT and least_trust(support) is not Trust.USER):
            continue
        place = place_of(min(support, key=trust_of))
        found.setdefault(concept.text, Known(text=concept.text, day=concept.last.date(), place=place))
    return tuple(found.values())


def _repeats(turn: Turn, words: frozenset[str], kept: Sequence[frozenset[str]]) -> bool:
    """Whether a turn that was brought in says what is kept already: nearly the same words, and every number in both."""
    if trust_of(turn) is Trust.USER or len(words) < LEAST_WORDS:
        return False
    return any(
        len(words & one) >= LEAST_ALIKE * len(words | one) and not any(map(str.isdecimal, words ^ one)) for one in kept
    )
