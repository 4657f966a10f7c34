"""`assistant memory pin|unpin|fading|archive|restore`: what stays at hand, and what rests."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assistant.cli import output, streams
from assistant.cli.nodes import find_turns
from assistant.cli.opening import find_place, unlocked_vault
from assistant.cli.shape import AsJson, PlainCommand, group
from storage.records import Turn

if TYPE_CHECKING:
    from assistant.memory.reflection import Fading

Ids = Annotated[list[str], typer.Argument(help="Memories, by the beginning of their ids.", metavar="ID")]

app = group("Keep memories at hand, or put them away.", "")


@app.command(
    "pin",
    cls=PlainCommand,
    epilog="""
    assistant memory pin 3f2a91c0
    assistant memory list --pinned
    """,
)
def pin_memories(ctx: typer.Context, ids: Ids, as_json: AsJson = False) -> None:
    """Keep memories at hand for good.

    They neither fade nor are archived. One that is archived comes back.
    """
    _pin(ctx, ids, pinned=True, as_json=as_json)


@app.command("unpin", cls=PlainCommand, epilog="assistant memory unpin 3f2a91c0")
def unpin_memories(ctx: typer.Context, ids: Ids, as_json: AsJson = False) -> None:
    """Let memories fade again like others."""
    _pin(ctx, ids, pinned=False, as_json=as_json)


@app.command(
    "archive",
    cls=PlainCommand,
    epilog="""
    assistant memory archive 3f2a91c0
    assistant memory list --archived
    """,
)
def archive_memories(ctx: typer.Context, ids: Ids, as_json: AsJson = False) -> None:
    """Put memories away. Nothing is lost by it.

    They are still found when a question fits them well, and come back when an
    answer uses them. Pinned ones stay.
    """
    from assistant.memory.archive import put_away

    with unlocked_vault(find_place(ctx)) as vault:
        turns = find_turns(vault, ids)
        gone = set(put_away(vault, [turn.node for turn in turns]))
        pinned = {node for node, trace in vault.traces.of([turn.node for turn in turns]).items() if trace.pinned}
    kept = [turn for turn in turns if turn.node in pinned]
    changed = [turn for turn in turns if turn.node in gone]
    if as_json:
        output.say_json({"archived": _ids(changed), "pinned": _ids(kept)})
        return
    streams.say(f"archived {output.counted(len(changed), 'memory', 'memories')}")
    for turn in kept:
        streams.tell(f"{turn.id[: output.SHORTEST_ID]} is pinned, and stays; see assistant memory unpin")


@app.command("restore", cls=PlainCommand, epilog="assistant memory restore 3f2a91c0")
def restore_memories(ctx: typer.Context, ids: Ids, as_json: AsJson = False) -> None:
    """Bring archived memories back."""
    from assistant.memory.archive import reinstate

    with unlocked_vault(find_place(ctx)) as vault:
        turns = find_turns(vault, ids)
        back = set(reinstate(vault, [turn.node for turn in turns], 0))
    changed = [turn for turn in turns if turn.node in back]
    if as_json:
        output.say_json({"restored": _ids(changed)})
    else:
        streams.say(f"restored {output.counted(len(changed), 'memory', 'memories')}")


@app.command(
    "fading",
    cls=PlainCommand,
    epilog="""
    assistant memory fading
    assistant memory fading --archive
    """,
)
def fading_memories(
    ctx: typer.Context,
    archive: Annotated[bool, typer.Option("--archive", help="Put all of them away.")] = False,
    as_json: AsJson = False,
) -> None:
    """List memories that fade: old, hardly tied to others, not needed for long.

    One line for each: weight of its ties, days since it was said, days since it
    was of use, and the memory. Pin what you want to keep at hand, put the rest
    away or forget it. Nothing goes by itself.
    """
    from assistant.memory.archive import put_away
    from assistant.memory.reflection import fading
    from assistant.memory.tuning import parameters_of

    place = find_place(ctx)
    with unlocked_vault(place) as vault:
        found = {one.node: one for one in fading(vault, datetime.now().astimezone(), parameters_of(place.config))}
        turns = vault.turns.by_nodes(list(found))
        archived = put_away(vault, list(found)) if archive else []
    if as_json:
        output.say_json([{**_fading_fields(found[turn.node]), **output.turn_fields(turn)} for turn in turns])
        return
    short = output.short_ids([turn.id for turn in turns])
    for turn in turns:
        one = found[turn.node]
        figures = f"{one.weight:4.2f}  {one.age_days:>5.0f}  {one.idle_days:>5.0f}"
        output.say_cut(f"{figures}  {output.turn_line(turn, short)}")
    if not turns:
        streams.tell("nothing fades")
    elif archive:
        streams.tell(f"archived {output.counted(len(archived), 'memory', 'memories')}")


def _pin(ctx: typer.Context, ids: Sequence[str], *, pinned: bool, as_json: bool) -> None:
    from assistant.memory.archive import pin

    with unlocked_vault(find_place(ctx)) as vault:
        turns = find_turns(vault, ids)
        pin(vault, [turn.node for turn in turns], pinned=pinned)
    if as_json:
        output.say_json({"pinned" if pinned else "unpinned": _ids(turns)})
    else:
        verb = "pinned" if pinned else "unpinned"
        streams.say(f"{verb} {output.counted(len(turns), 'memory', 'memories')}")


def _ids(turns: Sequence[Turn]) -> list[str]:
    return [turn.id for turn in turns]


def _fading_fields(one: "Fading") -> dict[str, Any]:
    return {
        "weight": round(one.weight, 6),
        "age_days": round(one.age_days, 3),
        "idle_days": round(one.idle_days, 3),
    }
