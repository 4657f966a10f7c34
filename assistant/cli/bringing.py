"""How an import runs, and what is told of it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from assistant.cli import INTERRUPTED, output, streams
from assistant.cli.opening import Place, unlocked
from assistant.errors import BadInput

if TYPE_CHECKING:
    from assistant.importers.exports import Checking
    from assistant.importers.imported import Imported
    from assistant.importers.run import ImportSummary


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What all readers are told."""

    user_name: str
    checking: "Checking"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """How an import is wanted."""

    source_name: str
    dry_run: bool
    forgotten_too: bool
    as_json: bool


def bring_in(place: Place, read: "Callable[[Reading], Iterable[Imported]]", wish: Wish) -> None:
    """Import what is read, and tell how far it is and what came of it."""
    from assistant.importers.run import import_turns

    kept: ImportSummary | None = None
    total = 0

    def checking(turns: int) -> None:
        nonlocal total
        total = max(total, turns)
        streams.tell_progress(f"reading: {turns:,} turns")

    def tell(summary: "ImportSummary") -> None:
        nonlocal kept
        kept = summary
        streams.tell_progress(_progress(summary, total))

    turns = read(Reading(user_name=place.config.user_name, checking=checking))
    try:
        with unlocked(place) as assistant:
            summary = import_turns(
                assistant.memory,
                turns,
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


def _progress(summary: "ImportSummary", total: int) -> str:
    """Give how far it is: of a total that is known once all was checked, and is that of messages for some formats."""
    done = summary.added + summary.known + summary.forgotten
    known = f", {summary.known:,} known already" if summary.known else ""
    return f"importing: {done:,} of {max(total, done):,} turns{known}"


def take_in_export(place: Place, path: Path, *, dry_run: bool, as_json: bool) -> None:
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
