"""The language model as the rest of the program sees it."""

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

Progress = Callable[[str, float | None], None]
"""Called with what is being done and the share done (0 to 1), or None where that cannot be told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a chat, as a model reads it."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How the next token is chosen."""

    seed: int
    """32 bits; kept with the answer, so that it can be made again."""
    temperature: float = 0.4
    top_p: float = 0.9
    repeat_penalty: float = 1.1
    max_tokens: int = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The prompt is being read."""

    done: int
    """Tokens read, the reused ones included."""
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A piece of the answer: whole characters, never half of one."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """The end of an answer."""

    finish: Literal["stop", "length", "cancelled"]
    prompt_tokens: int
    reused_tokens: int
    completion_tokens: int
    read_seconds: float
    write_seconds: float


Piece = Reading | Text | Done


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedModel:
    """A model that is ready to answer."""

    name: str
    path: str
    architecture: str
    context: int
    """Tokens that fit, prompt and answer together."""
    trained_context: int
    gpu: str
    """`no (CPU build)`, or how many layers are on which device."""
    threads: int
    load_seconds: float


class LanguageModel(Protocol):
    """Something that answers. One request at a time; methods may be called from any thread."""

    @property
    def name(self) -> str:
        """Its short name, known before it is loaded."""

    @property
    def loaded(self) -> LoadedModel | None:
        """What is loaded; None before the first request and after the worker died."""

    def load(self, progress: Progress | None = None) -> LoadedModel:
        """Make it ready; does nothing when it is.

        Raises
        ------
        ModelMissing, ModelNotLoadable
            The message names the cause and what to do.
        """

    def count(self, messages: Sequence[Message]) -> int:
        """Give the number of tokens of a prompt, the chat template's included."""

    def stream(self, messages: Sequence[Message], *, sampling: Sampling, cancel: threading.Event) -> Iterator[Piece]:
        """Answer. Any number of Reading, then Text, and one Done, also after `cancel` was set (within 300 ms).

        Raises
        ------
        ModelFailed
            The worker died or could not go on. What was yielded before it stands; the next call starts a new worker.
        """

    def close(self) -> None:
        """End the worker. A later request starts a new one."""
