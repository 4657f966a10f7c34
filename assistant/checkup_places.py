"""What a checkup finds about folders, files, disk and keyring."""

import os
import shutil
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from assistant.errors import AgentFailed, KeyringFailed
from assistant.paths import Paths
from storage.errors import DiskFull, StorageError, VaultMissing, VaultReadOnly

SEE_RIGHTS = "assistant paths tells where everything lies: see to the rights of those folders"
LEAST_FREE = 100_000_000
"""Bytes of disk below which a vault may not be able to write any more."""
TO_COMPACT = 2
"""Sizes of a vault that have to be free to write it anew: the copy, and the log of putting it in place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What came of one check."""

    name: str
    ok: bool | None
    """None: not looked at."""
    stops: bool = True
    """Whether something of the program cannot be used like this; else it is a warning."""
    what: str
    fix: str = ""
    error: type[Exception] | None = None
    """What a command would fail with that needs this; None: nothing that has a name."""

    @property
    def level(self) -> str:
        """How bad it is, in a word."""
        if self.ok is None:
            return "unknown"
        return "ok" if self.ok else "failure" if self.stops else "warning"


def vault(paths: Paths) -> Finding:
    """See that there is one, that can be read and written, and that the disk has room."""
    from storage.vault import Vault

    folder = paths.data
    if not Vault.exists(folder):
        what = f"there is none in {folder}"
        return Finding(name="vault", ok=False, what=what, fix="assistant vault init", error=VaultMissing)
    for path in _with_content(folder):
        if not os.access(path, os.R_OK | os.W_OK):
            what, fix = f"{path} cannot be read and written", f"ls -l {path} shows whose it is"
            return Finding(name="vault", ok=False, what=what, fix=fix, error=VaultReadOnly)
    free = shutil.disk_usage(folder).free
    if free < LEAST_FREE:
        what = f"only {free / 1e6:,.0f} MB are free on the disk of {folder}"
        return Finding(name="vault", ok=False, what=what, fix="free some space there", error=DiskFull)
    return Finding(name="vault", ok=True, what=f"{folder}, {free / 1e9:,.1f} GB free")


def rights(paths: Paths) -> Finding:
    """See that nobody else may enter the folders of this program, or read a file in them."""
    for path in _own(paths):
        mode = stat.S_IMODE(path.lstat().st_mode)
        if mode & (stat.S_IRWXG | stat.S_IRWXO):
            right = "700" if path.is_dir() else "600"
            what = f"others may enter or read {path} ({mode:o})"
            return Finding(name="rights", ok=False, stops=False, what=what, fix=f"chmod {right} {path}")
    return Finding(name="rights", ok=True, what="folders and files are for this user alone")


def room(paths: Paths) -> Finding:
    """See that the vault can be written anew, as compacting and the erasing of what was forgotten do."""
    files = list(paths.data.glob("vault.db*")) if paths.data.is_dir() else []
    if not files:
        return Finding(name="room", ok=None, what="not known before there is a vault")
    size = sum(file.stat().st_size for file in files)
    needed, free = TO_COMPACT * size, shutil.disk_usage(paths.data).free
    if free < needed:
        what = f"the vault has {size / 1e6:,.0f} MB, and to write it anew {needed / 1e6:,.0f} MB have to be free"
        fix = f"free {(needed - free) / 1e6:,.0f} MB more on the disk of {paths.data}"
        return Finding(name="room", ok=False, stops=False, what=what, fix=fix)
    return Finding(name="room", ok=True, what=f"the vault has {size / 1e6:,.1f} MB; there is room to write it anew")


def runtime(paths: Paths) -> Finding:
    """See that the process that holds keys can have its socket."""
    from assistant.agent.protocol import check_private, socket_path

    fix = "set ASSISTANT_RUNTIME_DIR to a short folder of your own, with rights 700"
    try:
        folder = socket_path(paths.runtime).parent
        check_private(folder)
    except FileNotFoundError:
        above = next(parent for parent in folder.parents if parent.exists())
        if os.access(above, os.W_OK | os.X_OK):
            return Finding(name="runtime", ok=True, what=f"{folder}, made when a vault is unlocked")
        what = f"{folder} cannot be made"
        return Finding(name="runtime", ok=False, stops=False, what=what, fix=fix)
    except AgentFailed as error:
        return Finding(name="runtime", ok=False, stops=False, what=str(error), fix=fix)
    return Finding(name="runtime", ok=True, what=f"{folder}, for this user alone")


def keyring(paths: Paths) -> Finding:
    """See that the system's keyring gives what opens the vault, where the user chose that."""
    from storage.key_changes import keyring_ids

    fix = "unlock the keyring, or do without it: assistant vault keyring --remove"
    try:
        ids = keyring_ids(paths.data)
        if not ids:
            return Finding(name="keyring", ok=None, what="no vault opens by it: assistant vault keyring")
        from assistant.keychain import wrapping_key

        for key_id in ids:
            wrapping_key(key_id)
    except (KeyringFailed, StorageError) as error:
        return Finding(name="keyring", ok=False, stops=False, what=str(error), fix=fix)
    return Finding(name="keyring", ok=True, what="it holds what opens the vault")


def _with_content(folder: Path) -> Iterator[Path]:
    """Give a folder, and then what lies in it: whoever finds that it cannot be read need not go on."""
    yield folder
    yield from sorted(folder.iterdir())


def _own(paths: Paths) -> Iterator[Path]:
    """Give what is there of this program and not for others: folders, and the files of those that hold what is said."""
    for folder in (paths.data, paths.config):
        if folder.is_dir():
            yield folder
            yield from sorted(path for path in folder.iterdir() if not path.is_symlink())
    if paths.state.is_dir():
        yield paths.state
