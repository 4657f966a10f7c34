"""A model and an encoder that hold still in the middle of an answer, so that it can be stopped just there."""

import threading
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from assistant.errors import ModelFailed
from assistant.language.model import Done, LoadedModel, Message, Piece, Progress, Reading, Sampling, Text
from tests.doubles import HashEncoder, ScriptedModel

STAGES = ("recall", "load", "read", "write")
QUESTION = "Count."
FIVE = [f"word{number} " for number in range(1, 6)]
WRITTEN = "".join(FIVE)
"""What there is of the answer when it stands still while it is written."""
NEXT = "And here is the next answer."
LONGEST_SECONDS = 60


class Gate:
    """Holds still what comes to it until it is opened."""

    def __init__(self, reached: Callable[[], object] | None = None) -> None:
        self.reached = threading.Event()
        self.open = threading.Event()
        self._reached = reached

    def wait(self, leave: threading.Event | None = None) -> None:
        """Wait until it is opened, or only until what is given is set; an error when that does not come."""
        first = not self.reached.is_set()
        self.reached.set()
        if first and self._reached is not None:
            self._reached()
        if not (leave or self.open).wait(LONGEST_SECONDS):
            raise ModelFailed("nobody stopped it")


class HeldModel(ScriptedModel):
    """Holds still while it loads, while it reads, or after five words; what it does then is left when it is cancelled.

    Loading cannot be left.
    """

    def __init__(self, stage: str, gate: Gate) -> None:
        super().__init__([NEXT])
        self._stage, self._gate = stage, gate

    def load(self, progress: Progress | None = None) -> LoadedModel:
        if self._stage == "load":
            self._gate.wait()
        return super().load(progress)

    def stream(self, messages: Sequence[Message], *, sampling: Sampling, cancel: threading.Event) -> Iterator[Piece]:
        if sampling.max_tokens == 0 or self._stage not in {"read", "write"} or self._gate.open.is_set():
            yield from super().stream(messages, sampling=sampling, cancel=cancel)
            return
        yield Reading(done=1, total=9)
        written = FIVE if self._stage == "write" else []
        yield from (Text(text=word) for word in written)
        self._gate.wait(cancel)
        self._gate.open.set()
        yield Done(
            finish="cancelled",
            prompt_tokens=9,
            reused_tokens=0,
            completion_tokens=len(written),
            read_seconds=1.0,
            write_seconds=1.0,
        )


class HeldEncoder(HashEncoder):
    """Holds still while it reads the question, which cannot be left."""

    def __init__(self, gate: Gate) -> None:
        super().__init__()
        self._gate = gate

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if any(QUESTION in text for text in texts):
            self._gate.wait()
        return super().encode(texts)


def held_encoder(stage: str, gate: Gate) -> HashEncoder:
    """Give the encoder that goes with such a model: one that holds still when recalling is the stage."""
    return HeldEncoder(gate) if stage == "recall" else HashEncoder()
