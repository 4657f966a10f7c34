"""Starting the agent: one at a time, whoever else starts one or lets it end meanwhile."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from assistant.agent.protocol import check_private
from assistant.errors import AgentFailed

START_SECONDS = 10.0
"""A new agent has to be loaded before it answers."""


@contextmanager
def starting_alone(folder: Path) -> Iterator[None]:
    """Let no other process start an agent in this folder, and no agent end, meanwhile.

    Raises
    ------
    AgentFailed
        The folder cannot be made, or others may enter it.
    """
    import fcntl

    try:
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        check_private(folder)
        descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        message = f"the agent's folder {folder} cannot be used: {error.strerror}"
        raise AgentFailed(message) from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def start(path: Path) -> None:
    """Start an agent on a socket there. It is born with one that listens already, so there is nothing to wait for.

    Raises
    ------
    AgentFailed
        It could not be started.
    """
    path.unlink(missing_ok=True)  # of an agent that was killed: nobody listens
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        try:
            listening.bind(str(path))
            path.chmod(0o600)
            listening.listen()
            code = _spawned(listening.fileno())
        except (OSError, subprocess.SubprocessError) as error:
            with suppress(OSError):
                path.unlink()
            message = f"the agent cannot be started: {error}"
            raise AgentFailed(message) from error
    if code:
        message = f"the agent cannot be started: it ended with {code}"
        raise AgentFailed(message)


def _spawned(listening: int) -> int:
    """Start the process, which goes on by itself; give the exit code of its parent, which ends at once."""
    given: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    with subprocess.Popen(
        # -P: the folder the user happens to be in is no place to import from
        [sys.executable, "-P", "-m", "assistant.agent", str(listening)],
        pass_fds=[listening],
        cwd="/",
        env=_environment(),
        start_new_session=True,
        **given,
    ) as process:
        return process.wait(START_SECONDS)


def _environment() -> dict[str, str]:
    """Give this process's environment, with this package importable from whatever folder."""
    import assistant

    root = Path(assistant.__file__).parents[1]
    environment = dict(os.environ)
    if root.name not in {"site-packages", "dist-packages"}:
        before = environment.get("PYTHONPATH")
        environment["PYTHONPATH"] = f"{root}{os.pathsep}{before}" if before else str(root)
    return environment
