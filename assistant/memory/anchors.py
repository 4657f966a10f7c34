"""The dual trigger: how much energy the words and the meaning of a question put into each node."""

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
EQUAL = 1e-9
"""A deviation below this is rounding: the scores are all the same."""


def standardise(score: Vector, *, mean: float, deviation: float, weight: float) -> Vector:
    """Give z-scores (n,) of `score` (n,) against itself and a background.

    The background counts as `weight` more observations of the given mean and deviation. It steadies a memory of a few
    turns, where a single turn would always be the mean of all; among thousands it is not felt.
    """
    n = score.size
    if n + weight == 0:
        return np.zeros(n)
    centre = (score.sum() + weight * mean) / (n + weight)
    square = ((score - centre) ** 2).sum() + weight * (deviation**2 + (mean - centre) ** 2)
    spread = np.sqrt(square / (n + weight))
    return np.zeros(n) if spread < EQUAL else (score - centre) / spread


def energy(*z_scores: Vector) -> Vector:
    """Give max(0, sum of the z-scores): what enters at each node (n,).

    SYNAPSE (Eq. 1) lets only the cosine of twenty anchors in, and so drops the lexical signal once they are chosen;
    the whole hybrid score as energy was the largest single gain on LoCoMo.
    """
    total: Vector = np.sum(z_scores, axis=0)
    return np.maximum(0.0, total)
