"""Graphs of a few nodes for the tests of engines: every cosine, word, time and edge is given."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from assistant.memory.engines import Question
from assistant.memory.graph import MemoryGraph
from assistant.memory.parameters import Parameters
from assistant.memory.stored import Edges, Stored
from storage.records import Association, Category, ConceptRow, GraphRow, Maker, Role

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
    also: int = DIMENSION - 1
    """Direction, 1 and up, of what its vector holds beside the question's: nodes of one direction are alike."""
    support: tuple[int, ...] = ()
    used: tuple[int, ...] = ()
    """Rows of the answers that drew on it."""


def ask(words: str = "", *, day: float = 0.0) -> Question:
    """Give a question whose vector has the direction 0."""
    return Question(terms=words.split(), vector=_direction(0), speakers=frozenset(), microseconds=int(day * DAY))


def small_graph(
    *nodes: Node, learned: Mapping[tuple[int, int], float] | None = None, parameters: Parameters | None = None
) -> MemoryGraph:
    """Give the graph of these nodes, turns first; `learned` are the Hebbian weights of pairs of rows."""
    vectors = np.stack([_vector(node) for node in nodes])
    concepts = [row for row, node in enumerate(nodes) if node.support]
    alike = {pair: float(vectors[pair[0]] @ vectors[pair[1]]) for pair in combinations(concepts, 2)}
    edges = alike | dict(learned or {})
    stored = Stored(
        rows=tuple(
            GraphRow(
                node=row,
                conversation=node.talk,
                position=node.position,
                role=Role.OTHER,
                speaker="Ann",
                microseconds=int(node.day * DAY),
                terms=node.words,
            )
            for row, node in enumerate(nodes)
            if not node.support
        ),
        owners=np.arange(len(nodes)),
        vectors=vectors,
        concepts=tuple(
            ConceptRow(
                node=row,
                maker=Maker.SALIENT,
                category=Category.TERM,
                terms=nodes[row].words,
                first_us=int(min(nodes[turn].day for turn in nodes[row].support) * DAY),
                last_us=int(max(nodes[turn].day for turn in nodes[row].support) * DAY),
            )
            for row in concepts
        ),
        support=np.array([(row, turn) for row in concepts for turn in nodes[row].support], np.int64).reshape(-1, 2),
        edges=Edges.of(
            [
                Association(
                    low=low,
                    high=high,
                    cosine=alike.get((low, high), 0.0),
                    hebbian=(learned or {}).get((low, high), 0.0),
                    updated_us=0,
                )
                for low, high in edges
            ]
        ),
        spikes=tuple((row, answer, 1.0) for row, node in enumerate(nodes) for answer in node.used),
    )
    return MemoryGraph.build(stored, parameters=parameters or Parameters(), now_us=0)


def _vector(node: Node) -> NDArray[np.float32]:
    """Give a unit vector of this cosine with the question, the rest of it in the node's own direction."""
    rest = float(np.sqrt(1 - node.cosine**2))
    return np.asarray(node.cosine * _direction(0) + rest * _direction(node.also), dtype=np.float32)


def _direction(number: int) -> NDArray[np.float32]:
    return np.asarray(np.eye(DIMENSION)[number], dtype=np.float32)
