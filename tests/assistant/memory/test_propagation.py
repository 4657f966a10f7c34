from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from assistant.memory.parameters import SynapticParameters
from assistant.memory.propagation import Nodes, Stimuli, propagate
from assistant.memory.spiking import SpikeTrains

EXACT = SynapticParameters(
    least_cosine=0.3,
    least_stimulus=0.05,
    stimulus_scale=1.0,
    time_constant=10.0,
    time_constant_scale=1.0,
    time_scale=1.0,
    exact=True,
)
CENTROID = replace(EXACT, exact=False)
PLACES = st.lists(st.tuples(st.floats(-np.pi, np.pi), st.integers(0, 60)), min_size=1, max_size=8)
"""Of each memory: the angle of its vector to the question's, and its turn."""


def never(rows: NDArray[np.int64], stimuli: NDArray[np.float64]) -> NDArray[np.bool_]:
    return np.zeros(rows.size, dtype=np.bool_)


def memories(*places: tuple[float, float], asked: float = 61.0) -> Nodes:
    angles = np.array([angle for angle, _ in places])
    return Nodes(
        vectors=np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32),
        cosine=np.cos(angles),
        trains=SpikeTrains.of([np.array([[turn, 1.0]]) for _, turn in places], time_scale=1.0).and_one(asked),
        constants=np.full(len(places) + 1, 10.0),
    )


def fit(apart: float) -> float:
    """T of two single spikes with the time constant 10."""
    return float(1 / (1 + np.exp(-np.exp(-apart / 10))))


@pytest.mark.parametrize("parameters", [EXACT, CENTROID])
def test_two_layers_by_hand(parameters: SynapticParameters) -> None:
    # the question reaches 0, 40 degrees off; 1 is 80 off, too far from the question, and 40 from 0
    nodes = memories((np.radians(40), 11), (np.radians(80), 13), asked=12)
    stimuli = propagate(nodes, never, parameters=parameters)
    first = fit(1) * np.cos(np.radians(40))
    assert stimuli.strength == pytest.approx([first, first * fit(2) * np.cos(np.radians(40))])
    assert stimuli.parent.tolist() == [2, 0]
    assert stimuli.layer.tolist() == [1, 2]


def test_a_child_takes_from_the_parent_that_gives_most() -> None:
    # 0 and 1 are both 60 degrees off, on one side; 2 lies between the two in meaning, and beside 1 in time
    nodes = memories((np.radians(60), 0), (np.radians(60), 59), (np.radians(100), 60))
    stimuli = propagate(nodes, never, parameters=EXACT)
    assert stimuli.parent.tolist() == [3, 3, 1]


@pytest.mark.parametrize("parameters", [EXACT, CENTROID])
def test_of_senders_that_are_alike_the_one_nearest_in_time_is_the_parent(parameters: SynapticParameters) -> None:
    early, late = (np.radians(60), 10), (np.radians(60), 50)
    children = [(np.radians(100), turn) for turn in (2, 14, 46, 58)]
    stimuli = propagate(memories(early, late, *children, asked=30), never, parameters=parameters)
    assert stimuli.parent.tolist() == [6, 6, 0, 0, 1, 1]


@pytest.mark.parametrize("parameters", [EXACT, CENTROID])
def test_a_node_that_fired_passes_nothing_on(parameters: SynapticParameters) -> None:
    nodes = memories((np.radians(40), 11), (np.radians(80), 13), asked=12)
    stimuli = propagate(nodes, lambda rows, given: given > 0.5, parameters=parameters)
    assert stimuli.layer.tolist() == [1, 0]
    assert stimuli.strength[1] == 0


@pytest.mark.parametrize("parameters", [EXACT, CENTROID])
def test_a_node_that_received_too_little_passes_nothing_on(parameters: SynapticParameters) -> None:
    nodes = memories((np.radians(40), 11), (np.radians(80), 13), asked=12)
    assert propagate(nodes, never, parameters=replace(parameters, least_stimulus=0.6)).layer.tolist() == [1, 0]


