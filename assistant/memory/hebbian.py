"""Hebbian weights: what was used together is bound together, and what is not used any more loosens.

HeLa-Mem (arXiv 2604.16839), Eq. 1 and 2. Where it departs from the paper: the decay is of days, not of steps, and is
computed from the time of the last update instead of being written at every step, so that looking changes nothing; the
paper's (1 - lambda) with lambda = 0.995 is read as a retention of 0.995, since otherwise a weight would lose all but
half a percent of itself at once.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assistant.memory.parameters import HebbianParameters
from assistant.memory.units import MICROSECONDS_A_DAY

Pair = tuple[int, int]
"""Two nodes, the lower first: an edge without direction."""


def pair(one: int, other: int) -> Pair:
    """Give the edge between two nodes."""
    return (one, other) if one < other else (other, one)


def pairs_among(nodes: Sequence[int], *, most: int) -> list[Pair]:
    """Give all edges among the first `most` different nodes, ascending; at most most * (most - 1) / 2."""
    return list(combinations(sorted(list(dict.fromkeys(nodes))[:most]), 2))


def days_between(earlier_us: int, later_us: int) -> float:
    """Give the days from one time to another, both in microseconds; 0 where the clock was set back between them."""
    return max(0, later_us - earlier_us) / MICROSECONDS_A_DAY


def decayed(weight: ArrayLike, days: ArrayLike, *, retention: float) -> NDArray[np.float64]:
    """Give what is left of weights after so many days without use: w retention^days, elementwise. First term of Eq. 1.

    Days below 0, after a clock was set back, count as none.
    """
    passed = np.maximum(np.asarray(days, dtype=np.float64), 0.0)
    return np.asarray(np.asarray(weight, dtype=np.float64) * retention**passed)


def strengthened(weights: Mapping[Pair, float], used: Iterable[Pair], *, rate: float) -> dict[Pair, float]:
    """Give the new weights of the pairs used together: min(1, w + rate). Second term of Eq. 1.

    `weights` are those at this moment, decayed; a pair without one begins at 0. Each pair counts once, whatever the
    order of pairs and of the nodes in them.
    """
    return {edge: min(1.0, weights.get(edge, 0.0) + rate) for edge in {pair(*both) for both in used}}


def updated(
    stored: Mapping[Pair, tuple[float, int]], used: Iterable[Pair], *, now_us: int, parameters: HebbianParameters
) -> dict[Pair, tuple[float, int]]:
    """Give weight and time of the last update of the pairs used together, after the whole of Eq. 1.

    A clock that was set back never makes the time of an update earlier, for the weight would decay twice.
    """
    edges = {pair(*both) for both in used}
    before = {edge: stored.get(edge, (0.0, now_us)) for edge in edges}
    rested = {
        edge: float(decayed(weight, days_between(since, now_us), retention=parameters.retention_a_day))
        for edge, (weight, since) in before.items()
    }
    after = strengthened(rested, edges, rate=parameters.rate)
    return {edge: (after[edge], max(now_us, before[edge][1])) for edge in sorted(edges)}


def edges_by_node(weights: Mapping[Pair, float]) -> dict[int, dict[int, float]]:
    """Give for each node its neighbours, each with the weight of the edge to it."""
    beside: dict[int, dict[int, float]] = {}
    for (low, high), weight in weights.items():
        beside.setdefault(low, {})[high] = weight
        beside.setdefault(high, {})[low] = weight
    return beside


def degrees(weights: Mapping[Pair, float]) -> dict[int, float]:
    """Give the weighted degree of each node: D(v), the sum over its edges. Eq. 2."""
    return {node: sum(beside.values()) for node, beside in edges_by_node(weights).items()}


def strongest(beside: Mapping[int, float], *, most: int, among: Collection[int]) -> list[int]:
    """Give those of the neighbours of a node that have the strongest edges, strongest first; of equal ones the lower.

    Only such as are in `among`, and whose edge has any weight.
    """
    wanted = [other for other, weight in beside.items() if weight > 0 and other in among]
    return sorted(wanted, key=lambda other: (-beside[other], other))[:most]
