"""`assistant memory quarantine`: what was brought in and reads as an instruction, and is held back."""

from typing import Annotated, Any

import typer

from assistant.cli import output, streams
from assistant.cli.nodes import find_turns
from assistant.cli.opening import find_place, unlocked_vault
from assistant.cli.shape import AsJson, PlainCommand, group
from assistant.errors import BadInput
from storage.records import Turn

app = group("See what is held back.", "")


@app.command(
    "quarantine",
    cls=PlainCommand,
    epilog="""
    assistant memory quarantine
    assistant memory quarantine --accept 3f2a91c0
    assistant forget 3f2a91c0
    """,
)
def quarantine(
    ctx: typer.Context,
    ids: Annotated[
        list[str] | None, typer.Argument(help="Only these, by the beginning of their ids.", metavar="ID")
    ] = None,
    accept: Annotated[bool, typer.Option("--accept", help="Use these like others, from now on.")] = False,
    as_json: AsJson = False,
) -> None:
    """List what is held back, and why; or accept it.

    Text of imports, files and tools that reads as an instruction to the assistant
    is kept and not used: no answer, no concept and no other memory draws on it.
    What you do not want at all, forget.
    """
    from assistant.memory import quarantine as held

    if accept and not ids:
        raise BadInput("--accept needs the ids of what is accepted; see assistant memory quarantine")
    with unlocked_vault(find_place(ctx)) as vault:
        named = [turn.node for turn in find_turns(vault, ids)] if ids else None
        waiting = vault.quarantine.waiting(named)
        turns = vault.turns.by_nodes(list(waiting))
        if accept:
            held.accept(vault, list(waiting))
    if accept:
        _say_accepted(turns, as_json=as_json)
    else:
        _say_waiting(turns, waiting, as_json=as_json)


def _say_accepted(turns: list[Turn], *, as_json: bool) -> None:
    if as_json:
        output.say_json({"accepted": [turn.id for turn in turns]})
    else:
        streams.say(f"accepted {output.counted(len(turns), 'memory', 'memories')}")


def _say_waiting(turns: list[Turn], waiting: dict[int, tuple[str, ...]], *, as_json: bool) -> None:
    if as_json:
        output.say_json([_fields(turn, waiting[turn.node]) for turn in turns])
        return
    short = output.short_ids([turn.id for turn in turns])
    for turn in turns:
        output.say_cut(output.turn_line(turn, short))
        output.say_cut(f"{'':{len(short[turn.id])}}  {output.flat('; '.join(waiting[turn.node]))}")
    if not turns:
        streams.tell("nothing is held back")


def _fields(turn: Turn, reasons: tuple[str, ...]) -> dict[str, Any]:
    return {**output.turn_fields(turn), "reasons": list(reasons)}
