"""Lets a process die at each step of something that changes files."""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

_STEPS = frozenset({"os.mkdir", "os.rename", "os.remove", "os.rmdir"})
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


def dies(step: int, within: Path, work: Callable[[], object]) -> bool:
    """Do something in another process, killed before its writing, making, renaming or removing of this number.

    Only what is within the folder counts. Gives whether it was killed; if not, it was done before that step.
    """
    process = os.fork()
    if process == 0:
        ended = 1
        try:
            sys.addaudithook(_counting(step, str(within)))
            work()
            ended = 0
        finally:
            os._exit(ended)
    _, status = os.waitpid(process, 0)
    assert os.WIFSIGNALED(status) or status == 0, "it failed by itself"
    return os.WIFSIGNALED(status)


def _counting(step: int, within: str) -> Callable[[str, tuple[object, ...]], None]:
    left = step

    def count(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal left
        if str(arguments[0]).startswith(within) and (event in _STEPS or _writes(event, arguments)):
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    return count


def _writes(event: str, arguments: tuple[object, ...]) -> bool:
    """Whether an event is the opening of a file for writing: its flags are the third that is told of it."""
    return event == "open" and isinstance(arguments[2], int) and bool(arguments[2] & _WRITING)
