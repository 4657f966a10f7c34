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


@dataclass(frozen=True, slots=True, kw_only=True)
class Clocks:
    """The agent's time. Neither clock is the time of day where the system has better ones, so none steps back."""

    passed: Callable[[], float]
    """Seconds since some moment."""
    slept: Callable[[], float]
    """Seconds that the machine has been suspended since some moment; more of them matter, not how many."""
    tolerance: float
    """More seconds than this are sleep."""


def clocks() -> Clocks:
    """Give the clocks of this system."""
    if hasattr(time, "CLOCK_BOOTTIME"):  # Linux: the monotonic clock stands still in suspend
        return _pair(time.CLOCK_BOOTTIME, time.CLOCK_MONOTONIC)
    if hasattr(time, "CLOCK_UPTIME_RAW"):  # macOS: the monotonic clock goes on, the other stands still
        return _pair(time.CLOCK_MONOTONIC, time.CLOCK_UPTIME_RAW)
    return Clocks(passed=time.monotonic, slept=lambda: time.time() - time.monotonic(), tolerance=STEPPED_SECONDS)


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


def _pair(all_time: int, awake: int) -> Clocks:
    def passed() -> float:
        return time.clock_gettime(all_time)

    return Clocks(passed=passed, slept=lambda: passed() - time.clock_gettime(awake), tolerance=SLEPT_SECONDS)
