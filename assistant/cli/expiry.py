"""`assistant memory expires`: when a memory goes by itself, changed afterwards."""

from datetime import datetime
from typing import Annotated

import typer

from assistant.cli import output, streams
from assistant.cli.opening import find_place, unlocked_vault
from assistant.cli.shape import AsJson, PlainCommand, group
from assistant.errors import BadInput

NEVER = "never"

app = group("Say when memories go by themselves.", "")


@app.command(
    "expires",
    cls=PlainCommand,
    epilog="""
    assistant memory expires 3f2a91c0
    assistant memory expires 3f2a91c0 30d
    assistant memory expires 3f2a91c0 2027-03-01
    assistant memory expires 3f2a91c0 never
    """,
)
def expire_memory(
    ctx: typer.Context,
    id: Annotated[str, typer.Argument(help="The beginning of its id.", metavar="ID")],  # noqa: A002
    time: Annotated[
        str | None, typer.Argument(help="When it goes, or never; otherwise it is shown.", metavar="TIME")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show or change when a memory goes by itself.

    A TIME is 30d or 12h from now, tomorrow, or a day such as 2027-03-01, of which
    its end is meant. With never it stays until you let it go, or [[retention]] in
    the settings does; to keep it for good, pin it.
    """
    from assistant.cli.dates import read_expiry  # with all words for times, a tenth of a second

    drops = time is not None and time.strip().casefold() == NEVER
    wanted = None if time is None or drops else read_expiry(time, now=datetime.now().astimezone(), option="TIME")
    with unlocked_vault(find_place(ctx)) as vault:
        turn = vault.turns.get(id)
        trace = vault.traces.of([turn.node]).get(turn.node)
        if wanted is not None and trace is not None and trace.pinned:
            raise BadInput("it is pinned, which keeps it for good; to let it expire, first use assistant memory unpin")
        if time is not None:
            vault.tags.expire([turn.node], wanted)
        expires = vault.tags.expiry_of([turn.node]).get(turn.node)
    if as_json:
        output.say_json({"id": turn.id, "expires": output.utc(expires)})
    else:
        streams.say(f"{turn.id[: output.SHORTEST_ID]}  {output.minute(expires.astimezone()) if expires else NEVER}")
