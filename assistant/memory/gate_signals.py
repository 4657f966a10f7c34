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
    """(k, t): whether the turn holds the term, of those that may speak for an answer."""

    def said_by(self, turns: Flags | Rows) -> Flags:
        """Give which terms (k,) stand in one of these turns, by flag (t,) or place."""
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
    """Of the turns (t,) that may speak for an answer: those of who is asked about, those of other people, and how."""

    asked: Flags
    others: Flags
    asked_names: tuple[str, ...]
    other_names: tuple[str, ...]
    """Speakers, in order."""
    first_person: Flags
    """Whether somebody speaks of himself; of all turns where the language has no words for it that are known."""
    second_person: Flags
    """Whether somebody is spoken to."""
    before: Rows
    """Place among the turns of the one before in the same session; its own where it is the first."""

    @property
    def opposed(self) -> bool:
        """Whether there is something to compare."""
        return bool(self.asked.any() and self.others.any())


def measure(graph: MemoryGraph, question: Question, ranking: Ranking, told: Flags | None = None) -> Signals:
    """Give the signals of a question by name; those of `SOURCE` only where people are to be told apart.

    Of the ranking only the order counts. `told` are the turns (n,) that may speak for an answer, all by default; there
    must be one.
    """
    rows = told_rows(graph, told)
    cosine, core = ranking.cosine[rows], _core(graph, question, ranking)[rows]
    wording = word(graph, question, told)
    coverage = graph.words.lexicon.coverage(wording.terms, graph.words.turns)[rows]
    sides = take_sides(graph, question, told)
    lifted = np.maximum(coverage, ANSWERS * coverage[sides.before])
    first = np.argsort(-ranking.score[rows], kind="stable")[:NEAREST]
    signals = {
        "cosine": float(cosine.max()),
        "core_cosine": float(core.max()),
        "cosine_stands_out": float(standardised_cosine(graph, cosine).max()),
        "core_stands_out": float(standardised_cosine(graph, core).max()),
        "unseen": (1 - _novelty(graph)) * wording.share(~wording.ever),
        "held": wording.share(wording.said_by(first)),
        "best_coverage": float(coverage.max()),
        "coverage": _best(coverage, NEAREST),
        "core_terms": float(np.log1p(len(wording.terms))),
        PERSONAL: float(_is_personal(question)),
    }
    if sides.opposed:
        bm25 = standardised_bm25(graph, wording.terms, rows)
        stands_out = STAND_OUT * (standardised_cosine(graph, core) + bm25)
        scores = _Scores(coverage=coverage, lifted=lifted, bm25=bm25, core=core, stands_out=stands_out)
        signals |= _compare(sides, wording, scores)
        signals["first_ten"] = float(sides.asked[first].mean() - sides.asked.mean())
    return signals


def told_rows(graph: MemoryGraph, told: Flags | None) -> Rows:
    """Give the rows (t,) of the turns that may speak for an answer."""
    return np.arange(len(graph.rows)) if told is None else np.flatnonzero(told)


def word(graph: MemoryGraph, question: Question, told: Flags | None = None) -> Wording:
    """Give the wording of a question."""
    wanted = tuple(dict.fromkeys(question.core_terms or question.terms))
    lexicon, turns, rows = graph.words.lexicon, graph.words.turns, told_rows(graph, told)
    said = np.array([lexicon.scores([term], turns)[rows] > 0 for term in wanted], dtype=bool)
    return Wording(
        terms=wanted,
        idf=np.array([lexicon.idf(term) for term in wanted], dtype=np.float64),
        said=said.reshape(len(wanted), rows.size),
    )


def take_sides(graph: MemoryGraph, question: Question, told: Flags | None = None) -> Sides:
    """Give whose turns are held against whose. The assistant is on no side, unless it is asked about itself."""
    rows, how = told_rows(graph, told), _how(graph)
    asked = graph.said_by(question.speakers)[rows]
    others = graph.by_people[rows] & ~asked
    first_person = how.first_person[rows]
    return Sides(
        asked=asked,
        others=others,
        asked_names=_names(graph, rows[asked]),
        other_names=_names(graph, rows[others]),
        first_person=first_person if first_person.any() else np.ones(rows.size, dtype=bool),
        second_person=how.second_person[rows],
        before=_before(graph, how.order, rows),
    )


