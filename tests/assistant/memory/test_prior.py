import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from assistant.memory.activation import Matrix
from assistant.memory.prior import page_rank

SIZE = 6
GRAPHS = arrays(np.float64, (SIZE, SIZE), elements=st.sampled_from([0.0, 0.0, 0.25, 1.0])).map(sparse.csr_array)


def test_rank_of_a_star_by_hand() -> None:
    # two leaves and a hub, both ways, damping 0.5: h = 1/6 + 0.5 (1 - h), so h = 4/9; the leaves share the rest
    star = sparse.csr_array(np.array([[0.0, 1, 1], [1, 0, 0], [1, 0, 0]]))
    assert page_rank(star, damping=0.5) == pytest.approx([4 / 9, 5 / 18, 5 / 18])


def test_a_heavy_edge_leads_more_walks_to_its_end() -> None:
    fork = sparse.csr_array(np.array([[0.0, 1, 1], [3, 0, 0], [1, 0, 0]]))  # 0 -> 1 weighs 3, 0 -> 2 weighs 1
    rank = page_rank(fork, damping=0.85)
    assert rank[1] > rank[2]


def test_a_walk_starts_anew_where_no_edge_leaves() -> None:
    # 0 -> 1, and nothing leaves 1. r0 = (0.5 + 0.5 r1) / 2 and r0 + r1 = 1, so r0 = 0.4
    dead_end = sparse.csr_array(np.array([[0.0, 0], [1, 0]]))
    assert page_rank(dead_end, damping=0.5) == pytest.approx([0.4, 0.6])


def test_a_graph_without_nodes_has_no_ranks() -> None:
    assert page_rank(sparse.csr_array((0, 0)), damping=0.85).tolist() == []


@given(graph=GRAPHS, damping=st.floats(0, 0.9))
def test_ranks_are_above_0_and_sum_to_1(graph: Matrix, damping: float) -> None:
    rank = page_rank(graph, damping=damping)
    assert (rank > 0).all()
    assert rank.sum() == pytest.approx(1)


@given(graph=GRAPHS)
def test_ranks_are_what_the_walk_leaves_unchanged(graph: Matrix) -> None:
    dense = graph.toarray()
    leaving = dense.sum(axis=0)
    chance = np.where(leaving > 0, dense / np.where(leaving > 0, leaving, 1), 1 / SIZE)
    rank = page_rank(graph, damping=0.85)
    np.testing.assert_allclose(0.15 / SIZE + 0.85 * chance @ rank, rank, atol=1e-9)


@given(graph=GRAPHS, order=st.permutations(range(SIZE)))
def test_ranks_go_with_the_nodes_when_these_are_reordered(graph: Matrix, order: list[int]) -> None:
    mixed = page_rank(graph[order][:, order], damping=0.85)
    np.testing.assert_allclose(mixed, page_rank(graph, damping=0.85)[order], atol=1e-9)


@given(graph=GRAPHS)
def test_only_the_shares_of_the_weights_count(graph: Matrix) -> None:
    np.testing.assert_allclose(page_rank(7 * graph, damping=0.85), page_rank(graph, damping=0.85), atol=1e-9)
