"""The active graph of a vault, kept equal to it: what was added is appended, after a change it is loaded again."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from assistant.memory.graph import MemoryGraph
from assistant.memory.parameters import Parameters
from storage.records import EmbeddingSpace, GraphRow, new_id
from storage.vault import Vault

EPOCH = "graph.epoch"
"""Setting that changes when nodes were erased or given new words: then appending is not enough."""


def begin_epoch(vault: Vault) -> None:
    """Tell every process that holds a graph of this vault to load it again. Inside the transaction of the change."""
    vault.settings.put(EPOCH, new_id())


class ActiveGraph:
    """Holds the latest nodes of a vault, at most `parameters.active_nodes`."""

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

    def load(self, space: EmbeddingSpace) -> MemoryGraph:
        """Give the graph as the vault is."""
        if self._graph is not None and self.is_current:
            return self._graph
        change, epoch = self._vault.change_counter(), self._vault.settings.get(EPOCH)
        held = self._graph.rows if self._graph is not None and epoch == self._epoch else ()
        last = held[-1].node if held else 0
        rows = [*held, *self._vault.turns.graph_rows(since_node=last, limit=self._parameters.active_nodes)]
        rows = rows[-self._parameters.active_nodes :]
        owners, vectors = self._vectors(space, since_node=rows[0].node - 1 if rows else 0)
        self._graph = MemoryGraph.build(rows, owners, vectors, parameters=self._parameters)
        self._change, self._epoch = change, epoch
        return self._graph

    def load_with_archived(
        self, space: EmbeddingSpace, terms: Sequence[str], vector: NDArray[np.float32]
    ) -> MemoryGraph:
        """Give the graph, with older nodes that the indexes on disk hit, and their neighbours in time."""
        graph = self.load(space)
        if len(graph.rows) < self._parameters.active_nodes:
            return graph
        first = graph.rows[0].node
        wanted = self._parameters.archive_hits
        hits = {node for node, _ in self._vault.lexical.search(terms, limit=wanted)}
        hits |= {node for node, _ in self._vault.vectors.nearest(space, vector.tobytes(), k=wanted)}
        older = sorted(node for node in hits if node < first)
        if not older:
            return graph
        around = self._vault.turns.neighbours(older, reach=self._parameters.archive_reach)
        nodes = sorted({node for node in (*older, *around) if node < first})
        rows: list[GraphRow] = self._vault.turns.graph_rows(nodes=nodes)
        owners, vectors = self._vectors(space, nodes=nodes)
        return graph.with_more(rows, owners, vectors)

    def _vectors(
        self, space: EmbeddingSpace, *, since_node: int = 0, nodes: Sequence[int] | None = None
    ) -> tuple[list[int], NDArray[np.float32]]:
        owners, raw = self._vault.vectors.matrix(space, since_node=since_node, nodes=nodes)
        return owners, np.frombuffer(raw, dtype="<f4").reshape(len(owners), space.dimension)
