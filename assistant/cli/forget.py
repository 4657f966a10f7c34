"""`assistant forget`."""

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assistant.cli import NOTHING_FOUND, STORAGE, USAGE, output, streams
from assistant.cli.opening import find_place, unlocked
from assistant.cli.shape import single
from storage.records import Concept, Receipt, Turn

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

    Text, vectors, index entries, the records of answers and the concepts that
    rest on them go, and are overwritten in the file. What one of them had taken
    the place of holds again. Nothing is erased when one of the ids is wrong.
    """
    with unlocked(find_place(ctx)) as assistant:
        plan = assistant.memory.plan_forgetting(ids, with_answers=with_answers)
        if not plan.turns and not plan.concepts:
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
        streams.say(f"forgot {_counted(receipt.turns, receipt.conversations, receipt.concepts)}")
    if receipt.pending:
        streams.warn("another process has the vault open: traces go from its file when that one closes it")
    elif receipt.residue:
        streams.tell_error(f"traces are still in the file ({receipt.residue}); opening the vault again purges it anew")
        raise typer.Exit(STORAGE)


def _show(plan: "ForgettingPlan") -> None:
    nodes: tuple[Turn | Concept, ...] = (*plan.turns, *plan.concepts, *plan.returning, *plan.answers)
    short = output.short_ids([node.id for node in nodes])
    for turn in plan.turns:
        output.say_cut(f"goes   {output.turn_line(turn, short)}")
    for conversation in plan.conversations:
        output.say_cut(f"goes   the conversation {output.flat(conversation.title)!r}, left without a turn")
    for concept in plan.concepts:
        output.say_cut(f"goes   {output.concept_line(concept, short)}")
    for turn in plan.returning:
        output.say_cut(f"holds  {output.turn_line(turn, short)}")
    for turn in plan.answers:
        output.say_cut(f"stays  {output.turn_line(turn, short)}")
    if plan.returning:
        streams.tell("What holds again was superseded by one of these.")
    if plan.answers:
        streams.tell("What stays had one of these in mind when it was written, and may repeat it: see --with-answers.")


def _is_wanted(plan: "ForgettingPlan") -> bool:
    """Ask on the terminal; refuse where there is none."""
    sys.stdout.flush()
    if not (streams.is_terminal(sys.stdin) and streams.is_terminal(sys.stderr)):
        streams.tell_error("nothing was forgotten: there is no terminal to ask; give -y to go on without asking")
        return False
    sys.stderr.write(
        f"Forget {_counted(len(plan.turns), len(plan.conversations), len(plan.concepts))} for good? [y/N] "
    )
    sys.stderr.flush()
    if sys.stdin.readline().strip().casefold() in {"y", "yes"}:
        return True
    streams.tell("nothing was forgotten")
    return False


def _counted(turns: int, conversations: int, concepts: int) -> str:
    """Give what goes in words: `2 memories, 1 conversation and 3 concepts`."""
    *others, last = [
        *([output.counted(turns, "memory", "memories")] if turns or not concepts else []),
        *([output.counted(conversations, "conversation")] if conversations else []),
        *([output.counted(concepts, "concept")] if concepts else []),
    ]
    return f"{', '.join(others)} and {last}" if others else last


def _plan_fields(plan: "ForgettingPlan") -> dict[str, Any]:
    return {
        "turns": [output.turn_fields(turn) for turn in plan.turns],
        "conversations": [output.conversation_fields(conversation) for conversation in plan.conversations],
        "concepts": [output.made_fields(concept) for concept in plan.concepts],
        "returning": [output.turn_fields(turn) for turn in plan.returning],
        "answers_that_stay": [output.turn_fields(turn) for turn in plan.answers],
    }


def _receipt_fields(receipt: Receipt) -> dict[str, Any]:
    return {
        "id": receipt.id,
        "time": output.utc(receipt.time),
        "turns": receipt.turns,
        "passages": receipt.passages,
        "conversations": receipt.conversations,
        "concepts": receipt.concepts,
        "pages_scanned": receipt.pages_scanned,
        "residue": receipt.residue,
        "pending": receipt.pending,
        "digest": receipt.digest,
    }
