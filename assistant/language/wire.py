"""How the client and the model process talk: JSON objects over pipes, each with its length before it."""

import json
import os
from typing import Any

MOST_BYTES = 64 << 20
"""Longest message. A prompt of a million tokens has a tenth of it."""


class BadFrame(ValueError):
    """What came in is not a message."""


class FrameSplitter:
    """Puts a stream of bytes, in whatever pieces it comes, back into messages."""

    def __init__(self) -> None:
        self._pending = bytearray()

    def feed(self, received: bytes) -> list[dict[str, Any]]:
        """Give the messages that are whole now.

        Raises
        ------
        BadFrame
            The bytes are no messages.
        """
        self._pending += received
        messages = []
        while len(self._pending) >= 4:
            length = int.from_bytes(self._pending[:4], "big")
            if length > MOST_BYTES:
                message = f"a message of {length} bytes"
                raise BadFrame(message)
            if len(self._pending) < 4 + length:
                break
            messages.append(_parsed(bytes(self._pending[4 : 4 + length])))
            del self._pending[: 4 + length]
        return messages


def write_frame(descriptor: int, message: dict[str, Any]) -> None:
    """Write a message whole.

    Raises
    ------
    OSError
        Nobody reads any more.
    BadFrame
        It is too long.
    """
    body = json.dumps(message).encode("ascii")
    if len(body) > MOST_BYTES:
        text = f"a message of {len(body)} bytes"
        raise BadFrame(text)
    remaining = memoryview(len(body).to_bytes(4, "big") + body)
    while remaining:
        remaining = remaining[os.write(descriptor, remaining) :]


def _parsed(body: bytes) -> dict[str, Any]:
    try:
        message = json.loads(body)
    except ValueError as error:
        raise BadFrame(str(error)) from error
    if not isinstance(message, dict):
        text = "a message that is no object"
        raise BadFrame(text)
    return message
