"""The ways of recalling, one file each, behind one protocol."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from assistant.errors import BadInput
from assistant.memory.graph import MemoryGraph


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked, as the triggers see it."""

    terms: Sequence[str]
    vector: NDArray[np.float32]
    """(dimension,), unit length."""
    speakers: frozenset[str]
    """Speakers whose names stand in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """Scores of all n nodes, and the parts they are made of."""

    score: NDArray[np.float64]
    cosine: NDArray[np.float64]
    bm25: NDArray[np.float64]
    energy: NDArray[np.float64]
    received: NDArray[np.float64]


class Engine(Protocol):
    """Ranks the nodes of a graph for a question. Changes nothing."""

    def __call__(self, graph: MemoryGraph, question: Question) -> Ranking:
        """Give scores for all nodes; 0 is nothing."""


def find_engine(name: str) -> Engine:
    """Give the engine of this name.

    Raises
    ------
    BadInput
        There is none; the message names those there are.
    """
    from assistant.memory.engines import associative, hybrid

    engines: dict[str, Engine] = {"associative": associative.rank, "hybrid": hybrid.rank}
    if name not in engines:
        message = f"there is no engine {name!r}: use {' or '.join(engines)}"
        raise BadInput(message)
    return engines[name]
