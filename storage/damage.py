"""Reads a database page by page without SQLite: which pages are damaged, and what the others hold."""

import struct
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

import apsw

from storage.key_material import PAGE_BYTES, DataKey
from storage.page_cipher import FRAME_HEADER_BYTES, LOCK_PAGE, LOG_HEADER_BYTES, RawFile, decrypt_page

_ATTEMPTS = 3
"""A page that another process's checkpoint writes meanwhile is read again."""
_LOOKS = 5
"""Between looking a page up in the log and reading it there, others may begin the log anew."""
_TOLD_EVERY = 1024
"""Pages between two calls that tell of progress."""
_FRAME = struct.Struct(">III")
"""Of a frame's header: the page's number, the pages of the database when it ends a commit, the log's first salt."""


class Pages:
    """The pages of a database as its last commit left them: its file's, and over them those of its log."""

    def __init__(self, file: Path, key: DataKey) -> None:
        """Open the file and its log, if there is one, beside whoever else uses them."""
        self._key = key
        self._file = RawFile(file, apsw.SQLITE_OPEN_MAIN_DB)
        self.count = -(-self._file.size // PAGE_BYTES)
        """How many there should be."""
        self.damaged_frames = 0
        """Frames of the log that belong to it and are not as they were written."""
        self.log_is_foreign = False
        """Whether there are frames in the log, and none was written with the key."""
        self._frames: dict[int, int] = {}
        self._log: RawFile | None = None
        log = file.with_name(file.name + "-wal")
        if log.exists():
            self._log = RawFile(log, apsw.SQLITE_OPEN_WAL)
            self._read_log(self._log)
        first = self.page(1)
        if first is not None and first[24:28] == first[92:96]:  # else it was not kept up to date
            self.count = int.from_bytes(first[28:32], "big")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
        if self._log is not None:
            self._log.close()

    def page(self, number: int) -> bytes | None:
        """Give what a page holds, from the log if that has it; None when it is damaged or there is none."""
        if self._log is not None and number in self._frames:
            return self._read(self._log, self._frames[number], number)
        return self.stored(number)

    def stored(self, number: int) -> bytes | None:
        """Give what a page holds in the file itself; None when it is damaged or there is none."""
        return self._read(self._file, (number - 1) * PAGE_BYTES, number)

    def _read(self, raw: RawFile, offset: int, number: int) -> bytes | None:
        for _ in range(_ATTEMPTS):
            page = raw.read(PAGE_BYTES, offset)
            if len(page) == PAGE_BYTES and (content := decrypt_page(self._key, page, number)) is not None:
                return content
        return None

    def _read_log(self, log: RawFile) -> None:
        """Find where the log has which page, up to its last commit.

        Frames with another salt are left over from before the log was begun anew. A frame that is damaged hides no
        later one here, as it does from SQLite: each page proves by itself that it was written with the key. A log
        without one that does belongs to another vault, and counts for nothing.
        """
        header = log.read(LOG_HEADER_BYTES, 0)
        if len(header) < LOG_HEADER_BYTES:
            return
        (salt,) = struct.unpack_from(">I", header, 16)
        waiting: dict[int, int] = {}
        damaged = committed_damaged = 0
        size = FRAME_HEADER_BYTES + PAGE_BYTES
        for start in range(LOG_HEADER_BYTES, log.size - size + 1, size):
            number, pages, salt_here = _FRAME.unpack(log.read(_FRAME.size, start))
            offset = start + FRAME_HEADER_BYTES
            if salt_here != salt:
                break
            if self._read(log, offset, number) is None:
                damaged += 1
                continue
            waiting[number] = offset
            if pages:
                self._frames |= waiting
                waiting.clear()
                self.count, committed_damaged = pages, damaged
        if self._frames:
            self.damaged_frames = committed_damaged
        self.log_is_foreign = damaged > 0 and not self._frames and not waiting


def damaged_pages(file: Path, key: DataKey, progress: Callable[[int, int], None]) -> list[int]:
    """Give the numbers of a database's pages that are not as they were written, ascending.

    Parameters
    ----------
    file, key
        The database and its key. Others may use it: pages that seem damaged are looked up and read again.
    progress
        Told how many pages were read, and of how many.

    """
    with Pages(file, key) as pages:
        suspects = []
        for number in range(1, pages.count + 1):
            if number != LOCK_PAGE and pages.page(number) is None:
                suspects.append(number)
            if number % _TOLD_EVERY == 0 or number == pages.count:
                progress(number, pages.count)
    for _ in range(_LOOKS):
        if not suspects:
            break
        with Pages(file, key) as pages:
            suspects = [number for number in suspects if number <= pages.count and pages.page(number) is None]
    return suspects


def damaged_frames(file: Path, key: DataKey) -> int:
    """Give how many frames of a database's log are not as they were written, though others may write to it."""
    fewest = 0
    for _ in range(_LOOKS):
        with Pages(file, key) as pages:
            fewest = pages.damaged_frames
        if not fewest:
            break
    return fewest
