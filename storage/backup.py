"""Backups: a vault's database and keys in a folder of their own, encrypted as they are, whole or not there.

A backup is made from a snapshot, so others may write meanwhile. It is built as a draft, read anew with the key and
compared with the snapshot, and only then gets its name.
"""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from storage import digest, files, replacing
from storage.backups import Backup, Backups, key_id
from storage.damage import damaged_pages
from storage.database import Database
from storage.errors import BackupRefused, StorageError, VaultBusy, VaultDamaged, VaultReadOnly
from storage.keys import KEY_FILE, PAGE_BYTES, DataKey, KeyFile
from storage.page_cipher import decrypt_page
from storage.unlocking import DATABASE_FILE

Progress = Callable[[str, int, int], None]
"""Takes what is being done, how much of it is done, and all there is."""

_DRAFT = ".draft"


@dataclass(frozen=True, slots=True, kw_only=True)
class Renewal:
    """What became of the backups that a vault knew of."""

    made: tuple[Backup, ...]
    """Those that were made anew."""
    gone: tuple[Backup, ...]
    """Those that are no longer there, of which the vault knows nothing any more."""
    failed: tuple[tuple[Backup, StorageError], ...]
    """Those that are as they were, each with the reason."""


def make(
    database: Database, key: DataKey, target: Path, *, now: datetime, replace: bool = False, progress: Progress
) -> Backup:
    """Make a backup of an open vault, and give where it lies.

    The vault knows of it before it is there, so that none can lie anywhere unknown.

    Parameters
    ----------
    database, key
        The open vault's.
    target
        The backup's folder. It may not be there, unless it is empty.
    now
        When it is made; aware.
    replace
        Whether it may take the place of another backup of this vault.
    progress
        Told how far it is.

    Raises
    ------
    BackupRefused
        Something else is there, or it would lie inside the vault.
    VaultReadOnly, DiskFull, VaultDamaged, VaultBusy
        It was not made, and nothing of it is left.

    """
    target = target.absolute().resolve()
    backups = Backups(database)
    before = backups.find(target)
    backup = Backup(path=target, time=now.astimezone(UTC), key_id=key_id(key))
    is_there = _is_backup(target, database, key, known=before is not None)
    if is_there and not replace:
        message = f"There is a backup in {target} already. Replace it with --replace, or choose another folder."
        raise BackupRefused(message)
    backups.note(backup)
    try:
        with _place(target, is_there=is_there) as draft:
            _fill(draft, database, key, progress)
    except BaseException:
        backups.drop(target) if before is None else backups.note(before)
        raise
    return backup


def renew(database: Database, key: DataKey, *, now: datetime, progress: Progress) -> Renewal:
    """Make all known backups anew where they lie, so that what was forgotten is in none of them.

    The vault forgets those that are no longer there. One on a disk that is away is no such one.
    """
    backups = Backups(database)
    made, gone, failed = list[Backup](), list[Backup](), list[tuple[Backup, StorageError]]()
    for known in backups.listing():
        if (known.path / DATABASE_FILE).exists() or replacing.is_pending(known.path):
            try:
                made.append(make(database, key, known.path, now=now, replace=True, progress=progress))
            except StorageError as error:
                failed.append((known, error))
        elif known.path.parent.exists():
            with suppress(BackupRefused):
                _clear(_draft_of(known.path))
            backups.drop(known.path)
            gone.append(known)
        else:
            message = f"{known.path} cannot be reached. Attach its disk and renew the backups again."
            failed.append((known, VaultReadOnly(message)))
    return Renewal(made=tuple(made), gone=tuple(gone), failed=tuple(failed))


def verify(file: Path, key: DataKey, progress: Progress, *, expected: str | None = None) -> None:
    """Open a database that nobody else uses, and see that all of it is as it was written.

    Parameters
    ----------
    file, key
        The database and its key.
    progress
        Told how far it is.
    expected
        The digest of its rows, where that is known.

    Raises
    ------
    VaultDamaged
        It is not; the message names what.

    """
    damaged = damaged_pages(file, key, lambda done, total: progress("checking", done, total))
    if damaged:
        message = f"{file} is damaged: it has {len(damaged)} pages that are not as they were written."
        raise VaultDamaged(message)
    database = Database(file, key)
    try:
        sound = database.rows("pragma integrity_check") == [("ok",)] and not database.rows("pragma foreign_key_check")
        if not sound or (expected is not None and digest.of_rows(database) != expected):
            message = f"{file} does not hold what it should."
            raise VaultDamaged(message)
    finally:
        database.close()


