"""The model process as seen from outside: started, spoken to, ended for certain."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import IO, Any, cast

import assistant
from assistant.errors import ModelFailed
from assistant.language.wire import BadFrame, FrameSplitter, write_frame

GRACE_SECONDS = 1.5
"""What the process has to end by itself before it is told to, and again before it is killed."""
POLL_SECONDS = 0.04
"""How often a caller that waits for an answer looks whether it was called off."""
LAST_WORDS = 2000
"""Bytes at the end of what the process wrote as errors."""


class WorkerProcess:
    """A running model process. It leads its own session, so that Ctrl+C in a terminal does not reach it."""

    def __init__(self) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  (as long as the process)
        self._process = subprocess.Popen(
            # -P: the folder the user happens to be in is no place to import from
            [sys.executable, "-P", "-m", "assistant.language.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=_environment(),
            start_new_session=True,
        )
        self._input = cast("IO[bytes]", self._process.stdin)
        self._output = cast("IO[bytes]", self._process.stdout)
        self._last_words = ""
        self._splitter = FrameSplitter()
        self._received: list[dict[str, Any]] = []
        self._ending = threading.Lock()

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether it still runs; if not, nothing of it is left in the table of processes."""
        return self._process.poll() is None

    def send(self, message: dict[str, Any]) -> None:
        """Give it a request.

        Raises
        ------
        ModelFailed
            It ended.
        """
        try:
            write_frame(self._input.fileno(), message)
        except BadFrame as error:
            text = f"the request is too long for the model process ({error}): shorten it"
            raise ModelFailed(text) from error
        except (OSError, ValueError) as error:  # ValueError: closed by another thread
            raise ModelFailed(self.obituary()) from error

    def receive(self) -> dict[str, Any] | None:
        """Give the next message; None when there is none within a moment.

        Raises
        ------
        ModelFailed
            It ended.
        """
        if not self._received:
            try:
                self._received = self._splitter.feed(self._arrived())
            except (EOFError, OSError, ValueError) as error:  # ValueError: closed by another thread, or no message
                raise ModelFailed(self.obituary()) from error
        return self._received.pop(0) if self._received else None

    def end(self) -> None:
        """End it and wait for it; does nothing when it has ended."""
        with self._ending:
            if self._input.closed:
                return
            self._input.close()  # which it notices, whatever it is doing
            for insist in (self._process.terminate, self._process.kill):
                try:
                    self._process.wait(GRACE_SECONDS)
                    break
                except subprocess.TimeoutExpired:
                    insist()
            self._process.wait()
            self._output.close()
            self._last_words = _last_line(self._errors)
            self._errors.close()

    def obituary(self) -> str:
        """Give one line on how it ended; ends it when it had not."""
        self.end()
        code = self._process.returncode
        if code < 0:
            often = ": often out of memory" if -code == signal.SIGKILL else ""
            how = f"signal {-code}{often}"
        else:
            how = f"exit code {code}{self._last_words}"
        return f"the model process ended ({how}); what it had written is kept, ask again to start a new one"

    def _arrived(self) -> bytes:
        """Give what has come in; nothing when there is nothing within a moment."""
        if not select.select([self._output], [], [], POLL_SECONDS)[0]:
            return b""
        received = os.read(self._output.fileno(), 1 << 16)
        if not received:
            raise EOFError
        return received


def _last_line(file: IO[bytes]) -> str:
    length = file.seek(0, os.SEEK_END)
    file.seek(max(0, length - LAST_WORDS))
    lines = [line.strip() for line in file.read().decode("utf-8", "replace").splitlines() if line.strip()]
    return f": {lines[-1]}" if lines else ""


def _environment() -> dict[str, str]:
    """Give this process's environment, with this package importable from whatever folder.

    Threads that wait for each other spin for a moment and then sleep. On two idle cores the 1.5B model writes 17 tokens
    a second so, as with spinning until there is work, and 11 with sleeping alone; beside two busy programs it
    writes 6, where spinning ten times as long leaves 2.
    """
    root = Path(assistant.__file__).parents[1]
    environment = {"GOMP_SPINCOUNT": "2000", **os.environ}
    if root.name not in {"site-packages", "dist-packages"}:
        before = environment.get("PYTHONPATH")
        environment["PYTHONPATH"] = f"{root}{os.pathsep}{before}" if before else str(root)
    return environment
