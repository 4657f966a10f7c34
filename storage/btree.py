"""Reads SQLite's b-trees from pages, without SQLite (https://www.sqlite.org/fileformat2.html, sections 1.5 to 2.1)."""

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from storage.database import Value
from storage.page_cipher import CONTENT_BYTES

Read = Callable[[int], bytes | None]
"""Gives what a page holds; None for one that cannot be read."""

TABLE_LEAF, TABLE_INNER, INDEX_LEAF, INDEX_INNER = 13, 5, 10, 2
_FILE_HEADER_BYTES = 100
_WIDTHS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
"""Bytes of an integer by its serial type."""
_FLOAT, _ZERO, _ONE, _FIRST_BLOB = 7, 8, 9, 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A row of a table, or an entry of an index."""

    rowid: int | None
    """None for an entry of an index."""
    values: tuple[Value, ...] | None
    """None when a page that it goes on at cannot be read."""
    overflow: tuple[int, ...]
    """The pages that it goes on at, as far as they are known."""


def kind(page: bytes, number: int) -> int:
    """Give what a page is, if it is of a b-tree: one of the four constants above."""
    return page[_start(number)]


def children(page: bytes, number: int) -> list[int]:
    """Give the pages below one."""
    start = _start(number)
    if page[start] not in {TABLE_INNER, INDEX_INNER}:
        return []
    below = [_big(page, at) for at in _cell_offsets(page, start)]
    return [*below, _big(page, start + 8)]


def cells(read: Read, page: bytes, number: int) -> Iterator[Cell]:
    """Give what lies on a page: the rows of a table's leaf, or the entries of an index's page."""
    start = _start(number)
    form = page[start]
    if form not in {TABLE_LEAF, INDEX_LEAF, INDEX_INNER}:
        return
    for offset in _cell_offsets(page, start):
        at = offset + 4 if form == INDEX_INNER else offset
        length, at = _varint(page, at)
        rowid = None
        if form == TABLE_LEAF:
            unsigned, at = _varint(page, at)
            rowid = unsigned - (1 << 64) if unsigned >> 63 else unsigned
        payload, overflow = _payload(read, page, at, length, in_table=form == TABLE_LEAF)
        yield Cell(rowid=rowid, values=None if payload is None else _values(payload), overflow=overflow)


def free_pages(read: Read) -> list[int]:
    """Give the pages that hold nothing, as far as that can be read."""
    first = read(1)
    found: list[int] = []
    trunk = _big(first, 32) if first is not None else 0
    while trunk and trunk not in found:
        found.append(trunk)
        page = read(trunk)
        if page is None:
            break
        found += struct.unpack_from(f">{_big(page, 4)}I", page, 8)
        trunk = _big(page, 0)
    return found


def _start(number: int) -> int:
    return _FILE_HEADER_BYTES if number == 1 else 0


def _cell_offsets(page: bytes, start: int) -> tuple[int, ...]:
    header = 12 if page[start] in {TABLE_INNER, INDEX_INNER} else 8
    (count,) = struct.unpack_from(">H", page, start + 3)
    return struct.unpack_from(f">{count}H", page, start + header)


def _payload(read: Read, page: bytes, at: int, length: int, *, in_table: bool) -> tuple[bytes | None, tuple[int, ...]]:
    """Give the bytes of a record and the pages that it goes on at."""
    least = (CONTENT_BYTES - 12) * 32 // 255 - 23
    most = CONTENT_BYTES - 35 if in_table else (CONTENT_BYTES - 12) * 64 // 255 - 23
    if length <= most:
        return page[at : at + length], ()
    local = least + (length - least) % (CONTENT_BYTES - 4)
    local = local if local <= most else least
    parts, missing = [page[at : at + local]], length - local
    following, overflow = _big(page, at + local), list[int]()
    while missing > 0 and following and following not in overflow:
        overflow.append(following)
        more = read(following)
        if more is None:
            return None, tuple(overflow)
        parts.append(more[4 : 4 + missing])
        missing -= len(parts[-1])
        following = _big(more, 0)
    return (b"".join(parts) if missing == 0 else None), tuple(overflow)


def _values(payload: bytes) -> tuple[Value, ...] | None:
    """Give the values of a record; None when it is none."""
    header, at = _varint(payload, 0)
    content, values = header, list[Value]()
    try:
        while at < header:
            serial, at = _varint(payload, at)
            value, width = _value(payload, content, serial)
            values.append(value)
            content += width
    except (IndexError, struct.error, UnicodeDecodeError):
        return None
    return tuple(values)


def _value(payload: bytes, at: int, serial: int) -> tuple[Value, int]:
    """Give one value and how many bytes it takes."""
    if serial >= _FIRST_BLOB:
        width = (serial - _FIRST_BLOB) // 2
        content = payload[at : at + width]
        return (content.decode() if serial % 2 else content), width
    if serial in _WIDTHS:
        width = _WIDTHS[serial]
        return int.from_bytes(payload[at : at + width], "big", signed=True), width
    if serial == _FLOAT:
        return struct.unpack_from(">d", payload, at)[0], 8
    return {_ZERO: 0, _ONE: 1}.get(serial), 0


def _big(page: bytes, at: int) -> int:
    return int.from_bytes(page[at : at + 4], "big")


def _varint(content: bytes, at: int) -> tuple[int, int]:
    """Give an unsigned integer of up to 64 bits, and where the next thing begins."""
    value = 0
    for place in range(8):
        byte = content[at + place]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + place + 1
    return value << 8 | content[at + 8], at + 9
