"""What the exports of chat programs have in common: archives and folders, trees of messages, ways to write a time."""

import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from io import BufferedReader
from pathlib import Path, PurePosixPath
from typing import Any, TypeAlias, TypeVar, cast

from assistant.errors import BadInput

Given = TypeVar("Given")
Checking: TypeAlias = Callable[[int], None]
"""Told how many turns of an export were read while it is checked."""
TOLD_EACH = 2000
"""Turns: some are read many times a second."""
MILLISECONDS_FROM = 1e11
"""Numbers of seconds since 1970 are below it until the year 5138, numbers of milliseconds above it since 1973."""


def files(path: Path, wanted: re.Pattern[str], *, within: str = "") -> Iterator[tuple[str, BufferedReader]]:
    """Give name and content of each wanted file, in order: those of a folder or an archive, or the file itself.

    Parameters
    ----------
    path
        A folder, a zip archive, or a single file, which may have any name.
    wanted
        Fits the whole name of a file, without its folders.
    within
        Only those that lie in a folder of this name; of a single file then nothing.

    Raises
    ------
    BadInput
        It cannot be read, or not be unpacked.

    """
    with translated(str(path)):
        if path.is_dir():
            folder = path / within
            found = folder.iterdir() if folder.is_dir() else ()
            for inside in sorted(inside for inside in found if wanted.fullmatch(inside.name)):
                with inside.open("rb") as file:
                    yield inside.name, file
        elif zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                for name in sorted(one for one in archive.namelist() if _is_wanted(PurePosixPath(one), wanted, within)):
                    with archive.open(name) as member:
                        yield PurePosixPath(name).name, BufferedReader(cast("Any", member))
        elif not within:
            with path.open("rb") as file:
                yield path.name, file


def _is_wanted(inside: PurePosixPath, wanted: re.Pattern[str], within: str) -> bool:
    return wanted.fullmatch(inside.name) is not None and (not within or inside.parent.name == within)


def checked(read: Callable[[], Iterator[Given]], checking: Checking | None = None) -> Iterator[Given]:
    """Give what is read, after all of it was read once: nothing is given of an export that is broken further on."""
    for _ in counted(read(), checking):
        pass
    yield from read()


def counted(given: Iterable[Given], checking: Checking | None) -> Iterator[Given]:
    """Give the same, and tell now and then, and at the end, how many there were so far."""
    number = 0
    for number, one in enumerate(given, 1):
        if checking is not None and number % TOLD_EACH == 0:
            checking(number)
        yield one
    if checking is not None:
        checking(number)


def branch(parents: Mapping[str, str], tip: str) -> list[str]:
    """Give the way from the first message to the one at the tip of a tree.

    Raises
    ------
    ValueError
        The messages go in a circle; it holds the one at which they do.

    """
    way: dict[str, None] = {}
    while tip in parents:
        if tip in way:
            raise ValueError(tip)
        way[tip] = None
        tip = parents[tip]
    return list(way)[::-1]


def moment(value: object) -> datetime | None:
    """Give a time that is written as ISO-8601 with an offset, or as seconds or milliseconds since 1970; None for none.

    Raises
    ------
    ValueError
        It is something else, or out of range.

    """
    match value:
        case None | "":
            return None
        case bool():
            raise ValueError("no time")
        case int() | float():
            try:
                return datetime.fromtimestamp(value / 1000 if abs(value) >= MILLISECONDS_FROM else value, UTC)
            except (OverflowError, OSError) as error:
                raise ValueError("out of range") from error
        case str():
            time = datetime.fromisoformat(value)
            if time.utcoffset() is None:
                raise ValueError("no offset")
            return time
        case _:
            raise ValueError("no time")


def as_fields(value: object) -> dict[str, Any]:
    """Give an object of JSON, or an empty one where there is none."""
    return value if isinstance(value, dict) else {}


def as_text(value: object) -> str:
    """Give a text, or nothing where there is none; half a character, which cannot be kept, becomes a question mark."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""


@contextmanager
def translated(name: str) -> Iterator[None]:
    """Turn what goes wrong with a file or an archive, while it is opened or read, into this program's words."""
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError) as error:
        # zipfile raises a bare RuntimeError for an archive with a password, and NotImplementedError, which is one, for
        # a way of packing that it does not know; nothing but opening and reading is done in here
        message = f"{name} is an archive that cannot be unpacked: {error}"
        raise BadInput(message) from error
    except OSError as error:
        message = f"{error.filename or name} cannot be read: {error.strerror or error}"
        raise BadInput(message) from error
