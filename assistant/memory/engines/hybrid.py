"""Plain hybrid search: cosine and BM25, each made comparable, added. What the other engines must beat."""

import numpy as np

from assistant.memory.anchors import standardise
from assistant.memory.engines import Question, Ranking
from assistant.memory.graph import MemoryGraph


def rank(graph: MemoryGraph, question: Question) -> Ranking:
    """Give z(cosine) + z(BM25), raised to 0 and up."""
    p = graph.parameters
    cosine = graph.cosines(question.vector)
    bm25 = graph.lexicon.scores(question.terms, graph.weights)
    score = standardise(
        cosine, mean=p.background_cosine, deviation=p.background_cosine_deviation, weight=p.background_weight
    ) + standardise(
        bm25,
        mean=0.0,
        deviation=p.background_bm25_share * graph.lexicon.total_idf(question.terms),
        weight=p.background_weight,
    )
    raised = score - score.min(initial=0.0)
    return Ranking(score=raised, cosine=cosine, bm25=bm25, energy=raised, received=np.zeros_like(raised))
