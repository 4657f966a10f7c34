"""The active graph: turns and concepts as rows of arrays, the edges between them as sparse matrices."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from assistant.memory.activation import Matrix
from assistant.memory.parameters import Parameters
from assistant.memory.stored import Pairs, Stored, Vector, Vectors
from assistant.memory.terms import terms
from assistant.memory.trust import OWN
from assistant.memory.units import MICROSECONDS_A_DAY
from assistant.memory.words import Rows, Words, in_order
from storage.records import ConceptRow, GraphRow, Role

ALIKE = "association"
ABOUT = "abstraction"
IN_TIME = "temporal"
TOGETHER = "learned"
LEAST_REPEATED = 6
"""Terms of a turn that counts as repeated: people often say "Thanks, see you tomorrow" in the same words."""


@dataclass(frozen=True, kw_only=True)
class MemoryGraph:
    """n turns and m concepts, N = n + m nodes; p passages with a vector each. A turn is row i, concept j row n + j.

    In the matrices (N, N) of edges W[i, j] is the edge j -> i; all kinds go both ways.
    """

    stored: Stored
    rows: tuple[GraphRow, ...]
    """The turns (n,)."""
    concepts: tuple[ConceptRow, ...]
    """The concepts (m,) that a turn of the graph supports."""
    words: Words
    vectors: Vectors
    """(p, dimension), unit length."""
    owners: Rows
    """Row of the node (p,) that each passage belongs to."""
    temporal: Matrix
    """Neighbours in time, 0 to 1. SYNAPSE, section 3.1."""
    abstraction: Matrix
    """A concept and the turns it rests on. SYNAPSE, algorithm 1."""
    association: Matrix
    """Concepts by their cosine, 0 to 1."""
    learned: Matrix
    """Hebbian weights, 0 to 1, as they are at the time of the graph. HeLa-Mem, Eq. 1."""
    now_us: int
    """The time of the graph: UTC, microseconds since 1970."""
    parameters: Parameters
    cache: dict[str, object] = field(default_factory=dict)
    """What an engine derives from the graph alone; lives as long as the graph."""

    @classmethod
    def build(cls, stored: Stored, *, parameters: Parameters, now_us: int, words: Words | None = None) -> "MemoryGraph":
        """Make the graph at a moment; passages and edges of nodes that are not in it are left out.

        `words` are those of its first turns, where they are known: then only the others are counted.
        """
        rows = stored.rows
        turns = np.array([row.node for row in rows], dtype=np.int64)
        held = set(stored.support[np.isin(stored.support[:, 1], turns), 0].tolist())
        concepts = tuple(concept for concept in stored.concepts if concept.node in held)
        nodes = np.concatenate([turns, np.array([concept.node for concept in concepts], dtype=np.int64)])
        owners, support, ends = (_located(some, nodes) for some in (stored.owners, stored.support, stored.edges.ends))
        texts = tuple(concept.terms for concept in concepts)
        if words is None:
            words = Words.of(rows, texts, parameters=parameters)
        else:
            words = words.with_more(rows[len(words.session) :], texts, parameters=parameters)
        size, between = len(nodes), (ends >= 0).all(axis=1)
        learned = stored.edges.weights(now_us, retention_a_day=parameters.hebbian.retention_a_day)
        return cls(
            stored=stored,
            rows=rows,
            concepts=concepts,
            words=words,
            vectors=stored.vectors[owners >= 0],
            owners=owners[owners >= 0],
            temporal=temporal_edges(rows, decay=parameters.temporal_decay, size=size),
            abstraction=both_ways(
                support[(support >= 0).all(axis=1)], parameters.synapse.abstraction_weight, size=size
            ),
            association=both_ways(ends[between], stored.edges.cosine[between], size=size),
            learned=both_ways(ends[between], learned[between], size=size),
            now_us=now_us,
            parameters=parameters,
        )

    def with_more(self, rows: Sequence[GraphRow], owners: Rows, vectors: Vectors) -> "MemoryGraph":
        """Give a graph with further turns, such as archived ones that a question hit; the word statistics stay."""
        more = self.stored.with_more(rows, owners, vectors)
        return MemoryGraph.build(more, parameters=self.parameters, now_us=self.now_us, words=self.words)

    def until(self, microseconds: int) -> "MemoryGraph":
        """Give the graph as it was at a moment."""
        return MemoryGraph.build(self.stored.until(microseconds), parameters=self.parameters, now_us=microseconds)

    @property
    def size(self) -> int:
        """N."""
        return len(self.rows) + len(self.concepts)

    @cached_property
    def speakers(self) -> dict[str, Role]:
        """Who speaks in it, and as what: the user is the user elsewhere too, where an import did not know them."""
        users = {row.speaker for row in self.rows if row.role is Role.USER}
        return {row.speaker: Role.USER if row.speaker in users else row.role for row in self.rows}

    @cached_property
    def speaker_number(self) -> dict[str, int]:
        """A number for each speaker, from 0."""
        return {name: number for number, name in enumerate(self.speakers)}

    @cached_property
    def speaker(self) -> Rows:
        """The number of the speaker (n,) of each turn."""
        return np.array([self.speaker_number[row.speaker] for row in self.rows], dtype=np.int64)

    def said_by(self, names: Collection[str]) -> NDArray[np.bool_]:
        """Tell of each turn (n,) whether one of these speakers said it."""
        chosen = np.array([name in names for name in self.speaker_number], dtype=bool)
        return chosen[self.speaker]

    @cached_property
    def by_people(self) -> NDArray[np.bool_]:
        """Whether each turn (n,) was said by somebody else than the assistant."""
        return np.array([row.role is not Role.ASSISTANT for row in self.rows], dtype=bool)

    def brought_in(self, row: int) -> str:
        """Give the terms of a turn that was brought in, its speaker's name left out; empty for others and short ones.

        By them a sentence is known that a file holds a thousand times, under whatever names.
        """
        turn = self.rows[row]
        said = "" if turn.source in OWN else turn.terms[self._name_lengths[turn.speaker] :].strip()
        return said if said.count(" ") + 1 >= LEAST_REPEATED else ""

    @cached_property
    def _name_lengths(self) -> dict[str, int]:
        """The characters of the terms in the name of each speaker, with which the terms of a turn begin."""
        return {name: len(" ".join(terms(name))) for name in self.speakers}

    @cached_property
    def row_of(self) -> dict[int, int]:
        """The row of each node."""
        return {node: row for row, node in enumerate(self.nodes.tolist())}

    @cached_property
    def nodes(self) -> Rows:
        """The node in the vault (N,) of each row."""
        turns = [row.node for row in self.rows]
        return np.array([*turns, *(concept.node for concept in self.concepts)], dtype=np.int64)

    @cached_property
    def microseconds(self) -> NDArray[np.int64]:
        """When each turn was said (N,), and each concept last supported."""
        said = [row.microseconds for row in self.rows]
        return np.array([*said, *(concept.last_us for concept in self.concepts)], dtype=np.int64)

    @cached_property
    def ordinal(self) -> Vector:
        """The number (N,) of each turn in the order in which they were kept; of a concept that of its last support."""
        n = len(self.rows)
        number = np.zeros(self.size, dtype=np.float64)
        number[:n] = np.searchsorted(self._kept, self.nodes[:n])
        for index in range(n, self.size):
            support = self.abstraction.indices[self.abstraction.indptr[index] : self.abstraction.indptr[index + 1]]
            number[index] = number[support].max(initial=0)
        return number

    @cached_property
    def spikes(self) -> tuple[Vector, ...]:
        """The spike train of each node (N,): turn number and stimulus strength (s, 2), first of all its birth.

        SynapticRAG, section 3.1; a memory receives one more whenever an answer draws on it.
        """
        trains: list[list[tuple[float, float]]] = [[(number, 1.0)] for number in self.ordinal.tolist()]
        for node, answer, _ in self.stored.spikes:
            if node in self.row_of:
                trains[self.row_of[node]].append((float(np.searchsorted(self._kept, answer)), 1.0))
        return tuple(np.array(sorted(train), dtype=np.float64) for train in trains)

    @cached_property
    def _kept(self) -> Rows:
        """The nodes (n,) of the turns in the order in which they were kept; rows from the archive stand at the end."""
        return np.sort(self.nodes[: len(self.rows)])

    @cached_property
    def node_vectors(self) -> Vectors:
        """One vector a node (N, dimension), unit length: the mean of its passages; zeros where there is none."""
        passages = np.arange(self.owners.size)
        owning = sparse.csr_array(
            (np.ones(self.owners.size, np.float32), (self.owners, passages)), (self.size, passages.size)
        )
        together = owning @ self.vectors
        length = np.linalg.norm(together, axis=1, keepdims=True)
        return np.asarray(together / np.where(length > 0, length, 1.0), dtype=np.float32)

    def cosines(self, *questions: NDArray[np.float32]) -> Vector:
        """Give the cosine of each question (dimension,) and each node: that of its best passage, 0 without any.

        Returns
        -------
        Vector
            (N,) of one question, (questions, N) of several: then the vectors are read once for all.
        """
        order, begins, held = self._passages
        found = np.zeros((len(questions), self.size))
        if held.size:
            of_passages = (self.vectors @ np.stack(questions, axis=1)).T
            found[:, held] = np.maximum.reduceat(of_passages[:, order], begins, axis=1)
        return found[0] if len(questions) == 1 else found

    @cached_property
    def _passages(self) -> tuple[Rows, Rows, Rows]:
        """The passages (p,) by their node, the place where those of each node begin, and these nodes."""
        order = np.argsort(self.owners, kind="stable")
        held, begins = np.unique(self.owners[order], return_index=True)
        return order, begins, held

    def bm25(self, terms: Sequence[str]) -> Vector:
        """Give the BM25 score (N,) of each node."""
        return self.words.bm25(terms)

    def coverage(self, terms: Sequence[str]) -> Vector:
        """Give the share (N,), 0 to 1, of the question's idf that each node holds."""
        return self.words.coverage(terms)

    def kind_of(self, source: int, target: int) -> str:
        """Give the kind of the edge between two rows; of several the one that weighs most."""
        kinds = {IN_TIME: self.temporal, ABOUT: self.abstraction, ALIKE: self.association, TOGETHER: self.learned}
        return max(kinds, key=lambda kind: _weight(kinds[kind], target, source))


