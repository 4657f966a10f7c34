"""When the vault locks by itself, and what a lock must not leave behind in this process."""

import functools
import gc
import time
from collections.abc import Callable
from typing import Any

from textual.cache import FIFOCache, LRUCache
from textual.screen import Screen

from assistant.config import Config

CACHED_FUNCTION = type(functools.lru_cache(len))
WARNING_SECONDS = 60.0
"""Before it locks, the user is told."""
LOOK_SECONDS = 1.0
"""Between two looks at the clock."""
REMEMBERING = frozenset({"assistant", "rich", "storage", "textual", "tui"})
"""Packages whose functions remember what they were given: words to be stemmed, lines to be measured."""

Clock = Callable[[], float]
"""Gives seconds since some moment."""


def boot_seconds() -> float:
    """Give the seconds since the machine started, those in which it slept included."""
    # Linux stops its monotonic clock while the machine sleeps and has another that goes on; elsewhere it goes on.
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


class ElapsedClock:
    """Seconds that also pass while the machine sleeps, or is suspended by what runs it."""

    def __init__(self, *, boot: Clock = boot_seconds, wall: Clock = time.time) -> None:
        self._clocks = (boot, wall)
        self._seen = (boot(), wall())
        self._elapsed = 0.0

    def __call__(self) -> float:
        """Give the seconds since this clock was made, by whichever of both clocks went further since the last look.

        A virtual machine's own clock stands still while it is suspended; the time of day can be set back.
        """
        boot, wall = self._clocks
        seen = (boot(), wall())
        self._elapsed += max(0.0, *(after - before for after, before in zip(seen, self._seen, strict=True)))
        self._seen = seen
        return self._elapsed


class AutoLock:
    """Counts down to the moment at which the vault locks by itself."""

    def __init__(self, config: Config, clock: Clock) -> None:
        self._clock = clock
        self._unlocked = self._used = clock()
        self.limit(config)

    def limit(self, config: Config) -> None:
        """Count with these settings from now on; the time that has passed stays."""
        self._rest = config.lock_after_minutes * 60.0 or float("inf")
        self._most = config.lock_at_most_hours * 3600.0 or float("inf")

    def use(self) -> None:
        """Note that somebody is there."""
        self._used = self._clock()

    def seconds_left(self) -> float:
        """Give the seconds until it locks, not above 0 when it is time; infinite when it never does."""
        now = self._clock()
        return min(self._used + self._rest, self._unlocked + self._most) - now


def drop_remembered(screens: list[Screen[Any]]) -> None:
    """Let go of screens that were taken down, this list emptied too, and of all words that any cache holds.

    Textual keeps screens in lists that its tasks see as the background, some of them for as long as a task lives.
    Functions that are cached keep what they were given, and drawing keeps what it drew; all that fills again. Not for a
    thread: nothing may be drawn meanwhile.
    """
    while screens:
        screen = screens.pop()
        for holder in gc.get_referrers(screen):
            if type(holder) is list:
                holder[:] = [held for held in holder if held is not screen]
        del screen, holder
    for held in gc.get_objects():
        # By type, since asking a dead weak reference for its class fails.
        if type(held) in {LRUCache, FIFOCache}:
            held.clear()
        elif type(held) is CACHED_FUNCTION and held.__module__.partition(".")[0] in REMEMBERING:
            held.cache_clear()
    del held
    gc.collect()
