"""Reads the SQLite file of another program, and writes nothing to it."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import apsw

from storage.database import Row
from storage.errors import StorageError
from storage.files import translated


class NotReadable(StorageError):
    """It is no SQLite file, or not one that can be read here."""


@dataclass(frozen=True, slots=True)
class ForeignDatabase:
    """An open file of another program."""

    path: Path
    connection: apsw.Connection

    def columns(self, table: str) -> set[str]:
        """Give the names of a table's columns; none when there is no such table."""
        return {name for (name,) in self._rows("select name from pragma_table_info(?)", (table,))}

    def rows(self, table: str, columns: Collection[str], *, order: str) -> Iterator[Row]:
        """Give some columns of all rows of a table, one row after another.

        Parameters
        ----------
        table, columns
            Names as the file has them.
        order
            The column by which the rows are ordered.

        Raises
        ------
        NotReadable
            There is no such table or column, or the file is damaged.

        """
        listed = ", ".join(f'"{column}"' for column in columns)
        yield from self._rows(f'select {listed} from "{table}" order by "{order}"')  # names of the caller  # noqa: S608

    def found(self, table: str, columns: Collection[str], key: str, value: str, *, order: str) -> list[Row]:
        """Give some columns of the rows that hold a value in another, whose name `key` is; see `rows`."""
        listed = ", ".join(f'"{column}"' for column in columns)
        statement = f'select {listed} from "{table}" where "{key}" = ? order by "{order}"'  # noqa: S608
        return list(self._rows(statement, (value,)))

    def _rows(self, statement: str, bindings: tuple[str, ...] = ()) -> Iterator[Row]:
        try:
            yield from self.connection.execute(statement, bindings)
        except apsw.Error as error:
            raise _translate(error, self.path) from error


@contextmanager
def opened(path: Path) -> Iterator[ForeignDatabase]:
    """Give an SQLite file of another program, open for reading.

    Raises
    ------
    NotReadable
        It is none.
    """
    with translated(path), path.open("rb"):  # SQLite says the same of a file that is not there and of a folder
        pass
    try:
        connection = apsw.Connection(f"{path.absolute().as_uri()}?mode=ro", flags=_READ_ONLY)
    except apsw.Error as error:
        raise _translate(error, path) from error
    try:
        yield ForeignDatabase(path, connection)
    finally:
        connection.close(True)  # apsw takes it by position only  # noqa: FBT003


_READ_ONLY = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI


def _translate(error: apsw.Error, path: Path) -> NotReadable:
    return NotReadable(f"{path} cannot be read as SQLite ({' '.join(str(error).split())}). Is it the right file?")
