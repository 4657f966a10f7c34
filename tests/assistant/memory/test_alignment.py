from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.memory.alignment import accumulated, association, temporal_scores
from assistant.memory.spiking import SpikeTrains

TIMES = st.lists(st.floats(0, 50), min_size=1, max_size=4).map(sorted)
CONSTANTS = st.floats(0.5, 50)


def trains(*times: list[float]) -> SpikeTrains:
    return SpikeTrains.of([np.array([[time, 1.0] for time in one]) for one in times], time_scale=1.0)


def score(a: list[float], b: list[float], *, constants: tuple[float, float] = (2.0, 2.0)) -> float:
    one, other = np.array([0]), np.array([1])
    return float(temporal_scores(trains(a, b), one, other, constants=np.array(constants))[0])


def ways(n: int, m: int) -> list[list[tuple[int, int]]]:
    """All ways from the first pair to the last, one step on in either train or in both."""
    if (n, m) == (1, 1):
        return [[(0, 0)]]
    before = [(n - 1, m), (n, m - 1), (n - 1, m - 1)]
    return [[*way, (n - 1, m - 1)] for i, j in before if i and j for way in ways(i, j)]


def test_alignment_by_hand() -> None:
    # spikes at 1 and 3 against 1 and 2, tau = 1: W = [[1, e^-1], [e^-2, e^-1]]; the best way is 1 + e^-1 + e^-1
    near = association(np.array([[1.0, 3]]), np.array([[1.0, 2]]), np.array([1.0]))
    assert near[0] == pytest.approx(np.exp(np.array([[0.0, -1], [-2, -1]])))
    assert accumulated(near) == pytest.approx([1 + 2 * np.exp(-1)])
    gathered = 1 + 2 * np.exp(-1)
    assert score([1, 3], [1, 2], constants=(1, 1)) == pytest.approx(1 / (1 + np.exp(-gathered)))


def test_the_time_constant_of_a_pair_is_the_mean_of_both() -> None:
    gathered = np.exp(-6 / 3)  # the mean of 1 and 5
    assert score([0], [6], constants=(1, 5)) == pytest.approx(1 / (1 + np.exp(-gathered)))


@given(a=TIMES, b=TIMES, constant=CONSTANTS)
def test_the_score_is_that_of_the_best_of_all_ways(a: list[float], b: list[float], constant: float) -> None:
    near = association(np.array([a]), np.array([b]), np.array([constant]))
    best = max(sum(near[0][pair] for pair in way) for way in ways(len(a), len(b)))
    assert accumulated(near)[0] == pytest.approx(best)
    assert all(i[0] <= j[0] and i[1] <= j[1] for way in ways(len(a), len(b)) for i, j in pairwise(way))


@given(a=TIMES, b=TIMES, one=CONSTANTS, other=CONSTANTS)
def test_alignment_is_symmetric_and_bounded(a: list[float], b: list[float], one: float, other: float) -> None:
    there = score(a, b, constants=(one, other))
    assert there == pytest.approx(score(b, a, constants=(other, one)))
    assert 0.5 <= there <= 1 / (1 + np.exp(-(len(a) + len(b) - 1))) + 1e-12


@given(a=st.floats(0, 50), b=st.floats(0, 50), further=st.floats(0, 50))
def test_single_spikes_fit_the_less_the_further_they_lie_apart(a: float, b: float, further: float) -> None:
    beyond = b + further if b >= a else b - further
    assert score([a], [beyond]) <= score([a], [b])


@given(a=TIMES, b=TIMES, shift=st.floats(-20, 20))
def test_only_the_time_between_counts(a: list[float], b: list[float], shift: float) -> None:
    moved = score([time + shift for time in a], [time + shift for time in b])
    assert moved == pytest.approx(score(a, b))


@given(several=st.lists(TIMES, min_size=2, max_size=8))
def test_many_pairs_at_once_score_as_one_by_one(several: list[list[float]]) -> None:
    constants = np.linspace(1, 5, len(several))
    ones, others = np.divmod(np.arange(len(several) ** 2), len(several))
    together = temporal_scores(trains(*several), ones, others, constants=constants)
    apart = [
        score(several[i], several[j], constants=(constants[i], constants[j]))
        for i, j in zip(ones.tolist(), others.tolist(), strict=True)
    ]
    assert together == pytest.approx(apart)


def test_no_pairs_have_no_scores() -> None:
    nothing = np.zeros(0, dtype=np.int64)
    assert temporal_scores(trains([1.0]), nothing, nothing, constants=np.ones(1)).size == 0
