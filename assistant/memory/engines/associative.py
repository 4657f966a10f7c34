"""The default: the whole hybrid score enters as energy, and spreads along the edges of the graph.

Where it departs from SYNAPSE: energy enters at every node that stands out, not at twenty anchors by cosine alone
(Eq. 1); the score is the sum of all steps, without the sigmoid (Eq. 4), which lifts every node alike; who said it and
when count, since a question asks about somebody and, at times, about a day. Left out, for they made recall worse on
dialogues: lateral inhibition (Eq. 3) and PageRank (Eq. 5).
"""

from collections.abc import Sequence
from typing import cast

import numpy as np

from assistant.memory.activation import Matrix, Rows, Vector, divide_by_fan, spread
from assistant.memory.anchors import energy, standardise
from assistant.memory.engines import Question, Ranking
from assistant.memory.graph import MemoryGraph
from assistant.memory.units import MICROSECONDS_A_DAY

EVERY = slice(None)


def rank(graph: MemoryGraph, question: Question) -> Ranking:
    """Give the energy of each node and what it received from others, and more to those who are asked about."""
    p = graph.parameters.associative
    n = len(graph.rows)
    whole = question.vector
    cosine, core = graph.cosines(whole, whole if question.core_vector is None else question.core_vector)

    # 1. the triggers: meaning, words, the session's words, and the concepts that are near
    entered = energy(
        p.cosine_weight * standardised_cosine(graph, cosine[:n]),
        p.core_weight * standardised_cosine(graph, core[:n]),
        p.bm25_weight * standardised_bm25(graph, question.core_terms or question.terms),
        p.function_weight * standardised_bm25(graph, question.function_terms),
        p.session_weight * _in_session(graph, question),
        p.concept_weight * _by_concepts(graph, question, core),
    )

    # 2. whom and when the question asks about
    person = graph.said_by(question.speakers)
    entered[person] *= p.person_factor
    entered += p.time_energy * _in_time(graph, question, slack_days=p.time_slack_days)
    entered = np.concatenate([entered, np.zeros(graph.size - n)])

    # 3. spread
    passing = _passing(graph)
    received = spread(passing, entered, share=p.spread_share, steps=p.spread_steps)
    activation = entered + received

    # 4. source monitoring: what those said who are asked about comes first
    score = activation.copy()
    score[:n][person] += p.person_prior * (activation / (activation + p.person_prior_half))[:n][person]
    return Ranking(
        score=score,
        cosine=cosine,
        bm25=graph.bm25(question.terms),
        energy=entered,
        received=received,
        core_cosine=core,
        passing=passing,
        share=p.spread_share,
        steps=p.spread_steps,
    )


def standardised_cosine(graph: MemoryGraph, cosine: Vector) -> Vector:
    """Give z-scores (n,) of the turns' cosines (n,) against their background."""
    p = graph.parameters
    return standardise(
        cosine, mean=p.background_cosine, deviation=p.background_cosine_deviation, weight=p.background_weight
    )


def standardised_bm25(graph: MemoryGraph, terms: Sequence[str], rows: Rows | slice = EVERY) -> Vector:
    """Give z-scores of the BM25 of all turns (n,), or of some of them among themselves, against its background."""
    p = graph.parameters
    return standardise(
        graph.words.lexicon.scores(terms, graph.words.turns)[rows],
        mean=0.0,
        deviation=p.background_bm25_share * graph.words.lexicon.total_idf(terms),
        weight=p.background_weight,
    )


def _in_session(graph: MemoryGraph, question: Question) -> Vector:
    """Give to each turn (n,) the z-score of its session's BM25."""
    score = graph.words.session_bm25(question.core_terms or question.terms)
    mean = float(score.mean()) if score.size else 0.0
    return standardise(score, mean=mean, deviation=0.0, weight=0.0)[graph.words.session]


def _by_concepts(graph: MemoryGraph, question: Question, cosine: Vector) -> Vector:
    """Give z-scores (n,) of what turns receive from the concepts nearest to the question that it does not name itself.

    SYNAPSE's semantic trigger: "instruments" reaches the turns about a violin through the concept.
    """
    p = graph.parameters.associative
    n, m = len(graph.rows), len(graph.concepts)
    if m == 0:
        return np.zeros(n)
    named = set(question.terms)
    near = np.where(cosine[n:] > p.concept_least_cosine, cosine[n:], 0.0)
    order = np.argsort(-near, kind="stable")[: p.concept_anchors * 2]
    chosen = [row for row in order if near[row] > 0 and named.isdisjoint(graph.concepts[row].terms.split())]
    chosen = chosen[: p.concept_anchors]
    support, rarity = _support(graph)
    lent = np.zeros(m)
    lent[chosen] = near[chosen] * rarity[chosen]
    return standardise(np.asarray(support @ lent), mean=0.0, deviation=1.0, weight=graph.parameters.background_weight)


def _support(graph: MemoryGraph) -> tuple[Matrix, Vector]:
    """Give which turns a concept rests on (n, m), 1 or 0, and how rare each concept (m,) is."""
    key = "associative.support"
    if key not in graph.cache:
        n = len(graph.rows)
        support = graph.abstraction[:n, n:].sign()
        graph.cache[key] = support, np.log1p((n + 0.5) / (np.diff(support.tocsc().indptr) + 0.5))
    return cast("tuple[Matrix, Vector]", graph.cache[key])


def _in_time(graph: MemoryGraph, question: Question, *, slack_days: float) -> Vector:
    """Give 1 to each turn (n,) of the time that the question names, or soon after it: people tell of what was."""
    if question.span_us is None:
        return np.zeros(len(graph.rows))
    said = graph.microseconds[: len(graph.rows)]
    first, last = question.span_us
    return ((said >= first) & (said <= last + slack_days * MICROSECONDS_A_DAY)).astype(np.float64)


def _passing(graph: MemoryGraph) -> Matrix:
    """Give M (N, N): time, support and learned weights, each divided by its own fan."""
    key = "associative.passing"
    if key not in graph.cache:
        p = graph.parameters.associative
        kinds = (
            (1.0, graph.temporal),
            (p.abstraction_share, graph.abstraction),
            (p.association_share, graph.association),
            (p.learned_share, graph.learned),
        )
        total = sum(
            (share * divide_by_fan(weights) for share, weights in kinds if share and weights.nnz), 0 * graph.temporal
        )
        graph.cache[key] = total.tocsr()
    return cast("Matrix", graph.cache[key])
