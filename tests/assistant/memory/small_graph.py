"""Graphs of a few nodes for the tests of engines: every cosine, word, time and edge is given."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from assistant.memory.activation import Matrix
from assistant.memory.engines import Question
from assistant.memory.graph import MemoryGraph, temporal_edges
from assistant.memory.lexicon import Lexicon
from assistant.memory.parameters import Parameters
from storage.records import GraphRow, Role

DAY = 86_400_000_000
DIMENSION = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A turn, or with `support` a concept that rests on the turns of these rows."""

    cosine: float = 0.0
    """With the question."""
    words: str = ""
    talk: int = 1
    position: int = 0
    day: float = 0.0
    also: int | None = None
    """Direction, 1 and up, of what its vector holds beside the question's: nodes of one direction are alike."""
    support: tuple[int, ...] = ()
    spikes: tuple[tuple[float, float], ...] | None = None


def ask(words: str = "", *, day: float = 0.0) -> Question:
    """Give a question whose vector has the direction 0."""
    return Question(terms=words.split(), vector=_direction(0), speakers=frozenset(), microseconds=int(day * DAY))


def small_graph(
    *nodes: Node, learned: dict[tuple[int, int], float] | None = None, parameters: Parameters | None = None
) -> MemoryGraph:
    """Give the graph of these nodes, turns first; `learned` are the Hebbian weights of pairs of rows."""
    p = parameters or Parameters()
    turns = [node for node in nodes if not node.support]
    rows = tuple(
        GraphRow(
            node=number + 1,
            conversation=turn.talk,
            position=turn.position,
            role=Role.OTHER,
            speaker="Ann",
            microseconds=int(turn.day * DAY),
            terms=turn.words,
        )
        for number, turn in enumerate(turns)
    )
    size = len(nodes)
    supported = [(row, turn, 0.8) for row, node in enumerate(nodes) for turn in node.support]
    cosines = np.stack([vector(node) for node in nodes]) @ np.stack([vector(node) for node in nodes]).T
    concepts = range(len(turns), size)
    associated = [(i, j, float(cosines[i, j])) for i in concepts for j in concepts if i < j and cosines[i, j] >= 0.5]
    ordinal = np.array([float(max(node.support, default=row)) for row, node in enumerate(nodes)])
    return cast(
        "MemoryGraph",
        _SmallGraph(
            rows=rows,
            size=size,
            node_vectors=np.stack([vector(node) for node in nodes]),
            temporal=_resized(temporal_edges(rows, decay=p.temporal_decay), size),
            abstraction=_edges(supported, size),
            association=_edges(associated, size),
            learned=_edges([(i, j, weight) for (i, j), weight in (learned or {}).items()], size),
            ordinal=ordinal,
            spikes=tuple(np.array(node.spikes or [(ordinal[row], 1.0)]) for row, node in enumerate(nodes)),
            microseconds=np.array(
                [int(max([nodes[turn].day for turn in node.support], default=node.day) * DAY) for node in nodes]
            ),
            lexicon=Lexicon.of_texts([node.words.split() for node in nodes], parameters=p),
            parameters=p,
        ),
    )


def vector(node: Node) -> NDArray[np.float32]:
    """Give a unit vector of this cosine with the question, the rest of it in the node's own direction."""
    rest = float(np.sqrt(1 - node.cosine**2))
    own = _direction(node.also if node.also is not None else DIMENSION - 1)
    whole: NDArray[np.float32] = (node.cosine * _direction(0) + rest * own).astype(np.float32)
    return whole


@dataclass(frozen=True, slots=True, kw_only=True)
class _SmallGraph:
    rows: tuple[GraphRow, ...]
    size: int
    node_vectors: NDArray[np.float32]
    temporal: Matrix
    abstraction: Matrix
    association: Matrix
    learned: Matrix
    ordinal: NDArray[np.float64]
    spikes: tuple[NDArray[np.float64], ...]
    microseconds: NDArray[np.int64]
    lexicon: Lexicon
    parameters: Parameters
    cache: dict[str, object] = field(default_factory=dict)

    def cosines(self, question: NDArray[np.float32]) -> NDArray[np.float64]:
        return (self.node_vectors @ question).astype(np.float64)

    def bm25(self, terms: Sequence[str]) -> NDArray[np.float64]:
        return self.lexicon.scores(terms)

    def coverage(self, terms: Sequence[str]) -> NDArray[np.float64]:
        return self.lexicon.coverage(terms)


def _direction(number: int) -> NDArray[np.float32]:
    return np.eye(DIMENSION, dtype=np.float32)[number]


def _edges(edges: Sequence[tuple[int, int, float]], size: int) -> Matrix:
    both = [(i, j, weight) for i, j, weight in edges] + [(j, i, weight) for i, j, weight in edges]
    row, column, weight = np.array(both, dtype=np.float64).reshape(-1, 3).T
    return sparse.csr_array((weight, (row.astype(int), column.astype(int))), shape=(size, size))


def _resized(edges: Matrix, size: int) -> Matrix:
    narrow = edges.tocoo()
    return sparse.csr_array((narrow.data, (narrow.row, narrow.col)), shape=(size, size))
