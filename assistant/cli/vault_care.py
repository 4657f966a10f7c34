"""`assistant vault check|compact|rescue`: what is wrong with the vault, and what can be saved from a damaged one."""

import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assistant.cli import STORAGE, output, streams
from assistant.cli.opening import Place, asked_secret, find_place, held_secret, unlocked_vault
from assistant.cli.shape import AsJson, PlainCommand, group
from assistant.errors import BadInput
from assistant.paths import at_home
from storage.errors import VaultDamaged

if TYPE_CHECKING:
    from storage.checking import Fault
    from storage.keys import DataKey
    from storage.rescue import Rescued, RescuedTurn


app = group("Check the vault, and save what can be saved.", "")


@app.command(
    "check",
    cls=PlainCommand,
    epilog="""
    assistant vault check
    assistant vault check --repair
    """,
)
def check(
    ctx: typer.Context,
    repair: Annotated[bool, typer.Option("--repair", help="Make again what can be made again.")] = False,
    as_json: AsJson = False,
) -> None:
    """Read every page and row of the vault, and tell what is wrong.

    Ends with 0 when nothing is, and with 6 otherwise. Damaged pages cannot be
    repaired: put back a backup, or save the rest with: assistant vault rescue
    """
    found = _checked(find_place(ctx), repair=repair)
    streams.end_progress()
    if as_json:
        output.say_json({"sound": not found, "faults": [asdict(fault) for fault in found]})
    elif not found:
        streams.say("nothing is wrong")
    for fault in [] if as_json else found:
        streams.say(output.flat(f"{fault.what} {fault.remedy}"))
    if found:
        raise typer.Exit(STORAGE)


@app.command("compact", cls=PlainCommand, epilog="assistant vault compact")
def compact(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Build the vault's file anew, as small as it can be.

    Needs twice that room meanwhile, and nobody else may have the vault open.
    """
    with unlocked_vault(find_place(ctx)) as vault:
        before, after = vault.compact()
    if as_json:
        output.say_json({"bytes_before": before, "bytes_after": after})
    else:
        streams.say(f"{before / 1e6:,.1f} MB before, {after / 1e6:,.1f} MB now")


@app.command(
    "rescue",
    cls=PlainCommand,
    epilog="""
    assistant vault rescue saved.jsonl
    assistant import jsonl saved.jsonl
    """,
)
def save_turns(
    ctx: typer.Context,
    path: Annotated[Path, typer.Argument(help="A new file for them.", metavar="FILE")],
    as_json: AsJson = False,
) -> None:
    """Save what was said from a damaged vault, as JSON lines.

    The file is plain text that only you may read. The vault stays as it is. Make
    a new one and import the file there. The key file must be whole, or one of a
    backup be put in its place.
    """
    from storage.rescue import rescue
    from storage.unlocking import DATABASE_FILE

    place = find_place(ctx)
    target = at_home(path)
    if target.exists():
        message = f"{target} is there already; give a new file"
        raise BadInput(message)
    found = rescue(place.paths.data / DATABASE_FILE, _key_of(place), lambda *far: show_progress("reading pages", *far))
    streams.end_progress()
    kept = [turn for turn in found.turns if turn.text.strip()]
    _write_lines(target, kept)
    _tell_rescued(found, kept, target, as_json=as_json)
    if found.lost or found.may_lack:
        raise typer.Exit(STORAGE)


def show_progress(what: str, done: int, all_there_is: int) -> None:
    """Show how far a long task is."""
    streams.tell_progress(f"{what}: {100 * done // max(all_there_is, 1)} %")


def _key_of(place: Place) -> "DataKey":
    """Give the key of a vault that need not open any more."""
    from storage import replacing
    from storage.unlocking import read_data_key

    secret = held_secret(place) or asked_secret(place)
    replacing.complete(place.paths.data)
    return read_data_key(place.paths.data, secret)


def _checked(place: Place, *, repair: bool) -> list["Fault"]:
    """Give what is wrong: first with the files, while nobody has changed them by opening, and then with the rows."""
    from storage.checking import UNREAD, check_stored
    from storage.vault import Vault

    folder = place.paths.data
    key = _key_of(place)
    found = check_stored(folder, key, show_progress)
    try:
        with Vault.open(folder, key) as vault:
            found += vault.check_rows(show_progress)
            if repair and any(fault.mendable for fault in found):
                vault.mend()
                streams.end_progress()
                streams.tell("made again what could be made again")
                found = check_stored(folder, key, show_progress) + vault.check_rows(show_progress)
    except VaultDamaged:
        found.append(UNREAD)
    return found


def _write_lines(target: Path, turns: Sequence["RescuedTurn"]) -> None:
    """Write turns as JSON lines into a new file of their owner's."""
    from storage.files import make_file, translated

    make_file(target)
    with translated(target), target.open("w", encoding="utf-8") as file:
        for turn in turns:
            fields = {
                "conversation": turn.conversation,
                "speaker": turn.speaker,
                "role": turn.role,
                "time": turn.time.isoformat(),
                "text": turn.text,
                "id": turn.id,
                "source": turn.source,
            }
            file.write(json.dumps(fields if turn.whole else fields | {"incomplete": True}, ensure_ascii=False) + "\n")
        file.flush()
        os.fsync(file.fileno())


def _tell_rescued(found: "Rescued", kept: Sequence["RescuedTurn"], target: Path, *, as_json: bool) -> None:
    """Print what was saved and what was not."""
    incomplete = sum(not turn.whole for turn in kept)
    if as_json:
        output.say_json(
            {
                "file": str(target),
                "turns": len(kept),
                "incomplete": incomplete,
                "lost": found.lost,
                "may_lack": found.may_lack,
                "pages": found.pages,
                "damaged": [{"page": number, "held": held} for number, held in found.damaged],
                "damaged_in_log": found.damaged_frames,
            }
        )
    else:
        streams.say(f"saved {output.counted(len(kept), 'memory', 'memories')} into {output.flat(str(target))}")
    streams.warn(f"{target} is plain text: import it into a new vault, and remove it")
    for number, held in found.damaged:
        streams.tell(f"page {number} of {found.pages} is damaged; it held {held}")
    if found.damaged_frames:
        streams.tell(f"{output.counted(found.damaged_frames, 'page')} of the write-ahead log could not be read")
    if incomplete:
        streams.tell(f"of {incomplete} of them it is not known who said it and when")
    if found.lost:
        streams.tell(f"{output.counted(found.lost, 'memory is', 'memories are')} lost")
    elif found.may_lack:
        streams.tell("more may be lost than can be told")
