"""Turns from a Claude export: `conversations.json`, or the archive it comes in.

Messages name the one before them. Edited prompts leave branches behind; what the user last saw ends in the newest
message, and only that branch is imported. Of a message the text is taken, and what was pasted as a file; thoughts and
what was written to tools and by them is not conversation. What the user told of a project is theirs; the documents of
it come in as files.
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

FORMAT = "claude"
ASSISTANT_NAME = "Claude"
FILE_NAME = re.compile(r"conversations(-\d+)?\.json")
PROJECT_FILE = re.compile(r".+\.json")
PROJECTS = "projects"
"""A file of all of them beside the conversations, and later a folder with a file for each."""
STARTER = "a project that Claude came with"
PROJECT_KEYS = ("description", "prompt_template")
ROLES = {"human": Role.USER, "assistant": Role.ASSISTANT}


def read_claude(path: Path, *, user_name: str = "User", checking: Checking | None = None) -> Iterator[Imported]:
    """Give the turns of an export: a folder, one of its files, or the archive as it was downloaded.

    All of it is read once and checked before the first turn is given.

    Raises
    ------
    BadInput
        There is no export, or it is one of another program; the message names file and conversation.
    """
    return checked(lambda: _all_turns(path, user_name), checking)


def _all_turns(path: Path, user_name: str) -> Iterator[Imported]:
    found = False
    for name, file in files(path, FILE_NAME):
        found = True
        for number, (_, conversation) in enumerate(walk(name, file, [()]), 1):
            reader = _ConversationReader(
                name=name, number=number, conversation=as_fields(conversation), user_name=user_name
            )
            yield from reader.turns()
    if not found:
        message = f"{path} holds no conversations.json; is it a Claude export?"
        raise BadInput(message)
    if path.is_dir() or path.suffix == ".zip":
        yield from _all_projects(path, user_name)


def _all_projects(path: Path, user_name: str) -> Iterator[Imported]:
    for found in (files(path, re.compile(rf"{PROJECTS}\.json")), files(path, PROJECT_FILE, within=PROJECTS)):
        for name, file in found:
            for number, (_, project) in enumerate(walk(name, file, [()]), 1):
                fields = as_fields(project)
                yield from _ProjectReader(name=name, number=number, project=fields, user_name=user_name).turns()


@dataclass(frozen=True, slots=True, kw_only=True)
class _ConversationReader:
    """Reads one conversation of a file."""

    name: str
    number: int
    conversation: dict[str, Any]
    user_name: str

    def turns(self) -> Iterator[Imported]:
        messages = self.conversation.get("chat_messages")
        if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
            self._fail("has no messages ('chat_messages'); is it a Claude export?")
        identifier = as_text(self.conversation.get("uuid"))
        if not identifier:
            self._fail("has no identifier ('uuid')")
        for message in self._branch(messages):
            role = ROLES.get(as_text(message.get("sender")))
            text = _said(message)
            if role is not None and text:
                yield ImportedTurn(
                    conversation=identifier,
                    title=as_text(self.conversation.get("name")),
                    utterance=Utterance(
                        role=role,
                        speaker=self.user_name if role is Role.USER else ASSISTANT_NAME,
                        text=text,
                        time=self._time(message),
                        source=Source.IMPORTED,
                        origin=f"{FORMAT}:{self.name}",
                        external_id=as_text(message.get("uuid")),
                    ),
                )

    def _branch(self, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Give the messages that lead to the newest one, oldest first."""
        by_id = {as_text(message.get("uuid")): message for message in messages}
        if len(by_id) < len(messages) or "" in by_id:
            self._fail("has messages without an identifier of their own ('uuid')")
        if not any("parent_message_uuid" in message for message in messages):  # exports of before 2025: no branches
            return messages
        newest = max(reversed(by_id), key=lambda name: self._time(by_id[name]), default="")
        try:
            way = branch({name: as_text(one.get("parent_message_uuid")) for name, one in by_id.items()}, newest)
        except ValueError as error:
            self._fail(f"has messages that go in a circle, at {str(error)!r}", error)
        return [by_id[name] for name in way]

    def _time(self, message: dict[str, Any]) -> datetime:
        try:
            time = moment(message.get("created_at")) or moment(self.conversation.get("created_at"))
        except ValueError as error:
            self._fail(f"has a time that is none: {str(message.get('created_at'))[:40]!r}", error)
        return time or self._fail("has no time, neither its own nor one of a message ('created_at')")

    def _fail(self, what: str, cause: Exception | None = None) -> NoReturn:
        title = as_text(self.conversation.get("name"))
        called = f" ({title[:40]!r})" if title else ""
        message = f"{self.name}: conversation {self.number}{called} {what}"
        raise BadInput(message) from cause


@dataclass(frozen=True, slots=True, kw_only=True)
class _ProjectReader:
    """Reads one project: what the user wrote about it, and its documents."""

    name: str
    number: int
    project: dict[str, Any]
    user_name: str

    def turns(self) -> Iterator[Imported]:
        identifier = as_text(self.project.get("uuid"))
        documents = self.project.get("docs")
        if not identifier or not isinstance(documents, list):
            self._fail("has no identifier ('uuid') or no documents ('docs'); is it a Claude export?")
        if self.project.get("is_starter_project"):
            yield SkippedConversation(conversation=identifier, reason=STARTER)
            return
        for key in PROJECT_KEYS:
            yield from self._turn(identifier, key, self.project.get(key), self.project)
        for document in map(as_fields, documents):
            named = as_text(document.get("uuid")) or as_text(document.get("filename"))
            yield from self._turn(identifier, named, document.get("content"), document)

    def _turn(self, identifier: str, named: str, text: object, given: dict[str, Any]) -> Iterator[ImportedTurn]:
        """Give a text of the project, if there is any: a document is a file, whose name is then its origin."""
        words = as_text(text).strip()
        if not words:
            return
        if not named:
            self._fail("has a document without identifier and name ('uuid', 'filename')")
        is_document = given is not self.project
        origin = as_text(given.get("filename")) if is_document else self.name
        yield ImportedTurn(
            conversation=f"project:{identifier}",
            title=as_text(self.project.get("name")),
            utterance=Utterance(
                role=Role.USER,
                speaker=self.user_name,
                text=words,
                time=self._time(given),
                source=Source.FILE if is_document else Source.IMPORTED,
                origin=f"{FORMAT}:{origin}",
                external_id=named,
            ),
        )

    def _time(self, given: dict[str, Any]) -> datetime:
        try:
            time = moment(given.get("created_at")) or moment(self.project.get("created_at"))
        except ValueError as error:
            self._fail(f"has a time that is none: {str(given.get('created_at'))[:40]!r}", error)
        return time or self._fail("has no time ('created_at')")

    def _fail(self, what: str, cause: Exception | None = None) -> NoReturn:
        title = as_text(self.project.get("name"))
        called = f" ({title[:40]!r})" if title else ""
        message = f"{self.name}: project {self.number}{called} {what}"
        raise BadInput(message) from cause


def _said(message: dict[str, Any]) -> str:
    """Give what a message says: its texts, else the text of older exports, and what was pasted as a file."""
    parts, attached = message.get("content"), message.get("attachments")
    texts = [_part_text(part) for part in parts] if isinstance(parts, list) else []
    said = [text for text in texts if text] or [as_text(message.get("text"))]
    if isinstance(attached, list):
        said += [as_text(as_fields(one).get("extracted_content")) for one in attached]
    return "\n\n".join(text.strip() for text in said if text.strip())


def _part_text(part: object) -> str:
    given = as_fields(part)
    return as_text(given.get("text")) if given.get("type") == "text" else ""
