"""What was met before, of more things than memory holds."""

import resource
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.errors import DiskFull
from storage.seen import Seen


@given(st.lists(st.binary(max_size=3), max_size=40))
def test_each_thing_is_counted_and_has_the_number_it_came_with_first(things: list[bytes]) -> None:
    times: Counter[bytes] = Counter()
    with Seen() as seen:
        for number, thing in enumerate(things):
            assert seen.note(thing, number=number) == (times[thing], things.index(thing))
            times[thing] += 1


def test_what_one_import_met_is_nothing_to_the_next() -> None:
    with Seen() as first, Seen() as second:
        assert first.note(b"heron") == (0, 0)
        assert second.note(b"heron") == (0, 0)


def test_the_file_has_no_name_and_holds_no_word() -> None:
    before = _nameless_files()
    with Seen(cache_kib=64) as seen:
        _note_many(seen, 5_000)
        (spilt,) = [content for name, content in _nameless_files().items() if name not in before]
    assert len(spilt) > 64 * 1024
    assert b"heron" not in spilt


def test_a_full_disk_is_told(full_soon: None) -> None:
    with Seen(cache_kib=64) as seen, pytest.raises(DiskFull, match="set TMPDIR"):
        _note_many(seen, 50_000)


@pytest.fixture
def full_soon() -> Iterator[None]:
    """Files of this process may grow to a part of a megabyte."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 18, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


def _note_many(seen: Seen, count: int) -> None:
    for number in range(count):
        seen.note(b"the heron %d" % number)


def _nameless_files() -> dict[str, bytes]:
    """Give the content of the files of this process that are in no folder."""
    found = {}
    for descriptor in Path("/proc/self/fd").iterdir():
        try:
            named = str(descriptor.readlink())
        except OSError:  # closed meanwhile
            continue
        if named.endswith("(deleted)"):
            found[named] = descriptor.read_bytes()
    return found
