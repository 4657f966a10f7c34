"""Data files as they are read: every damage is told in one line that names the place, and shows no content."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from assistant.errors import BadInput


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a file something stands, for messages."""

    name: str
    """The file's name, and what leads to the place."""

    def inside(self, what: str) -> "Place":
        """Give a place within this one."""
        return Place(f"{self.name}, {what}")

    def fail(self, what: str, cause: Exception | None = None) -> NoReturn:
        """Refuse what stands here."""
        message = f"{self.name}: {what}"
        raise BadInput(message) from cause

    def fields(self, value: object) -> dict[str, Any]:
        """Give what must be an object."""
        if not isinstance(value, dict):
            self.fail(f"this must be an object, not {_kind(value)}")
        return value

    def items(self, fields: dict[str, Any], name: str) -> list[Any]:
        """Give the list in a field."""
        value = self._field(fields, name)
        if not isinstance(value, list):
            self.fail(f"{name} must be a list, not {_kind(value)}")
        return value

    def text(self, fields: dict[str, Any], name: str) -> str:
        """Give the text in a field, which must not be blank."""
        value = self._field(fields, name)
        if not isinstance(value, str):
            self.fail(f"{name} must be text, not {_kind(value)}")
        if not value.strip():
            self.fail(f"{name} is empty")
        return value

    def number(self, fields: dict[str, Any], name: str) -> int:
        """Give the whole number in a field."""
        value = self._field(fields, name)
        if not isinstance(value, int) or isinstance(value, bool):
            self.fail(f"{name} must be a whole number, not {_kind(value)}")
        return value

    def _field(self, fields: dict[str, Any], name: str) -> object:
        if name not in fields:
            self.fail(f"{name} is missing")
        return fields[name]


def read_list(path: Path) -> list[Any]:
    """Give the list that a JSON file holds.

    Raises
    ------
    BadInput
        The file cannot be read, is not JSON, or holds something else or nothing.
    """
    place = Place(path.name)
    try:
        content = path.read_bytes()
    except OSError as error:
        message = f"{path} cannot be read: {error.strerror}"
        raise BadInput(message) from error
    try:
        value = json.loads(content.decode("utf-8-sig"))
    except json.JSONDecodeError as error:
        place.fail(f"not JSON: {error.msg} (line {error.lineno}, column {error.colno})", error)
    except (ValueError, RecursionError) as error:  # not UTF-8, a number of too many digits, or too deep
        place.fail(f"not usable as JSON: {type(error).__name__}", error)
    if not isinstance(value, list):
        place.fail(f"this must be a list, not {_kind(value)}")
    if not value:
        place.fail("the list is empty: there is nothing to ask")
    return value


def digest_of(path: Path) -> str:
    """Give the SHA-256 of a file that was read before."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _kind(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "text"
        case list():
            return "a list"
        case _:
            return "an object"
