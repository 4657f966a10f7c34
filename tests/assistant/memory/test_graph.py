import numpy as np
import pytest

from assistant.memory.graph import MemoryGraph, sessions, temporal_edges
from assistant.memory.parameters import Parameters
from storage.records import GraphRow, Role

HOUR = 3_600_000_000


def row(node: int, *, position: int, conversation: int = 1, hours: float = 0, terms: str = "word") -> GraphRow:
    return GraphRow(
        node=node,
        conversation=conversation,
        position=position,
        role=Role.OTHER,
        speaker="Ann",
        microseconds=int(hours * HOUR),
        terms=terms,
    )


def test_neighbours_by_position_are_joined_both_ways() -> None:
    edges = temporal_edges([row(1, position=0), row(2, position=1), row(3, position=2)], decay=0.01).toarray()
    assert edges.tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]


def test_an_edge_weakens_with_the_days_between() -> None:
    edges = temporal_edges([row(1, position=0), row(2, position=1, hours=240)], decay=0.01).toarray()
    assert edges[0, 1] == pytest.approx(np.exp(-0.1))


def test_conversations_are_not_joined() -> None:
    rows = [row(1, position=0), row(2, position=0, conversation=2), row(3, position=1)]
    edges = temporal_edges(rows, decay=0.01).toarray()
    assert np.argwhere(edges).tolist() == [[0, 2], [2, 0]]


def test_turns_on_both_sides_of_a_gap_become_neighbours() -> None:
    assert temporal_edges([row(1, position=0), row(9, position=7)], decay=0.01).nnz == 2


def test_order_is_by_position_and_not_by_clock() -> None:
    rows = [row(1, position=0, hours=5), row(2, position=1, hours=1), row(3, position=2, hours=9)]
    assert np.argwhere(np.triu(temporal_edges(rows, decay=0.01).toarray())).tolist() == [[0, 1], [1, 2]]


def test_a_long_pause_begins_a_session() -> None:
    rows = [row(1, position=0), row(2, position=1, hours=1), row(3, position=2, hours=30)]
    rows.append(row(4, position=0, conversation=2, hours=30))
    assert sessions(rows, gap_hours=6).tolist() == [0, 0, 1, 2]


def test_no_rows_give_an_empty_graph() -> None:
    graph = MemoryGraph.build([], [], np.zeros((0, 4), np.float32), parameters=Parameters())
    assert graph.cosines(np.ones(4, np.float32)).tolist() == []


def test_the_best_passage_of_a_node_counts() -> None:
    vectors = np.array([[1, 0], [0, 1], [0.6, 0.8]], dtype=np.float32)
    graph = MemoryGraph.build(
        [row(1, position=0), row(2, position=1), row(3, position=2)], [1, 1, 2], vectors, parameters=Parameters()
    )
    assert graph.cosines(np.array([0, 1], np.float32)) == pytest.approx([1.0, 0.8, 0.0])


def test_vectors_of_nodes_that_are_gone_are_left_out() -> None:
    graph = MemoryGraph.build([row(1, position=0)], [1, 99], np.eye(2, dtype=np.float32), parameters=Parameters())
    assert graph.owners.tolist() == [0]


def test_further_nodes_join_with_their_edges_and_words() -> None:
    graph = MemoryGraph.build(
        [row(5, position=5, terms="tea")], [5], np.array([[1, 0]], np.float32), parameters=Parameters()
    )
    more = graph.with_more([row(4, position=4, terms="tea cup")], [4], np.array([[0, 1]], np.float32))
    assert more.passing.nnz == 2
    assert (more.lexicon.scores(["tea"], more.weights) > 0).all()
    assert more.cosines(np.array([0, 1], np.float32)) == pytest.approx([0, 1])
