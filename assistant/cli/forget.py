"""`assistant forget`."""

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assistant.cli import NOTHING_FOUND, STORAGE, USAGE, output, streams
from assistant.cli.opening import find_place, unlocked
from assistant.cli.shape import single
from storage.records import Receipt

if TYPE_CHECKING:
    from assistant.memory.forgetting import ForgettingPlan

app, command = single(
    """
    assistant forget 3f2a91c0
    assistant forget --dry-run 3f2a91c0 77b01e44
    assistant forget -y 3f2a91c0
    """
)


@command
def forget(
    ctx: typer.Context,
    ids: Annotated[list[str], typer.Argument(help="Memories, by the beginning of their ids.", metavar="ID")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would go.")] = False,
    with_answers: Annotated[
        bool, typer.Option("--with-answers", help="Erase the answers, too, that had one of them in mind.")
    ] = False,
    yes: Annotated[bool, typer.Option("-y", "--yes", help="Do not ask.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Erase memories, every trace of them.

    Text, vectors, index entries and the records of answers go, and are
    overwritten in the file. Nothing is erased when one of the ids is wrong.
    """
    with unlocked(find_place(ctx)) as assistant:
        plan = assistant.memory.plan_forgetting(ids, with_answers=with_answers)
        if not plan.turns:
            raise typer.Exit(NOTHING_FOUND)
        if not as_json:
            _show(plan)
        if dry_run:
            if as_json:
                output.say_json({"plan": _plan_fields(plan), "receipt": None})
            return
        if not yes and not _is_wanted(plan):
            raise typer.Exit(USAGE)
        receipt = assistant.memory.forget(plan)
    if as_json:
        output.say_json({"plan": _plan_fields(plan), "receipt": _receipt_fields(receipt)})
    else:
        streams.say(f"forgot {_counted(receipt.turns, receipt.conversations)}")
    if receipt.pending:
        streams.warn("another process has the vault open: traces go from its file when that one closes it")
    elif receipt.residue:
        streams.tell_error(f"traces are still in the file ({receipt.residue}); opening the vault again purges it anew")
        raise typer.Exit(STORAGE)


def _show(plan: "ForgettingPlan") -> None:
    short = output.short_ids([turn.id for turn in (*plan.turns, *plan.answers)])
    for turn in plan.turns:
        output.say_cut(f"goes   {output.turn_line(turn, short)}")
    for conversation in plan.conversations:
        output.say_cut(f"goes   the conversation {output.flat(conversation.title)!r}, left without a turn")
    for turn in plan.answers:
        output.say_cut(f"stays  {output.turn_line(turn, short)}")
    if plan.answers:
        streams.tell("What stays had one of these in mind when it was written, and may repeat it: see --with-answers.")


def _is_wanted(plan: "ForgettingPlan") -> bool:
    """Ask on the terminal; refuse where there is none."""
    sys.stdout.flush()
    if not (streams.is_terminal(sys.stdin) and streams.is_terminal(sys.stderr)):
        streams.tell_error("nothing was forgotten: there is no terminal to ask; give -y to go on without asking")
        return False
    sys.stderr.write(f"Forget {_counted(len(plan.turns), len(plan.conversations))} for good? [y/N] ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().casefold() in {"y", "yes"}:
        return True
    streams.tell("nothing was forgotten")
    return False


def _counted(turns: int, conversations: int) -> str:
    memories = output.counted(turns, "memory", "memories")
    return f"{memories} and {output.counted(conversations, 'conversation')}" if conversations else memories


def _plan_fields(plan: "ForgettingPlan") -> dict[str, Any]:
    return {
        "turns": [output.turn_fields(turn) for turn in plan.turns],
        "conversations": [output.conversation_fields(conversation) for conversation in plan.conversations],
        "answers_that_stay": [output.turn_fields(turn) for turn in plan.answers],
    }


def _receipt_fields(receipt: Receipt) -> dict[str, Any]:
    return {
        "id": receipt.id,
        "time": output.utc(receipt.time),
        "turns": receipt.turns,
        "passages": receipt.passages,
        "conversations": receipt.conversations,
        "pages_scanned": receipt.pages_scanned,
        "residue": receipt.residue,
        "pending": receipt.pending,
        "digest": receipt.digest,
    }
