"""`assistant version`."""

from assistant import __version__
from assistant.cli import PROGRAM, version_line
from assistant.cli.shape import AsJson, single
from assistant.cli.streams import say

app, command = single(
    """
    assistant version
    assistant version --json
    """
)


@command
def version(as_json: AsJson = False) -> None:
    """Show the version."""
    if as_json:
        from assistant.cli.output import say_json

        say_json({"name": PROGRAM, "version": __version__})
    else:
        say(version_line())
