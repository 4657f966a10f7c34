"""Turns from a Telegram export in JSON: `result.json` of one chat, or of a whole account.

A text may be in pieces, some of them links or bold; they are put together again. Calls, joins and the like, and
messages of nothing but a picture or a voice, are not conversation. A caption is.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NoReturn

from assistant.errors import BadInput
from assistant.importers.exports import Checking, as_fields, as_text, checked, files
from assistant.importers.imported import Imported, ImportedTurn
from assistant.importers.json_stream import walk
from storage.records import Role, Source, Utterance

FORMAT = "telegram"
FILE_NAME = re.compile(r"result\.json")
ONE_CHAT = ("messages",)
ACCOUNT = ("chats", "list", "messages")
LEFT_CHATS = ("left_chats", "list", "messages")
HEADS = {messages[:-1] for messages in (ONE_CHAT, ACCOUNT, LEFT_CHATS)}
"""Where a chat is described."""
OWN = ("personal_information",)
UNKNOWN = "Unknown"
"""Whose account was deleted."""
SAVED = "Saved messages"


def read_telegram(
    path: Path, *, user_name: str = "User", me: str = "", checking: Checking | None = None
) -> Iterator[Imported]:
    """Give the turns of an export: `result.json`, or the folder it lies in.

    All of it is read once and checked before the first turn is given.

    Parameters
    ----------
    path
        The file or its folder.
    user_name
        What the user's own turns are signed with.
    me
        What the user is called in the export; an export of the whole account knows it by itself.
    checking
        Told how many turns were checked.

    Raises
    ------
    BadInput
        There is no export, or it is one of another program; the message names file and message.

    """
    return checked(lambda: _all_turns(path, user_name, me), checking)


def _all_turns(path: Path, user_name: str, me: str) -> Iterator[Imported]:
    found = False
    for name, file in files(path, FILE_NAME):
        found = True
        chat = _Chat(name=name, user_name=user_name, me=me)
        for place, value in walk(name, file, [ONE_CHAT, ACCOUNT, LEFT_CHATS]):
            if place == OWN:
                chat.own_id = f"user{as_fields(value).get('user_id')}"
            elif place in {ONE_CHAT, ACCOUNT, LEFT_CHATS}:
                yield from chat.turn(value)
            elif place[:-1] in HEADS:
                chat.begin(place[-1], value)
        if not chat.seen:
            message = f"{name} has no messages ('messages'); is it a Telegram export in JSON?"
            raise BadInput(message)
    if not found:
        message = f"{path} holds no result.json; is it a Telegram export in JSON?"
        raise BadInput(message)


@dataclass(slots=True, kw_only=True)
class _Chat:
    """The chat whose messages are being read."""

    name: str
    user_name: str
    me: str
    own_id: str = ""
    title: str = ""
    id: str = ""
    seen: bool = False
    """Whether messages were found, in this file."""
    open: bool = False
    """Whether some of this chat were."""

    def begin(self, field: str, value: object) -> None:
        """Take in what stands before the messages of a chat."""
        if self.open:
            self.title, self.id, self.open = "", "", False
        match field:
            case "name":
                self.title = as_text(value)
            case "type" if value == "saved_messages":
                self.title = SAVED
            case "id":
                self.id = str(value)

    def turn(self, message: object) -> Iterator[Imported]:
        """Give a message's turn, if it is one."""
        self.seen = self.open = True
        if not isinstance(message, dict):
            self._fail("", "is no message; is it a Telegram export in JSON?")
        text = _text_of(message)
        if message.get("type") != "message" or not text:
            return
        number = message.get("id")
        if isinstance(number, bool) or not isinstance(number, int):
            self._fail("", "has no number ('id')")
        if not self.id:
            self._fail(number, "is in a chat without a number ('id')")
        speaker = as_text(message.get("from")) or UNKNOWN
        is_own = bool(self.own_id and message.get("from_id") == self.own_id) or bool(self.me and speaker == self.me)
        yield ImportedTurn(
            conversation=self.id,
            title=self.title,
            utterance=Utterance(
                role=Role.USER if is_own else Role.OTHER,
                speaker=self.user_name if is_own else speaker,
                text=text,
                time=self._time(message, number),
                source=Source.IMPORTED,
                origin=f"{FORMAT}:{self.name}",
                external_id=str(number),
            ),
        )

    def _time(self, message: dict[str, Any], number: int) -> datetime:
        """Give when it was sent; exports of before 2021 tell it by the clock of that machine only."""
        seconds, written = message.get("date_unixtime"), message.get("date")
        try:
            if isinstance(seconds, str):
                return datetime.fromtimestamp(int(seconds), UTC)
            return datetime.fromisoformat(as_text(written)).astimezone()
        except (ValueError, OverflowError, OSError) as error:
            self._fail(number, f"has a time that is none: {str(seconds or written)[:40]!r}", error)

    def _fail(self, number: object, what: str, cause: Exception | None = None) -> NoReturn:
        called = f" of {self.title[:40]!r}" if self.title else ""
        message = f"{self.name}: message {number}{called} {what}".replace("  ", " ")
        raise BadInput(message) from cause


def _text_of(message: dict[str, Any]) -> str:
    """Give the text, put together from its pieces."""
    given = message.get("text")
    pieces = given if isinstance(given, list) else [given]
    return "".join(as_text(piece) or as_text(as_fields(piece).get("text")) for piece in pieces).strip()
