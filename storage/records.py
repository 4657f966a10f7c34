"""What the vault keeps, as values: made whole, never changed, one class for one noun."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class Role(StrEnum):
    """Who speaks, as a model sees it."""

    USER = "user"
    ASSISTANT = "assistant"
    OTHER = "other"
    """A person who is neither the user of this machine nor the assistant."""


class Source(StrEnum):
    """The way by which words came in."""

    CHAT = "chat"
    NOTE = "note"
    """Told to `remember`, outside any conversation with the model."""
    IMPORTED = "imported"
    FILE = "file"
    """Read from a file of the user's that was attached."""
    TOOL = "tool"
    """Handed over by another program."""
    MEMORY = "memory"
    """Nobody's words: what the memory itself made of turns."""


class TurnState(StrEnum):
    """How a turn ended."""

    COMPLETE = "complete"
    STOPPED = "stopped"
    """The user stopped the reply; what had been written is kept."""
    FAILED = "failed"
    """The model died or failed in the middle; what had been written is kept."""


class Maker(StrEnum):
    """What made a concept."""

    SALIENT = "salient"
    """A rule that picks names, numbers and rare phrases."""
    MODEL = "model"
    """A language model that read a window of turns."""
    DISTILLED = "distilled"
    """A language model that read a hub and its strongest neighbours."""


class Category(StrEnum):
    """What a concept tells of."""

    TERM = "term"
    """A name, a number or a phrase by itself."""
    IDENTITY = "identity"
    PREFERENCE = "preference"
    EVENT = "event"
    TECHNICAL = "technical"
    USER_MODEL = "user_model"
    """What the user is like."""
    FACTUAL = "factual"
    """A fact with its absolute date."""
    AGENT = "agent"
    """What the assistant learned of its own work."""


def new_id() -> str:
    """Give a new random identifier, 128 bits as 32 hexadecimal digits; shown to people as a short unique prefix."""
    return secrets.token_hex(16)


