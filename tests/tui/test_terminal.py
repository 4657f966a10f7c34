"""The app in a terminal of its own, ended from outside."""

import contextlib
import os
import re
import select
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from storage.keys import FLOOR_COST
from storage.vault import Vault
from tests.conftest import PASSPHRASE

pty = pytest.importorskip("pty", reason="this system has no pseudo-terminals")
fcntl = pytest.importorskip("fcntl")
termios = pytest.importorskip("termios")

PROGRAM = """
import os, sys
from pathlib import Path
from assistant.config import load_config
from assistant.paths import Paths
from tui.app import run
folder = Path(sys.argv[1])
paths = Paths(config=folder, data=folder / "vault", state=folder, cache=folder, runtime=folder)
sys.exit(run(load_config(paths.config_file, os.environ).config, paths, passphrase=sys.argv[2]))
"""
LONGEST_WAIT_SECONDS = 60
COLOUR_CODES = {str(code).encode() for code in (*range(30, 39), *range(40, 49), *range(90, 98), *range(100, 108))}
PAIRS = {
    "alternate screen": (b"\x1b[?1049h", b"\x1b[?1049l"),
    "cursor": (b"\x1b[?25l", b"\x1b[?25h"),
    "mouse": (b"\x1b[?1000h", b"\x1b[?1000l"),
    "mouse movements": (b"\x1b[?1003h", b"\x1b[?1003l"),
    "bracketed paste": (b"\x1b[?2004h", b"\x1b[?2004l"),
    "focus reports": (b"\x1b[?1004h", b"\x1b[?1004l"),
    "keyboard protocol": (b"\x1b[>25u", b"\x1b[<u"),
}
"""What a screen turns on, and how it is turned off again."""


@dataclass
class Terminal:
    """A process in a pseudo-terminal, and all that it wrote."""

    process: subprocess.Popen[bytes]
    controller: int
    written: bytes = b""

    def read_until(self, wanted: bytes) -> None:
        """Read until something was written; b"" reads to the end."""
        end = time.monotonic() + LONGEST_WAIT_SECONDS
        while not wanted or wanted not in self.written:
            if time.monotonic() > end:
                pytest.fail(f"never written: {wanted!r}; last: {self.written[-400:]!r}")
            ready, _, _ = select.select([self.controller], [], [], 0.1)
            if not ready:
                if not wanted and self.process.poll() is not None:
                    return
                continue
            try:
                piece = os.read(self.controller, 65536)
            except OSError:  # the other side is closed
                return
            if not piece:
                return
            self.written += piece

    def send(self, keys: bytes) -> None:
        os.write(self.controller, keys)

    def end(self) -> int:
        self.read_until(b"")
        return self.process.wait(LONGEST_WAIT_SECONDS)


@pytest.fixture
def terminal(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Terminal]:
    """Give a terminal with the chat in it; a test can give variables of its environment."""
    Vault.create(tmp_path / "vault", PASSPHRASE, cost=FLOOR_COST).close()
    controller, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    environment = {**os.environ, "TERM": "xterm-256color", "TEXTUAL_ANIMATIONS": "none", "HOME": str(tmp_path)}
    environment = {"COLORTERM": "truecolor", **environment, **getattr(request, "param", {})}
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(tmp_path), PASSPHRASE],
        stdin=side,
        stdout=side,
        stderr=side,
        env=environment,
        start_new_session=True,
    )
    os.close(side)
    shown = Terminal(process, controller)
    yield shown
    with contextlib.suppress(ProcessLookupError):
        process.kill()
    process.wait()
    os.close(controller)


def left_on(written: bytes) -> list[str]:
    """Name what was turned on last and not off."""
    return [name for name, (on, off) in PAIRS.items() if written.rfind(on) > written.rfind(off)]


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_leaves_the_terminal_as_it_was(terminal: Terminal, number: signal.Signals, code: int) -> None:
    terminal.read_until(b"Write a message")
    assert "alternate screen" in left_on(terminal.written)
    terminal.process.send_signal(number)
    assert terminal.end() == code
    assert left_on(terminal.written) == []
    assert b"Traceback" not in terminal.written


@pytest.mark.slow
def test_a_signal_before_the_vault_is_open_ends_it_too(terminal: Terminal) -> None:
    terminal.read_until(b"\x1b[?1049h")
    terminal.read_until(b"Opening")
    terminal.process.send_signal(signal.SIGTERM)
    assert terminal.end() == 143
    assert left_on(terminal.written) == []


@pytest.mark.slow
def test_ctrl_d_leaves_with_zero(terminal: Terminal) -> None:
    terminal.read_until(b"Write a message")
    terminal.send(b"\x04")
    assert terminal.end() == 0
    assert left_on(terminal.written) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("terminal", "coloured"),
    [({}, True), ({"NO_COLOR": "1"}, False)],
    indirect=["terminal"],
    ids=str,
)
def test_no_code_for_a_colour_is_written_where_none_is_wanted(terminal: Terminal, *, coloured: bool) -> None:
    terminal.read_until(b"Write a message")
    terminal.send(b"\x04")
    assert terminal.end() == 0
    codes = {code for codes in re.findall(rb"\x1b\[([0-9;:]*)m", terminal.written) for code in codes.split(b";")}
    assert bool(codes & COLOUR_CODES) == coloured


@pytest.mark.slow
def test_a_terminal_that_goes_away_ends_the_program(terminal: Terminal) -> None:
    terminal.read_until(b"Write a message")
    os.close(terminal.controller)
    terminal.controller = os.open(os.devnull, os.O_RDONLY)
    terminal.process.send_signal(signal.SIGHUP)
    assert terminal.process.wait(LONGEST_WAIT_SECONDS) == 129
