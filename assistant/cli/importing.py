"""`assistant import`: conversations from elsewhere."""

import inspect
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from assistant.cli.bringing import Reading, Wish, bring_in, take_in_export
from assistant.cli.dates import read_zone
from assistant.cli.opening import find_place
from assistant.cli.remember import read_stdin_bytes
from assistant.cli.shape import PlainCommand, group
from assistant.importers.imported import DateOrder

if TYPE_CHECKING:
    from assistant.importers.imported import Imported

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say what would be brought in.")]
Forgotten = Annotated[bool, typer.Option("--forgotten-too", help="Bring back what was forgotten, too.")]
Archive = Annotated[Path, typer.Argument(help="The archive, its folder, or conversations.json.", metavar="PATH")]
Me = Annotated[str, typer.Option("--me", metavar="NAME", help="What you are called in it.")]
Zone = Annotated[
    str | None, typer.Option("--timezone", metavar="ZONE", help="Of its clock, such as Europe/Berlin; else this one's.")
]

app = group(
    "Bring in conversations from elsewhere.",
    """
    assistant import chatgpt chatgpt-export.zip
    assistant import whatsapp "WhatsApp Chat with Jo.zip" --me Mara
    assistant import markdown ~/notes --dry-run
    assistant import jsonl turns.jsonl
    """,
)


Read: TypeAlias = "Callable[..., Iterable[Imported]]"


def _reader(name: str, examples: str) -> "Callable[[Read], Read]":
    """Make a command of what reads a format: its own parameters and help, and the options that all of them have."""

    def with_options(read: "Read") -> "Read":
        def command(ctx: typer.Context, *, dry_run: bool, forgotten_too: bool, as_json: bool, **own: Any) -> None:
            wish = Wish(source_name=name, dry_run=dry_run, forgotten_too=forgotten_too, as_json=as_json)
            bring_in(find_place(ctx), lambda reading: read(reading, **own), wish)

        context, *_ = inspect.signature(command).parameters.values()
        shared = {"dry_run": DryRun, "forgotten_too": Forgotten, "as_json": AsJson}
        parameters = [
            context,
            *list(inspect.signature(read).parameters.values())[1:],
            *(
                inspect.Parameter(option, inspect.Parameter.KEYWORD_ONLY, default=False, annotation=annotation)
                for option, annotation in shared.items()
            ),
        ]
        command.__doc__ = read.__doc__
        command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # what Typer reads
        app.command(name, cls=PlainCommand, epilog=examples)(command)
        return read

    return with_options


@_reader(
    "chatgpt",
    """
    assistant import chatgpt chatgpt-export.zip
    assistant import chatgpt unpacked-export/
    """,
)
def _chatgpt(reading: Reading, path: Archive) -> "Iterable[Imported]":
    """Bring in a ChatGPT export.

    Of edited conversations the current branch is taken. Hidden and tool messages
    are left out, and so are conversations marked not to be remembered.
    """
    from assistant.importers.chatgpt import read_chatgpt

    return read_chatgpt(path, user_name=reading.user_name, checking=reading.checking)


@_reader(
    "claude",
    """
    assistant import claude claude-export.zip
    """,
)
def _claude(reading: Reading, path: Archive) -> "Iterable[Imported]":
    """Bring in a Claude export.

    Of edited conversations the newest branch is taken, with pasted texts and
    without thoughts and the work of tools. The documents of projects come in as
    files, which are believed less than what you said.
    """
    from assistant.importers.claude import read_claude

    return read_claude(path, user_name=reading.user_name, checking=reading.checking)


@_reader(
    "whatsapp",
    """
    assistant import whatsapp "WhatsApp Chat with Jo.zip" --me Mara
    assistant import whatsapp chat.txt --date-order dmy --timezone Asia/Tokyo
    """,
)
def _whatsapp(
    reading: Reading,
    path: Annotated[Path, typer.Argument(help="The archive, its folder, or the text file.", metavar="PATH")],
    me: Me = "",
    date_order: Annotated[
        DateOrder | None, typer.Option("--date-order", help="How its dates are written, when that is not clear.")
    ] = None,
    timezone: Zone = None,
) -> "Iterable[Imported]":
    """Bring in a WhatsApp chat, as the phone exports it without media.

    What the program itself said is left out. With --me your own messages are
    taken for yours; without, they are those of somebody of that name.
    """
    from assistant.importers.whatsapp import WhatsAppOptions, read_whatsapp

    options = WhatsAppOptions(user_name=reading.user_name, me=me, order=date_order, zone=read_zone(timezone))
    return read_whatsapp(path, options, checking=reading.checking)


