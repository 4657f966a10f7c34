"""Restores a vault from a backup: copied beside the vault, found whole there, and then put in its place."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from storage import files, migrations, replacing
from storage.backup import Progress, verify
from storage.backups import Backup, Backups
from storage.database import Database
from storage.errors import BackupRefused, VaultDamaged
from storage.keys import KEY_FILE, DataKey, KeyFile, Secret
from storage.ledger import Ledger
from storage.unlocking import DATABASE_FILE, read_data_key


@dataclass(frozen=True, slots=True, kw_only=True)
class Restoring:
    """A backup that was found whole, and can take a vault's place."""

    folder: Path
    """Where it shall be restored."""
    key: DataKey
    turns: int
    """That are in it."""
    made: datetime | None
    """When it was made; None when that is not known."""
    receipts: frozenset[str]
    """Identifiers of the receipts for what had been forgotten when it was made."""

    def take_place(self, backups: Sequence[Backup] = ()) -> None:
        """Put it in the place of the vault that is there, if there is one.

        That vault goes when the restored one was opened in its place. Whenever the process ends, the one or the other
        is there, whole.

        Parameters
        ----------
        backups
            Those that the replaced vault knew of: the restored one shall know of them too.

        Raises
        ------
        VaultBusy
            Somebody has that vault open.

        """
        replacing.put(self.folder)
        try:
            database = Database(self.folder / DATABASE_FILE, self.key)
            try:
                known = Backups(database)
                for backup in backups:
                    if known.find(backup.path) is None:
                        known.note(backup)
            finally:
                database.close()
        except BaseException:
            replacing.take_back(self.folder)
            raise
        replacing.settle(self.folder)


@contextmanager
def restoring(source: Path, folder: Path, secret: Secret, progress: Progress) -> Iterator[Restoring]:
    """Give a backup that is ready to take a vault's place; nothing of it is left at the end if it did not.

    Parameters
    ----------
    source
        The backup's folder. It stays as it is.
    folder
        Where the vault lies, or shall lie.
    secret
        What opens the backup.
    progress
        Told how far it is.

    Raises
    ------
    BackupRefused
        There is no backup in the folder.
    WrongPassphrase, VaultKeyChanged
        The secret does not open it.
    VaultDamaged, VaultNewer
        It is not whole, or of a newer version of the program; the vault stays as it is.
    VaultBusy, DiskFull, VaultReadOnly

    """
    replacing.complete(source)
    for name in (KEY_FILE, DATABASE_FILE):
        with files.translated(source):
            if not (source / name).is_file():
                message = f"There is no backup in {source}: it has no {name}. Give the folder that one was made in."
                raise BackupRefused(message)
    keys = KeyFile.read(source / KEY_FILE)
    opened = keys.candidates(secret, source / KEY_FILE)  # a wrong passphrase is told before anything is copied
    if keys.pending is None:
        secret = opened[0]
    files.make_folder(folder)
    with files.held(folder):
        replacing.complete(folder)
        with replacing.draft_in(folder) as draft:
            yield _prepared(source, folder, draft, secret, progress)


def _prepared(source: Path, folder: Path, draft: Path, secret: Secret, progress: Progress) -> Restoring:
    """Copy a backup and see that the copy is whole."""
    database = source / DATABASE_FILE
    with replacing.unused(database) if os.access(database, os.W_OK) else nullcontext():
        for name in (KEY_FILE, f"{DATABASE_FILE}-wal", DATABASE_FILE):  # closing the database lets go of its lock
            if (source / name).exists():
                replacing.copy(source / name, draft / name)
    file = draft / DATABASE_FILE
    try:
        key = read_data_key(draft, secret)
        verify(file, key, progress)
        return _looked_at(folder, Database(file, key), key)
    except VaultDamaged as error:
        message = f"The backup in {source} is damaged, and nothing was restored. Choose another one."
        raise VaultDamaged(message) from error


def _looked_at(folder: Path, database: Database, key: DataKey) -> Restoring:
    try:
        migrations.upgrade(database)
        made = Backups(database).listing()
        return Restoring(
            folder=folder,
            key=key,
            turns=database.value("select count(*) from turn"),
            made=made[-1].time if made else None,
            receipts=frozenset(receipt.id for receipt in Ledger(database).listing()),
        )
    finally:
        database.close()
