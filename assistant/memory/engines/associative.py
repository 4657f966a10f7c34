"""The default: the whole hybrid score enters as energy, and spreads along the edges of the graph.

Where it departs from SYNAPSE: energy enters at every node that stands out, not at twenty anchors by cosine alone
(Eq. 1); the score is the sum of all steps, without the sigmoid (Eq. 4), which lifts every node alike.
"""

import numpy as np

from assistant.memory.activation import spread
from assistant.memory.anchors import energy, standardise
from assistant.memory.engines import Question, Ranking
from assistant.memory.graph import MemoryGraph


def rank(graph: MemoryGraph, question: Question) -> Ranking:
    """Give the energy of each node and what it received from its neighbours, added."""
    p = graph.parameters
    cosine = graph.cosines(question.vector)
    bm25 = graph.lexicon.scores(question.terms, graph.weights)

    # 1. the triggers, each against its background
    z_cosine = standardise(
        cosine, mean=p.background_cosine, deviation=p.background_cosine_deviation, weight=p.background_weight
    )
    z_bm25 = standardise(
        bm25,
        mean=0.0,
        deviation=p.background_bm25_share * graph.lexicon.total_idf(question.terms),
        weight=p.background_weight,
    )
    in_session = graph.session_lexicon.scores(question.terms, graph.session_weights)
    z_session = standardise(in_session, mean=float(in_session.mean()), deviation=0.0, weight=0.0)[graph.session]

    # 2. energy; turns of the person who is asked about count a little more
    entered = energy(z_cosine, z_bm25, p.session_weight * z_session)
    if question.speakers:
        entered[np.array([row.speaker in question.speakers for row in graph.rows])] *= p.person_boost

    # 3. spread
    received = spread(graph.passing, entered, share=p.spread_share, steps=p.spread_steps)
    return Ranking(score=entered + received, cosine=cosine, bm25=bm25, energy=entered, received=received)
