"""`assistant forget`: what goes, what waits, and what comes back."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assistant.cli import STORAGE, USAGE, output, streams
from assistant.cli import forget_lines as lines
from assistant.cli.asking import agrees
from assistant.cli.dates import read_beginning, read_end
from assistant.cli.opening import Place, find_place, unlocked_vault
from assistant.cli.shape import AsJson, single
from assistant.errors import BadInput
from storage.errors import NotFound

if TYPE_CHECKING:
    from assistant.memory.choosing import Selection
    from assistant.memory.forgetting import ForgettingPlan
    from storage.records import Receipt
    from storage.vault import Vault

EVERYTHING = "everything"
"""What is typed to forget it."""
NOTHING_FORGOTTEN = "nothing was forgotten"

app, command = single(
    """
    assistant forget 3f2a91c0
    assistant forget --dry-run --about Ada
    assistant forget --conversation 77b01e44 --until 2026-03-01
    assistant forget --now -y 3f2a91c0
    assistant forget --undo
    """
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """How it is done."""

    dry_run: bool
    at_once: bool
    with_answers: bool
    yes: bool
    as_json: bool


@command
def forget(
    ctx: typer.Context,
    ids: Annotated[
        list[str] | None, typer.Argument(help="Memories and concepts, by the beginning of their ids.", metavar="ID")
    ] = None,
    query: Annotated[
        str | None, typer.Option("--query", metavar="WORDS", help="Memories with all of these words.")
    ] = None,
    about: Annotated[
        str | None, typer.Option("--about", metavar="NAME", help="Memories that name or are by this person or thing.")
    ] = None,
    conversation: Annotated[
        str | None, typer.Option("--conversation", metavar="ID", help="Memories of this one.")
    ] = None,
    speaker: Annotated[
        str | None, typer.Option("--speaker", metavar="NAME", help="Memories said by who is called so.")
    ] = None,
    since: Annotated[str | None, typer.Option("--since", metavar="TIME", help="Memories said then or later.")] = None,
    until: Annotated[str | None, typer.Option("--until", metavar="TIME", help="Memories said then or earlier.")] = None,
    tag: Annotated[str | None, typer.Option("--tag", metavar="TAG", help="Memories with this tag.")] = None,
    expired: Annotated[bool, typer.Option("--expired", help="Memories that are past their time.")] = False,
    everything: Annotated[bool, typer.Option("--everything", help="All memories.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show all that would go.")] = False,
    at_once: Annotated[bool, typer.Option("--now", help="Erase at once: it cannot be undone.")] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Bring back what was forgotten last, or under this ID.")] = False,
    waiting: Annotated[
        bool, typer.Option("--waiting", help="List what can be brought back; with --now, erase it.")
    ] = False,
    with_answers: Annotated[
        bool, typer.Option("--with-answers", help="Forget the answers, too, that had one of them in mind.")
    ] = False,
    yes: Annotated[bool, typer.Option("-y", "--yes", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Erase memories, every trace of them.

    Several of the options narrow down what is meant. What is forgotten is gone
    from everything at once, and can be brought back for a day (grace_hours in
    the settings); then it is erased, text, vectors, index entries, records of
    answers and the concepts that rest on it, and the file is searched for what
    might be left. What one of them had taken the place of holds again.

    --query and --about take whole words as they are stored, not what is near in
    meaning. A NAME in small letters is a thing: its plural counts, too. Nothing
    goes when an ID is wrong. --expired is what [[retention]] in the settings and
    --expires let go.
    """
    place = find_place(ctx)
    way = Way(dry_run=dry_run, at_once=at_once, with_answers=with_answers, yes=yes, as_json=as_json)
    now = datetime.now().astimezone()
    texts = {"query": query, "about": about, "conversation": conversation, "speaker": speaker, "tag": tag}
    told: dict[str, Any] = {
        **{name: text for name, text in texts.items() if text},
        "since": read_beginning(since, now=now, option="--since") if since else None,
        "until": read_end(until, now=now, option="--until") if until else None,
        "expired": now if expired else None,
    }
    if undo or waiting:
        if (undo and waiting) or (waiting and ids) or dry_run or everything or any(told.values()):
            raise BadInput("--undo takes at most an ID, and --waiting at most --now: leave out what else is given")
        return _undo(place, ids or (), as_json=as_json) if undo else _wait(place, way)
    return forget_selected(place, _selection(place, ids=tuple(ids or ()), everything=everything, **told), way)


def _selection(place: Place, *, everything: bool, expired: datetime | None, **told: Any) -> "Selection":
    """Give what is meant.

    Raises
    ------
    BadInput
        Nothing is told, or everything and something.
    """
    from assistant.memory.choosing import Past, Selection

    narrowed = bool(expired or any(told.values()))
    if everything and narrowed:
        raise BadInput("--everything leaves nothing to choose: leave out what else is given")
    if not everything and not narrowed:
        raise BadInput("say what to forget: ids, or one of --query, --about, --conversation, --everything and so on")
    past = Past(now=expired, rules=place.config.retention) if expired else None
    return Selection(expired=past, everything=everything, **told)


