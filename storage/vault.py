"""The vault: an encrypted database and its key file in a folder of their own."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from storage import backup, checking, digest, erasure, files, grace, migrations, replacing
from storage.associations import Associations
from storage.backup import Renewal
from storage.backups import Backup, Backups
from storage.belongings import Belonging
from storage.branches import Branches
from storage.checking import Fault, Progress
from storage.concepts import Concepts
from storage.conversations import Conversations
from storage.database import Database
from storage.errors import StorageError, VaultBusy, VaultDamaged, VaultExists, VaultLocked, VaultMissing
from storage.forgotten_imports import ForgottenImports
from storage.grace import Forgetting
from storage.keys import CIPHER, KEY_FILE, DataKey, KdfCost, KeyFile, Secret, cost_for_this_machine
from storage.ledger import Ledger
from storage.lexical import Lexical
from storage.orphans import Orphans
from storage.overdue import Overdue
from storage.quarantine import Quarantine
from storage.recollections import Recollections
from storage.records import EmbeddingSpace, Receipt
from storage.settings import Settings
from storage.successions import Successions
from storage.tags import Tags
from storage.ties import Ties
from storage.traces import Traces
from storage.transfer import Transfer
from storage.turns import Turns
from storage.unlocking import DATABASE_FILE, read_data_key
from storage.vectors import Vectors

_DATABASE = DATABASE_FILE
_KEYS = KEY_FILE
_DRAFT = "vault.db.draft"
_BESIDE = ("", "-wal", "-shm", "-journal")
_SHORT_WAIT_MILLISECONDS = 500
"""How long what can be done later, too, waits for others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VaultStatus:
    """What there is to know of a vault without reading in it."""

    folder: Path
    file_bytes: int
    """The database and its write-ahead log."""
    schema: int
    cipher: str
    opened_by: tuple[str, ...]
    """The types of the key file's slots: passphrase, recovery, keyring."""
    cost: KdfCost | None
    """Of guessing the passphrase once; None when no passphrase opens it."""
    sqlite: str
    """SQLite's version."""
    conversations: int
    turns: int
    concepts: int
    passages: int
    space: EmbeddingSpace | None
    receipts: int
    purge_pending: bool
    """Whether traces of something forgotten may still be in the file."""


def _untold(_what: str, _done: int, _all: int) -> None:
    """Tell nobody of progress."""


