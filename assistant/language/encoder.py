"""Texts to vectors."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from storage.records import EmbeddingSpace


class Encoder(Protocol):
    """Turns texts into vectors of unit length. Loads its weights at the first use, not when it is made."""

    @property
    def space(self) -> EmbeddingSpace:
        """The space its vectors live in."""

    def passages(self, text: str) -> list[tuple[int, int]]:
        """Give the stretches (first character, one after the last) that fit into it, overlapping; at least one."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Give the vectors (n, dimension), each of unit length. What does not fit is cut: ask `passages` first."""
