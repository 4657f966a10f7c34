"""What the app needs of the terminal and the system around it, beside what Textual gives."""

import asyncio
import os
import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual.keys import Keys

ENDING_SIGNALS = (signal.SIGTERM, signal.SIGHUP)
ENDING_SECONDS = 5.0
"""From such a signal to the end at the latest."""


class EndingSignals:
    """Turns the signals that end a process into a call, and gives them back."""

    def __init__(self) -> None:
        self._handlers: dict[signal.Signals, Any] = {}
        """What the signals did before."""

    def catch(self, end: Callable[[int], None]) -> None:
        """Let the first such signal call `end` with its number, in the running loop."""
        loop = asyncio.get_running_loop()

        def caught(number: int, _frame: FrameType | None) -> None:
            signal.signal(number, signal.SIG_DFL)  # a second one ends at once
            # A terminal that is gone can block whoever writes to it; then there is nothing left to clean.
            watchdog = threading.Timer(ENDING_SECONDS, os._exit, [128 + number])
            watchdog.daemon = True
            watchdog.start()
            loop.call_soon_threadsafe(end, number)

        self._handlers = {number: signal.signal(number, caught) for number in ENDING_SIGNALS}

    def release(self) -> None:
        """Let them do what they did before."""
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        self._handlers = {}


def read_alt_enter() -> None:
    """Read Alt+Enter of a terminal without the Kitty protocol, escape and return, as a new line, not as enter."""
    if isinstance(ANSI_SEQUENCES_KEYS, dict):
        ANSI_SEQUENCES_KEYS.setdefault("\x1b\r", (Keys.ControlJ,))
