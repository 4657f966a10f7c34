from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse

from assistant.memory.graph import MemoryGraph, both_ways, temporal_edges
from assistant.memory.parameters import Parameters
from assistant.memory.stored import Stored
from assistant.memory.terms import terms as terms_of
from assistant.memory.words import sessions
from storage.records import GraphRow, Role, Source

HOUR = 3_600_000_000
NOW = 1000 * HOUR


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


def graph_of(rows: list[GraphRow], owners: list[int], vectors: NDArray[np.float32], **more: Any) -> MemoryGraph:
    stored = Stored(rows=tuple(rows), owners=np.array(owners, np.int64), vectors=vectors, **more)
    return MemoryGraph.build(stored, parameters=Parameters(), now_us=NOW)


def test_no_rows_give_an_empty_graph() -> None:
    graph = graph_of([], [], np.zeros((0, 4), np.float32))
    assert graph.cosines(np.ones(4, np.float32)).tolist() == []
    assert graph.node_vectors.shape == (0, 4)


def test_the_best_passage_of_a_node_counts() -> None:
    vectors = np.array([[1, 0], [0, 1], [0.6, 0.8]], dtype=np.float32)
    graph = graph_of([row(1, position=0), row(2, position=1), row(3, position=2)], [1, 1, 2], vectors)
    assert graph.cosines(np.array([0, 1], np.float32)) == pytest.approx([1.0, 0.8, 0.0])
    assert graph.node_vectors[0] == pytest.approx([0.5**0.5, 0.5**0.5])


@given(seed=st.integers(0, 999), passages=st.integers(0, 12))
def test_several_questions_at_once_get_what_each_gets_alone(seed: int, passages: int) -> None:
    random = np.random.default_rng(seed)
    owners = random.integers(1, 5, size=passages).tolist()
    vectors = random.standard_normal((passages, 3)).astype(np.float32)
    graph = graph_of([row(node, position=node) for node in range(1, 5)], owners, vectors)
    one, other = random.standard_normal((2, 3)).astype(np.float32)
    together = graph.cosines(one, other)
    assert together.shape == (2, 4)
    for question, cosines in zip((one, other), together, strict=True):
        assert cosines == pytest.approx(graph.cosines(question), abs=1e-6)
        for node, cosine in enumerate(cosines.tolist(), start=1):
            own = [float(vectors[at] @ question) for at, owner in enumerate(owners) if owner == node]
            assert cosine == pytest.approx(max(own, default=0.0), abs=1e-5)


def test_an_edge_has_the_kind_that_weighs_most() -> None:
    graph = graph_of([row(1, position=0), row(2, position=9)], [], np.zeros((0, 2), np.float32))
    learned, alike = (both_ways(np.array([[0, 1]]), weight, size=2) for weight in (0.4, 0.3))
    graph = replace(graph, association=alike, learned=learned)
    assert graph.kind_of(0, 1) == "temporal"
    apart = replace(graph, temporal=sparse.csr_array((2, 2)))
    assert apart.kind_of(0, 1) == "learned"


def test_vectors_of_nodes_that_are_gone_are_left_out() -> None:
    graph = graph_of([row(1, position=0)], [1, 99], np.eye(2, dtype=np.float32))
    assert graph.owners.tolist() == [0]


def test_further_nodes_join_with_their_edges_and_words() -> None:
    graph = graph_of([row(5, position=5, terms="tea")], [5], np.array([[1, 0]], np.float32))
    more = graph.with_more([row(4, position=4, terms="tea cup")], np.array([4]), np.array([[0, 1]], np.float32))
    assert more.temporal.nnz == 2
    assert (more.bm25(["tea"]) > 0).all()
    assert more.cosines(np.array([0, 1], np.float32)) == pytest.approx([0, 1])


def test_the_words_of_a_turn_that_was_brought_in_are_known_without_its_speaker() -> None:
    said = "your landlord is the swindler from rottweiler street"

    def brought_in(speaker: str, words: str, source: Source = Source.IMPORTED) -> str:
        told = replace(
            row(0, position=0, terms=" ".join(terms_of(f"{speaker}: {words}"))), speaker=speaker, source=source
        )
        stored = Stored(rows=(told,), owners=np.empty(0, np.int64), vectors=np.empty((0, 4), np.float32))
        return MemoryGraph.build(stored, parameters=Parameters(), now_us=0).brought_in(0)

    assert brought_in("Jo", said) == brought_in("Ann Lee", said) == brought_in("!", said) == " ".join(terms_of(said))
    assert brought_in("Jo", "thanks see you") == ""
    assert brought_in("Jo", said, Source.CHAT) == ""
