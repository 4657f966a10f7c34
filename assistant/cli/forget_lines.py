"""What `assistant forget` shows: the plan, what waits, and the proof of an erasure, as lines and for JSON."""

import sys
from collections.abc import Iterable, Sequence
from shlex import quote
from typing import TYPE_CHECKING, Any

from assistant.cli import output, streams
from storage.records import Concept, Receipt, Turn

if TYPE_CHECKING:
    from assistant.events import ForgetProposed
    from assistant.memory.forgetting import ForgettingPlan
    from storage.grace import Forgetting

MOST_SHOWN = 50
"""Lines of one kind that are shown on a terminal before it asks; `--dry-run` and a pipe get all."""


def show_plan(plan: "ForgettingPlan", *, whole: bool) -> None:
    """Print all that the plan lists; unless `whole`, no more than a screen or two of it on a terminal."""
    most = None if whole or not streams.is_terminal(sys.stdout) else MOST_SHOWN
    nodes: tuple[Turn | Concept, ...] = (*plan.turns, *plan.concepts, *plan.returning, *plan.answers)
    short = output.short_ids([node.id for node in nodes] + [one.concept.id for one in plan.weakened])
    _say_each(("goes   " + output.turn_line(turn, short) for turn in plan.turns), plan.turns, most)
    for conversation in plan.conversations[:most]:
        output.say_cut(f"goes   the conversation {output.flat(conversation.title)!r}, left without a turn")
    _say_each(("goes   " + output.concept_line(one, short) for one in plan.concepts), plan.concepts, most)
    for one in plan.weakened[:most]:
        output.say_cut(f"stays  {output.concept_line(one.concept, short)}, {one.left:,} of them left")
    _say_each(("holds  " + output.turn_line(turn, short) for turn in plan.returning), plan.returning, most)
    _say_each(("stays  " + output.turn_line(turn, short) for turn in plan.answers), plan.answers, most)
    for line in notes(plan):
        streams.tell(line)


def notes(plan: "ForgettingPlan") -> list[str]:
    """Give what else there is to know of a plan, a line each."""
    ties, lines = plan.ties, list[str]()
    if ties.total:
        kinds = (("in time", ties.temporal), ("to concepts", ties.abstraction), ("of likeness", ties.association))
        parts = [f"{count:,} {kind}" for kind, count in (*kinds, ("learned", ties.learned)) if count]
        lines.append(f"Ties of the graph that go: {', '.join(parts)}.")
    for nodes, what in ((plan.pinned, "pinned"), (plan.archived, "in the archive")):
        if nodes:
            lines.append(f"Of the memories that go, {len(nodes):,} {'is' if len(nodes) == 1 else 'are'} {what}.")
    if plan.read_again:
        read = output.counted(plan.read_again, "memory", "memories")
        lines.append(f"Concepts that a model wrote go whole; the next consolidation by a model reads {read} again.")
    if plan.returning:
        lines.append("What holds again was superseded by one of these.")
    if plan.answers:
        lines.append("Answers that stay had one of these in mind when written, and may repeat it: see --with-answers.")
    for conversation in plan.titled:
        title, short = output.flat(conversation.title), conversation.id[: output.SHORTEST_ID]
        lines.append(f"The conversation {title!r} ({short}) stays, and its title or its file has this name.")
    if plan.look_alikes:
        names = ", ".join(map(output.flat, sorted(plan.look_alikes)[:MOST_SHOWN]))
        lines.append(f"Taken for other names, and not chosen: {names}.")
    return lines


def counted(turns: int, conversations: int, concepts: int) -> str:
    """Give what goes in words: `2 memories, 1 conversation and 3 concepts`."""
    *others, last = [
        *([output.counted(turns, "memory", "memories")] if turns or not concepts else []),
        *([output.counted(conversations, "conversation")] if conversations else []),
        *([output.counted(concepts, "concept")] if concepts else []),
    ]
    return f"{', '.join(others)} and {last}" if others else last


def forgetting_line(forgetting: "Forgetting") -> str:
    """Give what waits on one line: id, until when it can be had back, and what it is."""
    counts = counted(forgetting.turns, forgetting.conversations, forgetting.concepts)
    return f"{forgetting.id[: output.SHORTEST_ID]}  until {output.minute(forgetting.until.astimezone())}  {counts}"


def receipt_line(receipt: Receipt) -> str:
    """Give what the search after an erasure found."""
    searched = output.counted(receipt.pages_scanned, "page")
    return f"{searched} searched, {output.counted(receipt.residue, 'trace')}, {output.counted(receipt.probes, 'probe')}"


def forget_command(proposed: "ForgetProposed") -> str:
    """Give the command that forgets what was proposed."""
    request, plan = proposed.request, proposed.plan
    nodes: tuple[Turn | Concept, ...] = (*plan.turns, *plan.concepts)
    if request.everything:
        return "assistant forget --everything"
    if len(nodes) <= MOST_SHOWN or request.last:
        return f"assistant forget {' '.join(output.short_ids([node.id for node in nodes]).values())}"
    way = f"--about {quote(request.name)}" if request.name else f"--query {quote(request.words or request.number)}"
    return f"assistant forget --with-answers {way}"


def plan_fields(plan: "ForgettingPlan") -> dict[str, Any]:
    """Give a plan for JSON."""
    return {
        "turns": [output.turn_fields(turn) for turn in plan.turns],
        "conversations": [output.conversation_fields(conversation) for conversation in plan.conversations],
        "concepts": [output.made_fields(concept) for concept in plan.concepts],
        "concepts_that_stay": [
            {**output.made_fields(one.concept), "support": len(one.concept.support), "support_left": one.left}
            for one in plan.weakened
        ],
        "read_again": plan.read_again,
        "ties": {
            "temporal": plan.ties.temporal,
            "abstraction": plan.ties.abstraction,
            "association": plan.ties.association,
            "learned": plan.ties.learned,
        },
        "returning": [output.turn_fields(turn) for turn in plan.returning],
        "answers_that_stay": [output.turn_fields(turn) for turn in plan.answers],
        "archived": [turn.id for turn in plan.turns if turn.node in plan.archived],
        "pinned": [turn.id for turn in plan.turns if turn.node in plan.pinned],
        "look_alikes": sorted(plan.look_alikes),
        "titled": [output.conversation_fields(conversation) for conversation in plan.titled],
    }


def forgetting_fields(forgetting: "Forgetting") -> dict[str, Any]:
    """Give what waits for JSON."""
    return {
        "id": forgetting.id,
        "time": output.utc(forgetting.time),
        "until": output.utc(forgetting.until),
        "turns": forgetting.turns,
        "passages": forgetting.passages,
        "conversations": forgetting.conversations,
        "concepts": forgetting.concepts,
    }


def receipt_fields(receipt: Receipt) -> dict[str, Any]:
    """Give the proof of an erasure for JSON."""
    return {
        "id": receipt.id,
        "time": output.utc(receipt.time),
        "turns": receipt.turns,
        "passages": receipt.passages,
        "conversations": receipt.conversations,
        "concepts": receipt.concepts,
        "pages_scanned": receipt.pages_scanned,
        "residue": receipt.residue,
        "probes": receipt.probes,
        "backups": receipt.backups,
        "pending": receipt.pending,
        "digest": receipt.digest,
    }


def _say_each(lines: Iterable[str], of: Sequence[object], most: int | None) -> None:
    """Print so many of these lines, and how many more there are."""
    for number, line in enumerate(lines):
        if number == most:
            output.say_cut(f"       and {len(of) - number:,} more; --dry-run shows all")
            return
        output.say_cut(line)
