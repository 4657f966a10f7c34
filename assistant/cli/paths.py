"""`assistant paths`."""

import typer

from assistant.cli.opening import find_place
from assistant.cli.output import flat, say_json
from assistant.cli.shape import AsJson, single
from assistant.cli.streams import say

app, command = single(
    """
    assistant paths
    assistant paths --json
    """
)


@command
def paths(
    ctx: typer.Context,
    as_json: AsJson = False,
) -> None:
    """Show where things lie.

    ASSISTANT_CONFIG_DIR, ASSISTANT_DATA_DIR, ASSISTANT_STATE_DIR,
    ASSISTANT_CACHE_DIR and ASSISTANT_RUNTIME_DIR move a folder; nothing is made
    by looking.
    """
    place = find_place(ctx).paths
    found = {
        "config": str(place.config_file),
        "vault": str(place.data),
        "state": str(place.state),
        "cache": str(place.cache),
        "models": str(place.models),
        "runtime": str(place.runtime),
    }
    if as_json:
        say_json(found)
        return
    for name, path in found.items():
        say(f"{name:8}{flat(path)}")
