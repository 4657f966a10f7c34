"""Spreading activation: how energy flows along the edges of the graph."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import expit

Vector = NDArray[np.float64]
Rows = NDArray[np.int64]
Matrix = sparse.csr_array[np.float64]


def prune(weights: Matrix, *, keep: Matrix, most: int) -> Matrix:
    """Give W (n, n) with at most `most` incoming edges a node, the weakest gone first. SYNAPSE, section 3.1.

    The edges that stand in `keep` (n, n) stay, even beyond that number: neighbours in time, and the turns that a
    concept rests on. Of equally weak ones those from later rows go.
    """
    edges = weights.tocoo()
    kept = _stands_in(keep, edges.row, edges.col)
    order = np.lexsort((edges.col, -edges.data, ~kept, edges.row))
    row = edges.row[order]
    place = np.arange(row.size) - np.searchsorted(row, row)  # of each edge among those of its node
    stays = order[kept[order] | (place < most)]
    return sparse.csr_array((edges.data[stays], (edges.row[stays], edges.col[stays])), shape=weights.shape)


def divide_by_fan(weights: Matrix, *, power: float = 1.0) -> Matrix:
    """Give M (n, n): `weights[i, j]`, the edge j -> i, divided by the fan (out-degree) of j. SYNAPSE, Eq. 2.

    `power` is that of the fan: 1 as printed, 0 without the fan effect.
    """
    fan = np.bincount(weights.indices, minlength=weights.shape[1])
    return weights @ sparse.diags_array(np.maximum(fan, 1) ** -power).tocsr()


def step(passing: Matrix, activation: Vector, *, share: float, decay: float) -> Vector:
    """Give the potential u (n,) after one step: what a node keeps of its activation a (n,), and what others send it.

    SYNAPSE, Eq. 2: u_i = (1 - delta) a_i + sum over j of S w_ji a_j / fan(j); `passing` is w / fan.
    """
    return (1 - decay) * activation + share * np.asarray(passing @ activation)


def firing_rate(potential: Vector, *, steepness: float, threshold: float) -> Vector:
    """Give the activation a (n,) of a potential (n,): the sigmoid of SYNAPSE, Eq. 4, on nodes that were reached.

    The paper applies it to all. Then every node of the graph fires at 0.076 for any question, floods the next step, and
    no node is ever below the dormancy threshold of 0.01. Here what nothing reached, or inhibition silenced, stays at 0.
    """
    return np.where(potential > 0, expit(steepness * (potential - threshold)), 0.0)


def highest(score: Vector, most: int) -> Rows:
    """Give the rows of the `most` highest scores above 0, best first; of equal ones the later row comes first."""
    least = np.partition(score, -most)[-most] if most < score.size else 0.0
    rows = np.flatnonzero((score > 0) & (score >= least))
    return rows[np.lexsort((-rows, -score[rows]))][:most]


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


def strongest_ways(
    passing: Matrix, start: Vector, targets: Sequence[int], *, share: float, steps: int
) -> list[list[tuple[int, float]]]:
    """Give for each target the walk that brought most to it: (node, weight of the edge that leaves it), from its start.

    Empty for one that nothing came to but from itself. A walk of length t brings start * (product of share * weight).
    Step by step v_t[i] = max over j of share M[i, j] v_(t-1)[j], and the edge that attains it: dynamic programming,
    O(steps * edges) for all targets together.
    """
    reached = np.flatnonzero(np.diff(passing.indptr))
    if reached.size == 0:
        return [[] for _ in targets]
    begins, brought = passing.indptr[:-1][reached], [start]
    for _ in range(steps):
        value = np.zeros_like(start)
        value[reached] = np.maximum.reduceat(share * passing.data * brought[-1][passing.indices], begins)
        brought.append(value)
    return [_strongest(passing, brought, target, share=share) for target in targets]


def _strongest(passing: Matrix, brought: list[Vector], target: int, *, share: float) -> list[tuple[int, float]]:
    """Give the walk of whatever length that brought most, and begins elsewhere."""
    for length in sorted(range(1, len(brought)), key=lambda steps: -brought[steps][target]):
        if brought[length][target] <= 0:
            break
        walk, node = list[tuple[int, float]](), target
        for before in reversed(brought[:length]):
            edges = slice(passing.indptr[node], passing.indptr[node + 1])
            strongest = int(np.argmax(share * passing.data[edges] * before[passing.indices[edges]]))
            node, weight = int(passing.indices[edges][strongest]), float(passing.data[edges][strongest])
            walk.insert(0, (node, weight))
        if node != target:
            return walk
    return []


def _stands_in(matrix: Matrix, rows: NDArray[np.integer], columns: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Tell of each place whether the matrix has an edge there."""
    there = matrix.tocoo()
    width = matrix.shape[1]
    wanted = rows.astype(np.int64) * width + columns
    held = np.append(np.sort(there.row.astype(np.int64) * width + there.col), -1)  # -1 is no place
    stands: NDArray[np.bool_] = held[np.searchsorted(held[:-1], wanted)] == wanted
    return stands
