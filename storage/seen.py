"""Tells whether something was met before, of more things than the memory of the machine holds.

What was met lies in a file without a name, which is gone when it is closed or the process ends. It holds digests under
a key that is nowhere but in this process: whoever finds it learns how many things were met, and nothing of any.
"""

import hashlib
import secrets
from types import TracebackType
from typing import Self

import apsw

from storage.errors import DiskFull

_DIGEST_BYTES = 16
CACHE_KIB = 8192
"""Some 250,000 digests: most imports never reach the disk."""
_MADE = """
pragma temp_store = file;
attach '' as met;
pragma met.journal_mode = off;
pragma met.synchronous = off;
pragma met.cache_size = {0};
create table met.thing(digest blob primary key, times integer not null, first integer not null) without rowid;
"""
_NOTED = (
    "insert into met.thing(digest, times, first) values (?, 1, ?)"
    " on conflict do update set times = times + 1 returning times, first"
)


class Seen:
    """What was met so far. To be closed, or used in a `with`.

    Parameters
    ----------
    cache_kib
        How much of it memory holds; the rest lies in the file.

    """

    def __init__(self, *, cache_kib: int = CACHE_KIB) -> None:
        self._key = secrets.token_bytes(32)
        self._connection = apsw.Connection("")
        self._connection.execute(_MADE.format(-cache_kib)).fetchall()
        self._connection.execute("begin")

    def note(self, thing: bytes, *, number: int = 0) -> tuple[int, int]:
        """Note a thing, and give how often it was noted before, and the number that it was noted with first.

        Raises
        ------
        DiskFull
            Temporary files cannot be written.

        """
        digest = hashlib.blake2b(thing, key=self._key, digest_size=_DIGEST_BYTES).digest()
        try:
            times, first = self._connection.execute(_NOTED, (digest, number)).get
        except (apsw.FullError, apsw.IOError) as error:
            raise DiskFull("Temporary files cannot be written. Make room for them, or set TMPDIR.") from error
        return times - 1, first

    def close(self) -> None:
        """Forget all of it."""
        self._connection.close(True)  # apsw takes it by position only  # noqa: FBT003

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
