"""`assistant export`: everything as plain text."""

import os
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from assistant.cli import output, streams
from assistant.cli.opening import find_place, unlocked_vault
from assistant.cli.shape import single
from assistant.errors import BadInput
from assistant.text import inert

PLAIN = "this is plain text: whoever has it can read it; an encrypted copy is made by: assistant vault backup"


class Form(StrEnum):
    """How it is written."""

    JSONL = "jsonl"
    MARKDOWN = "markdown"


app, command = single(
    """
    assistant export -o memories.jsonl
    assistant export --format markdown | less
    assistant export --format markdown --conversation 8c41d2aa -o talk.md
    """
)


@command
def export(
    ctx: typer.Context,
    form: Annotated[
        Form, typer.Option("--format", help="jsonl holds everything; markdown is for reading.")
    ] = Form.JSONL,
    file: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="A new file; else standard output.")
    ] = None,
    conversation: Annotated[
        str | None, typer.Option("--conversation", metavar="ID", help="Only this one, in markdown.")
    ] = None,
) -> None:
    """Write all memories as plain text, which nothing protects.

    assistant import jsonl takes the first form in again, into this or another
    vault: the same memories, times, tags and concepts, and the same recall.
    What waits to be forgotten is not in it.
    """
    from assistant.exporting import json_lines, markdown

    if conversation is not None and form is not Form.MARKDOWN:
        raise BadInput("one conversation can be written in markdown only: add --format markdown")
    with unlocked_vault(find_place(ctx)) as vault:
        lines = json_lines(vault) if form is Form.JSONL else markdown(vault, conversation)
        if file is None:
            for line in lines:
                streams.say(line if form is Form.JSONL else inert(line))
        else:
            write_new(file, lines)
            streams.say(f"wrote {output.flat(str(file))}")
    streams.tell(f"assistant: note: {PLAIN}")


def write_new(path: Path, lines: Iterable[str]) -> None:
    """Write a new file for its owner's eyes only; one that cannot be finished is removed."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as error:
        message = f"{path} is there already, and was left as it is: choose another name"
        raise BadInput(message) from error
    except OSError as error:
        message = f"{path} cannot be written: {error.strerror}"
        raise BadInput(message) from error
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in lines)
            file.flush()
            os.fsync(descriptor)
    except BaseException as error:
        path.unlink(missing_ok=True)
        if isinstance(error, OSError):
            message = f"{path} cannot be written: {error.strerror}"
            raise BadInput(message) from error
        raise
