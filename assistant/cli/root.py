"""The command `assistant` itself."""

import sys
from typing import Annotated

import typer

from assistant.cli import USAGE, streams, version_line
from assistant.cli.shape import CONTEXT, LazyGroup

SHORT_HELP = """\
assistant: there is no terminal for the chat. Without one:
  assistant ask "a question"        one reply
  assistant recall "a question"     what memory gives
  assistant --help                  all commands"""

app = typer.Typer(
    cls=LazyGroup,
    add_completion=False,
    rich_markup_mode=None,
    invoke_without_command=True,
    context_settings=CONTEXT,
    epilog="""
        assistant                                  # open the chat
        assistant ask "What did I say about the boat?"
        assistant remember "The spare key is with Ada."
        assistant recall "spare key"
    """,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        streams.say(version_line())
        raise typer.Exit


@app.callback()
def root(
    ctx: typer.Context,
    version: Annotated[  # noqa: ARG001  (answered by its callback)
        bool, typer.Option("--version", "-V", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Chat with a model on this machine that remembers, explains and forgets.

    Exit codes: 0 done, 1 unexpected, 2 used wrongly or no terminal, 3 nothing has
    this id, 4 locked, 5 no model, 6 storage, 7 busy, 130 interrupted.
    """
    if ctx.invoked_subcommand is not None:
        return
    if not streams.has_terminal():
        sys.stderr.write(SHORT_HELP + "\n")
        raise typer.Exit(USAGE)
    from assistant.cli.chat import open_chat

    raise typer.Exit(open_chat(ctx))
