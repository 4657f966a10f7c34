"""Turns from a ChatGPT export: `conversations.json`, the newer `conversations-000.json` ..., or the archive of these.

A conversation is a tree of messages, since prompts can be edited and answers made again. What the user last saw is the
branch that ends in `current_node`; only that one is imported. System and tool messages, hidden ones, the model's
thoughts and what it wrote to its tools are not conversation. What the user had written about themselves in the settings
stands hidden before each conversation; it is given once, as a conversation of its own.
"""

import hashlib
import json
import re
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any, NoReturn

from assistant.errors import BadInput
from assistant.importers.imported import Imported, ImportedTurn, SkippedConversation
from storage.records import Role, Source, Utterance

FORMAT = "chatgpt"
ASSISTANT_NAME = "ChatGPT"
FILE_NAME = re.compile(r"conversations(-\d+)?\.json")
CITATION = re.compile("[ \t]*\ue200[^\ue201]*\ue201")
TEXT_TYPES = {"text", "multimodal_text"}
PROFILE_TYPE = "user_editable_context"
PROFILE_KEYS = ("user_profile", "user_instructions")
PROFILE_TITLE = "What ChatGPT was told about you"


def read_chatgpt(path: Path, *, user_name: str = "User") -> Iterator[Imported]:
    """Give the turns of an export: a folder, one of its files, or the archive as it was downloaded.

    All of it is read once and checked before the first turn is given. Conversations that are marked not to be
    remembered are given as skipped.

    Raises
    ------
    BadInput
        There is no export, or it is one of another program; the message names file and conversation.
    """
    for _ in _all_turns(path, user_name):
        pass
    yield from _all_turns(path, user_name)


def _all_turns(path: Path, user_name: str) -> Iterator[Imported]:
    found = False
    profile: set[str | None] = set()
    for name, content in _files(path):
        found = True
        for number, fields in enumerate(_conversations(name, content), 1):
            reader = _ConversationReader(name=name, number=number, fields=fields, user_name=user_name)
            for turn in reader.turns():
                if isinstance(turn, ImportedTurn) and turn.conversation == PROFILE_TYPE:
                    if turn.utterance.external_id in profile:
                        continue
                    profile.add(turn.utterance.external_id)
                yield turn
    if not found:
        message = f"{path} holds no conversations.json and no conversations-000.json; is it a ChatGPT export?"
        raise BadInput(message)


def _files(path: Path) -> Iterator[tuple[str, bytes]]:
    """Give name and content of each file of conversations, in order."""
    try:
        if path.is_dir():
            names = sorted(inside.name for inside in path.iterdir() if FILE_NAME.fullmatch(inside.name))
            yield from ((name, (path / name).read_bytes()) for name in names)
        elif zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                members = sorted(name for name in archive.namelist() if FILE_NAME.fullmatch(PurePosixPath(name).name))
                yield from ((PurePosixPath(name).name, archive.read(name)) for name in members)
        else:
            yield path.name, path.read_bytes()
    except (zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError) as error:
        # zipfile raises the last two for an archive with a password, or packed in a way it does not know
        message = f"{path} is an archive that cannot be unpacked: {error}"
        raise BadInput(message) from error
    except OSError as error:
        message = f"{error.filename or path} cannot be read: {error.strerror or error}"
        raise BadInput(message) from error


