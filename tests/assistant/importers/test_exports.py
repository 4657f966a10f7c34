"""What exports have in common: JSON read as it comes, trees, times, archives."""

import io
import json
import zipfile
from datetime import UTC, datetime
from io import BufferedReader
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.errors import BadInput
from assistant.importers import json_stream
from assistant.importers.exports import branch, moment
from assistant.importers.json_stream import walk

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=20,
)


class Dripping(io.RawIOBase):
    """A file that gives a few bytes at a time, and counts them."""

    def __init__(self, content: bytes, step: int) -> None:
        self.content, self.step, self.given = content, step, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece = self.content[self.given : self.given + min(self.step, len(buffer))]
        buffer[: len(piece)] = piece
        self.given += len(piece)
        return len(piece)


def opened(text: str | bytes) -> BufferedReader:
    return BufferedReader(cast("Any", io.BytesIO(text if isinstance(text, bytes) else text.encode())))


@given(st.lists(JSON, max_size=6), st.integers(1, 9))
def test_a_list_is_given_value_by_value_wherever_what_is_read_at_once_ends(values: list[object], step: int) -> None:
    usual = json_stream.READ_AT_ONCE
    json_stream.READ_AT_ONCE = step
    try:
        found = list(walk("x", opened(json.dumps(values, indent=step % 3)), [()]))
    finally:
        json_stream.READ_AT_ONCE = usual
    assert found == [((), value) for value in values]


def test_lists_below_lists_are_given_with_what_stands_before_them() -> None:
    document = {"about": {"x": [1]}, "chats": {"list": [{"name": "Jo", "messages": [1, {"a": 2}]}, {"messages": []}]}}
    assert list(walk("x", opened(json.dumps(document)), [("chats", "list", "messages")])) == [
        (("about",), {"x": [1]}),
        (("chats", "list", "name"), "Jo"),
        (("chats", "list", "messages"), 1),
        (("chats", "list", "messages"), {"a": 2}),
    ]


def test_the_first_value_comes_before_the_last_is_read() -> None:
    content = json.dumps([{"text": "x" * 1000}] * 20_000).encode()
    file = Dripping(content, 1 << 16)
    first = next(walk("x", BufferedReader(file), [()]))
    assert first == ((), {"text": "x" * 1000})
    assert file.given < len(content) / 5


@pytest.mark.parametrize(
    "content",
    ["", "[", "[1", "[1,", '["a', '[{"a": 1]', "[1 2]", '{"a" 1}', "[" * 100_000, "[1]]", b'["\xff"]', "[1] []", "nul"],
)
def test_what_is_no_json_is_refused_in_one_line(content: str | bytes) -> None:
    with pytest.raises(BadInput, match=r"^x\.json is not JSON: ") as caught:
        list(walk("x.json", opened(content), [(), ("a", "b")]))
    assert "\n" not in str(caught.value)


def test_a_mistake_at_the_beginning_is_told_without_reading_to_the_end() -> None:
    file = Dripping(b'[{"a": oops}, ' + b" " * 50_000_000, 1 << 20)
    with pytest.raises(BadInput, match="not JSON"):
        list(walk("x", BufferedReader(file), [()]))
    assert file.given < 5_000_000


@given(st.dictionaries(st.text(max_size=2), st.text(max_size=2), max_size=8), st.text(max_size=2))
def test_a_branch_leads_from_parent_to_child_or_goes_in_a_circle(parents: dict[str, str], tip: str) -> None:
    try:
        way = branch(parents, tip)
    except ValueError:
        return
    assert way == ([] if tip not in parents else way)
    assert [parents[one] for one in way[1:]] == way[:-1]
    assert not way or (way[-1] == tip and parents[way[0]] not in parents)


def test_a_circle_is_named() -> None:
    with pytest.raises(ValueError, match=r"^a$"):
        branch({"a": "b", "b": "a"}, "a")


def test_times_are_seconds_milliseconds_or_iso_with_an_offset() -> None:
    then = datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)
    assert {moment(1_700_000_000), moment(1_700_000_000_000), moment("2023-11-14T23:13:20+01:00")} == {then}
    assert moment(None) is moment("") is None
    for wrong in ("noon", "2023-11-14T22:13:20", True, [1], 1e300, float("nan")):
        with pytest.raises(ValueError, match=r"."):
            moment(wrong)


def test_an_archive_whose_content_is_damaged_is_told(tmp_path: Path) -> None:
    from assistant.importers.claude import read_claude

    with zipfile.ZipFile(tmp_path / "export.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", json.dumps([{"uuid": "a", "chat_messages": []}] * 500))
    content = bytearray((tmp_path / "export.zip").read_bytes())
    content[60:90] = bytes(30)
    (tmp_path / "export.zip").write_bytes(content)
    with pytest.raises(BadInput, match=r"cannot be unpacked|not JSON"):
        list(read_claude(tmp_path / "export.zip"))
