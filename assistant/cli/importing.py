"""`assistant import`: conversations from elsewhere."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assistant.cli import INTERRUPTED, output, streams
from assistant.cli.opening import Place, find_place, unlocked
from assistant.cli.remember import read_stdin_bytes
from assistant.cli.shape import PlainCommand, group

if TYPE_CHECKING:
    from assistant.importers.imported import Imported
    from assistant.importers.run import ImportSummary

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]

app = group(
    "Bring in conversations from elsewhere.",
    """
    assistant import chatgpt chatgpt-export.zip
    assistant import jsonl turns.jsonl
    """,
)


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
    as_json: AsJson = False,
) -> None:
    """Bring in turns from JSON lines.

    One object a line: conversation, speaker, role (user, assistant, other), time
    (ISO-8601 with an offset) and text; if wanted, id and source. The whole file
    is checked first. What is there already is not imported again.
    """
    from assistant.importers.jsonl import FORMAT, read_jsonl

    place = find_place(ctx)
    source = read_stdin_bytes(place.options) if path == "-" else Path(path)
    _import(place, lambda: read_jsonl(source), FORMAT, as_json=as_json)


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
    as_json: AsJson = False,
) -> None:
    """Bring in a ChatGPT export.

    Of edited conversations the current branch is taken. Hidden and tool messages
    are left out, and so are conversations marked not to be remembered.
    """
    from assistant.importers.chatgpt import FORMAT, read_chatgpt

    place = find_place(ctx)
    _import(place, lambda: read_chatgpt(path, user_name=place.config.user_name), FORMAT, as_json=as_json)


def _import(place: Place, read: "Callable[[], Iterable[Imported]]", source_name: str, *, as_json: bool) -> None:
    from assistant.importers.run import import_turns

    kept: ImportSummary | None = None

    def tell(summary: "ImportSummary") -> None:
        nonlocal kept
        kept = summary
        streams.tell_progress(f"importing: {summary.added:,} turns, conversations: {summary.conversations:,}")

    try:
        with unlocked(place) as assistant:
            summary = import_turns(assistant.memory, read(), source_name=source_name, progress=tell)
    except KeyboardInterrupt:
        added = kept.added if kept else 0
        streams.end_line()
        streams.tell(f"stopped; {added:,} turns are kept, and importing again goes on from there")
        raise typer.Exit(INTERRUPTED) from None
    if as_json:
        output.say_json(_fields(summary))
    else:
        streams.say(_sentence(summary))


def _sentence(summary: "ImportSummary") -> str:
    conversations = output.counted(summary.conversations, "conversation")
    parts = [f"imported {output.counted(summary.added, 'turn')} from {conversations}"]
    if summary.first and summary.last:
        parts.append(f"{summary.first:%Y-%m-%d} to {summary.last:%Y-%m-%d}")
    if summary.known:
        parts.append(f"{output.counted(summary.known, 'turn')} known already")
    if summary.skipped:
        parts.append(f"{output.counted(summary.skipped, 'conversation')} skipped: marked not to be remembered")
    return "; ".join(parts)


def _fields(summary: "ImportSummary") -> dict[str, Any]:
    return {
        "conversations": summary.conversations,
        "added": summary.added,
        "known": summary.known,
        "skipped_conversations": summary.skipped,
        "first": output.utc(summary.first),
        "last": output.utc(summary.last),
    }
