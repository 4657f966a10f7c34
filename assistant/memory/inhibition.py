"""Lateral inhibition: the strongest nodes quieten those beneath them."""

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


def inhibit(potential: Vector, *, strength: float, inhibitors: int) -> Vector:
    """Give the inhibited potential (n,) of u (n,): each of the M strongest takes from those below it.

    SYNAPSE, Eq. 3: max(0, u_i - beta * sum over k of the M highest of (u_k - u_i) where u_k > u_i). `strength` is beta,
    `inhibitors` is M. A node is lowered by less, the nearer it stands to the top; the order of nodes stays.
    """
    # 1. the M highest, T_M
    strongest = np.sort(potential)[-inhibitors:]  # (M,)

    # 2. how far each of them stands above each node
    above = np.maximum(0.0, strongest[:, np.newaxis] - potential)  # (M, n)

    # 3. what they take, down to nothing
    inhibited: Vector = np.maximum(0.0, potential - strength * above.sum(axis=0))
    return inhibited
