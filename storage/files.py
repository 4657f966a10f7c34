"""Folders and files that only their owner may read, written whole or not at all."""

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from storage.errors import DiskFull, StorageError, VaultReadOnly


def make_folder(folder: Path) -> None:
    """Make a folder for its owner alone, and those above it. One that holds something else keeps its permissions.

    Raises
    ------
    VaultReadOnly
        Something else is in its place, or it may not be made there.

    """
    with translated(folder):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not any(folder.iterdir()):
            folder.chmod(0o700)


def make_file(path: Path) -> None:
    """Make an empty file for its owner alone; SQLite would let others read it."""
    with translated(path):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def write_whole(path: Path, content: bytes) -> None:
    """Put content into a file so that after a crash it holds either the old or the new, and nothing between."""
    draft = path.with_name(path.name + ".draft")
    with translated(path):
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(descriptor)
        draft.replace(path)
        sync_folder(path.parent)


def sync(path: Path) -> None:
    """Make what a file holds durable."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Let no other process do the same in this folder meanwhile."""
    with translated(folder):
        descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def held_if_free(folder: Path) -> Iterator[bool]:
    """Give whether nobody held the folder; then let no other process hold it meanwhile."""
    with translated(folder):
        descriptor = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            free = False
        else:
            free = True
        yield free
    finally:
        os.close(descriptor)


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn the system's errors into the vault's."""
    try:
        yield
    except (FileExistsError, NotADirectoryError) as error:
        message = f"{path} is no place for a vault: a file is in the way. Choose another folder."
        raise VaultReadOnly(message) from error
    except PermissionError as error:
        message = f"{path} cannot be written. Check who owns it and its permissions."
        raise VaultReadOnly(message) from error
    except OSError as error:
        raise _translate(error, path) from error


def _translate(error: OSError, path: Path) -> StorageError:
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT:
            return DiskFull(f"The disk is full, and {path} was not written. Make room and try again.")
        case errno.EROFS:
            return VaultReadOnly(f"{path} lies on a disk that cannot be written. Choose another folder.")
        case _:
            return StorageError(f"{path} cannot be used: {error.strerror}.")
