import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.memory.hebbian import (
    days_between,
    decayed,
    degrees,
    edges_by_node,
    pair,
    pairs_among,
    strengthened,
    strongest,
    updated,
)
from assistant.memory.parameters import HebbianParameters
from assistant.memory.units import MICROSECONDS_A_DAY

PARAMETERS = HebbianParameters()
WEIGHTS = st.floats(0, 1)
DAYS = st.floats(0, 10_000)
NODES = st.integers(1, 9)
EDGES = st.tuples(NODES, NODES).filter(lambda both: both[0] != both[1])
STORES = st.dictionaries(EDGES.map(lambda both: pair(*both)), WEIGHTS)


def test_an_update_by_hand() -> None:
    # 0.5 after 100 days: 0.5 * 0.995^100 = 0.30289; used together once: + 0.02
    stored = {(3, 8): (0.5, 0)}
    after = updated(stored, [(8, 3), (3, 4)], now_us=100 * MICROSECONDS_A_DAY, parameters=PARAMETERS)
    weight, since = after[3, 8]
    assert weight == pytest.approx(0.32289, abs=1e-5)
    assert since == 100 * MICROSECONDS_A_DAY
    assert after[3, 4] == (0.02, 100 * MICROSECONDS_A_DAY)


def test_half_of_a_weight_is_left_after_138_days() -> None:
    assert decayed(1.0, 138, retention=PARAMETERS.retention_a_day) == pytest.approx(0.5, abs=0.002)


def test_the_degree_of_a_node_is_the_sum_over_its_edges() -> None:
    assert degrees({(1, 2): 0.5, (1, 3): 0.25}) == {1: 0.75, 2: 0.5, 3: 0.25}


def test_the_neighbours_with_the_strongest_edges_come_first_and_only_those_wanted() -> None:
    weights = {(1, 2): 0.1, (1, 3): 0.4, (1, 4): 0.3, (3, 4): 1.0, (1, 5): 0.9, (1, 6): 0.0}
    beside = edges_by_node(weights)[1]
    assert strongest(beside, most=2, among={2, 3, 4, 6}) == [3, 4]
    assert strongest(beside, most=9, among={2, 3, 4, 6}) == [3, 4, 2]


def test_only_the_first_memories_of_an_answer_are_bound_to_each_other() -> None:
    assert pairs_among([9, 2, 9, 5, 7], most=3) == [(2, 5), (2, 9), (5, 9)]
    assert pairs_among([9, 9], most=3) == []
    assert len(pairs_among(range(100), most=10)) == 45


def test_a_clock_set_back_neither_strengthens_nor_lets_a_weight_decay_twice() -> None:
    assert days_between(10, 5) == 0
    assert decayed(0.5, -3, retention=0.995) == 0.5
    stored = {(1, 2): (0.5, 7 * MICROSECONDS_A_DAY)}
    assert updated(stored, [(1, 2)], now_us=0, parameters=PARAMETERS) == {(1, 2): (0.52, 7 * MICROSECONDS_A_DAY)}


@given(weight=WEIGHTS, one=DAYS, other=DAYS)
def test_decay_composes_so_that_it_does_not_matter_how_often_it_is_looked_at(
    weight: float, one: float, other: float
) -> None:
    twice = decayed(decayed(weight, one, retention=0.995), other, retention=0.995)
    np.testing.assert_allclose(twice, decayed(weight, one + other, retention=0.995), rtol=1e-9, atol=1e-300)


@given(weights=st.lists(WEIGHTS, min_size=1), days=DAYS)
def test_decay_keeps_weights_between_0_and_themselves_and_their_order(weights: list[float], days: float) -> None:
    ordered = np.sort(weights)
    left = decayed(ordered, days, retention=0.995)
    assert ((left >= 0) & (left <= ordered)).all()
    assert (np.diff(left) >= 0).all()


@given(weights=STORES, used=st.lists(EDGES, max_size=12), rate=st.floats(0.001, 1))
def test_strengthening_is_bounded_and_never_weakens(
    weights: dict[tuple[int, int], float], used: list[tuple[int, int]], rate: float
) -> None:
    after = strengthened(weights, used, rate=rate)
    assert after.keys() == {pair(*both) for both in used}
    assert all(weights.get(edge, 0.0) <= weight <= 1 for edge, weight in after.items())


@given(weights=STORES, used=st.lists(EDGES, max_size=12), shuffled=st.randoms(use_true_random=False))
def test_neither_the_order_of_pairs_nor_that_of_their_nodes_matters(
    weights: dict[tuple[int, int], float], used: list[tuple[int, int]], shuffled: "np.random.Generator"
) -> None:
    turned = [(low, high) if shuffled.random() < 0.5 else (high, low) for low, high in used]
    assert strengthened(weights, sorted(turned), rate=0.02) == strengthened(weights, used, rate=0.02)


@given(nodes=st.lists(NODES, max_size=15), most=st.integers(2, 10))
def test_the_number_of_pairs_is_bounded_and_each_has_two_different_nodes(nodes: list[int], most: int) -> None:
    edges = pairs_among(nodes, most=most)
    assert len(edges) == len(set(edges)) <= most * (most - 1) / 2
    assert all(low < high for low, high in edges)


@given(weights=STORES)
def test_degrees_add_up_to_twice_all_weights(weights: dict[tuple[int, int], float]) -> None:
    assert sum(degrees(weights).values()) == pytest.approx(2 * sum(weights.values()))


@given(weight=WEIGHTS, first=st.integers(0, 10**15), second=st.integers(0, 10**15))
def test_what_was_used_is_never_weaker_than_what_was_not(weight: float, first: int, second: int) -> None:
    ((after, since),) = updated({(1, 2): (weight, first)}, [(1, 2)], now_us=second, parameters=PARAMETERS).values()
    unused = decayed(weight, days_between(first, second), retention=PARAMETERS.retention_a_day)
    assert unused <= after <= 1
    assert since == max(first, second)
