"""Temporal alignment: how well the moments at which two memories were stirred fit together."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from assistant.memory.spiking import SpikeTrains

Vector = NDArray[np.float64]
Rows = NDArray[np.int64]


def association(a: Vector, b: Vector, constant: Vector) -> NDArray[np.float64]:
    """Give W (q, n, m): how near each spike of the trains a (q, n) is to each of b (q, m), above 0 to 1.

    SynapticRAG, Eq. 1: exp(-|t_a - t_b| / tau), where `constant` (q,) is the mean of both nodes' time constants.
    """
    apart = np.abs(a[:, :, np.newaxis] - b[:, np.newaxis, :])
    return np.exp(-apart / constant[:, np.newaxis, np.newaxis])


def accumulated(near: NDArray[np.float64]) -> Vector:
    """Give L(n, m) (q,) of W (q, n, m): the most that a way from the first pair of spikes to the last gathers.

    SynapticRAG, Eq. 2 to 4. It is a dynamic time warping that maximises nearness, where the usual one minimises
    distance; so trains that are long gather much.
    """
    _, n, m = near.shape
    most = np.empty_like(near)
    most[:, :, 0] = np.cumsum(near[:, :, 0], axis=1)  # Eq. 2
    most[:, 0, :] = np.cumsum(near[:, 0, :], axis=1)  # Eq. 3
    for i in range(1, n):
        for j in range(1, m):  # Eq. 4
            before = np.maximum(np.maximum(most[:, i - 1, j], most[:, i, j - 1]), most[:, i - 1, j - 1])
            most[:, i, j] = near[:, i, j] + before
    return most[:, -1, -1]


def temporal_scores(trains: SpikeTrains, ones: Rows, others: Rows, *, constants: Vector) -> Vector:
    """Give T (q,), 0.5 to 1, of the pairs of nodes `ones[i]`, `others[i]`. SynapticRAG, Eq. 1 to 5.

    `constants` (nodes,) are the time constants. Pairs of trains of the same lengths are taken together: nearly all
    nodes have a single spike, so nearly all pairs are one exponential.
    """
    constant = 0.5 * (constants[ones] + constants[others])
    lengths = trains.lengths
    n, m = lengths[ones], lengths[others]
    gathered = np.empty(ones.size)
    for shape in np.unique(np.stack([n, m], axis=1), axis=0):
        pairs = np.flatnonzero((n == shape[0]) & (m == shape[1]))
        a, b = trains.times_of(ones[pairs]), trains.times_of(others[pairs])
        gathered[pairs] = accumulated(association(a, b, constant[pairs]))
    return expit(gathered)  # Eq. 5
