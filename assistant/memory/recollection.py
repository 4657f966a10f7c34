"""What recall gives: memories in order, each with its scores and the way it came."""

from dataclasses import dataclass, field

from storage.records import Concept, Turn, Verdict

TOLD_EARLIER = "told earlier"
"""On record in place of the parts of a score: the memory was not recalled for this answer, since the model had it
before it from an earlier question of the same chat."""


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

    @property
    def activation(self) -> float:
        """Both together."""
        return self.energy + self.received


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One edge on the way by which activation came."""

    source: Turn | Concept
    """Where the edge begins."""
    kind: str
    """Kind of the edge: `temporal`, `abstraction`, `association` or `learned`."""
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
    archived: bool = False
    """Whether it came back from the archive."""
    superseded_by: Turn | None = None
    """The newer statement of the same thing, which stands before it; None: as far as is known it still holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConceptHit:
    """A concept that the question touches."""

    concept: Concept
    cosine: float
    """-1 to 1: of the question and what the concept says."""
    coverage: float
    """0 to 1: share of the question's terms that it holds."""


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
    concepts: tuple[ConceptHit, ...] = ()
    """What the memory made of turns and the question touches, best first."""
    fired: int | None = None
    """Memories that fired, in an engine whose memories do."""
    others: frozenset[str] = frozenset()
    """People beside the user whom the question asks about, of those who speak in the memory."""
    verdict: Verdict | None = None
    """Whether the memory holds the answer: the feeling of knowing. None when it is empty."""
    signals: dict[str, float] = field(default_factory=dict)
    """What the verdict was judged by."""
