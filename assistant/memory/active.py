"""The active graph of a vault, kept equal to it: what was added is appended, after a change it is loaded again."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from assistant.memory.graph import MemoryGraph
from assistant.memory.parameters import Parameters
from assistant.memory.stored import Edges, Stored
from assistant.memory.units import MICROSECONDS_A_DAY
from assistant.memory.words import Words
from storage.records import EmbeddingSpace, GraphRow, new_id
from storage.vault import Vault

EPOCH = "graph.epoch"
"""Setting that changes when nodes were erased, archived, given new words or made concepts of: then appending is not
enough."""


def begin_epoch(vault: Vault) -> None:
    """Tell every process that holds a graph of this vault to load it again. Inside the transaction of the change."""
    vault.settings.put(EPOCH, new_id())


class ActiveGraph:
    """Holds the nodes of a vault that are not archived, the latest `parameters.active_nodes` at most."""

    def __init__(self, vault: Vault, parameters: Parameters) -> None:
        self._vault = vault
        self._parameters = parameters
        self._graph: MemoryGraph | None = None
        self._change = -1
        self._epoch: str | None = None

    @property
    def is_current(self) -> bool:
        """Whether no process wrote to the vault since the graph was made."""
        return self._graph is not None and self._change == self._vault.change_counter()

    @property
    def graph(self) -> MemoryGraph | None:
        """The graph as it was last loaded."""
        return self._graph

    def load(self, space: EmbeddingSpace, now_us: int) -> MemoryGraph:
        """Give the graph as the vault is, its learned weights as they are on this day."""
        if self._graph is not None and self.is_current:
            if abs(now_us - self._graph.now_us) > MICROSECONDS_A_DAY:
                self._graph = MemoryGraph.build(
                    self._graph.stored, parameters=self._parameters, now_us=now_us, words=self._graph.words
                )
            return self._graph
        change, epoch = self._vault.change_counter(), self._vault.settings.get(EPOCH)
        before = self._graph.stored if self._graph is not None and epoch == self._epoch else None
        stored = self._read(space) if before is None else self._read_on(space, before)
        self._graph = MemoryGraph.build(
            stored, parameters=self._parameters, now_us=now_us, words=self._words_of(stored, before)
        )
        self._change, self._epoch = change, epoch
        return self._graph

    def with_archived(
        self, graph: MemoryGraph, space: EmbeddingSpace, terms: Sequence[str], vector: NDArray[np.float32]
    ) -> MemoryGraph:
        """Give the graph with nodes outside it that the indexes on disk hit, and their neighbours in time."""
        if self._vault.turns.count() - self._vault.quarantine.count() == len(graph.rows):
            return graph
        wanted = self._parameters.archive_hits
        hits = {node for node, _ in self._vault.lexical.search(terms, limit=wanted)}
        hits |= {node for node, _ in self._vault.vectors.nearest(space, vector.tobytes(), k=wanted)}
        hits -= set(graph.nodes.tolist())
        if not hits:
            return graph
        around = self._vault.turns.neighbours(sorted(hits), reach=self._parameters.archive_reach)
        rows = self._vault.turns.graph_rows(nodes=sorted({*hits, *around}.difference(graph.nodes.tolist())))
        owners, vectors = self._vectors(space, nodes=[row.node for row in rows])
        return graph.with_more(rows, owners, vectors)

    def _read(self, space: EmbeddingSpace) -> Stored:
        """Read all of it."""
        vault, most = self._vault, self._parameters.active_nodes
        rows = tuple(vault.turns.graph_rows(limit=most, active_only=True))
        concepts = tuple(vault.concepts.graph_rows())
        owners, vectors = self._vectors(space)
        held = np.isin(owners, [*(row.node for row in rows), *(concept.node for concept in concepts)])
        return Stored(
            rows=rows,
            owners=owners[held],
            vectors=vectors[held],
            concepts=concepts,
            support=np.array(vault.concepts.support(), dtype=np.int64).reshape(-1, 2),
            edges=Edges.of(vault.associations.listing()),
            spikes=tuple(vault.recollections.spikes()),
        )

    def _read_on(self, space: EmbeddingSpace, before: Stored) -> Stored:
        """Read the turns that were added, the vectors that were made since, and what was learned."""
        last = before.rows[-1].node if before.rows else 0
        added: list[GraphRow] = self._vault.turns.graph_rows(since_node=last)
        late, new = before.without_vectors().tolist(), [row.node for row in added]
        owners, vectors = self._vectors(space, nodes=[*late, *new])
        more = before.with_more(added, owners, vectors)
        return replace(
            more,
            rows=more.rows[-self._parameters.active_nodes :],
            edges=Edges.of(self._vault.associations.listing()),
            spikes=tuple(self._vault.recollections.spikes()),
        )

    def _words_of(self, stored: Stored, before: Stored | None) -> Words | None:
        """Give the words of these turns where most of them are known; counting ten thousand anew takes a second."""
        if self._graph is None or before is None:
            return None
        first = stored.rows[0].node if stored.rows else 0
        dropped = bisect_left(before.rows, first, key=lambda row: row.node)
        return self._graph.words.moved_on(stored.rows, dropped=dropped, parameters=self._parameters)

    def _vectors(
        self, space: EmbeddingSpace, *, since_node: int = 0, nodes: Sequence[int] | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        owners, raw = self._vault.vectors.matrix(space, since_node=since_node, nodes=nodes)
        vectors = np.frombuffer(raw, dtype="<f4").reshape(len(owners), space.dimension)
        return np.array(owners, dtype=np.int64), vectors
