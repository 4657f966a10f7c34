"""An encoder that encodes each text once, since several engines are asked the same questions."""

import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from assistant.language.encoder import Encoder
from storage.records import EmbeddingSpace


class RememberingEncoder:
    """Gives the vectors of another encoder, and remembers them until it is told to forget."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._vectors: dict[str, NDArray[np.float32]] = {}
        self._seconds: dict[str, float] = {}
        self._saved = 0.0

    @property
    def space(self) -> EmbeddingSpace:
        """The space of the other encoder."""
        return self._encoder.space

    def passages(self, text: str) -> list[tuple[int, int]]:
        """Give the stretches that fit into the other encoder."""
        return self._encoder.passages(text)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Give the vectors (n, dimension), each of unit length."""
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        self._saved += sum(self._seconds.get(text, 0.0) for text in texts)
        if new:
            began = time.perf_counter()
            self._vectors.update(zip(new, self._encoder.encode(new), strict=True))
            self._seconds.update(dict.fromkeys(new, (time.perf_counter() - began) / len(new)))
        if not texts:
            return np.zeros((0, self.space.dimension), dtype=np.float32)
        return np.stack([self._vectors[text] for text in texts])

    def take_saved(self) -> float:
        """Give the seconds that remembering saved since this was asked the last time: what recall would have taken."""
        saved, self._saved = self._saved, 0.0
        return saved

    def forget(self) -> None:
        """Drop all vectors."""
        self._vectors.clear()
        self._seconds.clear()
