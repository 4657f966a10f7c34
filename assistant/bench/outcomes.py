"""What came of each question, as it is kept while a benchmark runs: identifiers and figures, no text."""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from assistant.errors import BadInput

Key = tuple[str, str, str, int]
"""Variant, dialogue that was asked, dialogue that the question is about, and its number there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What came of a model's answer."""

    scores: dict[str, float]
    """By name; empty for a question that should be refused."""
    refused: bool
    prompt_tokens: int
    completion_tokens: int
    first_token_seconds: float
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of one question."""

    variant: str
    sample: str
    """The dialogue that was asked."""
    home: str
    """The dialogue that the question is about: another one for a foreign question."""
    number: int
    category: str
    answerable: bool
    ranks: tuple[int, ...]
    """Of the turns that hold the answer, from 1; 0 for one that was not found."""
    session_ranks: tuple[int, ...]
    """Of the sessions that hold it: the rank of the first turn of each."""
    corrected_ranks: tuple[int, ...]
    corrected_session_ranks: tuple[int, ...]
    nearest: float | None
    """Highest cosine of the question and a turn that holds the answer; None without any."""
    fired: int | None
    """Memories that fired, in an engine whose memories do."""
    probability: float | None
    """That the memory holds the answer, by the gate; None without one."""
    verdict: str | None
    signals: dict[str, float]
    """What the gate judged by."""
    milliseconds: float
    """Of recalling alone."""
    answered: Answered | None = None

    @property
    def key(self) -> Key:
        """Give what tells it from all others of a run."""
        return self.variant, self.sample, self.home, self.number

    @property
    def foreign(self) -> bool:
        """Whether the question is about another dialogue."""
        return self.sample != self.home


class OutcomeLog:
    """The outcomes of a run, kept in a file as they come so that it can be stopped and resumed. Use it in a `with`.

    The first line says what the run is, for it to be resumed by the same one only; each further line is one outcome,
    written at once and whole. Without a path they are kept in memory alone.

    Raises
    ------
    BadInput
        The file is of another run, is not such a file, or cannot be written.
    """

    def __init__(self, path: Path | None, run: Mapping[str, object]) -> None:
        self.outcomes: dict[Key, Outcome] = {}
        self._descriptor: int | None = None
        if path is None:
            return
        head = json.dumps({"assistant-bench": 1, **run}, sort_keys=True).encode() + b"\n"
        try:
            whole = self._read(path, head)
            self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            os.ftruncate(self._descriptor, whole)  # the last line may have been cut by a kill
            if not whole:
                os.write(self._descriptor, head)
        except OSError as error:
            message = f"{path} cannot be written: {error.strerror}"
            raise BadInput(message) from error

    def add(self, outcome: Outcome) -> None:
        """Keep an outcome."""
        self.outcomes[outcome.key] = outcome
        if self._descriptor is not None:
            os.write(self._descriptor, json.dumps(asdict(outcome)).encode() + b"\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)

    def _read(self, path: Path, head: bytes) -> int:
        """Take up the outcomes of a file; gives the length of what is whole in it."""
        if not path.exists():
            return 0
        whole, _, _ = path.read_bytes().rpartition(b"\n")
        if not whole:
            if path.stat().st_size > len(head):
                message = f"{path} is no file of a benchmark: give another one to --resume"
                raise BadInput(message)
            return 0
        lines = whole.split(b"\n")
        if lines[0] + b"\n" != head:
            message = f"{path} is of another run: other data, options or version; give another file to --resume"
            raise BadInput(message)
        for outcome in _parsed(path, lines):
            self.outcomes[outcome.key] = outcome
        return len(whole) + 1


def _parsed(path: Path, lines: list[bytes]) -> Iterator[Outcome]:
    for number, line in enumerate(lines[1:], 2):
        try:
            fields: dict[str, Any] = json.loads(line)
            lists = {name: tuple(value) for name, value in fields.items() if isinstance(value, list)}
            answered = None if fields["answered"] is None else Answered(**fields["answered"])
            yield Outcome(**{**fields, **lists, "answered": answered})
        except (ValueError, TypeError, KeyError) as error:
            message = f"{path}, line {number}: this is no outcome of a question; remove the line, or the file"
            raise BadInput(message) from error
