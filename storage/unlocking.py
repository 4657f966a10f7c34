"""From a secret to the data key that the database has: also after a change of keys that was broken off.

Between the two writings of the key file there are slots for the old and for the new key, and exactly one of both opens
the database. Whoever unlocks the vault next finds out which, and finishes what was begun.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from storage.database import Database
from storage.errors import SAVING, VaultBusy, VaultDamaged, VaultKeyChanged, WrongPassphrase
from storage.files import held_if_free
from storage.key_material import DataKey, Secret
from storage.keys import KEY_FILE, KeyFile
from storage.page_cipher import decrypted

DATABASE_FILE = "vault.db"

_SHORT_WAIT_MILLISECONDS = 500
"""How long it waits for others to end what they read."""

Progress = Callable[[str, float], None]
"""Is told what is being done, and how much of it is, from 0 to 1."""


def read_data_key(folder: Path, secret: Secret) -> DataKey:
    """Give the key that opens the database of a folder.

    Raises
    ------
    WrongPassphrase, VaultKeyChanged, VaultDamaged, VaultNewer, VaultBusy

    """
    path = folder / KEY_FILE
    keys = KeyFile.read(path)
    if keys.pending is None:
        return keys.unlock(secret, path)
    with held_if_free(folder) as alone:
        keys = KeyFile.read(path)  # whoever held the folder may have finished
        candidates = keys.candidates(secret, path)
        key = fitting(folder, candidates)
        if alone:
            settle(folder, keys, key, _other(candidates, key))
    return key


def unlocked_keys(folder: Path, secret: Secret) -> tuple[KeyFile, DataKey]:
    """Give what the key file holds, and the key that opens the database, with nothing pending any more.

    The caller holds the folder, and may write the key file.

    Raises
    ------
    WrongPassphrase, VaultKeyChanged, VaultDamaged, VaultNewer, VaultBusy

    """
    path = folder / KEY_FILE
    keys = KeyFile.read(path)
    candidates = keys.candidates(secret, path)
    key = fitting(folder, candidates)
    if not settle(folder, keys, key, _other(candidates, key)):
        message = f"A new key for {folder} waits for another process that uses it. Close that one and try again."
        raise VaultBusy(message)
    return KeyFile.read(path), key


def fitting(folder: Path, candidates: list[DataKey]) -> DataKey:
    """Give the key that the database has."""
    for key in candidates:
        with suppress(VaultKeyChanged):
            Database(folder / DATABASE_FILE, key).close()
            return key
    if len(candidates) > 1:
        message = f"{folder / DATABASE_FILE} opens with neither of its keys. {SAVING}"
        raise VaultDamaged(message)
    raise WrongPassphrase(
        "A change of the vault's key was broken off, and this opens only the other one. Give the passphrase."
    )


def settle(
    folder: Path, keys: KeyFile, key: DataKey, old: DataKey | None, *, progress: Progress = lambda _what, _share: None
) -> bool:
    """Finish a change of keys that was broken off; give whether nothing is pending any more.

    While another process reads, what is left of the old key cannot go.

    Parameters
    ----------
    folder
        Held by the caller.
    keys
        What its key file holds.
    key
        The one that the database has.
    old
        The other one, when the secret opened that too: then no page may open with it any more.
    progress
        Is told how much of the search for such pages is done.

    """
    path = folder / KEY_FILE
    if keys.pending is None:
        return True
    if keys.keys.fingerprint == key.fingerprint:
        replace(keys, pending=None).write(path)
        return True
    database = Database(folder / DATABASE_FILE, key)
    try:
        settled = empty_log(database) and (old is None or not pages_under(database, old, progress))
    finally:
        database.close()
    if settled:
        replace(keys, keys=keys.pending, pending=None).write(path)
    return settled


def empty_log(database: Database) -> bool:
    """Write all that is in the write-ahead log into the file; give whether no other process held the log."""
    try:
        with database.patience(_SHORT_WAIT_MILLISECONDS):
            return database.row("pragma wal_checkpoint(truncate)") == (0, 0, 0)
    except VaultBusy:
        return False


def pages_under(database: Database, key: DataKey, progress: Progress) -> int:
    """Give how many pages of a database and its log this key opens, found without SQLite."""
    readable = scanned = 0
    total = max(1, database.value("pragma page_count"))
    for stretch in decrypted(database.file, key):
        readable += stretch.pages - stretch.unreadable
        scanned += stretch.pages
        progress("looking for pages under the old key", min(1.0, scanned / total))
    return readable


def _other(candidates: list[DataKey], key: DataKey) -> DataKey | None:
    return next((other for other in candidates if other is not key), None)
