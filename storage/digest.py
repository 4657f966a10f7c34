"""Gives one number for all that a vault holds, by which one sees that nothing was written."""

import hashlib
import struct
from collections.abc import Iterator

from storage.database import Database, Row, Value


def of_rows(database: Database) -> str:
    """Give SHA-256, hexadecimal, over all rows of all tables, those of the indexes among them.

    It is of the rows, not of the file's bytes: building the file anew or emptying its log changes nothing.
    """
    digest = hashlib.sha256()
    with database.alone():
        for name, statement in _tables(database):
            digest.update(_framed(name))
            for row in database.rows(statement):
                digest.update(row_bytes(row))
    return digest.hexdigest()


def row_bytes(row: Row) -> bytes:
    """Give the bytes of a row; no other row has the same."""
    return struct.pack("<I", len(row)) + b"".join(map(_framed, row))


def _tables(database: Database) -> Iterator[tuple[str, str]]:
    """Give the tables that hold rows of their own, each with the statement that reads these in an order."""
    yield "sqlite_schema", "select type, name, tbl_name, sql from sqlite_schema order by type, name"  # not their pages
    for name, without_rowid in database.rows(
        "select name, wr from pragma_table_list where schema = 'main' and type in ('table', 'shadow')"
        " and name <> 'sqlite_schema' order by name"
    ):
        order = "rowid"
        if without_rowid:
            keys = database.rows("select name from pragma_table_info(?) where pk > 0 order by pk", (name,))
            order = ", ".join(f'"{key}"' for (key,) in keys)
        yield name, f'select * from "{name}" order by {order}'  # the schema's own names  # noqa: S608


def _framed(value: Value) -> bytes:
    """Give the bytes of a value behind its type and length."""
    match value:
        case None:
            kind, content = b"n", b""
        case int():
            kind, content = b"i", str(value).encode()
        case float():
            kind, content = b"f", struct.pack("<d", value)
        case str():
            kind, content = b"s", value.encode()
        case bytes():
            kind, content = b"b", value
    return kind + struct.pack("<Q", len(content)) + content