def test_a_question_that_nothing_is_near_stirs_nothing() -> None:
    stimuli = propagate(memories((np.pi, 3)), never, parameters=CENTROID)
    assert (stimuli.strength.tolist(), stimuli.parent.tolist(), stimuli.layer.tolist()) == ([0], [-1], [0])


@given(PLACES)
def test_the_exact_layers_are_those_of_the_equations(places: list[tuple[float, int]]) -> None:
    nodes = memories(*places)
    stimuli, expected = propagate(nodes, never, parameters=EXACT), written_out(nodes, EXACT)
    assert stimuli.layer.tolist() == expected.layer.tolist()
    assert stimuli.strength == pytest.approx(expected.strength)


@given(PLACES, st.booleans())
def test_a_stimulus_is_what_the_parent_had_or_less(places: list[tuple[float, int]], exact: bool) -> None:
    stimuli = propagate(memories(*places), never, parameters=replace(EXACT, exact=exact))
    for child in np.flatnonzero(stimuli.layer):
        parent = stimuli.parent[child]
        had, layer = (1.0, 0) if parent == len(places) else (stimuli.strength[parent], stimuli.layer[parent])
        assert 0 < stimuli.strength[child] <= had
        assert stimuli.layer[child] == layer + 1


@given(PLACES)
def test_the_centroid_gives_what_the_exact_form_gives_where_a_layer_has_one_sender(
    places: list[tuple[float, int]],
) -> None:
    nodes = memories(*places)
    exact, centroid = (propagate(nodes, never, parameters=p) for p in (EXACT, CENTROID))
    first = exact.layer == 1
    np.testing.assert_array_equal(centroid.layer == 1, first)
    np.testing.assert_array_equal(centroid.strength[first], exact.strength[first])
    if np.count_nonzero(exact.strength[first] > EXACT.least_stimulus) == 1:
        np.testing.assert_array_equal(centroid.layer == 2, exact.layer == 2)
        np.testing.assert_allclose(centroid.strength[exact.layer == 2], exact.strength[exact.layer == 2], rtol=1e-5)


def test_senders_that_are_alike_make_the_centroid_exact() -> None:
    alike = [(np.radians(50), turn) for turn in (10, 20, 30)]
    nodes = memories(*alike, (np.radians(90), 12), (np.radians(95), 29), (np.radians(-85), 20), asked=31)
    exact, centroid = (propagate(nodes, never, parameters=p) for p in (EXACT, CENTROID))
    assert centroid.layer.tolist() == exact.layer.tolist() == [1, 1, 1, 2, 2, 0]
    # the exact form also weighs what each sender has, which here outweighs a few turns of distance
    assert (centroid.strength[3:5] <= exact.strength[3:5] + 1e-6).all()
    assert centroid.strength[3:5] == pytest.approx(exact.strength[3:5], rel=0.1)


def written_out(nodes: Nodes, p: SynapticParameters) -> Stimuli:
    """Eq. 7 to 14, pair by pair."""
    n = nodes.cosine.size
    time = nodes.trains.last
    strength, layer = dict.fromkeys([n], 1.0), dict.fromkeys([n], 0)
    senders = [n]
    while senders:
        depth = layer[senders[0]] + 1
        offers: dict[int, float] = {}
        for parent in senders:
            for child in set(range(n)) - set(layer):
                near = nodes.cosine[child] if parent == n else float(nodes.vectors[parent] @ nodes.vectors[child])
                if near > p.least_cosine:
                    given = strength[parent] * fit(abs(time[parent] - time[child])) * near
                    offers[child] = max(offers.get(child, 0.0), given)
        strength |= offers
        layer |= dict.fromkeys(offers, depth)
        senders = [child for child, given in offers.items() if given > p.least_stimulus]
    return Stimuli(
        strength=np.array([strength.get(row, 0.0) for row in range(n)]),
        parent=np.full(n, -1),
        layer=np.array([layer.get(row, 0) for row in range(n)]),
    )
