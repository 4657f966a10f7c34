import os
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.language.wire import MOST_BYTES, BadFrame, FrameSplitter, write_frame

MESSAGES = st.lists(st.dictionaries(st.text(max_size=5), st.text(max_size=20), max_size=3), max_size=5)


@given(MESSAGES, st.integers(1, 7))
def test_messages_come_through_in_whatever_pieces(messages: list[dict[str, Any]], size: int) -> None:
    reading, writing = os.pipe()
    for message in messages:
        write_frame(writing, message)
    os.close(writing)
    splitter, found = FrameSplitter(), []
    while received := os.read(reading, size):
        found += splitter.feed(received)
    os.close(reading)
    assert found == messages


@pytest.mark.parametrize(
    "received", [b"\xff\xff\xff\xff", b"\0\0\0\1{", b"\0\0\0\2[]", (MOST_BYTES + 1).to_bytes(4, "big")]
)
def test_what_is_no_message_is_refused(received: bytes) -> None:
    with pytest.raises(BadFrame):
        FrameSplitter().feed(received)


def test_a_message_that_is_too_long_is_not_begun() -> None:
    reading, writing = os.pipe()
    with pytest.raises(BadFrame, match="bytes"):
        write_frame(writing, {"text": "x" * MOST_BYTES})
    os.close(writing)
    assert os.read(reading, 1) == b""
    os.close(reading)
