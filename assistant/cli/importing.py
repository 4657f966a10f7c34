"""`assistant import`: conversations from elsewhere."""

from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assistant.cli import INTERRUPTED, output, streams
from assistant.cli.dates import read_zone
from assistant.cli.opening import Place, find_place, unlocked
from assistant.cli.remember import read_stdin_bytes
from assistant.cli.shape import PlainCommand, group
from assistant.errors import BadInput
from assistant.importers.imported import DateOrder

if TYPE_CHECKING:
    from assistant.importers.imported import Imported
    from assistant.importers.run import ImportSummary

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say what would be brought in.")]
Forgotten = Annotated[bool, typer.Option("--forgotten-too", help="Bring back what was forgotten, too.")]
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


@app.command(
    "chatgpt",
    cls=PlainCommand,
    epilog="""
    assistant import chatgpt chatgpt-export.zip
    assistant import chatgpt unpacked-export/
    """,
)
def import_chatgpt(
    ctx: typer.Context,
    path: Annotated[Path, typer.Argument(help="The archive, its folder, or conversations.json.", metavar="PATH")],
    dry_run: DryRun = False,
    forgotten_too: Forgotten = False,
    as_json: AsJson = False,
) -> None:
    """Bring in a ChatGPT export.

    Of edited conversations the current branch is taken. Hidden and tool messages
    are left out, and so are conversations marked not to be remembered.
    """
    from assistant.importers.chatgpt import FORMAT, read_chatgpt

    place, wish = find_place(ctx), _Wish(FORMAT, dry_run=dry_run, forgotten_too=forgotten_too, as_json=as_json)
    _import(place, lambda: read_chatgpt(path, user_name=place.config.user_name), wish)


@app.command(
    "claude",
    cls=PlainCommand,
    epilog="""
    assistant import claude claude-export.zip
    """,
)
def import_claude(
    ctx: typer.Context,
    path: Annotated[Path, typer.Argument(help="The archive, its folder, or conversations.json.", metavar="PATH")],
    dry_run: DryRun = False,
    forgotten_too: Forgotten = False,
    as_json: AsJson = False,
) -> None:
    """Bring in a Claude export.

    Of edited conversations the newest branch is taken, with pasted texts and
    without thoughts and the work of tools.
    """
    from assistant.importers.claude import FORMAT, read_claude

    place, wish = find_place(ctx), _Wish(FORMAT, dry_run=dry_run, forgotten_too=forgotten_too, as_json=as_json)
    _import(place, lambda: read_claude(path, user_name=place.config.user_name), wish)


@app.command(
    "whatsapp",
    cls=PlainCommand,
    epilog="""
    assistant import whatsapp "WhatsApp Chat with Jo.zip" --me Mara
    assistant import whatsapp chat.txt --date-order dmy --timezone Asia/Tokyo
    """,
)
def import_whatsapp(
    ctx: typer.Context,
    path: Annotated[Path, typer.Argument(help="The archive, its folder, or the text file.", metavar="PATH")],
    me: Me = "",
    date_order: Annotated[
        DateOrder | None, typer.Option("--date-order", help="How its dates are written, when that is not clear.")
    ] = None,
    timezone: Zone = None,
    dry_run: DryRun = False,
    forgotten_too: Forgotten = False,
    as_json: AsJson = False,
) -> None:
    """Bring in a WhatsApp chat, as the phone exports it without media.

    What the program itself said is left out. With --me your own messages are
    taken for yours; without, they are those of somebody of that name.
    """
    from assistant.importers.whatsapp import FORMAT, WhatsAppOptions, read_whatsapp

    place, wish = find_place(ctx), _Wish(FORMAT, dry_run=dry_run, forgotten_too=forgotten_too, as_json=as_json)
    options = WhatsAppOptions(user_name=place.config.user_name, me=me, order=date_order, zone=read_zone(timezone))
    _import(place, lambda: read_whatsapp(path, options), wish)


@app.command(
    "telegram",
    cls=PlainCommand,
    epilog="""
    assistant import telegram DataExport/result.json
    assistant import telegram ChatExport/ --me Mara
    """,
)
def import_telegram(
    ctx: typer.Context,
    path: Annotated[Path, typer.Argument(help="result.json, or the folder it lies in.", metavar="PATH")],
    me: Me = "",
    dry_run: DryRun = False,
    forgotten_too: Forgotten = False,
    as_json: AsJson = False,
) -> None:
    """Bring in a Telegram export in JSON, of one chat or of the account.

    An export of the account knows which messages are yours; for a single chat
    say with --me what you are called in it.
    """
    from assistant.importers.telegram import FORMAT, read_telegram

    place, wish = find_place(ctx), _Wish(FORMAT, dry_run=dry_run, forgotten_too=forgotten_too, as_json=as_json)
    _import(place, lambda: read_telegram(path, user_name=place.config.user_name, me=me), wish)


@app.command(
    "llm",
    cls=PlainCommand,
    epilog="""
    assistant import llm "$(llm logs path)"
    """,
)
def import_llm(
    ctx: typer.Context,
    path: Annotated[Path, typer.Argument(help="The log, logs.db.", metavar="PATH")],
    dry_run: DryRun = False,
    forgotten_too: Forgotten = False,
    as_json: AsJson = False,
) -> None:
    """Bring in the log of the command llm, old or new; nothing is written to it."""
    from assistant.importers.llm import FORMAT, read_llm

    place, wish = find_place(ctx), _Wish(FORMAT, dry_run=dry_run, forgotten_too=forgotten_too, as_json=as_json)
    _import(place, lambda: read_llm(path, user_name=place.config.user_name), wish)