def forget_selected(place: Place, selection: "Selection", way: Way) -> None:
    """Show the plan, ask, and put aside or erase what it lists.

    Raises
    ------
    NotFound, AmbiguousId
        An id names nothing, or several things, or nothing fits.
    """
    from assistant.memory.forgetting import forget, plan_forgetting
    from storage.records import Receipt

    grace = timedelta(0) if way.at_once else timedelta(hours=place.config.grace_hours)
    with unlocked_vault(place, upkeep=not (way.dry_run or selection.expired)) as vault:
        plan = plan_forgetting(vault, selection, with_answers=way.with_answers)
        if not way.as_json:
            lines.show_plan(plan, whole=way.dry_run)
        elif plan.is_empty or way.dry_run:
            output.say_json({"plan": lines.plan_fields(plan), "forgetting": None, "receipt": None})
        if plan.is_empty:
            raise NotFound("nothing that is kept fits this: nothing was forgotten")
        if way.dry_run:
            return
        now = datetime.now().astimezone()
        waiting = [one.id for one in vault.forgettings()] if selection.everything and not grace else []
        if not way.yes and not _is_wanted(plan, until=now + grace if grace else None, whole=selection.everything):
            raise typer.Exit(USAGE)
        if waiting:  # everything is also what was forgotten before
            vault.erase_waiting(waiting, now=now)
        done = forget(vault, plan, now=now, grace=grace)
        backups = _backups(vault)
    if way.as_json:
        proof = lines.receipt_fields(done) if isinstance(done, Receipt) else None
        kept = None if isinstance(done, Receipt) else lines.forgetting_fields(done)
        output.say_json({"plan": lines.plan_fields(plan), "forgetting": kept, "receipt": proof})
    if isinstance(done, Receipt):
        _tell_proof(done, backups, as_json=way.as_json)
        return
    if not way.as_json:
        until = output.minute(done.until.astimezone())
        back = f"assistant forget --undo {done.id[: output.SHORTEST_ID]}"
        streams.say(
            f"forgot {lines.counted(done.turns, done.conversations, done.concepts)}; undo until {until}: {back}"
        )
    _warn_of(backups, "may hold what was forgotten: when it is gone for good, renew them")


def _undo(place: Place, ids: Sequence[str], *, as_json: bool) -> None:
    """Bring back what was forgotten under these ids; without any, what was forgotten last."""
    from assistant.memory.forgetting import put_aside_by_time, undo

    with unlocked_vault(place) as vault:
        waiting, past = vault.forgettings(), put_aside_by_time(vault)
        if not waiting:
            raise NotFound("nothing waits that could be brought back")
        back = [undo(vault, id) for id in ids or [waiting[-1].id]]  # noqa: A001
    if as_json:
        output.say_json([lines.forgetting_fields(one) for one in back])
    for one in back:
        if not as_json:
            streams.say(f"brought back {lines.counted(one.turns, one.conversations, one.concepts)}")
        if one.there:
            streams.tell(f"{output.counted(one.there, 'memory', 'memories')} had come in again, and stay as they are")
        if one.id in past:
            streams.tell(
                "what came back was past its time, and is pinned now, so that it stays: assistant memory unpin"
            )


def _wait(place: Place, way: Way) -> None:
    """List what waits, or erase it at once."""
    with unlocked_vault(place) as vault:
        waiting = vault.forgettings()
        if not way.as_json:
            for one in waiting:
                output.say_cut(lines.forgetting_line(one))
        if not way.at_once or not waiting:
            if way.as_json:
                output.say_json([lines.forgetting_fields(one) for one in waiting])
            elif not waiting:
                streams.tell("nothing waits")
            return
        if not way.yes and not agrees("Erase this for good? [y/N] ", otherwise=NOTHING_FORGOTTEN):
            raise typer.Exit(USAGE)
        receipt = vault.erase_waiting([one.id for one in waiting], now=datetime.now().astimezone())
        backups = _backups(vault)
    if receipt is not None:
        if way.as_json:
            output.say_json(lines.receipt_fields(receipt))
        _tell_proof(receipt, backups, as_json=way.as_json)


def _tell_proof(receipt: "Receipt", backups: Sequence[str], *, as_json: bool) -> None:
    """Print what was erased and what the search found; ends with an error when that is not nothing."""
    if not as_json:
        counts = lines.counted(receipt.turns, receipt.conversations, receipt.concepts)
        proof = "" if receipt.pending else f": {lines.receipt_line(receipt)}"
        streams.say(f"forgot {counts} for good{proof}")
    if receipt.backups:
        _warn_of(backups, "hold what was forgotten, or cannot be opened: renew them")
    if receipt.pending:
        streams.warn("traces are still in the file: they go once no other process has it open and the disk has room")
    elif receipt.residue:
        streams.tell_error(f"traces are still in the file ({receipt.residue}); opening the vault again purges it anew")
        raise typer.Exit(STORAGE)


def _is_wanted(plan: "ForgettingPlan", *, until: datetime | None, whole: bool) -> bool:
    """Ask on the terminal; refuse where there is none."""
    counts = lines.counted(len(plan.turns), len(plan.conversations), len(plan.concepts))
    back = f"It can be brought back until {output.minute(until)}." if until else "It cannot be brought back."
    if whole:
        question = f"Forget {counts}? {back} Type {EVERYTHING} to go on: "
        return agrees(question, otherwise=NOTHING_FORGOTTEN, words={EVERYTHING})
    return agrees(f"Forget {counts}? {back} [y/N] ", otherwise=NOTHING_FORGOTTEN)


def _backups(vault: "Vault") -> list[str]:
    return [str(backup.path) for backup in vault.backups.listing()]


def _warn_of(backups: Sequence[str], what: str) -> None:
    """Tell what there is to know of the copies of the vault; nothing where there is none."""
    if backups:
        streams.warn(f"backups that {what} with: assistant vault backup --renew ({', '.join(backups)})")
