"""PageRank: how much of the graph leads to a node, whatever is asked."""

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Vector = NDArray[np.float64]
Matrix = sparse.csr_array[np.float64]
TOLERANCE = 1e-10
"""Summed change of a step below which the walk has come to rest."""
MOST_STEPS = 200
"""With a damping of 0.85 the change is below the tolerance after 146 steps."""


def page_rank(weights: Matrix, *, damping: float) -> Vector:
    """Give the share of time (n,) that an endless walk spends at each node; sums to 1. The prior of SYNAPSE, Eq. 5.

    The walk takes an edge j -> i with a chance in proportion to its weight, `weights[i, j]`, and with 1 - damping
    starts anew anywhere, as it does from a node that no edge leaves. Page et al., 1999.
    """
    n = weights.shape[0]
    if n == 0:
        return np.zeros(0)

    # 1. chances: the columns sum to 1, but those of dangling nodes to 0
    leaving: Vector = np.asarray(weights.sum(axis=0)).ravel()  # (n,)
    dangling = leaving == 0
    chance = weights @ sparse.diags_array(1.0 / np.where(dangling, 1.0, leaving)).tocsr()

    # 2. walk until nothing changes
    rank = np.full(n, 1.0 / n)
    for _ in range(MOST_STEPS):
        anew = (1 - damping) + damping * rank[dangling].sum()
        following = damping * np.asarray(chance @ rank) + anew / n
        moved = np.abs(following - rank).sum()
        rank = following
        if moved < TOLERANCE:
            break
    return rank
