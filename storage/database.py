"""The one connection to the encrypted file: statements, transactions, and SQLite's errors in the vault's words.

Readers and unfinished statements would block the purge that follows an erasure, so each statement is fetched whole.
"""

import json
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import apsw

from storage.errors import (
    SAVING,
    AlreadyThere,
    DiskFull,
    StorageError,
    VaultBusy,
    VaultDamaged,
    VaultLocked,
    VaultReadOnly,
)
from storage.files import translated
from storage.keys import CIPHER, KEY_FILE, PAGE_BYTES, DataKey, changed, key_changed

Value = str | int | float | bytes | None
Row = tuple[Any, ...]

_BUSY_MILLISECONDS = 5000
_CACHE_KIB = 65536
"""Above the size of 30,000 vectors; SQLite's default of 2 MB makes a search five times slower."""
_PAGES_AT_ONCE = 1024
"""4 MiB are copied between two calls that tell of progress."""

_OUTER = ("begin immediate", "commit", "rollback")
"""A transaction that turns into a writer halfway fails at once when another writes: each begins as one."""
_INNER = ("savepoint within_{0}", "release within_{0}", "rollback to within_{0}; release within_{0}")


class Database:
    """An open encrypted database that any thread may use.

    Raises
    ------
    VaultDamaged, VaultReadOnly, VaultBusy, DiskFull
        From any method, in one line; and `VaultLocked` once it is closed.

    """

    def __init__(self, file: Path, key: DataKey) -> None:
        self.file = file
        self._lock = threading.RLock()
        self._depth = 0
        self._fingerprint = key.fingerprint
        _refuse_torn(file)
        with self._translated():
            self._connection: apsw.Connection | None = apsw.Connection(str(file), flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            self._unlock(key)
            self._prepare()
        except BaseException:
            self.close()
            raise

    def __repr__(self) -> str:
        return f"Database({str(self.file)!r})"

    def rows(self, statement: str, bindings: Sequence[Value] = ()) -> list[Row]:
        """Give all rows of a statement."""
        with self._lock:
            connection = self._live()
            with self._translated():
                return connection.execute(statement, bindings).fetchall()

    def row(self, statement: str, bindings: Sequence[Value] = ()) -> Row | None:
        """Give the first row of a statement, or None when it has none."""
        found = self.rows(statement, bindings)
        return found[0] if found else None

    def value(self, statement: str, bindings: Sequence[Value] = ()) -> Any:
        """Give the first column of the first row; None when there is no row."""
        found = self.row(statement, bindings)
        return None if found is None else found[0]

    def run(self, statement: str, bindings: Sequence[Value] = ()) -> None:
        """Run a statement, or several when nothing is bound."""
        self.rows(statement, bindings)

    def run_each(self, statement: str, bindings: Iterable[Sequence[Value]]) -> None:
        """Run a statement once for each sequence of values."""
        with self._lock:
            connection = self._live()
            with self._translated():
                connection.executemany(statement, bindings).fetchall()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit all that is done inside together, or nothing of it; one within another can be undone by itself.

        Other threads wait until it is over. The outermost one moves the change counter.
        """
        with self._lock:
            begin, commit, undo = (words.format(self._depth) for words in (_INNER if self._depth else _OUTER))
            self._depth += 1
            try:
                self.run(begin)  # a signal may raise between any two steps, and so after this one
                yield
                if self._depth == 1:
                    self.run("update change set counter = counter + 1")
                self.run(commit)
            except BaseException:
                self._undo(undo)
                raise
            finally:
                self._depth -= 1

    def in_transaction(self) -> bool:
        """Whether this thread is inside a transaction; waits while another one is."""
        with self._lock:
            return self._depth > 0

    @contextmanager
    def patience(self, milliseconds: int) -> Iterator[None]:
        """Wait no longer than this for other processes, instead of the usual five seconds."""
        with self._lock:
            connection = self._live()
            connection.set_busy_timeout(milliseconds)
            try:
                yield
            finally:
                connection.set_busy_timeout(_BUSY_MILLISECONDS)

    @contextmanager
    def without_references(self) -> Iterator[None]:
        """Enforce no references between rows in the transactions inside, so that a table can be made anew.

        Raises
        ------
        StorageError
            It is within a transaction, where SQLite cannot change this.

        """
        with self._lock:
            if self._depth:
                raise StorageError("References are enforced until a transaction ends.")
            try:
                self.run("pragma foreign_keys = 0")
                yield
            finally:
                self.run("pragma foreign_keys = 1")

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Read the database inside as it was at the beginning, whatever others write meanwhile.

        They can neither empty the write-ahead log nor build the file anew until it ends.
        """
        with self._lock:
            self.run("begin")
            try:
                self.value("select counter from change")  # what is seen is settled by the first statement that reads
                yield
            finally:
                self._undo("rollback")

    def copy_into(self, other: "Database", progress: Callable[[int, int], None]) -> None:
        """Make another database hold what this one holds: page by page, so that neither waits for long.

        Parameters
        ----------
        other
            An empty one under the same key.
        progress
            Called now and then with the pages that are copied and all there are.

        """
        with self._lock, self._translated():
            target = other._live()  # noqa: SLF001  # of the same class
            with target.backup("main", self._live(), "main") as copying:
                while not copying.done:
                    try:
                        copying.step(_PAGES_AT_ONCE)
                    except apsw.FullError as error:
                        raise other._failure(error) from error  # noqa: SLF001  # of the same class
                    progress(copying.page_count - copying.remaining, copying.page_count)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Let no other thread of this process use the database meanwhile."""
        with self._lock:
            yield

    def close(self) -> None:
        """Close the file; the last process that does so also empties the write-ahead log."""
        with self._lock:
            connection, self._connection = self._connection, None
            if connection is not None:
                connection.close(True)  # apsw takes it by position only  # noqa: FBT003

    def _unlock(self, key: DataKey) -> None:
        """Set cipher and key.

        An error of apsw carries the statement in its traceback, and this one holds the key: it is let go before the
        translated one is raised.
        """
        connection = self._live()
        connection.set_busy_timeout(_BUSY_MILLISECONDS)
        failure: StorageError | None = None
        try:
            connection.pragma("cipher", CIPHER)
            connection.pragma("page_size", PAGE_BYTES)
            connection.execute(f"pragma key = \"x'{key.hexadecimal}'\"", can_cache=False)
            connection.execute("select count(*) from sqlite_master").fetchall()
        except apsw.Error as error:
            failure = self._failure(error)
        if failure is not None:
            raise failure

    def give_key(self, key: DataKey) -> None:
        """Encrypt every page with another key, in one transaction."""
        with self._lock:
            connection = self._live()
            failure: StorageError | None = None
            try:
                connection.execute(f"pragma rekey = \"x'{key.hexadecimal}'\"", can_cache=False).fetchall()
            except apsw.Error as error:
                failure = self._failure(error)
            if failure is not None:  # raised here, as in `_unlock`: the statement holds the key
                raise failure
            self._fingerprint = key.fingerprint

    def _prepare(self) -> None:
        """Set what each connection needs."""
        connection = self._live()
        with self._translated():
            if connection.readonly("main"):
                message = f"{self.file} cannot be written. Check who owns it and its permissions."
                raise VaultReadOnly(message)
            mode = connection.pragma("journal_mode", "wal")
            if mode != "wal":
                message = f"{self.file} lies where SQLite cannot keep a write-ahead log. Use a local disk."
                raise VaultReadOnly(message)
            connection.pragma("synchronous", "full")
            connection.pragma("secure_delete", 1)
            connection.pragma("temp_store", "memory")
            connection.pragma("foreign_keys", 1)
            connection.pragma("trusted_schema", 0)
            connection.pragma("cache_size", -_CACHE_KIB)
            connection.enable_load_extension(True)  # apsw takes it by position only  # noqa: FBT003
            connection.load_extension(_vector_extension())
            connection.enable_load_extension(False)  # noqa: FBT003  # apsw takes it by position only

    def _live(self) -> apsw.Connection:
        if self._connection is None:
            raise VaultLocked("The vault is locked. Unlock it with its passphrase.")
        return self._connection

    def _undo(self, statement: str) -> None:
        """Take back a transaction, unless it is over already: SQLite did so, or a signal raised right after its end."""
        if self._connection is None or not self._connection.in_transaction:
            return
        try:
            self._connection.execute(statement).fetchall()
        except apsw.Error as error:
            if "no such savepoint" not in str(error):
                raise self._failure(error) from error

    def _failure(self, error: apsw.Error) -> StorageError:
        """Give the vault's error for one of SQLite's, which cannot tell a changed key from damage."""
        keys = self.file.with_name(KEY_FILE)
        if isinstance(error, apsw.NotADBError) and key_changed(keys, self._fingerprint):
            return changed(keys)
        return _translate(error, self.file)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except apsw.Error as error:
            raise self._failure(error) from error


def _refuse_torn(file: Path) -> None:
    """Refuse a file that ends within a page, unless its log has that page: SQLite would take the rest as it is."""
    log = file.with_name(file.name + "-wal")
    with translated(file):
        torn = file.stat().st_size % PAGE_BYTES != 0 and not (log.exists() and log.stat().st_size)
    if torn:
        message = f"{file} was cut short. {SAVING}"
        raise VaultDamaged(message)


def _vector_extension() -> str:
    """Give the path of sqlite-vec's library. Importing the package for it would import numpy, which takes 100 ms."""
    package = find_spec("sqlite_vec")
    if package is None or not package.submodule_search_locations:
        raise StorageError("sqlite-vec is not installed. Install the program again.")
    return str(Path(package.submodule_search_locations[0]) / "vec0")


def listed(values: Iterable[int | str]) -> str:
    """Give values as JSON, for `in (select value from json_each(?))`: as many as there are, under one `?`."""
    return json.dumps([value if isinstance(value, str) else int(value) for value in values])


def listed_rows(rows: Iterable[Sequence[int]]) -> str:
    """Give rows of numbers as JSON, for `in (select value ->> 0, value ->> 1 from json_each(?))`."""
    return json.dumps([list(map(int, row)) for row in rows])


def _translate(error: apsw.Error, file: Path) -> StorageError:  # noqa: PLR0911  # a table, one line for each
    """Give the vault's error for one of SQLite's."""
    match error:
        case apsw.FullError():
            return DiskFull(f"The disk is full, and nothing of this was written to {file}. Make room and try again.")
        case apsw.BusyError() | apsw.LockedError():
            return VaultBusy(f"Another process has been writing to {file} for too long. Let it finish and try again.")
        case apsw.ReadOnlyError() | apsw.CantOpenError() | apsw.PermissionsError():
            return VaultReadOnly(f"{file} cannot be opened for writing. Check who owns it and its permissions.")
        case apsw.CorruptError() | apsw.NotADBError() | apsw.SQLError() if _is_damage(error):
            return VaultDamaged(f"{file} is not as it was written. {SAVING}")
        case apsw.ConstraintError() if getattr(error, "extendedresult", 0) in _UNIQUE:
            return AlreadyThere("Something with this identifier is in the vault already.")
        case apsw.IOError():
            return StorageError(f"The disk failed while {file} was used. Check the disk and its free space.")
        case _:
            return StorageError(f"The vault could not do this: {error}")


def _is_damage(error: apsw.Error) -> bool:
    """Whether what was read is not what was written; sqlite-vec says so in words only."""
    return not isinstance(error, apsw.SQLError) or bool(
        re.search(r"vector data|from blob|sqlite-vec error", str(error))
    )


_UNIQUE = frozenset({apsw.SQLITE_CONSTRAINT_UNIQUE, apsw.SQLITE_CONSTRAINT_PRIMARYKEY, apsw.SQLITE_CONSTRAINT_ROWID})
