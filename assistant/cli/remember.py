"""`assistant remember`."""

import sys
from datetime import datetime
from typing import Annotated

import typer

from assistant.cli import output, streams
from assistant.cli.dates import read_beginning
from assistant.cli.opening import find_place, unlocked
from assistant.cli.options import Options
from assistant.cli.shape import single
from assistant.errors import BadInput

app, command = single(
    """
    assistant remember "The spare key is with Ada."
    assistant remember --at "yesterday 18:00" "Met Jo at the harbour."
    pbpaste | assistant remember -
    """
)


@command
def remember(
    ctx: typer.Context,
    text: Annotated[list[str], typer.Argument(help="The note; - reads it from standard input.", metavar="TEXT")],
    at: Annotated[str | None, typer.Option("--at", metavar="TIME", help="When it was said; otherwise now.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Keep a note.

    A TIME is a day or a moment, such as 2026-03-01, 2026-03-01T18:00+01:00,
    18:00, 'yesterday 18:00' or '2 hours ago'; without an offset it is taken by
    this machine's clock.
    """
    now = datetime.now().astimezone()
    time = now if at is None else read_beginning(at, now=now, option="--at")
    place = find_place(ctx)
    note = read_stdin(place.options) if text == ["-"] else " ".join(text)
    if not note.strip():
        raise BadInput("there is nothing to remember: give some words")
    with unlocked(place) as assistant:
        turn = assistant.memory.remember(note, time=time, speaker=place.config.user_name)
    if as_json:
        output.say_json(output.turn_fields(turn))
    else:
        streams.say(f"remembered {turn.id[: output.SHORTEST_ID]}")


def read_stdin_bytes(options: Options) -> bytes:
    """Give all of standard input.

    Raises
    ------
    BadInput
        The passphrase comes from there.
    """
    if options.passphrase_fd == 0:
        raise BadInput("standard input cannot give the passphrase and a text: use another --passphrase-fd")
    return sys.stdin.buffer.read()


def read_stdin(options: Options) -> str:
    """Give all of standard input as text, without the line end after it.

    Raises
    ------
    BadInput
        It is not UTF-8, or the passphrase comes from there.
    """
    try:
        return read_stdin_bytes(options).decode("utf-8-sig").removesuffix("\n")
    except UnicodeDecodeError as error:
        message = f"standard input is not UTF-8 (byte {error.start + 1})"
        raise BadInput(message) from error
