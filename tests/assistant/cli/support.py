"""Runs the command: as a process of its own, on a terminal, or in this process with a model of one's own."""

import io
import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from assistant import cli
from assistant.language.model import LanguageModel
from assistant.memory.associative import AssociativeMemory
from assistant.paths import Paths
from storage.keys import KEY_FILE, DataKey
from storage.unlocking import read_data_key
from storage.vault import Vault
from tests.assistant.cli.scripted import scripted
from tests.conftest import PASSPHRASE
from tests.doubles import HashEncoder, ScriptedModel

if TYPE_CHECKING:
    from assistant.cli.options import Unlock

REPOSITORY = Path(__file__).parents[3]
LONGEST_SECONDS = 60
ON_TERMINAL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0);"
    "os.execv(sys.executable, [sys.executable, '-m', *sys.argv[1:]])"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What a command left behind."""

    code: int
    out: str
    err: str


class Home:
    """The folders of one user, and the command run in them."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self.folder = folder
        self.passphrase_file = folder / "passphrase"
        self.passphrase_file.write_text(PASSPHRASE + "\n")
        self.passphrase_file.chmod(0o600)
        self.environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("ASSISTANT_", "COLUMNS")) and name not in {"EDITOR", "VISUAL", "NO_COLOR"}
        }
        for kind in ("CONFIG", "DATA", "STATE", "CACHE", "RUNTIME"):
            self.environment[f"ASSISTANT_{kind}_DIR"] = str(folder / kind.lower())
        self.environment["HOME"] = str(folder)
        self.environment["TERM"] = "xterm-256color"

    @property
    def paths(self) -> Paths:
        """Where this user's things lie."""
        places = {kind: self.folder / kind for kind in ("config", "state", "cache", "runtime")}
        return Paths(data=self.folder / "data" / "default", **places)

    def configure(self, toml: str) -> None:
        """Write the settings."""
        self.paths.config.mkdir(exist_ok=True)
        self.paths.config_file.write_text(toml)

    def run(
        self,
        *arguments: str,
        stdin: str | bytes = b"",
        environment: dict[str, str] | None = None,
        module: str = "assistant",
        unlocking: bool = True,
        **given: Any,
    ) -> Ran:
        """Run a command without a terminal, the passphrase from a file."""
        done = subprocess.run(
            [sys.executable, "-m", module, *self.arguments(arguments, unlocking=unlocking)],
            input=stdin.encode() if isinstance(stdin, str) else stdin,
            capture_output=True,
            env={**self.environment, **(environment or {})},
            cwd=REPOSITORY,
            start_new_session=True,
            timeout=LONGEST_SECONDS,
            check=False,
            **given,
        )
        return Ran(code=done.returncode, out=done.stdout.decode(), err=done.stderr.decode())

    def start(self, *arguments: str, module: str = "assistant", **given: Any) -> "subprocess.Popen[bytes]":
        """Start a command without a terminal, the passphrase from a file."""
        given = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **given}
        return subprocess.Popen(
            [sys.executable, "-m", module, *self.arguments(arguments)],
            env=self.environment,
            cwd=REPOSITORY,
            start_new_session=True,
            **given,
        )

    def arguments(self, arguments: Sequence[str], *, unlocking: bool = True) -> list[str]:
        """Give a command line with the place of the passphrase."""
        return [*(("--passphrase-file", str(self.passphrase_file)) if unlocking else ()), *arguments]

    @contextmanager
    def opened(self) -> Iterator[AssociativeMemory]:
        """Give the memory, to put something into it or look what is in it."""
        vault = Vault.open(self.paths.data, _key(self.paths.data))
        try:
            yield AssociativeMemory(vault, HashEncoder())
        finally:
            vault.close()


_KEYS: dict[bytes, DataKey] = {}
"""The data key by the content of its key file: deriving it takes longer than most of what is looked up with it."""


def _key(folder: Path) -> DataKey:
    content = (folder / KEY_FILE).read_bytes()
    if content not in _KEYS:
        _KEYS[content] = read_data_key(folder, PASSPHRASE)
    return _KEYS[content]


class Here:
    """Runs commands in this process."""

    def __init__(self, home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
        self.home = home
        self._monkeypatch = monkeypatch
        for name, value in home.environment.items():
            if name.startswith("ASSISTANT_"):
                monkeypatch.setenv(name, value)

    def run(
        self,
        *arguments: str,
        stdin: str | bytes = b"",
        model: LanguageModel | None = None,
        unlock: "Unlock | None" = None,
        unlocking: bool = True,
    ) -> Ran:
        """Run a command with a scripted model, or with what `unlock` gives, the passphrase from a file."""
        content = stdin.encode() if isinstance(stdin, str) else stdin
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
        with self._monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content), encoding="utf-8"))
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", err)
            code = cli.main(
                self.home.arguments(arguments, unlocking=unlocking),
                unlock=unlock or scripted(model or ScriptedModel([])),
            )
        return Ran(code=code, out=_content(out), err=_content(err))


def _content(stream: io.TextIOWrapper) -> str:
    stream.flush()
    assert isinstance(stream.buffer, io.BytesIO)
    return stream.buffer.getvalue().decode()


class Terminal:
    """A command on a terminal of its own."""

    def __init__(
        self,
        home: Home,
        *arguments: str,
        module: str = "assistant",
        stderr: int | None = None,
        environment: dict[str, str] | None = None,
    ) -> None:
        self._master, slave = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-c", ON_TERMINAL, module, *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave if stderr is None else stderr,
            env={**home.environment, "COLUMNS": "80", **(environment or {})},
            cwd=REPOSITORY,
            start_new_session=True,
        )
        os.close(slave)
        self.seen = ""

    def wait_for(self, text: str, *, times: int = 1) -> str:
        """Read until this was shown so many times; gives all that was shown."""
        end = time.monotonic() + LONGEST_SECONDS
        while self.seen.count(text) < times:
            assert time.monotonic() < end, f"{text!r} was not shown in: {self.seen!r}"
            if not self._read(1.0) and self.process.poll() is not None:
                break
        assert self.seen.count(text) >= times, self.seen
        return self.seen

    def send(self, text: str) -> None:
        """Type."""
        os.write(self._master, text.encode())

    def end(self) -> int:
        """Read until the command ends; gives its exit code."""
        end = time.monotonic() + LONGEST_SECONDS
        while self.process.poll() is None and time.monotonic() < end:
            self._read(0.1)
        while self._read(0.1):
            pass
        os.close(self._master)
        return self.process.wait(timeout=1)

    def _read(self, seconds: float) -> bool:
        if not select.select([self._master], [], [], seconds)[0]:
            return False
        try:
            more = os.read(self._master, 1 << 16)
        except OSError:  # the other end is closed
            return False
        self.seen += more.decode(errors="replace")
        return bool(more)
