"""Another data key for a vault: every page is encrypted anew, and the old key opens nothing of it any more.

The key file is written with the slots of both keys; the database gets the new one in one transaction; what is left
under the old one is overwritten, which a scan without SQLite proves; then the key file is written with the new slots
alone. A process that dies on the way leaves a vault that opens with the same passphrase, and whoever opens it next
finishes what was begun.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from storage.database import Database
from storage.errors import LastSlot, StorageError, VaultBusy
from storage.files import held
from storage.key_material import DataKey, KeyringKey, RecoveryKey
from storage.key_slots import PASSPHRASE, RECOVERY, KeyringSlot, PassphraseSlot, RecoverySlot
from storage.keys import KEY_FILE, KeyFile, KeySet
from storage.unlocking import DATABASE_FILE, Progress, empty_log, fitting, settle, unlocked_keys


@dataclass(frozen=True, slots=True, kw_only=True)
class Rekeyed:
    """What became of the slots when the vault got its new key."""

    kept: tuple[str, ...]
    """Types of the slots that hold the new key."""
    dropped: tuple[str, ...]
    """Types of those that could not be given it: what opens them was not at hand."""


def rekey(
    folder: Path,
    secret: str | RecoveryKey,
    *,
    keyring: KeyringKey | None = None,
    progress: Progress = lambda _what, _share: None,
) -> Rekeyed:
    """Give a vault a new data key.

    Other processes that have it open must unlock it again. Backups made before keep the old key in key files of
    their own.

    Parameters
    ----------
    folder
        The vault's.
    secret
        Its passphrase or its recovery key. What opens the vault afterwards is this, the recovery key in any case,
        and the keyring when its key is given.
    keyring
        The key that the system's keyring holds.
    progress
        Is told what is being done, and how much of it is.

    Raises
    ------
    WrongPassphrase, VaultDamaged, VaultReadOnly, DiskFull
    VaultBusy
        Another process uses the database. Nothing is changed, or, when it began to in the middle, the next opening
        finishes the rest.

    """
    path = folder / KEY_FILE
    with held(folder):
        progress("deriving keys", 0.0)
        keys, old = unlocked_keys(folder, secret)
        new = DataKey.random()
        slots = _wrapped_anew(keys, path, old, new, _Openers(keys.keys.recognised(secret, path), keyring))
        both = replace(
            keys,
            keys=replace(keys.keys, fingerprint=old.fingerprint),
            pending=KeySet(slots=tuple(slots), fingerprint=new.fingerprint),
        )
        _encrypt(folder, both, old, new, progress)
    kept, before = [slot["type"] for slot in slots], [slot["type"] for slot in keys.keys.slots]
    for kind in kept:
        before.remove(kind)
    return Rekeyed(kept=tuple(kept), dropped=tuple(before))


@dataclass(frozen=True, slots=True)
class _Openers:
    """What is at hand for making slots of the new key."""

    secret: str | RecoveryKey
    keyring: KeyringKey | None


def _encrypt(folder: Path, both: KeyFile, old: DataKey, new: DataKey, progress: Progress) -> None:
    """Take the steps; the key file has both keys meanwhile."""
    database = Database(folder / DATABASE_FILE, old)
    try:
        if not empty_log(database):
            message = f"Another process uses {database.file}. Nothing was changed: close that one and try again."
            raise VaultBusy(message)
        both.write(folder / KEY_FILE)
        progress("encrypting every page anew", 0.0)
        try:
            database.give_key(new)
        except StorageError:
            database.close()
            settle(folder, both, fitting(folder, [old, new]), None)
            raise
    finally:
        database.close()
    if not settle(folder, both, new, old, progress=progress):
        message = f"{database.file} has its new key. Traces of the old one go when no other process uses it any more."
        raise VaultBusy(message)


def _wrapped_anew(keys: KeyFile, path: Path, old: DataKey, new: DataKey, openers: _Openers) -> list[Mapping[str, Any]]:
    """Give slots that hold the new key, in the order of those that can have it."""
    slots: list[Mapping[str, Any]] = []
    types: set[str] = set()
    for slot in keys.keys.slots:
        anew = None if slot["type"] in types else _anew(slot, path, old, new, openers)
        if anew is not None:
            slots.append(anew)
            types.add(slot["type"])
    if not types & {PASSPHRASE, RECOVERY}:
        raise LastSlot("Nothing would open the vault after it. Give the passphrase.")
    return slots


def _anew(
    slot: Mapping[str, Any], path: Path, old: DataKey, new: DataKey, openers: _Openers
) -> Mapping[str, Any] | None:
    """Give a slot with the new key for what opens this one; None when that is not at hand."""
    match slot["type"], openers.secret:
        case "passphrase", str(passphrase):
            return PassphraseSlot.wrap(new, passphrase, PassphraseSlot.read(slot, path).cost)
        case "recovery", _:
            recovery = RecoverySlot.read(slot, path)
            return recovery.again(new) if recovery.was_made_by_holder_of(old) else None
        case "keyring", _ if openers.keyring is not None:
            keyring = KeyringSlot.read(slot, path)
            fits = keyring.open(openers.keyring) is not None
            return KeyringSlot.wrap(new, openers.keyring, keyring.key_id) if fits else None
        case _:
            return None