def _core(graph: MemoryGraph, question: Question, ranking: Ranking) -> Vector:
    """Give the cosine (N,) of the question's core, by the engine or else by the graph."""
    if question.core_vector is None:
        return ranking.cosine
    return graph.cosines(question.core_vector) if ranking.core_cosine is None else ranking.core_cosine


def _names(graph: MemoryGraph, rows: Rows) -> tuple[str, ...]:
    """Give the speakers of these rows, in order."""
    often = np.bincount(graph.speaker[rows], minlength=len(graph.speaker_number))
    return tuple(sorted(name for name, number in graph.speaker_number.items() if often[number]))


def _is_personal(question: Question) -> bool:
    """Tell whether a question asks about the user without naming anybody."""
    names = {term for name in question.speakers for term in terms(name)}
    return bool(names) and names.isdisjoint(question.terms)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scores:
    """How much the turns (t,) have to do with the question."""

    coverage: Vector
    lifted: Vector
    """The same, or what the turn before covers, where that is more: "Yes!" answers a question."""
    bm25: Vector
    core: Vector
    stands_out: Vector


def _compare(sides: Sides, wording: Wording, scores: _Scores) -> Signals:
    """Give what one side has above the other."""
    asked, others = sides.asked, sides.others

    def above(score: Vector, most: int) -> float:
        return _best(score[asked], most) - _best(score[others], most)

    def share(score: Vector, turns: Flags) -> float:
        """Give the logarithm of the share that these turns have of all evidence, a turn counting e^score."""
        counts = np.exp(score - score.max())
        return float(np.log(counts @ (turns + LEAST)) - np.log(counts.sum()))

    ever_asked, ever_others = wording.said_by(asked), wording.said_by(others)
    return {
        "words": above(scores.lifted, NEAREST),
        "words_widely": above(scores.lifted, WIDELY),
        "best_words": above(scores.coverage, 1),
        "best_bm25": above(scores.bm25, 1),
        "bm25_widely": above(scores.bm25, WIDELY),
        "meaning": above(scores.core, WIDELY),
        "words_in_first_person": share(SHARPNESS * scores.lifted, asked & sides.first_person),
        "others_in_first_person": share(SHARPNESS * scores.coverage, others & sides.first_person),
        "spoken_to_others": share(scores.stands_out, asked & sides.second_person & ~sides.first_person),
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
class _How:
    """How the turns (n,) of a graph are said."""

    first_person: Flags
    """Whether somebody speaks of himself."""
    second_person: Flags
    """Whether somebody is spoken to."""
    order: Rows
    """The rows by conversation and position."""


def _how(graph: MemoryGraph) -> _How:
    key = "gate.how"
    if key not in graph.cache:
        graph.cache[key] = _How(
            first_person=_holding(graph, FIRST_PERSON),
            second_person=_holding(graph, SECOND_PERSON),
            order=in_order(graph.rows)[0],
        )
    return cast("_How", graph.cache[key])


def _holding(graph: MemoryGraph, words: frozenset[str]) -> Flags:
    """Give which turns (n,) hold one of these words."""
    wanted = [term for one in sorted(words) for term in terms(one)]
    return graph.words.lexicon.scores(wanted, graph.words.turns) > 0


def _before(graph: MemoryGraph, order: Rows, rows: Rows) -> Rows:
    """Give for each of these rows (t,) the place among them of the one before it in its session; its own if none is."""
    place = np.full(len(graph.rows), -1)
    place[rows] = np.arange(rows.size)
    told = order[place[order] >= 0]
    same = graph.words.session[told[1:]] == graph.words.session[told[:-1]]
    before = np.arange(rows.size)
    before[place[told[1:][same]]] = place[told[:-1][same]]
    return before


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