def _conversations(name: str, content: bytes) -> list[dict[str, Any]]:
    try:
        value = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:  # UnicodeDecodeError and JSONDecodeError are ValueErrors
        message = f"{name} is not JSON: {error}"
        raise BadInput(message) from error
    if not isinstance(value, list) or not all(isinstance(fields, dict) for fields in value):
        message = f"{name} is not a list of conversations; is it a ChatGPT export?"
        raise BadInput(message)
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class _ConversationReader:
    """Reads one conversation of a file."""

    name: str
    number: int
    fields: dict[str, Any]
    user_name: str

    def turns(self) -> Iterator[Imported]:
        mapping = self.fields.get("mapping")
        if not isinstance(mapping, dict) or not all(isinstance(node, dict) for node in mapping.values()):
            self._fail("has no tree of messages ('mapping'); is it a ChatGPT export?")
        identifier = _text(self.fields.get("conversation_id") or self.fields.get("id"))
        if not identifier:
            self._fail("has no identifier ('conversation_id' or 'id')")
        if self.fields.get("is_do_not_remember"):
            yield SkippedConversation(conversation=identifier, reason="marked not to be remembered")
            return
        time = self.fields.get("create_time") or self.fields.get("update_time")
        for message in self._branch(mapping):
            time = message.get("create_time") or time
            for told in _profile_texts(message):
                known_by = {**message, "id": hashlib.sha256(told.encode()).hexdigest()}
                yield ImportedTurn(
                    conversation=PROFILE_TYPE,
                    title=PROFILE_TITLE,
                    utterance=self._utterance(known_by, told, self._time(time)),
                )
            text = _conversation_text(message)
            if text:
                yield ImportedTurn(
                    conversation=identifier,
                    title=_text(self.fields.get("title")),
                    utterance=self._utterance(message, text, self._time(time)),
                )

    def _branch(self, mapping: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
        """Give the messages of the current branch, oldest first."""
        node = _text(self.fields.get("current_node"))
        if node not in mapping:
            node = _newest_leaf(mapping)
        branch = []
        seen = set()
        while node in mapping:
            if node in seen:
                self._fail(f"has messages that go in a circle, at {node!r}")
            seen.add(node)
            message = mapping[node].get("message")
            if isinstance(message, dict):
                branch.append({**message, "id": _text(message.get("id")) or node})
            node = _text(mapping[node].get("parent"))
        return branch[::-1]

    def _utterance(self, message: dict[str, Any], text: str, time: datetime) -> Utterance:
        from_user = message["author"]["role"] == "user"
        return Utterance(
            role=Role.USER if from_user else Role.ASSISTANT,
            speaker=self.user_name if from_user else ASSISTANT_NAME,
            text=text,
            time=time,
            source=Source.IMPORTED,
            origin=f"{FORMAT}:{self.name}",
            external_id=message["id"],
        )

    def _time(self, seconds: object) -> datetime:
        if seconds is None:
            self._fail("has no time, neither its own nor one of a message ('create_time')")
        if isinstance(seconds, bool) or not isinstance(seconds, int | float):
            self._fail(f"has a time that is no number: {str(seconds)[:40]!r}")
        try:
            return datetime.fromtimestamp(seconds, UTC)
        except (ValueError, OverflowError, OSError) as error:
            self._fail(f"has a time out of range: {seconds}", error)

    def _fail(self, what: str, cause: Exception | None = None) -> NoReturn:
        title = _text(self.fields.get("title"))
        called = f" ({title[:40]!r})" if title else ""
        message = f"{self.name}: conversation {self.number}{called} {what}"
        raise BadInput(message) from cause


def _newest_leaf(mapping: dict[str, dict[str, Any]]) -> str:
    """Give the latest message that has no answer, for when `current_node` names none that is there."""
    parents = {_text(node.get("parent")) for node in mapping.values()}
    leaves = [identifier for identifier in mapping if identifier not in parents]

    def when(identifier: str) -> float:
        message = mapping[identifier].get("message")
        time = message.get("create_time") if isinstance(message, dict) else None
        return float(time) if isinstance(time, int | float) else float("-inf")

    return max(reversed(leaves), key=when, default="")


def _conversation_text(message: dict[str, Any]) -> str:
    """Give what a message says in the conversation; empty when it is none of it."""
    author, content, metadata = (_fields(message.get(key)) for key in ("author", "content", "metadata"))
    if (
        author.get("role") not in {"user", "assistant"}
        or metadata.get("is_visually_hidden_from_conversation")
        or message.get("recipient") not in {None, "all"}
        or message.get("channel") == "analysis"
        or content.get("content_type") not in TEXT_TYPES
    ):
        return ""
    parts = content.get("parts")
    texts = [_text(part) or _text(_fields(part).get("text")) for part in parts] if isinstance(parts, list) else []
    return CITATION.sub("", "\n".join(text for text in texts if text)).strip()


def _profile_texts(message: dict[str, Any]) -> list[str]:
    """Give what the user wrote about themselves, if this message carries it."""
    author, content = _fields(message.get("author")), _fields(message.get("content"))
    if author.get("role") != "user" or content.get("content_type") != PROFILE_TYPE:
        return []
    return [text for key in PROFILE_KEYS if (text := _text(content.get(key)).strip())]


def _fields(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    """Give a text, or nothing where there is none; half a character, which cannot be kept, becomes a question mark."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""