class Vault:
    """An open vault. Any thread may use it; other processes may have it open too.

    Methods raise `VaultBusy`, `DiskFull`, `VaultReadOnly`, `VaultDamaged` when that is so, and `VaultLocked` after
    `close`.
    """

    def __init__(self, folder: Path, key: DataKey) -> None:
        """Open the database of a folder; `create` and `open` are the ways to here."""
        self.folder = folder
        self.file = folder / _DATABASE
        self._key: DataKey | None = key
        self._database = Database(self.file, key)
        self.conversations = Conversations(self._database)
        self.branches = Branches(self._database)
        self.turns = Turns(self._database)
        self.concepts = Concepts(self._database)
        self.associations = Associations(self._database)
        self.traces = Traces(self._database)
        self.successions = Successions(self._database)
        self.quarantine = Quarantine(self._database)
        self.orphans = Orphans(self._database)
        self.vectors = Vectors(self._database)
        self.lexical = Lexical(self._database)
        self.recollections = Recollections(self._database)
        self.ledger = Ledger(self._database)
        self.forgotten_imports = ForgottenImports(self._database)
        self.settings = Settings(self._database)
        self.transfer = Transfer(self._database)
        self.backups = Backups(self._database)
        self.tags = Tags(self._database)
        self.overdue = Overdue(self._database)
        self.ties = Ties(self._database)

    def __repr__(self) -> str:
        return f"Vault({str(self.folder)!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @classmethod
    def create(cls, folder: Path, passphrase: str, *, cost: KdfCost | None = None) -> Self:
        """Make a vault and give it open.

        The database is built under another name and gets its own after the key file got its. A crash before the key
        file is there leaves nothing that counts; one after it leaves a whole vault, and `open` renames the database.

        Parameters
        ----------
        folder
            Where it shall lie; made when it is not there.
        passphrase
            Not empty.
        cost
            Of guessing the passphrase once; None for what this machine's memory allows.

        Raises
        ------
        VaultExists, EmptyPassphrase, VaultReadOnly, DiskFull
        VaultDamaged
            There is a database without a key file or the other way round.

        """
        if cls.exists(folder):
            _refuse_to_replace(folder)
        key = DataKey.random()
        keys = KeyFile.for_passphrase(key, passphrase, cost or cost_for_this_machine())
        files.make_folder(folder)
        with files.held(folder):
            if cls.exists(folder):
                _refuse_to_replace(folder)
            _build(folder, key)
            keys.write(folder / _KEYS)
            _complete(folder)
        return cls(folder, key)

    @classmethod
    def open(cls, folder: Path, secret: Secret) -> Self:
        """Unlock a vault, bring it to this version's schema, and finish an erasure that was left pending.

        A change of its key that was broken off is finished too.

        Raises
        ------
        VaultMissing, WrongPassphrase, VaultKeyChanged, VaultDamaged, VaultNewer, VaultReadOnly, VaultBusy

        """
        if not cls.exists(folder):
            message = f"There is no vault in {folder}. Create one first."
            raise VaultMissing(message)
        _complete(folder)
        vault = cls(folder, read_data_key(folder, secret))
        try:
            migrations.upgrade(vault._database)
            if vault.ledger.pending():
                with vault._database.patience(_SHORT_WAIT_MILLISECONDS):
                    vault.finish_erasures()
        except BaseException:
            vault.close()
            raise
        replacing.settle(folder)
        return vault

    @staticmethod
    def exists(folder: Path) -> bool:
        """Whether there is a vault in a folder, or what is left of one."""
        with files.translated(folder):
            return (folder / _KEYS).exists() or (folder / _DATABASE).exists() or replacing.is_pending(folder)

    def transaction(self) -> AbstractContextManager[None]:
        """Commit all that is done inside together, or nothing of it.

        Transactions nest: an inner one that fails takes back its own part only, and all is on disk when the outermost
        one ends. Other threads wait meanwhile.
        """
        return self._database.transaction()

    def change_counter(self) -> int:
        """Give a number that grows with every transaction of any process."""
        return int(self._database.value("select counter from change"))

    def digest(self) -> str:
        """Give SHA-256, hexadecimal, over all rows of all tables: the same as long as nothing is written."""
        return digest.of_rows(self._database)

    def erase(self, nodes: Sequence[int], *, revised: Sequence[Belonging] = ()) -> Receipt:
        """Delete nodes, purge the file of their traces, prove it, and give the receipt that went into the ledger.

        Vectors, index entries, associations and recollections go with them, concepts that rest on them, and
        conversations that are left empty. `revised` is what `words_of` gave of turns that have other words since: it is
        searched for, too. Outside any transaction only.
        """
        return erasure.erase(self._database, self._live_key(), nodes, revised=revised)

    def words_of(self, nodes: Sequence[int]) -> list[Belonging]:
        """Give the words and vectors of nodes and of the concepts that rest on them, for when they get other words."""
        return erasure.words_of(self._database, nodes)

    def put_aside(self, nodes: Sequence[int], *, now: datetime, until: datetime) -> Forgetting:
        """Take nodes out of everything, as `erase` does, and let them wait to be erased until they are due."""
        return grace.put_aside(self._database, nodes, now=now, until=until)

    def forgettings(self) -> list[Forgetting]:
        """Give what waits to be erased, oldest first."""
        return grace.forgettings(self._database)

    def take_back(self, id_prefix: str) -> Forgetting:
        """Put back what waits in the one forgetting whose identifier begins so, as far as its place is there.

        Raises
        ------
        NotFound, AmbiguousId
            There is none, or there are several.

        """
        return erasure.take_back_waiting(self._database, self._live_key(), id_prefix)

    def erase_waiting(self, ids: Sequence[str] | None, *, now: datetime) -> Receipt | None:
        """Erase the forgettings whose identifiers begin so, or those that are due; None when none is.

        Raises
        ------
        NotFound, AmbiguousId
            One of these names none, or several.

        """
        return erasure.erase_waiting(self._database, self._live_key(), ids, now=now)

    def finish_erasures(self) -> bool:
        """Try to purge the file of erasures that are pending; give whether none is any more."""
        if not self.ledger.pending():
            return True
        return erasure.finish(self._database, self._live_key())

    def backup(self, target: Path, *, now: datetime, replace: bool = False, progress: Progress = _untold) -> Backup:
        """Make a backup in a folder of its own while the vault is in use, and give where it lies.

        See `storage.backup.make` for what is refused. Outside any transaction only. Traces of what was forgotten go
        first, if nobody holds them.
        """
        with self._database.patience(_SHORT_WAIT_MILLISECONDS):
            self.finish_erasures()
        return backup.make(self._database, self._live_key(), target, now=now, replace=replace, progress=progress)

    def renew_backups(self, *, now: datetime, progress: Progress = _untold) -> Renewal:
        """Make all known backups anew where they lie, so that what was forgotten is in none of them."""
        return backup.renew(self._database, self._live_key(), now=now, progress=progress)

    def check(self, progress: Progress = _untold) -> list[Fault]:
        """Give all that is wrong with the vault; nothing is changed."""
        return checking.check_stored(self.folder, self._live_key(), progress) + self.check_rows(progress)

    def check_rows(self, progress: Progress = _untold) -> list[Fault]:
        """Give what is wrong with what the vault holds, without looking at its pages."""
        return checking.check_rows(self._database, self._live_key(), progress)

    def mend(self) -> None:
        """Make again what can be made again from what was said."""
        checking.mend(self._database)

    def compact(self) -> tuple[int, int]:
        """Build the file anew, so that it takes no more room than what it holds; give its bytes before and after.

        Raises
        ------
        VaultBusy
            Another process has it open; what could be done was done.

        """
        before = _file_bytes(self.folder)
        with self._database.alone(), self._database.patience(_SHORT_WAIT_MILLISECONDS):
            if not erasure.purge(self._database) or not self.finish_erasures():
                raise VaultBusy("Another process has the vault open. Close it and try again.")
        return before, _file_bytes(self.folder)

    def status(self) -> VaultStatus:
        """Give what there is to know of the vault without reading in it."""
        value = self._database.value
        path = self.folder / _KEYS
        keys = KeyFile.read(path)
        return VaultStatus(
            folder=self.folder,
            file_bytes=_file_bytes(self.folder),
            schema=migrations.version(self._database),
            cipher=CIPHER,
            opened_by=keys.kinds(),
            cost=keys.cost(path),
            sqlite=value("select sqlite_version()"),
            conversations=value("select count(*) from conversation"),
            turns=self.turns.count(),
            concepts=self.concepts.count(),
            passages=value("select count(*) from passage"),
            space=self.vectors.current_space(),
            receipts=value("select count(*) from ledger"),
            purge_pending=bool(self.ledger.pending()),
        )

    def close(self) -> None:
        """Lock the vault: drop its key and close its file."""
        self._key = None
        self._database.close()

    def _live_key(self) -> DataKey:
        if self._key is None:
            raise VaultLocked("The vault is locked. Unlock it with its passphrase.")
        return self._key


