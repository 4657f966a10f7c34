"""HeLa-Mem's dual path: turns that the question itself brings back, and turns that those are bound to by use.

Where it departs from the paper (arXiv 2604.16839):

- The threshold above which a turn passes on is one of the plain cosine.
- Of the second path only turns count that the hop brought something: else it would be nothing but the next ones of the
  first path.
- Consecutive turns are bound the less, the more days lie between them, as in SYNAPSE.
- Concepts do not age: they are what is meant to outlast the conversations.
"""

from typing import cast

import numpy as np
from numpy.typing import NDArray

from assistant.memory.activation import Matrix, Vector, highest
from assistant.memory.engines import Question, Ranking
from assistant.memory.graph import MemoryGraph
from assistant.memory.units import MICROSECONDS_A_DAY

BELOW = 0.999
"""Where the best of the nodes that were not selected stands, as a share of the last of those that were."""


def rank(graph: MemoryGraph, question: Question) -> Ranking:
    """Give the scores of Eq. 4; the nodes of the final set (Eq. 5) and the best concepts stand above all others.

    `energy` is the base score of Eq. 3, `received` what the hop added.
    """
    p = graph.parameters.hela
    n = len(graph.rows)
    cosine = graph.cosines(question.vector)
    bm25 = graph.bm25(question.terms)

    # 1. base activation (Eq. 3)
    keywords = graph.coverage(question.terms)
    base = np.maximum(0.0, cosine + p.keyword_weight * keywords) * freshness(graph, question.microseconds)

    # 2. one hop along the Hebbian edges (Eq. 4)
    links = _links(graph)
    received = p.share * np.asarray(links @ np.where(cosine >= p.least_cosine, base, 0.0))
    score = base + received

    # 3. the final set (Eq. 5), and beside it the semantic memory
    is_turn = np.arange(graph.size) < n
    selected = np.zeros(graph.size, dtype=bool)
    selected[highest(np.where(is_turn, base, 0.0), p.episodic)] = True
    selected[highest(np.where(is_turn & ~selected & (received > 0), score, 0.0), p.lifted)] = True
    selected[highest(np.where(is_turn, 0.0, base), p.semantic)] = True
    return Ranking(
        score=standing_above(score, selected),
        cosine=cosine,
        bm25=bm25,
        energy=base,
        received=received,
        passing=links,
        share=p.share,
        steps=1,
    )


def freshness(graph: MemoryGraph, now_us: int) -> Vector:
    """Give gamma (N,) of Eq. 3, 0 to 1: exp(-age / tau) of turns, and 1 of concepts and of what is said later."""
    days = np.maximum(0.0, (now_us - graph.microseconds) / MICROSECONDS_A_DAY)
    days[len(graph.rows) :] = 0.0
    return np.exp(-days / graph.parameters.hela.days)


def standing_above(score: Vector, selected: NDArray[np.bool_]) -> Vector:
    """Give the scores (N,) with those not selected scaled down, if need be, to stand below all that are."""
    if not selected.any() or selected.all():
        return score
    lowest, highest_of_others = score[selected].min(), score[~selected].max()
    if highest_of_others < lowest:
        return score
    return np.where(selected, score, score * (BELOW * lowest / highest_of_others))


def _links(graph: MemoryGraph) -> Matrix:
    """Give the weights (N, N), 0 to 1: what was learned, and the small ones of consecutive turns."""
    key = "hela.links"
    if key not in graph.cache:
        links = (graph.learned + graph.parameters.hela.neighbour_weight * graph.temporal).tocsr()
        links.data = np.minimum(links.data, 1.0)
        graph.cache[key] = links
    return cast("Matrix", graph.cache[key])
