"""What the app can be told by the parts below: one place that catches it, one line that shows it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from textual.css.query import NoMatches
from textual.screen import Screen
from textual.widget import MountError

from assistant.errors import AssistantError
from storage.errors import StorageError, VaultKeyChanged
from tui.messages import VaultChanged
from tui.text import one_line

EXPECTED = (AssistantError, StorageError)
"""Errors whose message says what happened and what to do. Anything else is a fault of the program and ends it."""
SHOWN_SECONDS = 10


def reason(error: Exception) -> str:
    """Give the one line that is shown for an expected error."""
    return one_line(str(error)) or type(error).__name__


@contextmanager
def told(screen: Screen[Any]) -> Iterator[None]:
    """Show an expected error as one line, and go on after the block. A screen that was left meanwhile shows nothing."""
    try:
        yield
    except VaultKeyChanged as error:
        screen.app.post_message(VaultChanged(reason(error)))
    except EXPECTED as error:
        if not left(screen):
            screen.app.notify(reason(error), severity="error", timeout=SHOWN_SECONDS, markup=False)
    except (NoMatches, MountError):
        if not left(screen):
            raise


def left(screen: Screen[Any]) -> bool:
    """Whether a screen is being taken down: its parts go before what still runs for it."""
    return not screen.app.is_running or screen not in screen.app.screen_stack
