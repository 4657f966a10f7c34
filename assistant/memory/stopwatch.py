"""How long each stage of something took."""

import time as clock


class Stopwatch:
    """Adds up milliseconds by stage."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._since = clock.perf_counter()

    def lap(self, stage: str) -> None:
        """End a stage, which began when the last one ended."""
        passed = clock.perf_counter() - self._since
        self.laps[stage] = round(self.laps.get(stage, 0.0) + 1000 * passed, 3)
        self._since += passed
