"""Puts a whole vault in the place of another, so that a crash at any moment leaves the one or the other.

Two files cannot be renamed at once. So the new ones are laid into a folder beside the old ones, and the renaming of
that folder is the moment from which the new vault counts: whoever opens the vault after a crash moves the files first.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import apsw

from storage import files
from storage.errors import StorageError, VaultBusy, VaultReadOnly
from storage.keys import KEY_FILE
from storage.unlocking import DATABASE_FILE

_DRAFT = "incoming.draft"
_INCOMING = "incoming"
_REPLACED = "replaced"
_LOGS = tuple(DATABASE_FILE + suffix for suffix in ("-wal", "-shm", "-journal"))
_UNFINISHED = (f"{DATABASE_FILE}.draft", f"{KEY_FILE}.draft")
OWN_NAMES = frozenset({DATABASE_FILE, KEY_FILE, _DRAFT, _INCOMING, _REPLACED, *_LOGS, *_UNFINISHED})
"""All that a vault's folder holds of its own at any time."""


def is_pending(folder: Path) -> bool:
    """Whether a vault was put there, and its files are not moved to their places yet."""
    with files.translated(folder):
        return (folder / _INCOMING).exists()


@contextmanager
def draft_in(folder: Path) -> Iterator[Path]:
    """Give an empty folder for the files of the vault that shall come; what is left in it at the end is removed.

    The caller holds the folder, so that nobody else fills or removes it.
    """
    draft = folder / _DRAFT
    _remove(draft)
    files.make_folder(draft)
    try:
        yield draft
    finally:
        _remove(draft)


def put(folder: Path) -> None:
    """Let the vault in the draft take the place of the one in the folder, which is kept aside until `settle`.

    Raises
    ------
    VaultBusy
        Somebody has that one open.

    """
    draft = folder / _DRAFT
    with files.translated(draft), unused(folder / DATABASE_FILE):
        _remove(folder / _REPLACED)
        for name in (DATABASE_FILE, KEY_FILE):
            files.sync(draft / name)
        files.sync_folder(draft)
        draft.rename(folder / _INCOMING)
        files.sync_folder(folder)
        complete(folder)


def complete(folder: Path) -> None:
    """Move the files of a vault that was put there to their places, if a crash came before that."""
    incoming = folder / _INCOMING
    if not is_pending(folder):
        return
    try:
        with files.held(incoming), files.translated(folder):
            if incoming.exists():  # another process may have done it meanwhile
                _move(incoming, folder)
    except StorageError:
        if is_pending(folder):
            raise


def settle(folder: Path) -> None:
    """Remove the vault that was replaced, for the one in its place was opened and is well, and what never came in."""
    if (folder / _REPLACED).exists() and not is_pending(folder):
        _remove(folder / _REPLACED)
    if (folder / _DRAFT).exists():
        with files.held_if_free(folder) as nobody_fills_it:
            if nobody_fills_it:
                _remove(folder / _DRAFT)


def take_back(folder: Path) -> None:
    """Put the vault that was replaced in its place again, if there was a whole one."""
    replaced = folder / _REPLACED
    if (replaced / DATABASE_FILE).exists() and (replaced / KEY_FILE).exists():
        with files.translated(folder):
            replaced.rename(folder / _INCOMING)
        complete(folder)


@contextmanager
def unused(database: Path) -> Iterator[None]:
    """Keep a database from being opened, if there is one.

    It is locked through SQLite's layer for files, as its own connections lock it, those of this process among them.

    Raises
    ------
    VaultBusy
        It is open already.

    """
    if not database.exists():
        yield
        return
    try:
        file = apsw.VFSFile("unix", str(database), [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READWRITE, 0])
    except apsw.Error as error:
        message = f"{database} cannot be opened for writing. Check who owns it and its permissions."
        raise VaultReadOnly(message) from error
    try:
        try:
            file.xLock(apsw.SQLITE_LOCK_SHARED)
            file.xLock(apsw.SQLITE_LOCK_EXCLUSIVE)
        except apsw.BusyError as error:
            message = f"{database.parent} is in use. Close whatever has this vault open, and try again."
            raise VaultBusy(message) from error
        yield
    finally:
        with suppress(apsw.Error):
            file.xUnlock(apsw.SQLITE_LOCK_NONE)
        file.xClose()


def copy(origin: Path, target: Path) -> None:
    """Copy a file for its owner's eyes only."""
    with files.translated(target):
        files.make_file(target)
        with origin.open("rb") as source, target.open("wb") as file:
            shutil.copyfileobj(source, file, 1 << 20)
            file.flush()
            os.fsync(file.fileno())


def _move(incoming: Path, folder: Path) -> None:
    """Move the old files aside and the new ones in. What still lies in the incoming folder tells how far it came.

    The old log goes first: beside the new database it would be taken for its own.
    """
    replaced = folder / _REPLACED
    replaced.mkdir(mode=0o700, exist_ok=True)
    if (incoming / DATABASE_FILE).exists():
        for name in (*_LOGS, DATABASE_FILE):
            _move_if_there(folder / name, replaced / name)
        (incoming / DATABASE_FILE).replace(folder / DATABASE_FILE)
    for name in _LOGS:  # of a vault that is taken back
        _move_if_there(incoming / name, folder / name)
    if (incoming / KEY_FILE).exists():
        _move_if_there(folder / KEY_FILE, replaced / KEY_FILE)
        (incoming / KEY_FILE).replace(folder / KEY_FILE)
    files.sync_folder(folder)
    _remove(incoming)
    files.sync_folder(folder)


def _move_if_there(origin: Path, target: Path) -> None:
    with suppress(FileNotFoundError):
        origin.replace(target)


def _remove(folder: Path) -> None:
    with files.translated(folder), suppress(FileNotFoundError):
        shutil.rmtree(folder)
