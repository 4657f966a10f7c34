"""Plain hybrid search: cosine and BM25, each made comparable, added. What the other engines must beat."""

import numpy as np

from assistant.memory.engines import Question, Ranking
from assistant.memory.engines.associative import standardised_bm25, standardised_cosine
from assistant.memory.graph import MemoryGraph


def rank(graph: MemoryGraph, question: Question) -> Ranking:
    """Give z(cosine) + z(BM25) of the turns, raised to 0 and up; concepts get nothing."""
    n = len(graph.rows)
    cosine = graph.cosines(question.vector)
    score = standardised_cosine(graph, cosine[:n]) + standardised_bm25(graph, question.terms)
    raised = np.zeros(graph.size)
    raised[:n] = score - score.min(initial=0.0)
    nothing = np.zeros(graph.size)
    return Ranking(score=raised, cosine=cosine, bm25=graph.bm25(question.terms), energy=raised, received=nothing)
