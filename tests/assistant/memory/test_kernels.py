import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from assistant.memory.activation import (
    Matrix,
    divide_by_fan,
    firing_rate,
    highest,
    prune,
    spread,
    step,
    strongest_ways,
)
from assistant.memory.anchors import energy, standardise

SIZE = 6
STARTS = arrays(np.float64, SIZE, elements=st.floats(0, 10))
COUNTS = st.integers(1, 9)
GRAPHS = arrays(np.float64, (SIZE, SIZE), elements=st.sampled_from([0.0, 0.0, 0.25, 1.0])).map(sparse.csr_array)


def chain() -> Matrix:
    """0 - 1 - 2, both ways, weight 1."""
    return divide_by_fan(sparse.csr_array(np.array([[0.0, 1, 0], [1, 0, 1], [0, 1, 0]])))


def test_spread_along_a_chain_by_hand() -> None:
    # step 1: 1 gets 0.8; step 2: 0 and 2 get 0.8 * 0.8 / 2 = 0.32
    assert spread(chain(), np.array([1.0, 0, 0]), share=0.8, steps=2) == pytest.approx([0.32, 0.8, 0.32])


def test_a_hub_passes_less_to_each_neighbour_than_a_node_with_one_edge() -> None:
    star = np.zeros((4, 4))
    star[0, 1:] = star[1:, 0] = 1
    received = spread(divide_by_fan(sparse.csr_array(star)), np.array([1.0, 0, 0, 0]), share=1.0, steps=1)
    assert received == pytest.approx([0, 1 / 3, 1 / 3, 1 / 3])


@given(graph=GRAPHS, start=STARTS)
def test_spread_is_bounded_and_never_negative(graph: Matrix, start: np.ndarray) -> None:
    received = spread(divide_by_fan(graph), start, share=0.8, steps=3)
    assert (received >= 0).all()
    assert received.sum() <= start.sum() * (0.8 + 0.64 + 0.512) + 1e-9


@given(graph=GRAPHS, start=STARTS, order=st.permutations(range(SIZE)))
def test_spread_does_not_depend_on_the_order_of_nodes(graph: Matrix, start: np.ndarray, order: list[int]) -> None:
    straight = spread(divide_by_fan(graph), start, share=0.8, steps=3)
    mixed = spread(divide_by_fan(graph[order][:, order]), start[order], share=0.8, steps=3)
    np.testing.assert_allclose(mixed, straight[order], atol=1e-9)


@given(graph=GRAPHS, start=STARTS, more=STARTS)
def test_more_energy_never_gives_less(graph: Matrix, start: np.ndarray, more: np.ndarray) -> None:
    passing = divide_by_fan(graph)
    assert (
        spread(passing, start + more, share=0.8, steps=3) >= spread(passing, start, share=0.8, steps=3) - 1e-9
    ).all()


def test_the_strongest_way_runs_from_where_energy_entered() -> None:
    (way,) = strongest_ways(chain(), np.array([1.0, 0, 0]), [2], share=0.8, steps=3)
    assert [node for node, _ in way] == [0, 1]
    assert [weight for _, weight in way] == pytest.approx([1.0, 0.5])


def test_there_is_no_way_where_nothing_entered() -> None:
    assert strongest_ways(chain(), np.zeros(3), [2], share=0.8, steps=3) == [[]]


@given(arrays(np.float64, st.integers(2, 30), elements=st.floats(-1, 1)))
def test_standard_scores_without_background_have_mean_0(score: np.ndarray) -> None:
    z = standardise(score, mean=0.0, deviation=0.0, weight=0.0)
    assert z.mean() == pytest.approx(0, abs=1e-6)


def test_a_single_memory_stands_out_from_the_background() -> None:
    assert standardise(np.array([0.6]), mean=0.1, deviation=0.1, weight=20)[0] > 2
    assert standardise(np.array([0.1]), mean=0.1, deviation=0.1, weight=20)[0] == pytest.approx(0)


def test_the_background_is_not_felt_among_thousands() -> None:
    score = np.random.default_rng(1).normal(0.3, 0.2, 5000)
    alone = standardise(score, mean=0, deviation=0, weight=0)
    np.testing.assert_allclose(standardise(score, mean=0.1, deviation=0.1, weight=20), alone, atol=0.02)


def test_energy_is_never_negative_and_adds_the_triggers() -> None:
    assert energy(np.array([1.0, -2]), np.array([0.5, 1])).tolist() == [1.5, 0]


