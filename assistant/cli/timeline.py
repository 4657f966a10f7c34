"""`assistant memory history`: what happened to a memory."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from assistant.cli import output, streams
from assistant.cli.opening import find_place, unlocked_vault
from assistant.cli.shape import AsJson, PlainCommand, group
from storage.records import Concept, Turn

if TYPE_CHECKING:
    from assistant.memory.timeline import Happening

WIDEST = len("held back")
"""Cells of the longest name of something that can happen."""

app = group("See what happened to a memory.", "")


@app.command(
    "history",
    cls=PlainCommand,
    epilog="""
    assistant memory history 3f2a91c0
    assistant memory history --json 3f2a91c0 | jq -r '.history[].what'
    """,
)
def show_history(
    ctx: typer.Context,
    id: Annotated[str, typer.Argument(help="Of a memory or a concept.", metavar="ID")],  # noqa: A002
    as_json: AsJson = False,
) -> None:
    """Show what happened to a memory or a concept, as far as it is on record.

    One line each, in the order of time: where it came from; the answers that it
    was recalled for, told to the model for, or used by; what holds in its place,
    or in whose place it holds. Then, without a time, what is so: pinned, tagged,
    archived, held back. Words that were edited away are erased, and not shown.
    """
    from assistant.memory.naming import find_node
    from assistant.memory.timeline import not_recorded, timeline

    with unlocked_vault(find_place(ctx)) as vault:
        found = find_node(vault, id)
        happened = timeline(vault, found)
    if as_json:
        output.say_json({**_fields(found, happened), "not_recorded": list(not_recorded(found))})
        return
    others = [one.other.id for one in happened if one.other is not None]
    short = output.short_ids([found.id, *others])
    output.say_cut(output.node_line(found, short))
    for one in happened:
        output.say_cut(_line(one, short))
    for sentence in not_recorded(found):
        streams.tell(sentence)


def _line(one: "Happening", short: dict[str, str]) -> str:
    """Give one thing on one line: when by this machine's clock, what, and what else there is to say of it."""
    score = "" if one.score is None else f"rank {one.rank}, score {output.score(one.score).strip()}"
    notes = "; ".join(part for part in (output.flat(one.note), score) if part)
    other = f"{short[one.other.id]}  {_words(one.other)}" if one.other is not None else ""
    said = f"{other}  ({notes})" if other and notes else other or notes
    time = one.time.astimezone() if one.time is not None else None
    return f"{output.minute(time):16}  {one.what.words:{WIDEST}}  {said}".rstrip()


def _words(other: Turn | Concept) -> str:
    return output.flat(f"{other.speaker}: {other.text}" if isinstance(other, Turn) else other.text)


def _fields(found: Turn | Concept, happened: tuple["Happening", ...]) -> dict[str, Any]:
    return {
        "id": found.id,
        "is": "concept" if isinstance(found, Concept) else "memory",
        "text": found.text,
        "history": [_happening_fields(one) for one in happened],
    }


def _happening_fields(one: "Happening") -> dict[str, Any]:
    return {
        "what": one.what.value,
        "time": output.utc(one.time),
        "id": one.other.id if one.other is not None else None,
        "text": one.other.text if one.other is not None else None,
        "note": one.note,
        "rank": one.rank,
        "score": None if one.score is None else round(one.score, 6),
    }
