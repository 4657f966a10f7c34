"""SYNAPSE, equation by equation: anchors, three steps of spreading with inhibition and sigmoid, a score of three parts.

Where it departs from the paper (arXiv 2601.02744):

- The sigmoid (Eq. 4) acts on nodes that were reached; on all, it would wake the whole graph.
- PageRank (Eq. 5) is divided by its maximum. It sums to 1 over the graph, and would weigh nothing among thousands.
- Inhibition (Eq. 3) takes from an anchor only what came along its edges, never what it kept of its own. As printed, the
  hub of a crowded topic silences the one turn that names what was asked for and has few neighbours: the failure that
  the paper shows in its figure 4. `spares_anchors=False` is the printed form.
- The windows of five turns are counted by position in a conversation.
"""

from typing import cast

import numpy as np
from scipy import sparse

from assistant.memory.activation import Matrix, Vector, divide_by_fan, firing_rate, highest, prune, step
from assistant.memory.engines import Question, Ranking
from assistant.memory.graph import MemoryGraph
from assistant.memory.inhibition import inhibit
from assistant.memory.prior import page_rank

EVEN = 1e-300
"""Below any share of a walk: an empty graph has no highest."""


def rank(graph: MemoryGraph, question: Question) -> Ranking:
    """Give the triple hybrid score (Eq. 5). `received` is the activation a(T) of Eq. 4, `energy` is a(0) of Eq. 1."""
    p = graph.parameters.synapse
    cosine = np.maximum(0.0, graph.cosines(question.vector))
    bm25 = graph.bm25(question.terms)
    passing, prior = _structure(graph)

    # 1. the dual trigger, and the energy of the anchors (Eq. 1)
    anchor = np.zeros(graph.size, dtype=bool)
    anchor[highest(bm25, p.anchors)] = True
    anchor[highest(cosine, p.anchors)] = True
    energy = np.where(anchor, p.anchor_energy * cosine, 0.0)

    # 2. spread (Eq. 2), inhibit (Eq. 3), fire (Eq. 4)
    activation = energy
    for _ in range(p.steps):
        potential = step(passing, activation, share=p.share, decay=p.decay)
        inhibited = inhibit(potential, strength=p.inhibition, inhibitors=p.inhibitors)
        if p.spares_anchors:
            own = np.where(anchor, (1 - p.decay) * activation, 0.0)
            inhibited = np.maximum(inhibited, own)
        activation = firing_rate(inhibited, steepness=p.steepness, threshold=p.threshold)

    # 3. the score (Eq. 5)
    score = p.cosine_weight * cosine + p.activation_weight * activation + p.prior_weight * prior
    return Ranking(
        score=score,
        cosine=cosine,
        bm25=bm25,
        energy=energy,
        received=activation,
        passing=passing,
        share=p.share,
        steps=p.steps,
    )


def _structure(graph: MemoryGraph) -> tuple[Matrix, Vector]:
    """Give M (N, N) of Eq. 2 and the prior (N,) of Eq. 5, its highest 1. Both follow from the graph alone."""
    key = "synapse.structure"
    if key not in graph.cache:
        p = graph.parameters.synapse
        joined = graph.temporal + window_edges(graph) + association_edges(graph)
        weights = prune(joined.tocsr(), keep=(graph.temporal + graph.abstraction).tocsr(), most=p.incoming)
        prior = page_rank(weights, damping=p.damping)
        graph.cache[key] = divide_by_fan(weights, power=p.fan_power), prior / prior.max(initial=EVEN)
    return cast("tuple[Matrix, Vector]", graph.cache[key])


def window_edges(graph: MemoryGraph) -> Matrix:
    """Give the edges (N, N), both ways, of each concept and all turns of the windows that its support lies in.

    SYNAPSE, algorithm 1, line 20: a concept is joined with the whole window of N = 5 turns that it was found in.
    """
    p = graph.parameters.synapse
    n = len(graph.rows)
    place = np.array([(row.conversation, row.position // p.window) for row in graph.rows], dtype=np.int64).reshape(n, 2)
    windows, window = np.unique(place, axis=0, return_inverse=True)
    member = sparse.csr_array((np.ones(n), (np.arange(n), window.ravel())), shape=(n, len(windows)))
    support: Matrix = graph.abstraction[n:, :n].sign()  # (m, n)
    joined = ((support @ member) @ member.T).tocoo()  # (m, n)
    concept, turn = joined.row + n, joined.col
    weight = np.full(2 * joined.nnz, p.abstraction_weight)
    ends = np.concatenate([concept, turn]), np.concatenate([turn, concept])
    return sparse.csr_array((weight, ends), shape=(graph.size, graph.size))


def association_edges(graph: MemoryGraph) -> Matrix:
    """Give the edges (N, N) of concepts whose cosine is above the printed threshold.

    SYNAPSE, algorithm 1, line 25. Concepts above 0.92 have been merged before (line 14), so only those that were kept
    apart for their names, numbers or dates are left to join.
    """
    edges = graph.association.copy()
    edges.data[edges.data <= graph.parameters.synapse.association_cosine] = 0.0
    edges.eliminate_zeros()
    return edges
