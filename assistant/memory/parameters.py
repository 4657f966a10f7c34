"""Every number of the memory, with its unit, its range and where it comes from."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """Frozen; a different setting is a different object."""

    k1: float = 1.2
    """BM25: how soon a repeated term stops counting. 0 to 3; 1.2 was best on dialogue, 1.5 is the library's default."""
    b: float = 0.6
    """BM25: how much a long turn is held against it. 0 to 1; 0.6 was best on dialogue."""
    background_cosine: float = 0.1
    """Mean cosine of a question and an unrelated turn, MiniLM. -1 to 1."""
    background_cosine_deviation: float = 0.1
    """Its standard deviation. Above 0."""
    background_bm25_share: float = 0.1
    """Standard deviation of BM25 between unrelated texts, as a share of the question's whole idf. Above 0 to 1."""
    background_weight: float = 20.0
    """How many unrelated turns the background stands for: it steadies the scores of a memory of a few turns.
    0 and up."""
    session_weight: float = 0.3
    """Weight of the z-scored BM25 of the whole session in the energy of each of its turns. 0 to 1."""
    session_gap_hours: float = 6.0
    """A pause longer than this begins a new session of a conversation. Above 0."""
    person_boost: float = 1.15
    """Factor on the energy of turns of a person whom the question names. 1 and up."""
    spread_share: float = 0.8
    """S of SYNAPSE, Eq. 2: what a step passes on. 0 to 1."""
    spread_steps: int = 3
    """T of SYNAPSE. 0 to 10."""
    temporal_decay: float = 0.01
    """rho of SYNAPSE: w = exp(-rho |days|) between neighbours in time. Per day, 0 and up."""
    active_nodes: int = 10_000
    """Most nodes held in memory, the latest; the others are found through the indexes on disk. SYNAPSE: 10,000."""
    archive_hits: int = 50
    """Nodes taken from each index on disk for one question. 1 to 4,096."""
    archive_reach: int = 3
    """Neighbours in time, on both sides, that come with a node from disk. 0 and up."""