def temporal_edges(rows: Sequence[GraphRow], *, decay: float, size: int | None = None) -> Matrix:
    """Give W (n, n), or (size, size), of neighbours by position in a conversation: w = exp(-decay |days|).

    SYNAPSE, section 3.1. The edges follow from positions, so they are not stored: when a turn in the middle is
    forgotten its neighbours become each other's.
    """
    order, same, microseconds = in_order(rows)
    days = np.abs(np.diff(microseconds)) / MICROSECONDS_A_DAY
    return both_ways(
        np.stack([order[:-1][same], order[1:][same]], axis=1), np.exp(-decay * days[same]), size=size or len(rows)
    )


def both_ways(ends: Pairs, weight: Vector | float, *, size: int) -> Matrix:
    """Give W (size, size) with an edge each way between the rows of each pair (k, 2); none where the weight is 0."""
    weights = np.broadcast_to(np.asarray(weight, dtype=np.float64), len(ends))
    there = weights > 0
    one, other = ends[there, 0], ends[there, 1]
    twice = np.concatenate([weights[there], weights[there]])
    return sparse.csr_array((twice, (np.concatenate([one, other]), np.concatenate([other, one]))), shape=(size, size))


def _weight(matrix: Matrix, row: int, column: int) -> float:
    """Give `matrix[row, column]`, which scipy takes a quarter of a millisecond for."""
    begin, end = matrix.indptr[row], matrix.indptr[row + 1]
    return float(matrix.data[begin:end][matrix.indices[begin:end] == column].sum())


def _located(wanted: Rows, nodes: Rows) -> Rows:
    """Give where these nodes, in whatever shape they come, stand among `nodes`; -1 for those that do not."""
    if not nodes.size:
        return np.full(wanted.shape, -1)
    order = np.argsort(nodes)
    place = order[np.minimum(np.searchsorted(nodes, wanted, sorter=order), nodes.size - 1)]
    return np.where(nodes[place] == wanted, place, -1)
