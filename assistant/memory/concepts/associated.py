"""The vectors and the associations of a vault's concepts during a run of consolidation."""

from collections.abc import Collection, Sequence

import numpy as np

from assistant.memory.concepts.alike import Edges, Vectors, grow, most_alike, moved, nearest
from assistant.memory.parameters import ConsolidationParameters
from storage.records import EmbeddingSpace, Maker, Passage
from storage.vault import Vault


class AssociatedConcepts:
    """Reads vectors and associations once, when they are first needed, and keeps both in the vault as they change."""

    def __init__(self, vault: Vault, space: EmbeddingSpace, parameters: ConsolidationParameters) -> None:
        self._vault = vault
        self._space = space
        self._parameters = parameters
        self._read = False
        self._nodes: list[int] = []
        self._row: dict[int, int] = {}
        self._vectors: Vectors = np.zeros((0, space.dimension), dtype=np.float32)
        self._edges: Edges = {}

    def forget(self) -> None:
        """Read all again when it is next needed, since others changed it."""
        self._read = False

    def most_alike(self, vector: Vectors, *, among: Collection[int]) -> tuple[int, float]:
        """Give the node among these that is most like a vector, and their cosine; (0, 0) where there is none."""
        self._ready()
        rows = [self._row[node] for node in among if node in self._row]
        best, cosine = most_alike(vector, self._vectors[rows])
        return (self._nodes[rows[best]], cosine) if best >= 0 else (0, 0.0)

    def move(self, node: int, vector: Vectors, *, length: int) -> None:
        """Move the vector of a concept, whose text is so long, towards another that means the same."""
        self._ready()
        row = self._row[node]
        self._vectors[row] = moved(self._vectors[row], vector, share=self._parameters.duplicate_share)
        self._vault.vectors.put(node, [_passage(self._vectors[row], length=length)], space=self._space)

    def add(self, nodes: Sequence[int], texts: Sequence[str], vectors: Vectors) -> None:
        """Keep the vectors of new concepts, and associate these with all others and with each other."""
        if not nodes:
            return
        self._ready()
        passages = {
            node: [_passage(vector, length=len(text))] for node, text, vector in zip(nodes, texts, vectors, strict=True)
        }
        self._vault.vectors.put_each(passages, space=self._space)
        self._append(nodes, vectors)
        p = self._parameters
        found = nearest(vectors, self._vectors, least=p.association_cosine, most=p.association_degree)
        candidates = [(self._nodes[one], self._nodes[other], cosine) for one, other, cosine in found]
        changed, gone = grow(self._edges, candidates, degree=p.association_degree)
        self._edges.update(changed)
        fresh = set(nodes)
        self._vault.associations.put_cosines(
            (node, other, cosine)
            for node in fresh
            for other, cosine in changed.get(node, {}).items()
            if node < other or other not in fresh
        )
        self._loosen(gone)

    def remove(self, nodes: Collection[int]) -> None:
        """Take note that concepts were removed."""
        for node in nodes if self._read else ():
            if node in self._row:
                self._vectors[self._row.pop(node)] = 0.0
            for other in self._edges.pop(node, {}):
                self._edges[other].pop(node, None)

    def _loosen(self, pairs: Collection[tuple[int, int]]) -> None:
        """Take cosines away; what was learned of a pair stays."""
        learned = {pair for pair, edge in self._vault.associations.of(pairs).items() if edge.hebbian}
        self._vault.associations.put_cosines((*pair, 0.0) for pair in learned)
        self._vault.associations.remove(pair for pair in pairs if pair not in learned)

    def _ready(self) -> None:
        if self._read:
            return
        concepts = [node for maker in Maker for node in self._vault.concepts.by_text(maker).values()]
        owners, raw = self._vault.vectors.matrix(self._space, nodes=concepts)
        self._nodes, self._row = [], {}
        self._vectors = np.zeros((0, self._space.dimension), dtype=np.float32)
        self._append(owners, np.frombuffer(raw, dtype="<f4").reshape(len(owners), self._space.dimension))
        self._edges = {}
        for edge in self._vault.associations.listing():
            if edge.cosine:
                self._edges.setdefault(edge.low, {})[edge.high] = edge.cosine
                self._edges.setdefault(edge.high, {})[edge.low] = edge.cosine
        self._read = True

    def _append(self, nodes: Sequence[int], vectors: Vectors) -> None:
        self._row.update({node: row for row, node in enumerate(nodes, start=len(self._nodes))})
        self._nodes += nodes
        self._vectors = np.concatenate([self._vectors, vectors])


def _passage(vector: Vectors, *, length: int) -> Passage:
    return Passage(start=0, stop=length, vector=vector.astype("<f4").tobytes())
