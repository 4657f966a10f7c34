"""What the vault holds of a graph, as arrays: turns, concepts, what they rest on, associations and uses."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from assistant.memory.hebbian import decayed
from assistant.memory.units import MICROSECONDS_A_DAY
from assistant.memory.words import Rows
from storage.records import Association, ConceptRow, GraphRow

Vector = NDArray[np.float64]
Vectors = NDArray[np.float32]
Pairs = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Edges:
    """Associations (k,) as arrays."""

    ends: Pairs
    """(k, 2): the nodes that each joins."""
    cosine: Vector
    hebbian: Vector
    """As it was when it changed the last time."""
    updated_us: NDArray[np.int64]
    """When that was."""

    @classmethod
    def of(cls, associations: Sequence[Association]) -> "Edges":
        """Give the arrays of these."""
        return cls(
            ends=np.array([(one.low, one.high) for one in associations], dtype=np.int64).reshape(-1, 2),
            cosine=np.array([one.cosine for one in associations], dtype=np.float64),
            hebbian=np.array([one.hebbian for one in associations], dtype=np.float64),
            updated_us=np.array([one.updated_us for one in associations], dtype=np.int64),
        )

    def until(self, microseconds: int) -> "Edges":
        """Give the same without what was learned later."""
        return replace(self, hebbian=np.where(self.updated_us <= microseconds, self.hebbian, 0.0))

    def weights(self, now_us: int, *, retention_a_day: float) -> Vector:
        """Give the Hebbian weights (k,) as they are at a moment."""
        days = np.maximum(0.0, (now_us - self.updated_us).astype(np.float64))
        return decayed(self.hebbian, days / MICROSECONDS_A_DAY, retention=retention_a_day)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """What the vault holds of a graph. Nodes are named by their row in the vault."""

    rows: tuple[GraphRow, ...] = ()
    owners: Rows
    """Node (p,) of each passage, turn or concept."""
    vectors: Vectors
    """(p, dimension), unit length."""
    concepts: tuple[ConceptRow, ...] = ()
    support: Pairs = field(default_factory=lambda: np.empty((0, 2), dtype=np.int64))
    """(k, 2): a concept, and a turn that it rests on."""
    edges: "Edges" = field(default_factory=lambda: Edges.of(()))
    spikes: tuple[tuple[int, int, float], ...] = ()
    """A memory, the answer that drew on it, and its score then."""

    def with_more(self, rows: Sequence[GraphRow], owners: Rows, vectors: Vectors) -> "Stored":
        """Give the same with further turns."""
        return replace(
            self,
            rows=(*self.rows, *rows),
            owners=np.concatenate([self.owners, owners]),
            vectors=np.concatenate([self.vectors, vectors]),
        )

    def without_vectors(self) -> Rows:
        """Give the nodes of the turns that have no vector, ascending."""
        return np.setdiff1d([row.node for row in self.rows], self.owners)

    def until(self, microseconds: int) -> "Stored":
        """Give what there was at a moment: what was said by then, and what was made and learned of it."""
        rows = tuple(row for row in self.rows if row.microseconds <= microseconds)
        said = {row.node for row in rows}
        support = self.support[np.isin(self.support[:, 1], list(said))]
        return replace(
            self,
            rows=rows,
            support=support,
            edges=self.edges.until(microseconds),
            spikes=tuple(spike for spike in self.spikes if spike[1] in said),
        )
