"""Gives one number for all that a vault holds, by which one sees that nothing was written."""

import hashlib
import struct
from collections.abc import Iterator

from storage.database import Database, Row, Value
from storage.errors import SAVING, VaultDamaged

_FRAME_BYTES = 9
"""Before each value: its type and its length."""


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


def row_of(content: bytes) -> Row:
    """Give the row that `row_bytes` gave the bytes of.

    Raises
    ------
    VaultDamaged
        They are not what it gives.

    """
    try:
        (count,) = struct.unpack_from("<I", content)
        at, values = 4, list[Value]()
        for _ in range(count):
            kind, length = struct.unpack_from("<cQ", content, at)
            at += _FRAME_BYTES
            values.append(_value(kind, content[at : at + length]))
            at += length
    except (struct.error, ValueError) as error:
        message = f"What waits to be forgotten is not as it was written. {SAVING}"
        raise VaultDamaged(message) from error
    return tuple(values)


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


def _value(kind: bytes, content: bytes) -> Value:
    """Give the value of what `_framed` put behind its type."""
    match kind:
        case b"n":
            return None
        case b"i":
            return int(content)
        case b"f":
            return float(struct.unpack("<d", content)[0])
        case b"s":
            return content.decode()
        case b"b":
            return content
        case _:
            raise ValueError("no value has this type")
