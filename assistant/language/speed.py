"""How fast this machine reads, and what that allows for memories in a prompt."""

from __future__ import annotations

import contextlib
import json
import math
import os
import tempfile
from pathlib import Path

from assistant.errors import AssistantError

SMALLEST_BUDGET, LARGEST_BUDGET = 200, 1500
"""Tokens. With fewer, three or four memories do not fit; SYNAPSE used 814 for a question, HeLa-Mem 1,010."""
FIRST_BUDGET = 400
"""Tokens, before anything was measured."""
LEAST_SAMPLE = 64
"""Freshly read tokens: with fewer, what a request costs anyway hides the speed."""
NEWEST_SHARE = 0.3
"""Weight of the newest sample in the mean: a busy minute does not decide, a new machine shows after a few answers."""
LONGEST_SECONDS = 4.0
"""What a reader waits for memories to be read."""


class ReadingSpeed:
    """The speeds measured here, by model file, in a small file of numbers.

    A file that is missing or damaged counts as nothing measured; it is written whole or not at all.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def tokens_per_second(self, model_file: str) -> float | None:
        """Give the measured speed of a model; None before the first measurement."""
        return self._read().get(Path(model_file).name)

    def add(self, model_file: str, *, tokens: int, seconds: float) -> None:
        """Take in what an answer took to read: its prompt's tokens without the reused ones.

        Raises
        ------
        AssistantError
            The file cannot be written.
        """
        if tokens < LEAST_SAMPLE or not seconds > 0 or not math.isfinite(seconds):
            return
        speeds = self._read()
        name, sample = Path(model_file).name, tokens / seconds
        before = speeds.get(name)
        speeds[name] = round(sample if before is None else before + NEWEST_SHARE * (sample - before), 2)
        self._write(speeds)

    def memory_budget(self, model_file: str, *, seconds: float = LONGEST_SECONDS) -> int:
        """Give the tokens of memories that a model reads in so many seconds: 200 to 1,500, and 400 unmeasured."""
        speed = self.tokens_per_second(model_file)
        if speed is None:
            return FIRST_BUDGET
        return max(SMALLEST_BUDGET, min(LARGEST_BUDGET, int(speed * seconds)))

    def _read(self) -> dict[str, float]:
        try:
            content = json.loads(self._path.read_bytes())
        except (OSError, ValueError, RecursionError):
            return {}
        if not isinstance(content, dict):
            return {}
        return {
            name: float(speed)
            for name, speed in content.items()
            if isinstance(speed, int | float) and not isinstance(speed, bool) and 0 < speed < 1e9
        }

    def _write(self, speeds: dict[str, float]) -> None:
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor, temporary = tempfile.mkstemp(dir=self._path.parent, prefix=f"{self._path.name}.")
            try:
                with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                    json.dump(speeds, file, indent=1)
                Path(temporary).replace(self._path)
            finally:
                with contextlib.suppress(FileNotFoundError):
                    Path(temporary).unlink()
        except OSError as error:
            message = f"{self._path} cannot be written: {error.strerror}"
            raise AssistantError(message) from error
