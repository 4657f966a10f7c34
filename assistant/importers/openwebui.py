"""Turns from an export of Open WebUI: `chat-export-....json`, a list of chats or a single one.

A chat is a tree of messages, since answers can be made again. What the user last saw is the branch that ends in
`currentId`; only that one is imported, without the thoughts of the model.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, NoReturn

from assistant.errors import BadInput
from assistant.importers.exports import Checking, as_fields, as_text, branch, checked, files, moment
from assistant.importers.imported import Imported, ImportedTurn, SkippedConversation
from assistant.importers.json_stream import walk
from storage.records import Role, Source, Utterance

FORMAT = "openwebui"
FILE_NAME = re.compile(r"chat-?export.*\.json", re.IGNORECASE)
DETAILS = re.compile(r'<details type="(?:reasoning|tool_calls|code_interpreter)".*?</details>\s*', re.DOTALL)
"""What the model thought and did, folded away in its answer."""
ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT}
NO_TIME = "it tells no time"


def read_openwebui(path: Path, *, user_name: str = "User", checking: Checking | None = None) -> Iterator[Imported]:
    """Give the turns of an export: a file, or a folder or archive that holds some.

    All of it is read once and checked before the first turn is given. Chats of old versions that tell no time at all
    are given as skipped.

    Raises
    ------
    BadInput
        There is no export, or it is one of another program; the message names file and chat.
    """
    return checked(lambda: _all_turns(path, user_name), checking)


def _all_turns(path: Path, user_name: str) -> Iterator[Imported]:
    found = False
    for name, file in files(path, FILE_NAME):
        found = True
        for number, (_, chat) in enumerate(walk(name, file, [()]), 1):
            yield from _ChatReader(name=name, number=number, outer=as_fields(chat), user_name=user_name).turns()
    if not found:
        message = f"{path} holds no chat-export.json; is it an export of Open WebUI?"
        raise BadInput(message)


@dataclass(frozen=True, slots=True, kw_only=True)
class _ChatReader:
    """Reads one chat of a file."""

    name: str
    number: int
    outer: dict[str, Any]
    user_name: str

    def turns(self) -> Iterator[Imported]:
        chat = as_fields(self.outer.get("chat")) or self.outer  # without the outer part in old versions
        history = as_fields(chat.get("history"))
        messages = history.get("messages")
        if not isinstance(messages, dict) or not all(isinstance(message, dict) for message in messages.values()):
            self._fail("has no tree of messages ('history'); is it an export of Open WebUI?")
        title = as_text(self.outer.get("title") or chat.get("title"))
        tip = as_text(history.get("currentId"))
        identifier = as_text(self.outer.get("id") or chat.get("id")) or f"{title}:{next(iter(messages), '')}"
        for name in self._branch(messages, tip):
            message = messages[name]
            role = ROLES.get(as_text(message.get("role")))
            text = DETAILS.sub("", as_text(message.get("content"))).strip()
            if role is None or not text:
                continue
            time = self._time(message, chat)
            if time is None:
                yield SkippedConversation(conversation=identifier, reason=NO_TIME)
                return
            yield ImportedTurn(
                conversation=identifier,
                title=title,
                utterance=Utterance(
                    role=role,
                    speaker=self.user_name if role is Role.USER else as_text(message.get("model")) or "Open WebUI",
                    text=text,
                    time=time,
                    source=Source.IMPORTED,
                    origin=f"{FORMAT}:{self.name}",
                    external_id=name,
                ),
            )

    def _branch(self, messages: dict[str, dict[str, Any]], tip: str) -> list[str]:
        parents = {name: as_text(message.get("parentId")) for name, message in messages.items()}
        if tip not in parents:
            tip = next(reversed(parents), "")
        try:
            return branch(parents, tip)
        except ValueError as error:
            self._fail(f"has messages that go in a circle, at {str(error)!r}", error)

    def _time(self, message: dict[str, Any], chat: dict[str, Any]) -> datetime | None:
        given = (
            message.get("timestamp"),
            self.outer.get("created_at"),
            chat.get("timestamp"),
            self.outer.get("updated_at"),
        )
        try:
            return next((time for time in map(moment, given) if time is not None), None)
        except ValueError as error:
            self._fail(f"has a time that is none: {str(given)[:60]}", error)

    def _fail(self, what: str, cause: Exception | None = None) -> NoReturn:
        title = as_text(self.outer.get("title"))
        called = f" ({title[:40]!r})" if title else ""
        message = f"{self.name}: chat {self.number}{called} {what}"
        raise BadInput(message) from cause
