"""Forgetting in words: what goes with it, what came of it, and how it is taken back."""

from assistant.memory.associative import AssociativeMemory
from assistant.memory.forgetting import ForgettingPlan
from storage.grace import Forgetting
from storage.records import Receipt, Turn
from storage.ties import TieCounts
from tui.text import count, day, excerpt, minute, one_line

MOST_SHOWN = 100
"""Of each kind of thing; more are counted."""
SHOWN_CHARACTERS = 60
UNDO = "/undo"
"""Takes back what was forgotten last, from where one writes."""
NOTHING_WAITS = "Nothing waits to be forgotten: there is nothing to take back."


def consequences(plan: ForgettingPlan, *, backups: int) -> list[str]:
    """Give what else forgetting does, a line each.

    Parameters
    ----------
    plan
        All that goes.
    backups
        How many backups of the vault are known; each may hold it.
    """
    return [
        *(f"The conversation “{one_line(each.title)}” is empty then, and goes too." for each in plan.conversations),
        *_list("What was made of it goes, too", [quoted(concept.text) for concept in plan.concepts]),
        *_list(
            "Stays, with less to rest on",
            [f"{quoted(one.concept.text)} ({one.left} of {len(one.concept.support)})" for one in plan.weakened],
        ),
        *(
            [f"The model reads {count(plan.read_again, 'turn')} again that it had read with this."]
            if plan.read_again
            else []
        ),
        *([f"Links that go: {ties(plan.ties)}."] if plan.ties.total else []),
        *_list("Holds again", [said(turn) for turn in plan.returning]),
        *([f"Of these, {count(len(plan.pinned), 'is', 'are')} pinned."] if plan.pinned else []),
        *([f"Of these, {count(len(plan.archived), 'rests', 'rest')} in the archive."] if plan.archived else []),
        *_list(_answers(len(plan.answers)), [said(turn) for turn in plan.answers]),
        *_list("Taken for other names, and stay", sorted(map(one_line, plan.look_alikes))),
        *([_in_backups(backups)] if backups else []),
    ]


def ties(counts: TieCounts) -> str:
    """Give how many edges of each kind there are: `3 in time, 1 of likeness`."""
    kinds = (
        (counts.temporal, "in time"),
        (counts.abstraction, "to concepts"),
        (counts.association, "of likeness"),
        (counts.learned, "learned"),
    )
    return ", ".join(f"{number:,} {kind}" for number, kind in kinds if number)


def said(turn: Turn) -> str:
    """Give the day and the beginning of what was said."""
    return f"{day(turn.time)}  {quoted(turn.text)}"


def quoted(text: str) -> str:
    """Give the beginning of a text on one line."""
    return excerpt(one_line(text), SHOWN_CHARACTERS)


def counted(gone: Forgetting | Receipt) -> str:
    """Give how much it is: `2 memories and 1 concept`."""
    parts = [count(gone.turns, "memory", "memories")] if gone.turns or not gone.concepts else []
    parts += [count(gone.concepts, "concept")] if gone.concepts else []
    return " and ".join(parts)


def forgotten_line(gone: Forgetting | Receipt, *, undo: str = UNDO) -> str:
    """Give what came of forgetting: until when a key or a command takes it back, or the proof that nothing is left."""
    if isinstance(gone, Forgetting):
        return f"Forgotten: {counted(gone)}. {undo} takes it back until {minute(gone.until.astimezone())}."
    return receipt_line(gone)


def receipt_line(receipt: Receipt) -> str:
    """Give the proof of an erasure in one line."""
    gone = f"Forgotten: {counted(receipt)}"
    if receipt.pending:
        return f"{gone}. Another process holds the file: the last traces go when it lets go."
    proof = [f"{count(receipt.pages_scanned, 'page')} scanned", f"{count(receipt.residue, 'trace')} left"]
    if receipt.probes:
        proof.insert(1, f"{count(receipt.probes, 'vector')} looked for")
    stale = f" {_in_backups(receipt.backups)}" if receipt.backups else ""
    return f"{gone}. {', '.join(proof)}.{stale}"


def take_back(memory: AssociativeMemory, id: str = "") -> str:  # noqa: A002
    """Undo a forgetting, the latest when none is named, and say so.

    Raises
    ------
    NotFound
        It is not there any more: it was erased, or taken back elsewhere.
    """
    waiting = memory.vault.forgettings()
    if not waiting:
        return NOTHING_WAITS
    return f"Taken back: {counted(memory.undo(id or waiting[-1].id))}."


def _list(head: str, lines: list[str]) -> list[str]:
    """Give a heading and what stands under it; nothing when there is nothing."""
    if not lines:
        return []
    shown = [f"  {line}" for line in lines[:MOST_SHOWN]]
    left = len(lines) - len(shown)
    return [f"{head}:", *shown, *([f"  and {left:,} more"] if left else [])]


def _answers(number: int) -> str:
    return f"{count(number, 'answer')} drew on this and {'stays' if number == 1 else 'stay'}"


def _in_backups(number: int) -> str:
    return f"{count(number, 'backup')} may still hold it: see assistant vault backup."
