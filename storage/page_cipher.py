"""The project's own reading of the encrypted file, without SQLite: what the proof of an erasure rests on.

A page of SQLite3 Multiple Ciphers' `chacha20` ends with 16 bytes of nonce and 16 of authentication tag. The first 12
of the nonce are ChaCha20's; its last 4, exclusive-or the page's number, are where the block counter begins. The first
block gives the key of the tag (Poly1305) and the key of the page. Bytes 16 to 23 of the first page are in plain:
SQLite's header needs them; the 16 before them are the salt.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import apsw
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms
from cryptography.hazmat.primitives.poly1305 import Poly1305

from storage.errors import VaultReadOnly
from storage.key_material import PAGE_BYTES, DataKey

_NONCE_BYTES = 16
_TAG_BYTES = 16
_PLAIN_OF_FIRST_PAGE = 24
CONTENT_BYTES = PAGE_BYTES - _NONCE_BYTES - _TAG_BYTES
"""What a page holds."""
LOG_HEADER_BYTES = 32
FRAME_HEADER_BYTES = 24
_PAGES_AT_ONCE = 256
LOCK_PAGE = (1 << 30) // PAGE_BYTES + 1
"""SQLite never writes the page at 1 GiB: locks are taken on its bytes."""
_ATTEMPTS = 3
"""A page that another process's checkpoint writes meanwhile is read again."""


def decrypt_page(key: DataKey, page: bytes, number: int) -> bytes | None:
    """Give a page's content, without nonce and tag; None when it is not what was written with this key.

    Parameters
    ----------
    key
        The data key.
    page
        The page as it lies in the file.
    number
        The page's number, from 1.

    """
    body = len(page) - _NONCE_BYTES - _TAG_BYTES
    nonce, (counter,) = page[body : body + 12], struct.unpack_from("<I", page, body + 12)
    counter ^= number
    keys = _chacha20(key.secret, counter, nonce, bytes(64))
    try:
        Poly1305.verify_tag(keys[:32], page[:-_TAG_BYTES], page[-_TAG_BYTES:])
    except InvalidSignature:
        return None
    plain = _PLAIN_OF_FIRST_PAGE if number == 1 else 0
    return page[:plain] + _chacha20(keys[32:], counter + 1, nonce, page[plain:body])


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """Some pages, one after another."""

    content: bytes
    """What they hold, decrypted and joined."""
    pages: int
    unreadable: int
    """Pages among them that are not what was written with this key."""


def decrypted(file: Path, key: DataKey) -> Iterator[Stretch]:
    """Give every page of a database and every frame of its write-ahead log, some at a time."""
    raw = RawFile(file, apsw.SQLITE_OPEN_MAIN_DB)
    try:
        total = -(-raw.size // PAGE_BYTES)
        for first in range(0, total, _PAGES_AT_ONCE):
            numbers = range(first + 1, min(first + _PAGES_AT_ONCE, total) + 1)
            yield _stretch(raw, key, [((n - 1) * PAGE_BYTES, n) for n in numbers if n != LOCK_PAGE])
    finally:
        raw.close()

    log = file.with_name(file.name + "-wal")
    if not log.exists():
        return
    raw = RawFile(log, apsw.SQLITE_OPEN_WAL)
    try:
        frame = FRAME_HEADER_BYTES + PAGE_BYTES
        for start in range(LOG_HEADER_BYTES, raw.size - frame + 1, frame * _PAGES_AT_ONCE):
            stop = min(start + frame * _PAGES_AT_ONCE, raw.size - frame + 1)
            headers = [(at, raw.read(4, at)) for at in range(start, stop, frame)]
            offsets = [(at + FRAME_HEADER_BYTES, int.from_bytes(number, "big")) for at, number in headers]
            yield _stretch(raw, key, offsets)
    finally:
        raw.close()


class RawFile:
    """A file of the database as it lies on disk.

    It is opened through SQLite's layer for files. An ordinary `open` would do harm: on POSIX, closing any descriptor of
    a file lets go of all locks that the process holds on it, those of the open database among them.
    """

    def __init__(self, path: Path, kind: int) -> None:
        try:
            self._file = apsw.VFSFile("unix", str(path), [kind | apsw.SQLITE_OPEN_READONLY, 0])
        except apsw.CantOpenError as error:
            message = f"{path} cannot be read. Check that it is there, who owns it and its permissions."
            raise VaultReadOnly(message) from error
        self.size = self._file.xFileSize()

    def read(self, count: int, offset: int) -> bytes:
        """Give so many bytes from there on; fewer at the end, and none where the disk fails."""
        try:
            return self._file.xRead(count, offset)
        except apsw.IOError:
            return b""

    def close(self) -> None:
        """Close the file."""
        self._file.xClose()


def _stretch(raw: RawFile, key: DataKey, offsets: list[tuple[int, int]]) -> Stretch:
    pages = [_page(raw, key, offset, number) for offset, number in offsets]
    readable = [page for page in pages if page is not None]
    return Stretch(content=b"".join(readable), pages=len(pages), unreadable=len(pages) - len(readable))


def _page(raw: RawFile, key: DataKey, offset: int, number: int) -> bytes | None:
    before = b""
    for _ in range(_ATTEMPTS):
        page = raw.read(PAGE_BYTES, offset)
        if page == before:  # nobody writes it
            return None
        if len(page) == PAGE_BYTES and (content := decrypt_page(key, page, number)) is not None:
            return content
        before = page
    return None


def _chacha20(key: bytes, counter: int, nonce: bytes, text: bytes) -> bytes:
    """Encrypt or decrypt from a block counter on (RFC 8439)."""
    start = struct.pack("<I", counter & 0xFFFFFFFF) + nonce
    return Cipher(algorithms.ChaCha20(key, start), None).encryptor().update(text)
