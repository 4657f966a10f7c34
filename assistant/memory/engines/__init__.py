"""The ways of recalling, one file each, behind one protocol."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from assistant.errors import BadInput
from assistant.memory.activation import Matrix
from assistant.memory.graph import MemoryGraph

NAMES = ("associative", "synapse", "hela", "synaptic", "hybrid")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked, as the triggers see it."""

    terms: Sequence[str]
    """All of its terms."""
    vector: NDArray[np.float32]
    """(dimension,), unit length."""
    speakers: frozenset[str]
    """Speakers whom it asks about: by their name, or the user in the first person."""
    microseconds: int
    """When it is asked: UTC, since 1970."""
    core_terms: Sequence[str] = ()
    """The terms without function words and names of speakers."""
    function_terms: Sequence[str] = ()
    """Those of the function words."""
    core_vector: NDArray[np.float32] | None = None
    """(dimension,) of what the core terms stand for; None: the question is all core."""
    span_us: tuple[int, int] | None = None
    """The time that it names: UTC, microseconds since 1970, first and last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """Scores of all N nodes, and the parts they are made of."""

    score: NDArray[np.float64]
    cosine: NDArray[np.float64]
    bm25: NDArray[np.float64]
    energy: NDArray[np.float64]
    received: NDArray[np.float64]
    core_cosine: NDArray[np.float64] | None = None
    """(N,) of the question's core, where the engine goes by it."""
    passing: Matrix | None = None
    """(N, N): what energy flowed along, if it flowed: M[i, j] of what leaves j comes to i."""
    share: float = 1.0
    """What a step along it passes on besides. 0 to 1."""
    steps: int = 3
    """Steps that energy flowed. 0 and up."""
    fired: NDArray[np.bool_] | None = None
    """The nodes that fired, in an engine whose nodes do."""


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
    from assistant.memory.engines import associative, hela, hybrid, synapse, synaptic

    engines: dict[str, Engine] = {
        "associative": associative.rank,
        "synapse": synapse.rank,
        "hela": hela.rank,
        "synaptic": synaptic.rank,
        "hybrid": hybrid.rank,
    }
    if name not in engines:
        message = f"there is no engine {name!r}: use {', '.join(NAMES[:-1])} or {NAMES[-1]}"
        raise BadInput(message)
    return engines[name]