def _build(folder: Path, key: DataKey) -> None:
    """Make the database under its draft's name, in place of what an interrupted attempt left."""
    draft = folder / _DRAFT
    with files.translated(draft):
        for suffix in _BESIDE:
            draft.with_name(draft.name + suffix).unlink(missing_ok=True)
    files.make_file(draft)
    database = Database(draft, key)
    try:
        migrations.begin(database)
    finally:
        database.close()
    with files.translated(draft), draft.open("rb") as file:
        if file.read(16) == b"SQLite format 3\0":
            raise StorageError("SQLite on this machine does not encrypt. Install apsw-sqlite3mc, not apsw.")


def _complete(folder: Path) -> None:
    """Finish what a crash interrupted: a restoring, a making; and see that both files are there."""
    replacing.complete(folder)
    keys, database, draft = folder / _KEYS, folder / _DATABASE, folder / _DRAFT
    if keys.exists() and not database.exists() and draft.exists():
        with files.translated(database), suppress(FileNotFoundError):  # another process may do the same
            draft.replace(database)
            files.sync_folder(folder)
    if not keys.exists():
        message = f"{database} has no {_KEYS} beside it, and cannot be opened without. Put back that of a backup."
        raise VaultDamaged(message)
    if not database.exists():
        message = f"{keys} has no {_DATABASE} beside it. Put back a backup with `assistant vault restore`."
        raise VaultDamaged(message)


def _refuse_to_replace(folder: Path) -> None:
    """Say what is there already."""
    _complete(folder)
    message = f"There is a vault in {folder} already. Unlock it, or choose another folder."
    raise VaultExists(message)


def _file_bytes(folder: Path) -> int:
    """Give the size of a vault's database and its log."""
    paths = [folder / (_DATABASE + suffix) for suffix in _BESIDE]
    return sum(path.stat().st_size for path in paths if path.exists())