def test_a_step_by_hand() -> None:
    # 1 keeps half of its 1.0; each neighbour gets 0.8 * 1.0 / 2, for its fan is two
    assert step(chain(), np.array([0.0, 1, 0]), share=0.8, decay=0.5) == pytest.approx([0.4, 0.5, 0.4])


@given(graph=GRAPHS, one=STARTS, other=STARTS)
def test_a_step_is_linear(graph: Matrix, one: np.ndarray, other: np.ndarray) -> None:
    def stepped(start: np.ndarray) -> np.ndarray:
        return step(divide_by_fan(graph), start, share=0.8, decay=0.5)

    np.testing.assert_allclose(stepped(2 * one + other), 2 * stepped(one) + stepped(other), atol=1e-9)


@given(graph=GRAPHS, start=STARTS)
def test_a_step_makes_at_most_the_share_and_what_was_kept(graph: Matrix, start: np.ndarray) -> None:
    assert step(divide_by_fan(graph), start, share=0.8, decay=0.5).sum() <= (0.5 + 0.8) * start.sum() + 1e-9


@given(graph=GRAPHS)
def test_the_fan_divides_and_its_power_says_how_much(graph: Matrix) -> None:
    fan = (graph.toarray() != 0).sum(axis=0)
    for power in (0.0, 0.5, 1.0):
        divided = divide_by_fan(graph, power=power).toarray()
        np.testing.assert_allclose(divided * np.maximum(fan, 1) ** power, graph.toarray(), atol=1e-12)


def test_firing_rates_by_hand() -> None:
    # at theta half of the rate, and 1 / (1 + e^2.5) for next to nothing; nothing at all fires at 0
    rate = firing_rate(np.array([0.5, 1e-12, 0.0]), steepness=5.0, threshold=0.5)
    assert rate == pytest.approx([0.5, 1 / (1 + np.exp(2.5)), 0.0])


@given(potential=STARTS)
def test_firing_rates_grow_with_the_potential_and_only_what_was_reached_fires(potential: np.ndarray) -> None:
    rate = firing_rate(potential, steepness=5.0, threshold=0.5)
    assert (np.diff(rate[np.argsort(potential)]) >= 0).all()
    assert (rate[potential == 0] == 0).all()
    assert ((rate[potential > 0] > 0.07) & (rate[potential > 0] <= 1)).all()


def test_the_weakest_edges_are_pruned_and_protected_ones_never() -> None:
    # 0.1 is kept for what it is, and of the others only the strongest has a place left beside it
    weights = sparse.csr_array(np.array([[0.0, 0.1, 0.9, 0.5], [0, 0, 0, 0.3], [0, 0, 0, 0], [0, 0, 0, 0]]))
    keep = sparse.csr_array(np.array([[0.0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]))
    pruned = prune(weights, keep=keep, most=2).toarray()
    assert pruned.tolist() == [[0, 0.1, 0.9, 0], [0, 0, 0, 0.3], [0, 0, 0, 0], [0, 0, 0, 0]]


@given(graph=GRAPHS, keep=GRAPHS, most=st.integers(1, SIZE))
def test_pruning_keeps_the_strongest_and_all_that_is_protected(graph: Matrix, keep: Matrix, most: int) -> None:
    before, protected = graph.toarray(), keep.toarray() != 0
    after = prune(graph, keep=keep, most=most).toarray()
    np.testing.assert_array_equal(after[after != 0], before[after != 0])
    np.testing.assert_array_equal(after[protected], before[protected])
    for row in range(SIZE):
        edges, bound = np.count_nonzero(before[row]), np.count_nonzero(before[row][protected[row]])
        assert np.count_nonzero(after[row]) == min(edges, max(most, bound))
        gone = before[row][(before[row] != 0) & (after[row] == 0)]
        stayed = after[row][(after[row] != 0) & ~protected[row]]
        assert not gone.size or not stayed.size or gone.max() <= stayed.min()


@given(score=arrays(np.float64, st.integers(0, 12), elements=st.sampled_from([-1.0, 0.0, 0.5, 1.0])), most=COUNTS)
def test_the_highest_are_the_best_above_0_and_the_later_of_equals(score: np.ndarray, most: int) -> None:
    expected = sorted((row for row in range(score.size) if score[row] > 0), key=lambda row: (-score[row], -row))
    assert highest(score, most).tolist() == expected[:most]
