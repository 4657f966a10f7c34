from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from assistant.memory.engines.synaptic import rank
from assistant.memory.parameters import PUBLISHED_SYNAPTIC, Parameters, SynapticParameters
from tests.assistant.memory.small_graph import Node, ask, small_graph

DEFAULT = SynapticParameters()


def with_numbers(**numbers: Any) -> Parameters:
    return Parameters(synaptic=replace(DEFAULT, **numbers))


def test_potentials_by_hand() -> None:
    # one memory, of the turn before: T = sigmoid(exp(-1 / 10)), S = 0.8 T, tau = 10 + tanh(1 / 2). The current of its
    # birth, 1 / 10, has leaked for a turn, too short to fire, and S / tau comes on top of it
    numbers = {"time_constant": 10, "time_constant_scale": 1, "time_scale": 1, "stimulus_scale": 1, "threshold": 0.02}
    ranking = rank(small_graph(Node(cosine=0.8), parameters=with_numbers(**numbers)), ask())
    stimulus = 0.8 / (1 + np.exp(-np.exp(-0.1)))
    constant = 10 + np.tanh(0.5)
    current, potential = 0.1 * np.exp(-0.1) + stimulus / constant, 0.1 * 0.1 * np.exp(-0.1)
    assert ranking.energy == pytest.approx([stimulus])
    assert ranking.score == pytest.approx([current * np.exp(potential / current - 1)])
    assert ranking.fired is not None
    assert ranking.fired.tolist() == [True]


def test_what_fired_stands_first_and_is_marked() -> None:
    talks = [Node(cosine=cosine, talk=talk, also=talk + 1) for talk, cosine in enumerate([0.3, 0.95, 0.5, 0.1])]
    fillers = [Node(talk=9, position=turn) for turn in range(80)]
    ranking = rank(small_graph(*talks, *fillers), ask())
    assert ranking.fired is not None
    fired = np.flatnonzero(ranking.fired)
    assert set(fired.tolist()) < {0, 1, 2}
    assert 1 in fired
    assert ranking.score[fired].min() > ranking.score[~ranking.fired].max()


def test_what_the_question_did_not_stir_is_not_ranked() -> None:
    ranking = rank(small_graph(Node(cosine=0.9, also=1), Node(cosine=0.0, talk=2, also=2)), ask())
    assert ranking.score[0] > ranking.score[1] == 0


def test_a_memory_of_the_same_time_is_stirred_through_another() -> None:
    # 1 and 2 are as near to 0 in meaning; 1 was said right after it, and the question is asked right after that
    far = [Node(talk=9, position=turn, also=9) for turn in range(50)]
    graph = small_graph(
        Node(cosine=0.25, also=1), *far, Node(cosine=0.4, also=1, talk=2), Node(cosine=0.25, also=1, talk=2, position=1)
    )
    ranking = rank(graph, ask())
    assert ranking.energy[51] > 0
    assert ranking.energy[[0, 52]].tolist() == [0, 0]
    assert ranking.received[51] == 0
    assert ranking.received[52] > ranking.received[0] > 0
    assert ranking.passing is not None
    assert ranking.passing.toarray()[52, 51] == pytest.approx(ranking.received[52] / ranking.energy[51])


def test_a_memory_that_was_used_often_lately_fires_before_its_like() -> None:
    fillers = [Node(talk=9, position=turn) for turn in range(60)]
    often = Node(cosine=0.5, talk=2, also=1, used=(59, 61))
    ranking = rank(small_graph(Node(cosine=0.5, also=1), often, *fillers), ask())
    assert ranking.score[1] > ranking.score[0]


def test_with_the_published_constants_only_the_latest_memories_fire_whatever_their_cosine() -> None:
    nodes = [Node(cosine=cosine, position=turn) for turn, cosine in enumerate([0.95] * 20 + [0.3] * 3)]
    ranking = rank(small_graph(*nodes, parameters=Parameters(synaptic=PUBLISHED_SYNAPTIC)), ask())
    assert ranking.fired is not None
    assert not ranking.fired[:15].any()
    assert ranking.fired[-2]


def test_the_exact_and_the_centroid_form_agree_on_what_comes_from_the_question() -> None:
    nodes = [
        Node(cosine=cosine, position=turn, also=1 + turn % 3) for turn, cosine in enumerate(np.linspace(-0.5, 1, 30))
    ]
    exact = rank(small_graph(*nodes, parameters=with_numbers(exact=True)), ask())
    centroid = rank(small_graph(*nodes, parameters=with_numbers(exact=False)), ask())
    np.testing.assert_allclose(exact.energy, centroid.energy)
    first = exact.energy > 0
    np.testing.assert_allclose(exact.score[first], centroid.score[first])
    np.testing.assert_array_equal(exact.fired, centroid.fired)


def test_an_empty_memory_has_nothing_to_stir() -> None:
    assert rank(small_graph(Node()), ask()).score.tolist() == [0]


def test_asking_changes_nothing() -> None:
    graph = small_graph(Node(cosine=0.9), Node(cosine=0.8, position=1))
    before = [train.copy() for train in graph.spikes]
    first = rank(graph, ask())
    np.testing.assert_array_equal(rank(graph, ask()).score, first.score)
    for train, kept in zip(graph.spikes, before, strict=True):
        np.testing.assert_array_equal(train, kept)
