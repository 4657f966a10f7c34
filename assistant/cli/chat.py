"""`assistant chat`: the screens, or a chat in lines where there can be none."""

import os
from typing import Annotated

import typer

from assistant.cli import streams
from assistant.cli.opening import Place, find_place, unlocked
from assistant.cli.passphrase import forbid_core_dumps, given_secret
from assistant.cli.shape import single
from assistant.errors import NoTerminal

DUMB = {None, "", "dumb"}
"""What TERM is where nothing can be drawn."""

app, command = single(
    """
    assistant chat
    assistant chat --plain
    assistant chat --conversation 8c41d2aa
    """
)


@command
def chat(
    ctx: typer.Context,
    plain: Annotated[bool, typer.Option("--plain", help="In lines, for screen readers and dumb terminals.")] = False,
    temporary: Annotated[bool, typer.Option("-n", "--temporary", help="Keep nothing of it.")] = False,
    conversation: Annotated[str | None, typer.Option("--conversation", metavar="ID", help="Go on with it.")] = None,
) -> None:
    """Open the chat.

    With TERM=dumb it is the one in lines. Without a terminal, use assistant ask.
    """
    raise typer.Exit(open_chat(ctx, plain=plain, temporary=temporary, conversation=conversation))


def open_chat(
    ctx: typer.Context, *, plain: bool = False, temporary: bool = False, conversation: str | None = None
) -> int:
    """Open the chat that suits the terminal; gives the exit code.

    Raises
    ------
    NoTerminal
        There is none; only the chat in lines, asked for by name, reads what is piped in.
    """
    if not plain and not streams.has_terminal():
        raise NoTerminal('there is no terminal for the chat; use: assistant ask "a question"')
    place = find_place(ctx)
    if plain or os.environ.get("TERM") in DUMB:
        with unlocked(place) as assistant:
            from assistant.cli.line_chat import LineChat

            return LineChat(assistant, temporary=temporary, conversation=conversation).run()
    return _screens(place, temporary=temporary, conversation=conversation)


def _screens(place: Place, *, temporary: bool, conversation: str | None) -> int:
    from tui.app import run

    forbid_core_dumps()
    secret = given_secret(place.options, place.config, place.paths.data)
    return run(place.config, place.paths, passphrase=secret, conversation=conversation, temporary=temporary)
