"""Real classes that keep the promises of the protocols, without a neural network."""

import hashlib
import threading
import time
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from assistant.errors import AssistantError, ModelFailed
from assistant.language.model import Done, LoadedModel, Message, Piece, Progress, Reading, Sampling, Text
from assistant.memory.terms import terms
from storage.records import EmbeddingSpace

LONGEST_SECONDS = 60.0


class HashEncoder:
    """A bag of words: each term gives a fixed random direction, a text their sum. Passages of 400 characters."""

    def __init__(self, dimension: int = 384) -> None:
        self._space = EmbeddingSpace(model="hash", dimension=dimension, pooling="sum", digest=f"{dimension:064x}")
        self._directions: dict[str, NDArray[np.float32]] = {}
        self.encoded = 0
        """Texts encoded so far."""

    @property
    def space(self) -> EmbeddingSpace:
        return self._space

    def passages(self, text: str) -> list[tuple[int, int]]:
        return [(start, min(start + 400, len(text))) for start in range(0, max(1, len(text)), 350)]

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.encoded += len(texts)
        vectors = np.zeros((len(texts), self._space.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            for term in terms(text) or ["nothing"]:
                vectors[row] += self._direction(term)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / np.maximum(lengths, 1e-9), dtype=np.float32)

    def _direction(self, term: str) -> NDArray[np.float32]:
        if term not in self._directions:
            self._directions[term] = self._make_direction(term)
        return self._directions[term]

    def _make_direction(self, term: str) -> NDArray[np.float32]:
        seed = int.from_bytes(hashlib.sha256(term.encode()).digest()[:8], "little")
        return np.random.default_rng(seed).standard_normal(self._space.dimension).astype(np.float32)


class ScriptedModel:
    """Answers from a list, a word at a time; an exception in the list is raised after the words before it.

    An answer is a text, an error, or a pair of both: the words that come before the error.
    """

    def __init__(
        self,
        answers: Sequence[str | AssistantError | tuple[str, AssistantError]],
        *,
        delay: float = 0.0,
        stands_after: int = 0,
    ) -> None:
        self._answers = list(answers)
        self._delay = delay
        self._stands_after = stands_after
        """Words after which an answer waits to be cancelled: none goes on while a machine is too busy to do that."""
        self._loaded: LoadedModel | None = None
        self.requests: list[list[Message]] = []
        """Every prompt it was given to answer."""
        self.read_ahead: list[list[Message]] = []
        """Every prompt it was given to read only."""
        self.context = 4096
        self.retired = False

    @property
    def name(self) -> str:
        return "scripted"

    @property
    def loaded(self) -> LoadedModel | None:
        return self._loaded

    def load(self, progress: Progress | None = None) -> LoadedModel:
        if progress and self._loaded is None:
            progress("loading scripted", 1.0)
        self._loaded = LoadedModel(
            name="scripted",
            path="scripted.gguf",
            architecture="script",
            context=self.context,
            trained_context=self.context,
            gpu="no (CPU build)",
            threads=1,
            load_seconds=0.0,
        )
        return self._loaded

    def count(self, messages: Sequence[Message]) -> int:
        return sum(4 + len(message.content.split()) for message in messages)

    def stream(self, messages: Sequence[Message], *, sampling: Sampling, cancel: threading.Event) -> Iterator[Piece]:
        total = self.count(messages)
        yield Reading(done=total, total=total)
        if sampling.max_tokens == 0:
            self.read_ahead.append(list(messages))
            return
        self.requests.append(list(messages))
        answer = self._answers.pop(0) if self._answers else "I have nothing more to say."
        words, error = answer if isinstance(answer, tuple) else (answer, None)
        if isinstance(words, AssistantError):
            raise words
        pieces = [word + " " for word in words.split(" ")]
        pieces[-1] = pieces[-1][:-1]
        written = 0
        for piece in pieces if words else []:
            if cancel.is_set():
                break
            yield Text(text=piece)
            written += 1
            time.sleep(self._delay)
            if written == self._stands_after:
                cancel.wait(LONGEST_SECONDS)
        if error is not None:
            self._loaded = None
            raise error
        yield Done(
            finish="cancelled" if cancel.is_set() else "stop",
            prompt_tokens=total,
            reused_tokens=0,
            completion_tokens=written,
            read_seconds=0.01,
            write_seconds=0.01 * max(written, 1),
        )

    def close(self) -> None:
        self._loaded = None

    def retire(self) -> None:
        self.retired = True
        self.close()


DIED = ModelFailed("the model process ended (signal 9); what was said is kept: ask again")
