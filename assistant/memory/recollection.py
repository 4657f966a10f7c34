"""What recall gives: memories in order, each with its scores and the way it came."""

from dataclasses import dataclass

from storage.records import Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreParts:
    """The parts of a memory's score, before and after they were made comparable."""

    cosine: float
    """-1 to 1: of the question and the nearest passage."""
    bm25: float
    """0 and up: of the question's terms."""
    coverage: float
    """0 to 1: share of the question's terms found here, each weighted by its idf."""
    energy: float
    """0 and up: what entered at this memory itself."""
    received: float
    """0 and up: what came in from others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One edge on the way by which activation came."""

    turn: Turn
    """Where the edge begins."""
    kind: str
    """Kind of the edge: `temporal`."""
    weight: float
    """What it passes on of one unit, after the fan was divided."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A recalled memory."""

    turn: Turn
    rank: int
    """From 1."""
    score: float
    parts: ScoreParts
    path: tuple[Step, ...]
    """From the memory where the largest share of what it received entered, to this one; empty for a direct hit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recollection:
    """The answer of memory to one question."""

    query: str
    engine: str
    hits: tuple[Hit, ...]
    """Best first."""
    searched: int
    """Memories looked at."""
    milliseconds: dict[str, float]
    """Time by stage: `encode`, `load`, `score`, `fetch`."""