@app.command(
    "openwebui",
    cls=PlainCommand,
    epilog="""
    assistant import openwebui chat-export-1700000000.json
    """,
)
def import_openwebui(
    ctx: typer.Context,
    path: Annotated[Path, typer.Argument(help="The file, or a folder of such.", metavar="PATH")],
    dry_run: DryRun = False,
    forgotten_too: Forgotten = False,
    as_json: AsJson = False,
) -> None:
    """Bring in an export of Open WebUI.

    Of answers made again the current one is taken, without the model's thoughts.
    """
    from assistant.importers.openwebui import FORMAT, read_openwebui

    place, wish = find_place(ctx), _Wish(FORMAT, dry_run=dry_run, forgotten_too=forgotten_too, as_json=as_json)
    _import(place, lambda: read_openwebui(path, user_name=place.config.user_name), wish)


@app.command(
    "markdown",
    cls=PlainCommand,
    epilog="""
    assistant import markdown ~/notes
    assistant import markdown diary.md --dry-run
    """,
)
def import_markdown(
    ctx: typer.Context,
    path: Annotated[Path, typer.Argument(help="A file, or a folder such as a vault of Obsidian.", metavar="PATH")],
    timezone: Zone = None,
    dry_run: DryRun = False,
    forgotten_too: Forgotten = False,
    as_json: AsJson = False,
) -> None:
    """Bring in notes in Markdown, each paragraph and item as one of its day.

    The day is that of a daily note, else of the front matter or the file's name,
    else the one on which the file was last changed. Comments stay out.
    """
    from assistant.importers.markdown import FORMAT, read_markdown

    place, wish = find_place(ctx), _Wish(FORMAT, dry_run=dry_run, forgotten_too=forgotten_too, as_json=as_json)
    zone = read_zone(timezone)
    _import(place, lambda: read_markdown(path, user_name=place.config.user_name, zone=zone), wish)


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

    if path != "-" and is_export(Path(path)):
        _take_in(find_place(ctx), Path(path), dry_run=dry_run, as_json=as_json)
        return
    place, wish = find_place(ctx), _Wish(FORMAT, dry_run=dry_run, forgotten_too=forgotten_too, as_json=as_json)
    source = read_stdin_bytes(place.options) if path == "-" else Path(path)
    _import(place, lambda: read_jsonl(source), wish)


@dataclass(frozen=True, slots=True)
class _Wish:
    """How an import is wanted."""

    source_name: str
    _: KW_ONLY
    dry_run: bool
    forgotten_too: bool
    as_json: bool


def _import(place: Place, read: "Callable[[], Iterable[Imported]]", wish: _Wish) -> None:
    from assistant.importers.run import import_turns

    kept: ImportSummary | None = None

    def tell(summary: "ImportSummary") -> None:
        nonlocal kept
        kept = summary
        streams.tell_progress(f"importing: {summary.added:,} turns, conversations: {summary.conversations:,}")

    try:
        with unlocked(place) as assistant:
            summary = import_turns(
                assistant.memory,
                read(),
                source_name=wish.source_name,
                progress=tell,
                forgotten_too=wish.forgotten_too,
                dry_run=wish.dry_run,
            )
    except KeyboardInterrupt:
        added = 0 if kept is None or wish.dry_run else kept.added
        streams.end_line()
        streams.tell(f"stopped; {added:,} turns are kept, and importing again goes on from there")
        raise typer.Exit(INTERRUPTED) from None
    if wish.as_json:
        output.say_json({"dry_run": wish.dry_run, **_fields(summary)})
    else:
        streams.say(_sentence(summary, dry_run=wish.dry_run))


def _take_in(place: Place, path: Path, *, dry_run: bool, as_json: bool) -> None:
    """Take in an export of this program."""
    from assistant.exporting import take_in

    if dry_run:
        raise BadInput("an export of this program is taken in whole or not at all, without a dry run")
    with unlocked(place) as assistant:
        taken = take_in(
            assistant.memory, path, lambda done, total: streams.tell_progress(f"making vectors: {done:,} of {total:,}")
        )
    if as_json:
        output.say_json({"added": taken.turns, "known": taken.known, "concepts": taken.concepts})
        return
    known = f"; {output.counted(taken.known, 'turn')} known already" if taken.known else ""
    concepts = output.counted(taken.concepts, "concept")
    streams.say(f"took in {output.counted(taken.turns, 'turn')} and {concepts}{known}")


def _sentence(summary: "ImportSummary", *, dry_run: bool) -> str:
    conversations = output.counted(summary.conversations, "conversation")
    done = "would import" if dry_run else "imported"
    parts = [f"{done} {output.counted(summary.added, 'turn')} from {conversations}"]
    if summary.first and summary.last:
        parts.append(f"{summary.first:%Y-%m-%d} to {summary.last:%Y-%m-%d}")
    if summary.known:
        parts.append(f"{output.counted(summary.known, 'turn')} known already")
    if summary.forgotten:
        parts.append(f"{output.counted(summary.forgotten, 'turn')} forgotten once and left out, see --forgotten-too")
    if summary.skipped:
        why = ", ".join(summary.reasons)
        parts.append(f"{output.counted(summary.skipped, 'conversation')} skipped: {why}")
    return "; ".join(parts)


def _fields(summary: "ImportSummary") -> dict[str, Any]:
    return {
        "conversations": summary.conversations,
        "added": summary.added,
        "known": summary.known,
        "forgotten": summary.forgotten,
        "skipped_conversations": summary.skipped,
        "reasons": list(summary.reasons),
        "first": output.utc(summary.first),
        "last": output.utc(summary.last),
    }