def _is_backup(target: Path, database: Database, key: DataKey, *, known: bool) -> bool:
    """Whether a backup of this vault lies there; False when nothing does.

    Raises
    ------
    BackupRefused
        Something else does.

    """
    vault = database.file.parent.resolve()
    if target == vault or vault in target.parents:
        message = f"{target} lies in the vault itself. Choose a folder elsewhere, best on another disk."
        raise BackupRefused(message)
    with files.translated(target):
        if not target.exists():
            return False
        names = {path.name for path in target.iterdir()}
    if not names:
        return False
    if names - replacing.OWN_NAMES or not (known or _opens(target / DATABASE_FILE, key)):
        message = f"{target} holds something else than a backup of this vault. Choose a new folder."
        raise BackupRefused(message)
    return True


def _opens(file: Path, key: DataKey) -> bool:
    """Whether a database's first page was written with this key."""
    with files.translated(file):
        if not file.exists():
            return False
        with file.open("rb") as opened:
            page = opened.read(PAGE_BYTES)
    return len(page) == PAGE_BYTES and decrypt_page(key, page, 1) is not None


@contextmanager
def _place(target: Path, *, is_there: bool) -> Iterator[Path]:
    """Give an empty folder for a backup's files; at the end they lie in the target, all of them or none."""
    if is_there:
        replacing.complete(target)
        with files.held(target), replacing.draft_in(target) as draft:
            yield draft
            replacing.put(target)
            replacing.settle(target)
        return

    draft = _draft_of(target)
    _clear(draft)
    files.make_folder(draft)
    try:
        yield draft
        with files.translated(target):
            files.sync_folder(draft)
            draft.replace(target)
            files.sync_folder(target.parent)
    except BaseException:
        with suppress(StorageError):
            _clear(draft)
        raise


def _draft_of(target: Path) -> Path:
    return target.with_name(target.name + _DRAFT)


def _clear(draft: Path) -> None:
    """Remove the draft that an interrupted attempt left, and nothing else that has its name."""
    with files.translated(draft):
        if not draft.exists():
            return
        if {path.name for path in draft.iterdir()} - replacing.OWN_NAMES:
            message = f"{draft} is in the way. Move it, or choose another folder."
            raise BackupRefused(message)
        shutil.rmtree(draft)


def _fill(draft: Path, database: Database, key: DataKey, progress: Progress) -> None:
    """Put a snapshot of the vault and its keys into a folder, and see that they are whole."""
    keys = database.file.with_name(KEY_FILE)
    with files.translated(keys):
        wrapped = keys.read_bytes()
    file = draft / DATABASE_FILE
    files.make_file(file)
    held = _copy(database, key, file, progress)
    verify(file, key, progress, expected=held)
    with files.translated(keys):
        files.write_whole(draft / KEY_FILE, wrapped)
        if keys.read_bytes() != wrapped or not _fits(draft / KEY_FILE, key):
            raise VaultBusy("The vault's keys were changed meanwhile, and no backup was made. Try again.")
        files.sync(file)


def _fits(keys: Path, key: DataKey) -> bool:
    """Whether a key file tells of this data key, or does not tell."""
    found = KeyFile.read(keys)
    sets = [found.keys] if found.pending is None else [found.keys, found.pending]
    return any(one.fingerprint in {None, key.fingerprint} for one in sets)


def _copy(database: Database, key: DataKey, file: Path, progress: Progress) -> str:
    """Copy a snapshot into an empty file, and give the digest of the rows in it.

    A connection of its own sees the snapshot, so that the others of this process can write too. The copy is built
    anew, which leaves out what pages hold beside their rows.
    """
    origin = Database(database.file, key)
    try:
        copy = Database(file, key)
        try:
            with origin.snapshot():
                held = digest.of_rows(origin)
                origin.copy_into(copy, lambda done, total: progress("copying", done, total))
            copy.run("vacuum")
        finally:
            copy.close()
    finally:
        origin.close()
    return held
