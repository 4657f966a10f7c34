"""`assistant vault backup|restore`: encrypted copies of the vault, and back again."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assistant.cli import STORAGE, USAGE, output, passphrase, streams
from assistant.cli.asking import agrees
from assistant.cli.opening import Place, find_place, unlocked_vault
from assistant.cli.shape import AsJson, PlainCommand, group
from assistant.cli.vault_care import show_progress
from assistant.errors import AgentFailed, BadInput
from assistant.paths import at_home
from storage.errors import StorageError, VaultKeyChanged

if TYPE_CHECKING:
    from storage.backup import Renewal
    from storage.backups import Backup
    from storage.keys import Secret
    from storage.restoring import Restoring
    from storage.vault import Vault

app = group("Back up and restore the vault.", "")


@app.command(
    "backup",
    cls=PlainCommand,
    epilog="""
    assistant vault backup /media/disk/assistant
    assistant vault backup /media/disk/assistant --replace
    assistant vault backup --list
    assistant vault backup --renew
    """,
)
def make_backup(
    ctx: typer.Context,
    path: Annotated[Path | None, typer.Argument(help="A new folder for it.", metavar="PATH")] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Take the place of the backup there.")] = False,
    listing: Annotated[bool, typer.Option("--list", help="List the backups that were made.")] = False,
    renew: Annotated[bool, typer.Option("--renew", help="Make all of them anew, as after forgetting.")] = False,
    as_json: AsJson = False,
) -> None:
    """Copy the vault, encrypted, into a folder of its own.

    The vault may be in use. What opens it opens the backup: the passphrase that
    it has now, or its recovery key. To read your conversations elsewhere, export
    them instead: that is plain text. A backup holds what you forget later until
    it is renewed.
    """
    if (path is not None) + listing + renew != 1:
        raise BadInput("give a folder for the backup, or --list, or --renew; see assistant vault backup --help")
    with unlocked_vault(find_place(ctx)) as vault:
        if listing:
            _list_backups(vault, as_json=as_json)
        elif renew:
            _tell_renewal(vault.renew_backups(now=_now(), progress=show_progress), as_json=as_json)
        elif path is not None:
            made = vault.backup(at_home(path), now=_now(), replace=replace, progress=show_progress)
            streams.end_progress()
            if as_json:
                output.say_json(_backup_fields(made))
            else:
                turns = output.counted(vault.turns.count(), "memory", "memories")
                streams.say(f"backed up {turns} into {output.flat(str(made.path))}")


@app.command(
    "restore",
    cls=PlainCommand,
    epilog="""
    assistant vault restore /media/disk/assistant
    assistant vault restore /media/disk/assistant --profile second
    """,
)
def restore(
    ctx: typer.Context,
    path: Annotated[Path, typer.Argument(help="The backup's folder.", metavar="PATH")],
    yes: Annotated[bool, typer.Option("-y", "--yes", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Put a backup in the place of the vault.

    Asks for the passphrase that the vault had when the backup was made. What was
    told since then is lost, and what was forgotten since then is back. The backup
    is checked first, and stays as it is.
    """
    from storage.restoring import restoring
    from storage.vault import Vault

    place = find_place(ctx)
    passphrase.forbid_core_dumps()
    folder, source = place.paths.data, at_home(path)
    is_there = Vault.exists(folder)
    secret = passphrase.read_passphrase(place.options, place.config)
    with restoring(source, folder, secret, show_progress) as found:
        streams.end_progress()
        backups = list["Backup"]()
        if is_there:
            lines, backups = _what_goes(folder, secret, found)
            if not yes:
                _ask(lines)
        found.take_place(backups)
    _forget_key(place)
    if as_json:
        output.say_json({"folder": str(folder), "turns": found.turns, "made": output.utc(found.made)})
    else:
        streams.say(f"restored {output.counted(found.turns, 'memory', 'memories')} into {output.flat(str(folder))}")


def _now() -> datetime:
    return datetime.now().astimezone()


def _list_backups(vault: "Vault", *, as_json: bool) -> None:
    """Print the backups that the vault knows of, the oldest first."""
    known = vault.backups.listing()
    if as_json:
        output.say_json([_backup_fields(backup) for backup in known])
        return
    for backup in known:
        there = "" if backup.path.exists() else "  (not there)"
        streams.say(f"{output.minute(backup.time.astimezone())}  {output.flat(str(backup.path))}{there}")
    if not known:
        streams.tell("no backup was made")


def _backup_fields(backup: "Backup") -> dict[str, Any]:
    return {
        "path": str(backup.path),
        "made": output.utc(backup.time),
        "there": backup.path.exists(),
        "key_id": backup.key_id,
    }


def _tell_renewal(renewal: "Renewal", *, as_json: bool) -> None:
    """Print which backups were made anew; ends with an error when one could not be."""
    streams.end_progress()
    if as_json:
        output.say_json(
            {
                "renewed": [str(backup.path) for backup in renewal.made],
                "gone": [str(backup.path) for backup in renewal.gone],
                "failed": [str(backup.path) for backup, _ in renewal.failed],
            }
        )
    for backup in [] if as_json else renewal.made:
        streams.say(f"renewed {output.flat(str(backup.path))}")
    for backup in renewal.gone:
        streams.warn(f"{backup.path} is there no more, and is not listed any longer; copies of it hold what they held")
    for _, error in renewal.failed:
        streams.tell_error(str(error))
    if renewal.failed:
        raise typer.Exit(STORAGE)
    if not as_json and not renewal.made:
        streams.tell("no backup is there to be renewed")


def _what_goes(folder: Path, secret: "Secret", found: "Restoring") -> tuple[list[str], list["Backup"]]:
    """Give in lines what a restoring changes, and the backups that the present vault knows of."""
    made = f" of {output.minute(found.made.astimezone())}" if found.made else ""
    lines = [f"The backup{made} holds {output.counted(found.turns, 'memory', 'memories')}."]
    try:
        with _present(folder, secret, found) as vault:
            turns, backups = vault.turns.count(), vault.backups.listing()
            younger = [receipt for receipt in vault.ledger.listing() if receipt.id not in found.receipts]
            waiting = vault.forgettings()
    except StorageError:
        return [*lines, f"The vault in {folder} cannot be opened with this passphrase. All that it holds is lost."], []
    lines.append(
        f"The vault in {folder} holds {output.counted(turns, 'memory', 'memories')}. What was told since is lost."
    )
    if forgotten := len(younger) + len(waiting):
        lines.append(f"What was forgotten since is back: {output.counted(forgotten, 'time')} something was.")
    return lines, backups


def _present(folder: Path, secret: "Secret", found: "Restoring") -> "Vault":
    """Give the vault that is there: mostly it has the backup's key, and to derive another one takes long."""
    from storage.vault import Vault

    try:
        return Vault.open(folder, found.key)
    except VaultKeyChanged:
        return Vault.open(folder, secret)


def _ask(lines: Sequence[str]) -> None:
    """Tell what a restoring changes, and end the command unless it is agreed to."""
    for line in lines:
        streams.tell(output.flat(line))
    if not agrees("Put the backup in its place? [y/N] ", otherwise="nothing was restored"):
        raise typer.Exit(USAGE)


def _forget_key(place: Place) -> None:
    """Let the agent forget the key of the vault that was replaced."""
    from assistant.agent.client import forget_key

    try:
        forget_key(place.paths)
    except AgentFailed as error:
        streams.warn(str(error))
