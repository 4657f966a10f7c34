"""Turns from JSON lines, the format that is easy to make from any other.

One object a line: `conversation`, `speaker`, `role` (user, assistant or other), `time` (ISO-8601 with an offset) and
`text`; if wanted `id` (unique in its conversation) and `source` (where it came from). Other fields are left alone.
"""

import hashlib
import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, NoReturn

from assistant.errors import BadInput
from assistant.importers.exports import Checking, checked
from assistant.importers.imported import ImportedTurn
from storage.records import Role, Source, Utterance
from storage.seen import Seen

FORMAT = "jsonl"
STDIN_NAME = "standard input"
ROLES = ", ".join(Role)


def read_jsonl(source: Path | bytes, *, checking: Checking | None = None) -> Iterator[ImportedTurn]:
    """Give the turns of a file, or of the bytes that came through a pipe.

    The whole of it is read once and checked before the first turn is given, so a bad line near the end leaves nothing
    half imported. A line without `id` gets a key made of its conversation, speaker, time and text, and of how often
    these were seen before: the same file again gives the same keys, and lines added at its end change no other's key.

    Raises
    ------
    BadInput
        The file cannot be read, or a line cannot be used; the message names file, line and field.
    """
    name = STDIN_NAME if isinstance(source, bytes) else source.name
    return checked(lambda: _turns(source, name), checking)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a line stands, for messages."""

    name: str
    line: int

    def fail(self, what: str, cause: Exception | None = None) -> NoReturn:
        message = f"{self.name}, line {self.line}: {what}"
        raise BadInput(message) from cause


def _turns(source: Path | bytes, name: str) -> Iterator[ImportedTurn]:
    with _opened(source, name) as file, Seen() as seen:
        for number, line in enumerate(file, 1):
            place = _Place(name, number)
            fields = _parsed(line, place)
            if fields is None:
                continue
            turn = _turn(fields, place)
            digest = _digest(turn)
            identifier = turn.utterance.external_id
            if identifier is None:
                times, _ = seen.note(digest)
                yield _keyed(turn, digest, times)
                continue
            named = _framed(turn.conversation, identifier)
            (times, line_of_it), (of_it, _) = seen.note(named, number=number), seen.note(named + digest)
            if times and not of_it:
                place.fail(f"id {identifier!r} stands for another turn on line {line_of_it} already")
            yield turn


@contextmanager
def _opened(source: Path | bytes, name: str) -> Iterator[BinaryIO]:
    if isinstance(source, bytes):
        yield io.BytesIO(source)
        return
    try:
        with source.open("rb") as file:
            yield file
    except OSError as error:
        message = f"{name} cannot be read: {error.strerror}"
        raise BadInput(message) from error


def _parsed(line: bytes, place: _Place) -> dict[str, object] | None:
    try:
        text = line.decode("utf-8-sig" if place.line == 1 else "utf-8").strip()
    except UnicodeDecodeError as error:
        place.fail(f"byte {error.start + 1} is not UTF-8; save the file as UTF-8", error)
    if not text:
        return None
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        place.fail(f"not JSON: {error.msg} (column {error.colno})", error)
    except (RecursionError, ValueError) as error:
        place.fail(f"not usable as JSON: {error}", error)
    if not isinstance(value, dict):
        place.fail("not a JSON object; each line is one {...}")
    return value


def _turn(fields: dict[str, object], place: _Place) -> ImportedTurn:
    conversation = _text(fields, "conversation", place)
    role = _text(fields, "role", place)
    if role not in set(Role):
        place.fail(f"role {role!r} is not one of {ROLES}")
    where_from = _text(fields, "source", place) if fields.get("source") is not None else FORMAT
    return ImportedTurn(
        conversation=conversation,
        title=conversation,
        utterance=Utterance(
            role=Role(role),
            speaker=_text(fields, "speaker", place),
            text=_text(fields, "text", place),
            time=_time(_text(fields, "time", place), place),
            source=Source.IMPORTED,
            origin=f"{where_from}:{place.name}",
            external_id=_text(fields, "id", place) if fields.get("id") is not None else None,
        ),
    )


def _text(fields: dict[str, object], field: str, place: _Place) -> str:
    if field not in fields:
        place.fail(f"{field} is missing")
    value = fields[field]
    if not isinstance(value, str):
        place.fail(f"{field} must be text, not {json.dumps(value)[:40]}")
    if not value.strip():
        place.fail(f"{field} is empty")
    if any("\ud800" <= character <= "\udfff" for character in value):
        place.fail(f"{field} holds half of a character (a lone surrogate)")
    return value


def _time(text: str, place: _Place) -> datetime:
    try:
        time = datetime.fromisoformat(text)
    except ValueError as error:
        place.fail(f"time {text!r} is not ISO-8601, such as 2024-05-03T18:20:00+02:00", error)
    if time.utcoffset() is None:
        place.fail(f"time {text!r} has no offset; add one, such as +02:00, or Z for UTC")
    try:
        time.astimezone(UTC)
    except OverflowError as error:
        place.fail(f"time {text!r} is out of range", error)
    return time


def _digest(turn: ImportedTurn) -> bytes:
    """Give a digest of what makes a turn itself; the parts are told apart by their lengths."""
    said = turn.utterance
    parts = (turn.conversation, said.speaker, said.time.astimezone(UTC).isoformat(), said.text)
    return hashlib.sha256(_framed(*parts)).digest()


def _framed(*parts: str) -> bytes:
    return b"".join(len(encoded).to_bytes(8, "big") + encoded for encoded in map(str.encode, parts))


def _keyed(turn: ImportedTurn, digest: bytes, occurrence: int) -> ImportedTurn:
    key = hashlib.sha256(digest + occurrence.to_bytes(8, "big")).hexdigest()
    return replace(turn, utterance=replace(turn.utterance, external_id=f"sha256:{key}"))