@_reader(
    "telegram",
    """
    assistant import telegram DataExport/result.json
    assistant import telegram ChatExport/ --me Mara
    """,
)
def _telegram(
    reading: Reading,
    path: Annotated[Path, typer.Argument(help="result.json, or the folder it lies in.", metavar="PATH")],
    me: Me = "",
) -> "Iterable[Imported]":
    """Bring in a Telegram export in JSON, of one chat or of the account.

    An export of the account knows which messages are yours; for a single chat
    say with --me what you are called in it.
    """
    from assistant.importers.telegram import read_telegram

    return read_telegram(path, user_name=reading.user_name, me=me, checking=reading.checking)


@_reader(
    "llm",
    """
    assistant import llm "$(llm logs path)"
    """,
)
def _llm(
    reading: Reading, path: Annotated[Path, typer.Argument(help="The log, logs.db.", metavar="PATH")]
) -> "Iterable[Imported]":
    """Bring in the log of the command llm, old or new; nothing is written to it."""
    from assistant.importers.llm import read_llm

    return read_llm(path, user_name=reading.user_name, checking=reading.checking)


@_reader(
    "openwebui",
    """
    assistant import openwebui chat-export-1700000000.json
    """,
)
def _openwebui(
    reading: Reading, path: Annotated[Path, typer.Argument(help="The file, or a folder of such.", metavar="PATH")]
) -> "Iterable[Imported]":
    """Bring in an export of Open WebUI.

    Of answers made again the current one is taken, without the model's thoughts.
    """
    from assistant.importers.openwebui import read_openwebui

    return read_openwebui(path, user_name=reading.user_name, checking=reading.checking)


@_reader(
    "markdown",
    """
    assistant import markdown ~/notes
    assistant import markdown diary.md --dry-run
    """,
)
def _markdown(
    reading: Reading,
    path: Annotated[Path, typer.Argument(help="A file, or a folder such as a vault of Obsidian.", metavar="PATH")],
    timezone: Zone = None,
) -> "Iterable[Imported]":
    """Bring in notes in Markdown, each paragraph and item as one of its day.

    The day is that of a daily note, else of the front matter or the file's name,
    else the one on which the file was last changed. Tags of the front matter
    become tags of all that the file holds. Comments stay out.
    """
    from assistant.importers.markdown import read_markdown

    return read_markdown(path, user_name=reading.user_name, zone=read_zone(timezone))


@app.command(
    "jsonl",
    cls=PlainCommand,
    epilog="""
    assistant import jsonl turns.jsonl
    my-converter | assistant import jsonl -
    """,
)
def import_jsonl(
    ctx: typer.Context,
    path: Annotated[str, typer.Argument(help="The file; - reads standard input.", metavar="PATH")],
    dry_run: DryRun = False,
    forgotten_too: Forgotten = False,
    as_json: AsJson = False,
) -> None:
    """Bring in turns from JSON lines.

    One object a line: conversation, speaker, role (user, assistant, other), time
    (ISO-8601 with an offset) and text; if wanted, id and source. The whole file
    is checked first. What is there already is not imported again. A file of
    assistant export is known by its first line, and taken in with all it holds.
    """
    from assistant.exporting import is_export
    from assistant.importers.jsonl import FORMAT, read_jsonl

    place = find_place(ctx)
    if path != "-" and is_export(Path(path)):
        take_in_export(place, Path(path), dry_run=dry_run, as_json=as_json)
        return
    source = read_stdin_bytes(place.options) if path == "-" else Path(path)
    wish = Wish(source_name=FORMAT, dry_run=dry_run, forgotten_too=forgotten_too, as_json=as_json)
    bring_in(place, lambda reading: read_jsonl(source, checking=reading.checking), wish)
