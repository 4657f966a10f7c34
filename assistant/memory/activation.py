"""Spreading activation: how energy flows along the edges of the graph."""

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Vector = NDArray[np.float64]
Matrix = sparse.csr_array[np.float64]


def divide_by_fan(weights: Matrix) -> Matrix:
    """Give M (n, n): `weights[i, j]`, the edge j -> i, divided by the fan (out-degree) of j. SYNAPSE, Eq. 2."""
    fan = np.bincount(weights.indices, minlength=weights.shape[1])
    return weights @ sparse.diags_array(1.0 / np.maximum(fan, 1)).tocsr()


def spread(passing: Matrix, start: Vector, *, share: float, steps: int) -> Vector:
    """Give what each node (n,) received from others: the sum over t = 1..steps of (share * passing)^t start.

    SYNAPSE, Eq. 2, without its self-decay: the sum keeps what entered at first, which the sigmoid of the paper blurs.
    """
    received = np.zeros_like(start)
    wave = start
    for _ in range(steps):
        wave = np.asarray(share * (passing @ wave))
        received += wave
    return received


def strongest_way(passing: Matrix, start: Vector, target: int, *, share: float, steps: int) -> list[tuple[int, float]]:
    """Give the walk that brought most to a node: (node, weight of the edge that leaves it), from its start to `target`.

    Empty when nothing came. A walk of length t brings start * (product of share * weight); found by dynamic programming
    backwards from the target, over the nodes within `steps` edges.
    """
    best: dict[int, tuple[float, list[tuple[int, float]]]] = {target: (1.0, [])}
    found: tuple[float, list[tuple[int, float]]] = (0.0, [])
    for _ in range(steps):
        further: dict[int, tuple[float, list[tuple[int, float]]]] = {}
        for node, (gain, walk) in best.items():
            row = slice(passing.indptr[node], passing.indptr[node + 1])
            for source, weight in zip(passing.indices[row].tolist(), passing.data[row].tolist(), strict=True):
                brought = gain * share * weight
                if brought > further.get(source, (0.0, []))[0]:
                    further[source] = (brought, [(source, weight), *walk])
        best = further
        for node, (gain, walk) in best.items():
            if gain * start[node] > found[0] and node != target:
                found = (gain * start[node], walk)
    return found[1]
