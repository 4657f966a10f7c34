"""`assistant serve`: the screens in a browser on this machine, and nowhere else."""

import asyncio
import importlib.util
from typing import Annotated

import typer

from assistant.cli import streams
from assistant.cli.opening import find_place
from assistant.cli.passphrase import forbid_core_dumps
from assistant.cli.shape import single
from assistant.errors import BadInput

app, command = single(
    """
    assistant serve
    assistant serve --port 8123
    """
)


@command
def serve(
    ctx: typer.Context,
    port: Annotated[
        int, typer.Option("--port", metavar="N", min=0, max=65535, help="Of this machine; 0: one that is free.")
    ] = 0,
) -> None:
    """Open the screens in a browser on this machine.

    Prints an address with a secret in it: whoever knows it and is on this machine
    can use it until ctrl+c. Other machines cannot, nor can pages of other sites.
    The passphrase is typed there. When a page is closed, its vault is, too.
    The browser keeps ctrl+n, ctrl+t and ctrl+q for itself: /new, /temp and /quit
    do the same, and ctrl+p lists everything.
    """
    if importlib.util.find_spec("textual_serve") is None:
        raise BadInput("this needs a web server; install it with: pip install 'assistant[serve]'")
    from assistant.cli.web import Screens

    place = find_place(ctx)
    if place.options.passphrase_file is not None or place.options.passphrase_fd is not None:
        raise BadInput("the passphrase is typed in the browser: leave out where it lies")
    forbid_core_dumps()
    screens = Screens(profile=place.options.profile)
    number = asyncio.run(screens.serve(port, tell=_tell))
    if number is not None:
        raise streams.Terminated(number)
    raise KeyboardInterrupt


def _tell(address: str) -> None:
    streams.tell(f"assistant: the screens are at {address} until ctrl+c")