@dataclass(frozen=True, slots=True, kw_only=True)
class Utterance:
    """What was said, by whom and when: a turn before it has a place in a conversation."""

    role: Role
    speaker: str
    """Name of the person, or of the assistant."""
    text: str
    time: datetime
    """When it was said; aware. Kept as UTC in microseconds, with the offset in seconds beside it."""
    source: Source
    origin: str = ""
    """For imported words the format and the file's name: `chatgpt:conversations.json`."""
    external_id: str | None = None
    """Its identifier where it came from; at most once in a conversation."""
    state: TurnState = TurnState.COMPLETE
    model: str = ""
    """For what a model wrote: its name."""
    seed: int | None = None
    """For what a model wrote: with what its choices began, so that it can be made again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn(Utterance):
    """An utterance in its place: an episodic node of the graph."""

    id: str
    node: int
    """Row of the node: the key of its vectors and index entries. Never used twice, never shown."""
    conversation: str
    """Identifier of the conversation."""
    position: int
    """Order within the conversation, from 0. Gaps stay where turns were forgotten."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A sequence of turns under one title."""

    id: str
    title: str
    """The given one, or else the beginning of its first turn; empty when there is neither."""
    source: Source
    origin: str = ""
    external_id: str | None = None
    turns: int = 0
    started: datetime | None = None
    """Time of its first turn; None when it has no turns."""
    last: datetime | None = None
    """Time of its last turn by position."""
    parent: str | None = None
    """Identifier of the conversation that it continues from; None when it began by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchPoint:
    """A place in a conversation, from which another one continues."""

    parent: str
    """Identifier of the conversation."""
    before_node: int
    """What was kept in it before this node belongs to the other one, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fork:
    """A place where conversations part that are the same up to there."""

    versions: tuple[str, ...]
    """Identifiers of the conversations, in the order in which they came to be; at least two."""
    nodes: tuple[int, ...]
    """Of each of them the node of its first turn behind this place."""
    shown: int
    """Which of them is shown."""

    @property
    def node(self) -> int:
        """Node of the turn that is shown there."""
        return self.nodes[self.shown]


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A stretch of a node's text that has a vector of its own, since an encoder reads only so much at once."""

    start: int
    """First character."""
    stop: int
    """The one after its last character."""
    vector: bytes
    """float32, little endian, of unit length."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingSpace:
    """The space that vectors live in. Vectors of two spaces are never compared."""

    model: str
    dimension: int
    pooling: str
    digest: str
    """SHA-256 of the weights, hexadecimal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphRow:
    """What a graph of memories needs to know of an episodic node; its text stays on disk."""

    node: int
    conversation: int
    """Row of the conversation."""
    position: int
    role: Role
    speaker: str
    microseconds: int
    """UTC, since 1970."""
    terms: str
    """Its lexical terms, separated by blanks."""
    source: Source = Source.CHAT


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What was made of turns, before it is kept as a concept."""

    text: str
    terms: str
    """Its lexical terms, separated by blanks: what the index holds of it."""
    category: Category
    confidence: float
    """From 0 to 1."""
    support: tuple[int, ...]
    """Nodes of the turns that it was made of; at least one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Concept:
    """What the memory made of turns: a semantic node of the graph. Without a turn that supports it there is none."""

    id: str
    node: int
    """Row of the node: the key of its vectors and index entries. Never used twice, never shown."""
    text: str
    maker: Maker
    category: Category
    confidence: float
    """From 0 to 1."""
    first: datetime
    """When the earliest of the turns that support it was said."""
    last: datetime
    """When the latest of them was."""
    support: tuple[int, ...]
    """Nodes of the turns that support it, ascending; at least one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConceptRow:
    """What a graph of memories needs to know of a semantic node; its text stays on disk."""

    node: int
    maker: Maker
    category: Category
    terms: str
    """Its lexical terms, separated by blanks."""
    first_us: int
    """When the earliest of its turns was said: UTC microseconds since 1970."""
    last_us: int
    """When the latest was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Association:
    """An edge between two nodes that are alike or were recalled together; it has no direction."""

    low: int
    """The lesser of both nodes."""
    high: int
    cosine: float
    """0 when it was only learned."""
    hebbian: float
    """The weight at `updated_us`; 0 when nothing was learned."""
    updated_us: int
    """When it was learned last: UTC microseconds since 1970; 0 for never."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """What became of a node since it was made."""

    node: int
    pinned: bool
    """Whether the user wants it at hand always."""
    archived: bool
    """Whether it rests outside the active graph. Never true of one that is pinned."""
    used_count: int
    """How many answers drew on it."""
    last_used_us: int | None
    """When the last one did: UTC microseconds since 1970."""
    active_window: int | None
    """Number of the last window in which it was active."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Succession:
    """A turn that says anew what an older one said, such as where somebody lives."""

    newer: int
    """Node of the turn that holds."""
    older: int
    """Node of the turn that held until then."""
    slot: str
    """What both fill."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecalledLine:
    """One memory that was given for an answer, as it is put on record."""

    node: int
    score: float
    injected: bool
    """Whether it was put into the prompt."""
    used: bool
    """Whether the answer drew on it."""
    parts: Mapping[str, float] = field(default_factory=dict)
    """What the score was made of, by name."""
    path: tuple[tuple[int, str, float], ...] = ()
    """The way by which it was reached: node, kind of the edge from it to the next, weight of that edge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecalledTurn:
    """One line of the record of what memory gave for an answer."""

    turn: Turn
    rank: int
    """From 1."""
    score: float
    injected: bool
    """Whether it was put into the prompt."""
    used: bool
    """Whether the answer drew on it."""
    parts: Mapping[str, float] = field(default_factory=dict)
    """What the score was made of, by name."""
    path: tuple[tuple[int, str, float], ...] = ()
    """The way by which it was reached: node, kind of the edge from it to the next, weight of that edge. Empty too when
    a node on it was forgotten."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecalledFor:
    """One answer for which a memory was given, seen from the memory."""

    answer: Turn
    rank: int
    """Which of the memories of this answer it was, from 1."""
    score: float
    injected: bool
    """Whether it was put into the prompt."""
    used: bool
    """Whether the answer drew on it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """How sure memory was, when an answer was asked for, that it knew."""

    outcome: str
    probability: float
    """That memory knew, from 0 to 1."""
    reasons: tuple[str, ...]
    """In words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """Proof of an erasure. Holds no content and nothing from which content could be guessed."""

    id: str
    time: datetime
    turns: int
    passages: int
    conversations: int
    """Conversations that were left empty, and went too."""
    concepts: int
    """Concepts that were chosen, or that rested on what went."""
    pages_scanned: int
    residue: int
    """Places where a trace was found after erasing: 0, or the erasure is not complete."""
    pending: bool
    """True while another process holds the file, or there is no room to build it anew: its traces go when that is over,
    at the next opening or erasure at the latest."""
    digest: str
    """SHA-256 over a random salt and the erased texts; the salt was thrown away."""
    probes: int = 0
    """Searches for what is nearest to an erased vector, none of which may find what was erased."""
    backups: int = 0
    """Backups of this vault that hold a trace, or that its key does not open: they are to be made anew or deleted."""
