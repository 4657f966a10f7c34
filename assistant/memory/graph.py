"""The active graph: episodic nodes as rows of arrays, temporal edges as a sparse matrix."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from assistant.memory.activation import Matrix, divide_by_fan
from assistant.memory.lexicon import Lexicon
from assistant.memory.parameters import Parameters
from storage.records import GraphRow

Rows = NDArray[np.int64]
MICROSECONDS_AN_HOUR = 3_600_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryGraph:
    """n nodes, p passages with a vector each, s sessions."""

    rows: tuple[GraphRow, ...]
    """The nodes (n,)."""
    lexicon: Lexicon
    weights: sparse.csc_array[np.float64]
    """BM25 weights (n, terms) of the turns."""
    session: Rows
    """Session (n,) of each node."""
    session_lexicon: Lexicon
    session_weights: sparse.csc_array[np.float64]
    """BM25 weights (s, terms) of the sessions."""
    vectors: NDArray[np.float32]
    """(p, dimension), unit length."""
    owners: Rows
    """Row of the node (p,) that each passage belongs to."""
    passing: Matrix
    """M (n, n): what an edge passes on, divided by the fan."""
    parameters: Parameters

    @classmethod
    def build(
        cls, rows: Sequence[GraphRow], owners: Sequence[int], vectors: NDArray[np.float32], *, parameters: Parameters
    ) -> "MemoryGraph":
        """Make the graph of these rows; `owners` (p,) are node ids, vectors of other nodes are left out."""
        texts = [row.terms.split() for row in rows]
        session = sessions(rows, gap_hours=parameters.session_gap_hours)
        lexicon = Lexicon.of_texts(texts, parameters=parameters)
        session_lexicon = lexicon.joined(session)
        owner_rows, kept = _locate(owners, rows)
        return cls(
            rows=tuple(rows),
            lexicon=lexicon,
            weights=lexicon.weights,
            session=session,
            session_lexicon=session_lexicon,
            session_weights=session_lexicon.weights,
            vectors=vectors[kept],
            owners=owner_rows,
            passing=divide_by_fan(temporal_edges(rows, decay=parameters.temporal_decay)),
            parameters=parameters,
        )

    def with_more(self, rows: Sequence[GraphRow], owners: Sequence[int], vectors: NDArray[np.float32]) -> "MemoryGraph":
        """Give a graph with further nodes, such as archived ones that a question hit; the word statistics stay."""
        together = (*self.rows, *rows)
        texts = [row.terms.split() for row in rows]
        session = sessions(rows, gap_hours=self.parameters.session_gap_hours)
        owner_rows, kept = _locate(owners, rows)
        return replace(
            self,
            rows=together,
            weights=_stacked(self.weights, self.lexicon.weigh(texts)),
            session=np.concatenate([self.session, session + self.session_weights.shape[0]]),
            session_weights=_stacked(self.session_weights, self.session_lexicon.weigh(texts, session)),
            vectors=np.concatenate([self.vectors, vectors[kept]]),
            owners=np.concatenate([self.owners, owner_rows + len(self.rows)]),
            passing=divide_by_fan(temporal_edges(together, decay=self.parameters.temporal_decay)),
        )

    def cosines(self, question: NDArray[np.float32]) -> NDArray[np.float64]:
        """Give the cosine (n,) of the question (dimension,) and each node: that of its best passage, 0 without any."""
        best = np.full(len(self.rows), -1.0)
        np.maximum.at(best, self.owners, (self.vectors @ question).astype(np.float64))
        without = np.ones(len(self.rows), dtype=bool)
        without[self.owners] = False
        best[without] = 0.0
        return best


def temporal_edges(rows: Sequence[GraphRow], *, decay: float) -> Matrix:
    """Give W (n, n) of temporal edges: neighbours by position in a conversation, both ways, w = exp(-decay |days|).

    SYNAPSE, section 3.1. The edges follow from positions, so they are not stored: when a turn in the middle is
    forgotten its neighbours become each other's.
    """
    n = len(rows)
    order, same, microseconds = _in_order(rows)
    days = np.abs(np.diff(microseconds)) / (24 * MICROSECONDS_AN_HOUR)
    weight = np.exp(-decay * days[same])
    earlier, later = order[:-1][same], order[1:][same]
    return sparse.csr_array(
        (np.concatenate([weight, weight]), (np.concatenate([later, earlier]), np.concatenate([earlier, later]))),
        shape=(n, n),
    )


def sessions(rows: Sequence[GraphRow], *, gap_hours: float) -> Rows:
    """Give the session (n,), from 0, of each row: a conversation is cut where it rests for longer than the gap."""
    order, same, microseconds = _in_order(rows)
    begins = ~same | (np.abs(np.diff(microseconds)) > gap_hours * MICROSECONDS_AN_HOUR)
    number = np.empty(len(rows), dtype=np.int64)
    number[order] = np.concatenate([[0], np.cumsum(begins)])[: len(rows)]
    return number


def _in_order(rows: Sequence[GraphRow]) -> tuple[Rows, NDArray[np.bool_], NDArray[np.float64]]:
    """Rows by conversation and position, whether each is of the same conversation as the next, and their times."""
    conversation = np.array([row.conversation for row in rows], dtype=np.int64)
    order = np.lexsort((np.array([row.position for row in rows], dtype=np.int64), conversation))
    ordered = conversation[order]
    microseconds = np.array([row.microseconds for row in rows], dtype=np.float64)[order]
    return order, ordered[1:] == ordered[:-1], microseconds


def _locate(owners: Sequence[int], rows: Sequence[GraphRow]) -> tuple[Rows, NDArray[np.bool_]]:
    row_of = {row.node: index for index, row in enumerate(rows)}
    located = np.array([row_of.get(node, -1) for node in owners], dtype=np.int64)
    kept = located >= 0
    return located[kept], kept


def _stacked(above: sparse.csc_array[np.float64], below: sparse.csc_array[np.float64]) -> sparse.csc_array[np.float64]:
    return sparse.vstack([above, below], format="csc")
