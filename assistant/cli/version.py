"""`assistant version`."""

from assistant import __version__
from assistant.cli import PROGRAM
from assistant.cli.shape import single
from assistant.cli.streams import say

app, command = single("assistant version")


@command
def version() -> None:
    """Show the version."""
    say(f"{PROGRAM} {__version__}")
