"""What a gate goes by: how strong the evidence is, and whose it is, each signal a figure with a name.

Source monitoring: asked for the right event of the wrong person, a memory finds strong evidence, of somebody else. So
what those say who are asked about is held against what the other people say. What the assistant says is no evidence.
"""

from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from assistant.memory.concepts.stop_words import FIRST_PERSON, SECOND_PERSON
from assistant.memory.engines import Question, Ranking
from assistant.memory.engines.associative import standardised_bm25, standardised_cosine
from assistant.memory.graph import MemoryGraph
from assistant.memory.terms import terms
from assistant.memory.words import in_order
from storage.records import Role

Vector = NDArray[np.float64]
Flags = NDArray[np.bool_]
Rows = NDArray[np.int64]
Signals = dict[str, float]
STRENGTH = (
    "cosine",
    "core_cosine",
    "cosine_stands_out",
    "core_stands_out",
    "unseen",
    "held",
    "best_coverage",
    "coverage",
    "core_terms",
)
"""Signals of how strong the evidence is, whoever said it."""
SOURCE = (
    "words",
    "words_widely",
    "best_words",
    "best_bm25",
    "bm25_widely",
    "meaning",
    "words_in_first_person",
    "others_in_first_person",
    "spoken_to_others",
    "habit",
    "only_others",
    "first_ten",
)
"""Signals of whose it is; there only where the question asks about some people of the memory and not of all."""
PERSONAL = "personal"
"""1 for a question in the first person, 0 for any other one: its name among the signals."""
BESIDE_SOURCE = ("core_terms", "core_cosine", "best_coverage", "coverage", "core_stands_out")
"""Signals of strength that tell how much those of whose it is are to be believed."""
NEAREST = 10
"""Turns that a signal looks at, the best of their kind."""
WIDELY = 30
"""The same where it looks at all that somebody says on a subject."""
ANSWERS = 0.6
"""What a turn holds of what the turn before it says: "Yes!" answers a question. 0 to 1."""
SHARPNESS = 5.0
"""How much more a turn counts whose coverage is higher by one, as a power of e: 150 times as much. Above 0."""
STAND_OUT = 0.6
"""The same for the sum of the z-scores of meaning and words."""
ORDINARY = 20.0
"""Turns of an average speaker that are added to what each side says, so that few turns tell little. Above 0."""
LEAST = 1e-4
"""Weight of a turn that does not count: keeps the logarithm of nothing finite."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """Which terms of a question a memory knows, and who said them."""

    terms: tuple[str, ...]
    """The core terms (k,) of the question, each once."""
    idf: Vector
    """(k,)."""
    said: Flags
    """(k, n): whether the turn holds the term."""

    def said_by(self, turns: Flags | Rows) -> Flags:
        """Give which terms (k,) stand in one of these turns, by flag (n,) or row."""
        return np.asarray(self.said[:, turns].sum(axis=1) > 0)

    @property
    def ever(self) -> Flags:
        """Which terms (k,) anybody ever said."""
        return np.asarray(self.said.sum(axis=1) > 0)

    @property
    def unseen(self) -> tuple[str, ...]:
        """The terms that nobody ever said."""
        return tuple(term for term, ever in zip(self.terms, self.ever, strict=True) if not ever)

    def share(self, held: Flags) -> float:
        """Give the share, 0 to 1, of the idf that these terms (k,) hold."""
        return float(self.idf[held].sum() / self.idf.sum()) if self.idf.size else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """The turns (n,) of those who are asked about, and of the people who are not."""

    asked: Flags
    others: Flags

    asked_names: tuple[str, ...]
    other_names: tuple[str, ...]
    """Speakers, in order."""

    @property
    def opposed(self) -> bool:
        """Whether there is something to compare."""
        return bool(self.asked.any() and self.others.any())


def measure(graph: MemoryGraph, question: Question, ranking: Ranking) -> Signals:
    """Give the signals of a question by name; those of `SOURCE` only where people are to be told apart.

    Of the ranking only the order counts. The graph must hold a turn.
    """
    n = len(graph.rows)
    core = ranking.cosine[:n] if question.core_vector is None else graph.cosines(question.core_vector)[:n]
    wording = word(graph, question)
    coverage = graph.words.lexicon.coverage(wording.terms, graph.words.turns)
    lifted = np.maximum(coverage, ANSWERS * _before(graph, coverage))
    first = np.argsort(-ranking.score[:n], kind="stable")[:NEAREST]
    signals = {
        "cosine": float(ranking.cosine[:n].max()),
        "core_cosine": float(core.max()),
        "cosine_stands_out": float(standardised_cosine(graph, ranking.cosine[:n]).max()),
        "core_stands_out": float(standardised_cosine(graph, core).max()),
        "unseen": (1 - _novelty(graph)) * wording.share(~wording.ever),
        "held": wording.share(wording.said_by(first)),
        "best_coverage": float(coverage.max()),
        "coverage": _best(coverage, NEAREST),
        "core_terms": float(np.log1p(len(wording.terms))),
        PERSONAL: float(_is_personal(question)),
    }
    sides = take_sides(graph, question)
    if sides.opposed:
        signals |= _compare(graph, sides, wording, coverage=coverage, lifted=lifted, core=core)
        signals["first_ten"] = float(sides.asked[first].mean() - sides.asked.mean())
    return signals


def word(graph: MemoryGraph, question: Question) -> Wording:
    """Give the wording of a question."""
    wanted = tuple(dict.fromkeys(question.core_terms or question.terms))
    lexicon, turns = graph.words.lexicon, graph.words.turns
    said = np.array([lexicon.scores([term], turns) > 0 for term in wanted], dtype=bool)
    return Wording(
        terms=wanted,
        idf=np.array([lexicon.idf(term) for term in wanted], dtype=np.float64),
        said=said.reshape(len(wanted), len(graph.rows)),
    )


def take_sides(graph: MemoryGraph, question: Question) -> Sides:
    """Give whose turns are held against whose. The assistant is on no side, unless it is asked about itself."""
    known = _who(graph)
    wanted = np.array([name in question.speakers for name in known.number], dtype=bool)
    asked = wanted[known.speaker]
    others = known.person & ~asked
    sides = [
        tuple(
            sorted(name for name, turns in zip(known.number, np.bincount(known.speaker[side]), strict=False) if turns)
        )
        for side in (asked, others)
    ]
    return Sides(asked=asked, others=others, asked_names=sides[0], other_names=sides[1])


def _is_personal(question: Question) -> bool:
    """Tell whether a question asks about the user without naming anybody."""
    names = {term for name in question.speakers for term in terms(name)}
    return bool(names) and names.isdisjoint(question.terms)


def _compare(
    graph: MemoryGraph, sides: Sides, wording: Wording, *, coverage: Vector, lifted: Vector, core: Vector
) -> Signals:
    """Give what one side has above the other."""
    asked, others, who = sides.asked, sides.others, _who(graph)
    bm25 = standardised_bm25(graph, wording.terms)
    stands_out = STAND_OUT * (standardised_cosine(graph, core) + bm25)

    def above(score: Vector, most: int) -> float:
        return _best(score[asked], most) - _best(score[others], most)

    def share(score: Vector, turns: Flags) -> float:
        """Give the logarithm of the share that these turns have of all evidence, a turn counting e^score."""
        counts = np.exp(score - score.max())
        return float(np.log(counts @ (turns + LEAST)) - np.log(counts.sum()))

    ever_asked, ever_others = wording.said_by(asked), wording.said_by(others)
    return {
        "words": above(lifted, NEAREST),
        "words_widely": above(lifted, WIDELY),
        "best_words": above(coverage, 1),
        "best_bm25": above(bm25, 1),
        "bm25_widely": above(bm25, WIDELY),
        "meaning": above(core, WIDELY),
        "words_in_first_person": share(SHARPNESS * lifted, asked & who.first_person),
        "others_in_first_person": share(SHARPNESS * coverage, others & who.first_person),
        "spoken_to_others": share(stands_out, asked & who.second_person & ~who.first_person),
        "habit": _habit(wording, sides),
        "only_others": wording.share(ever_others & ~ever_asked),
    }


def _habit(wording: Wording, sides: Sides) -> float:
    """Give how much likelier these terms are in what one side says than in what the other says: a sum of logarithms.

    Each side is taken for one that also said `ORDINARY` turns as everybody does (Dirichlet smoothing).
    """
    asked, others = wording.said[:, sides.asked].sum(axis=1), wording.said[:, sides.others].sum(axis=1)
    turns_asked, turns_others = int(sides.asked.sum()), int(sides.others.sum())
    usual = ORDINARY * (asked + others + 0.5) / (turns_asked + turns_others + 1)
    ratio = np.log((asked + usual) / (turns_asked + ORDINARY)) - np.log((others + usual) / (turns_others + ORDINARY))
    return float(ratio[asked + others > 0].sum())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Who:
    """Who says the turns (n,) of a graph, and how."""

    number: dict[str, int]
    """Of each speaker."""
    speaker: Rows
    person: Flags
    """Whether it is not the assistant."""
    first_person: Flags
    """Whether somebody speaks of himself; of all turns where the language has no words for it that are known."""
    second_person: Flags
    """Whether somebody is spoken to."""
    before: Rows
    """Row of the turn before it in its session; its own where it is the first."""


def _who(graph: MemoryGraph) -> _Who:
    key = "gate.who"
    if key not in graph.cache:
        number: dict[str, int] = {}
        speaker = [number.setdefault(row.speaker, len(number)) for row in graph.rows]
        first = _holding(graph, FIRST_PERSON)
        order, same, _ = in_order(graph.rows)
        before = np.arange(len(graph.rows))
        same &= graph.words.session[order[1:]] == graph.words.session[order[:-1]]
        before[order[1:][same]] = order[:-1][same]
        graph.cache[key] = _Who(
            number=number,
            speaker=np.array(speaker, dtype=np.int64),
            person=np.array([row.role is not Role.ASSISTANT for row in graph.rows], dtype=bool),
            first_person=first if first.any() else np.ones(len(graph.rows), dtype=bool),
            second_person=_holding(graph, SECOND_PERSON),
            before=before,
        )
    return cast("_Who", graph.cache[key])


def _holding(graph: MemoryGraph, words: frozenset[str]) -> Flags:
    """Give which turns (n,) hold one of these words."""
    wanted = [term for one in sorted(words) for term in terms(one)]
    return graph.words.lexicon.scores(wanted, graph.words.turns) > 0


def _before(graph: MemoryGraph, score: Vector) -> Vector:
    """Give to each turn (n,) the score of the one before it."""
    return score[_who(graph).before]


def _best(score: Vector, most: int) -> float:
    """Give the mean of the `most` highest scores, or of all where there are fewer."""
    most = min(most, score.size)
    return float(np.partition(score, -most)[-most:].mean())


def _novelty(graph: MemoryGraph) -> float:
    """Give the chance, 0 to 1, that the next word would be a new one: the share of words said once (Good-Turing).

    In a memory of three turns it is near 1, and that it never heard a word tells nothing.
    """
    key = "gate.novelty"
    if key not in graph.cache:
        counts = graph.words.lexicon.counts
        often: Vector = np.asarray(counts.sum(axis=0)).ravel()
        graph.cache[key] = float((often == 1).sum() / often.sum()) if often.sum() else 1.0
    return cast("float", graph.cache[key])
