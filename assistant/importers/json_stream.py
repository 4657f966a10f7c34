"""Reads JSON as it comes: an export may be larger than the machine's memory, while each conversation in it is not."""

import codecs
import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from io import BufferedReader
from typing import Any, NoReturn

from assistant.errors import BadInput
from assistant.importers.exports import translated

READ_AT_ONCE = 1 << 20
"""Bytes; doubled while one value is longer."""
NEAR_THE_END = 16
"""Characters: a mistake so near to the end of what was read may be a value that goes on behind it."""
BLANK = " \t\r\n"
BEHIND_A_NUMBER = {*BLANK, *",]}"}
"""Before anything else it may go on, where what was read ends."""

Path = tuple[str, ...]


def walk(name: str, file: BufferedReader, lists: Collection[Path]) -> Iterator[tuple[Path, Any]]:
    """Give the values of a document with their places, in order, and those of some lists one by one.

    A place is the keys that lead to it: that of the lists themselves is `()` when the document is a list. Lists on the
    way to it, such as one of chats that each have messages, add nothing to it. Values beside the way are given whole.

    Parameters
    ----------
    name
        The file's name, for messages.
    file
        What is read, UTF-8 with or without a byte order mark.
    lists
        Places of lists whose values are given one by one.

    Raises
    ------
    BadInput
        It is not JSON, or what stands at the place of a list is none: then it is given whole.

    """
    reader = _Reader(name, file)
    yield from reader.value((), frozenset(lists))
    if reader.next_character():
        reader.fail("there is more behind its end")


@dataclass(slots=True)
class _Reader:
    """What was read of a file and not yet used."""

    name: str
    file: BufferedReader
    buffer: str = ""
    at: int = 0
    """Where in the buffer one is."""
    ended: bool = False
    decoder: json.JSONDecoder = field(default_factory=json.JSONDecoder)
    bytes_decoder: codecs.IncrementalDecoder = field(default_factory=codecs.getincrementaldecoder("utf-8-sig"))

    def value(self, place: Path, lists: frozenset[Path]) -> Iterator[tuple[Path, Any]]:
        """Give what stands here, in parts where a list lies below it."""
        opening = self.next_character()
        leads_on = any(len(each) > len(place) and each[: len(place)] == place for each in lists)
        if opening == "[" and (place in lists or leads_on):
            for _ in self.elements("]"):
                if place in lists:
                    yield place, self.decoded()
                else:
                    yield from self.value(place, lists)
        elif opening == "{" and leads_on:
            for _ in self.elements("}"):
                key = self.decoded()
                if not isinstance(key, str) or self.next_character() != ":":
                    self.fail("a key is missing")
                self.at += 1
                yield from self.value((*place, key), lists)
        else:
            yield place, self.decoded()

    def elements(self, closing: str) -> Iterator[None]:
        """Stop before each element of a list or an object, and behind it at the end."""
        self.at += 1
        if self.next_character() == closing:
            self.at += 1
            return
        while True:
            yield
            mark = self.next_character()
            if mark not in {",", closing}:
                self.fail("a comma is missing")
            self.at += 1
            if mark == closing:
                return

    def next_character(self) -> str:
        """Give the next character that is not blank, and stay before it; nothing at the end."""
        while True:
            while self.at < len(self.buffer) and self.buffer[self.at] in BLANK:
                self.at += 1
            if self.at < len(self.buffer):
                return self.buffer[self.at]
            if not self.more():
                return ""

    def decoded(self) -> Any:
        """Give the value that begins here, whole."""
        self.next_character()
        while True:
            try:
                found, end = self.decoder.raw_decode(self.buffer, self.at)
            except json.JSONDecodeError as error:
                cut = error.msg.startswith("Unterminated string") or error.pos >= len(self.buffer) - NEAR_THE_END
                if cut and self.more():
                    continue
                self.fail(error.msg, error)
            except (RecursionError, ValueError) as error:  # nested too deeply, or a number too long
                self.fail(str(error), error)
            is_whole = not isinstance(found, int | float) or self.buffer[end : end + 1] in BEHIND_A_NUMBER
            if (is_whole and end < len(self.buffer)) or not self.more():
                self.at = end
                return found

    def more(self) -> bool:
        """Read on, twice as much as is waiting; give whether there was more."""
        if self.ended:
            return False
        with translated(self.name):
            read = self.file.read(max(READ_AT_ONCE, len(self.buffer) - self.at))
        self.ended = not read
        try:
            text = self.bytes_decoder.decode(read, final=self.ended)
        except UnicodeDecodeError as error:
            self.fail(f"it is not UTF-8 ({error.reason})", error)
        self.buffer, self.at = self.buffer[self.at :] + text, 0
        return not self.ended

    def fail(self, why: str, cause: Exception | None = None) -> NoReturn:
        message = f"{self.name} is not JSON: {why}"
        raise BadInput(message) from cause
