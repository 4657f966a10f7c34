"""Places for an agent of a test's own, and the certainty that it ends with the test."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from assistant.agent.client import agent_status, forget_all_keys, hold_key
from assistant.agent.protocol import socket_path
from assistant.errors import AgentFailed
from assistant.paths import Paths
from storage.keys import DataKey

LONGEST_SECONDS = 60.0
HOURS = timedelta(hours=8)


def places(folder: Path, vault: str = "vault") -> Paths:
    """Give the folders of a user."""
    kinds = ("config", "state", "cache", "runtime")
    return Paths(data=folder / "data" / vault, **{kind: folder / kind for kind in kinds})


def other_vault(paths: Paths, name: str) -> Paths:
    """Give the folders of another profile of the same user."""
    return replace(paths, data=paths.data.parent / name)


def wait_until(condition: Callable[[], bool], what: str) -> None:
    """Wait for something that happens by itself."""
    end = time.monotonic() + LONGEST_SECONDS
    while not condition():
        assert time.monotonic() < end, f"{what} did not happen"
        time.sleep(0.005)


def is_running(pid: int) -> bool:
    """Tell whether a process is there and no mere entry in the table of processes."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def hold(paths: Paths, key: DataKey, at_most: timedelta | None = HOURS, idle: timedelta | None = None) -> int:
    """Let the agent hold a key; gives its process."""
    hold_key(paths, key, at_most=at_most, idle=idle)
    return pid_of(paths)


def pid_of(paths: Paths) -> int:
    """Give the agent's process."""
    status = agent_status(paths)
    assert status is not None
    return status.pid


@contextmanager
def ended_at_last(paths: Paths) -> Iterator[Paths]:
    """End the agent with the block, whatever became of it in there."""
    try:
        yield paths
    finally:
        pid = None
        with suppress(AgentFailed):
            status = agent_status(paths)
            pid = status.pid if status else None
            forget_all_keys(paths)
        if pid is not None:
            try:
                wait_until(lambda: not is_running(pid), "the end of the agent")
            except AssertionError:
                os.kill(pid, signal.SIGKILL)
                raise
        place = socket_path(paths.runtime).parent
        if place != paths.runtime and place.exists():
            place.rmdir()
