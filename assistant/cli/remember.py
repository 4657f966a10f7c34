"""`assistant remember`."""

import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from assistant.cli import output, streams
from assistant.cli.dates import read_beginning, read_expiry
from assistant.cli.opening import find_place, unlocked
from assistant.cli.options import Options
from assistant.cli.shape import AsJson, single
from assistant.errors import BadInput
from assistant.memory.marks import Marks, read_tags
from storage.records import Source

LARGEST_FILE_BYTES = 1_000_000
"""One note is one memory: a longer text is found by few of its words."""

app, command = single(
    """
    assistant remember "The spare key is with Ada."
    assistant remember --at "yesterday 18:00" "Met Jo at the harbour."
    assistant remember --tag work --expires "in 30 days" "The code is 4711."
    assistant remember -f recipe.md
    pbpaste | assistant remember -
    """
)


@command
def remember(
    ctx: typer.Context,
    text: Annotated[
        list[str] | None, typer.Argument(help="The note; - reads it from standard input.", metavar="TEXT")
    ] = None,
    file: Annotated[
        Path | None, typer.Option("-f", "--file", metavar="FILE", help="Keep a text file as a note.")
    ] = None,
    at: Annotated[str | None, typer.Option("--at", metavar="TIME", help="When it was said; otherwise now.")] = None,
    tag: Annotated[list[str] | None, typer.Option("--tag", metavar="TAG", help="Give it a tag; several times.")] = None,
    pin: Annotated[bool, typer.Option("--pin", help="Keep it at hand for good.")] = False,
    expires: Annotated[
        str | None, typer.Option("--expires", metavar="TIME", help="When it goes by itself: see forget --expired.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Keep a note.

    A TIME is a day or a moment, such as 2026-03-01, 2026-03-01T18:00+01:00,
    18:00, 'yesterday 18:00' or '2 hours ago'; without an offset it is taken by
    this machine's clock. --expires also takes 30d and 'in 30 days', and of a day
    its end; assistant memory expires changes it afterwards.
    """
    now = datetime.now().astimezone()
    time = now if at is None else read_beginning(at, now=now, option="--at")
    if pin and expires:
        raise BadInput("--pin keeps it for good and --expires does not: choose one")
    marks = Marks(tags=read_tags(tag or ()), pinned=pin, expires=read_expiry(expires, now=now) if expires else None)
    place = find_place(ctx)
    note = _read(text or [], file, place.options)
    if not note.strip():
        raise BadInput("there is nothing to remember: give some words")
    with unlocked(place) as assistant:
        turn = assistant.memory.remember(
            note,
            time=time,
            speaker=place.config.user_name,
            source=Source.NOTE if file is None else Source.FILE,
            origin="" if file is None else file.name,
            marks=marks,
        )
    if as_json:
        output.say_json({**output.turn_fields(turn), **output.marks_fields(marks.tags, marks.expires)})
    else:
        streams.say(f"remembered {turn.id[: output.SHORTEST_ID]}")


def _read(text: Sequence[str], file: Path | None, options: Options) -> str:
    """Give the note from where it is.

    Raises
    ------
    BadInput
        There are two or none, or the file is no text.
    """
    if (file is None) == (not text):
        raise BadInput("give either the words of the note, or -f and a file")
    if file is None:
        return read_stdin(options) if text == ["-"] else " ".join(text)
    try:
        if file.stat().st_size > LARGEST_FILE_BYTES:
            message = f"{file} is too large for one note: split it, or import it"
            raise BadInput(message)
        return file.read_text(encoding="utf-8-sig").removesuffix("\n")
    except UnicodeDecodeError as error:
        message = f"{file} is not UTF-8 (byte {error.start + 1})"
        raise BadInput(message) from error
    except OSError as error:
        message = f"{file} cannot be read: {error.strerror}"
        raise BadInput(message) from error


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
