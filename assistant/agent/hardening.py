"""What keeps the agent's memory its own: out of swap space, core files and the reach of debuggers; and its clocks."""

import ctypes
import os
import resource
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from assistant.agent.held import Arena
from assistant.agent.protocol import Memory

_PR_SET_DUMPABLE = 4
_MCL_CURRENT, _MCL_FUTURE, _MCL_ONFAULT = 1, 2, 4
"""Linux's numbers; ONFAULT locks what is touched, and does not fetch the rest from disk. macOS refuses all."""
SLEPT_SECONDS = 1.0
STEPPED_SECONDS = 60.0
"""By so much the time of day may be corrected without that being taken for sleep."""

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """By how much one clock is ahead of another, which grows while a machine sleeps."""

    seconds: Clock
    tolerance: float
    """By so much it may grow at once without that being sleep."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clocks:
    """The agent's time. Limits are not counted in the time of day, which can be set back."""

    passed: Clock
    """Seconds since some moment, on Linux and macOS those of sleep included."""
    gaps: tuple[Gap, ...]


def clocks() -> Clocks:
    """Give the clocks of this system.

    The time of day is looked at for machines that are suspended by what runs them: all their other clocks stand still.
    """
    if hasattr(time, "CLOCK_BOOTTIME"):  # Linux: the monotonic clock stands still in sleep
        passed, awake = _clock(time.CLOCK_BOOTTIME), _clock(time.CLOCK_MONOTONIC)
    elif hasattr(time, "CLOCK_UPTIME_RAW"):  # macOS: the monotonic clock goes on, the other stands still
        passed, awake = _clock(time.CLOCK_MONOTONIC), _clock(time.CLOCK_UPTIME_RAW)
    else:
        passed = awake = time.monotonic
    return Clocks(
        passed=passed,
        gaps=(
            Gap(seconds=lambda: passed() - awake(), tolerance=SLEPT_SECONDS),
            Gap(seconds=lambda: time.time() - passed(), tolerance=STEPPED_SECONDS),
        ),
    )


def protect_process() -> None:
    """Close this process to others of the same user: no core file, no debugger, no file that others may read."""
    os.umask(0o077)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def lock_memory(arena: Arena) -> Memory:
    """Keep the process's memory out of swap space, or, where so much may not be locked, that of the keys."""
    with suppress(ValueError, OSError):
        _, most = resource.getrlimit(resource.RLIMIT_MEMLOCK)
        resource.setrlimit(resource.RLIMIT_MEMLOCK, (most, most))
    library = ctypes.CDLL(None, use_errno=True)
    for flags in (_MCL_CURRENT | _MCL_FUTURE | _MCL_ONFAULT, _MCL_CURRENT | _MCL_FUTURE):
        if library.mlockall(flags) == 0:
            return Memory.LOCKED
    first = (ctypes.c_char * len(arena.whole)).from_buffer(arena.whole)
    locked = library.mlock(ctypes.byref(first), ctypes.c_size_t(len(arena.whole))) == 0
    return Memory.KEYS_LOCKED if locked else Memory.NOT_LOCKED


def _clock(number: int) -> Clock:
    return lambda: time.clock_gettime(number)
