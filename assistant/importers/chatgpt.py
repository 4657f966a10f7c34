"""Turns from a ChatGPT export: `conversations.json`, the newer `conversations-000.json` ..., or the archive of these.

A conversation is a tree of messages, since prompts can be edited and answers made again. What the user last saw is the
branch that ends in `current_node`; only that one is imported. System and tool messages, hidden ones, the model's
thoughts and what it wrote to its tools are not conversation. What the user had written about themselves in the settings
stands hidden before each conversation; it is given once, as a conversation of its own.
"""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BufferedReader
from pathlib import Path
from typing import Any, NoReturn

from assistant.errors import BadInput
from assistant.importers.exports import Checking, as_fields, as_text, branch, checked, files
from assistant.importers.imported import Imported, ImportedTurn, SkippedConversation
from assistant.importers.json_stream import walk
from storage.records import Role, Source, Utterance

FORMAT = "chatgpt"
ASSISTANT_NAME = "ChatGPT"
FILE_NAME = re.compile(r"conversations(-\d+)?\.json")
CITATION = re.compile("[ \t]*\ue200[^\ue201]*\ue201")
TEXT_TYPES = {"text", "multimodal_text"}
PROFILE_TYPE = "user_editable_context"
PROFILE_KEYS = ("user_profile", "user_instructions")
PROFILE_TITLE = "What ChatGPT was told about you"


def read_chatgpt(path: Path, *, user_name: str = "User", checking: Checking | None = None) -> Iterator[Imported]:
    """Give the turns of an export: a folder, one of its files, or the archive as it was downloaded.

    All of it is read once and checked before the first turn is given. Conversations that are marked not to be
    remembered are given as skipped.

    Raises
    ------
    BadInput
        There is no export, or it is one of another program; the message names file and conversation.
    """
    return checked(lambda: _all_turns(path, user_name), checking)


def _all_turns(path: Path, user_name: str) -> Iterator[Imported]:
    found = False
    profile: set[str | None] = set()
    for name, file in files(path, FILE_NAME):
        found = True
        for number, conversation in enumerate(_conversations(name, file), 1):
            reader = _ConversationReader(name=name, number=number, conversation=conversation, user_name=user_name)
            for turn in reader.turns():
                if isinstance(turn, ImportedTurn) and turn.conversation == PROFILE_TYPE:
                    if turn.utterance.external_id in profile:
                        continue
                    profile.add(turn.utterance.external_id)
                yield turn
    if not found:
        message = f"{path} holds no conversations.json and no conversations-000.json; is it a ChatGPT export?"
        raise BadInput(message)


def _conversations(name: str, file: BufferedReader) -> Iterator[dict[str, Any]]:
    for _, conversation in walk(name, file, [()]):
        if not isinstance(conversation, dict):
            message = f"{name} is not a list of conversations; is it a ChatGPT export?"
            raise BadInput(message)
        yield conversation


@dataclass(frozen=True, slots=True, kw_only=True)
class _ConversationReader:
    """Reads one conversation of a file."""

    name: str
    number: int
    conversation: dict[str, Any]
    user_name: str

    def turns(self) -> Iterator[Imported]:
        mapping = self.conversation.get("mapping")
        if not isinstance(mapping, dict) or not all(isinstance(node, dict) for node in mapping.values()):
            self._fail("has no tree of messages ('mapping'); is it a ChatGPT export?")
        identifier = as_text(self.conversation.get("conversation_id") or self.conversation.get("id"))
        if not identifier:
            self._fail("has no identifier ('conversation_id' or 'id')")
        if self.conversation.get("is_do_not_remember"):
            yield SkippedConversation(conversation=identifier, reason="marked not to be remembered")
            return
        time = self.conversation.get("create_time") or self.conversation.get("update_time")
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
                    title=as_text(self.conversation.get("title")),
                    utterance=self._utterance(message, text, self._time(time)),
                )

    def _branch(self, mapping: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
        """Give the messages of the current branch, oldest first."""
        tip = as_text(self.conversation.get("current_node"))
        if tip not in mapping:
            tip = _newest_leaf(mapping)
        try:
            way = branch({name: as_text(node.get("parent")) for name, node in mapping.items()}, tip)
        except ValueError as error:
            self._fail(f"has messages that go in a circle, at {str(error)!r}", error)
        said = [(name, mapping[name].get("message")) for name in way]
        return [{**one, "id": as_text(one.get("id")) or name} for name, one in said if isinstance(one, dict)]

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
        title = as_text(self.conversation.get("title"))
        called = f" ({title[:40]!r})" if title else ""
        message = f"{self.name}: conversation {self.number}{called} {what}"
        raise BadInput(message) from cause


def _newest_leaf(mapping: dict[str, dict[str, Any]]) -> str:
    """Give the latest message that has no answer, for when `current_node` names none that is there."""
    parents = {as_text(node.get("parent")) for node in mapping.values()}
    leaves = [identifier for identifier in mapping if identifier not in parents]

    def when(identifier: str) -> float:
        message = mapping[identifier].get("message")
        time = message.get("create_time") if isinstance(message, dict) else None
        return float(time) if isinstance(time, int | float) else float("-inf")

    return max(reversed(leaves), key=when, default="")


def _conversation_text(message: dict[str, Any]) -> str:
    """Give what a message says in the conversation; empty when it is none of it."""
    author, content, metadata = (as_fields(message.get(key)) for key in ("author", "content", "metadata"))
    if (
        author.get("role") not in {"user", "assistant"}
        or metadata.get("is_visually_hidden_from_conversation")
        or message.get("recipient") not in {None, "all"}
        or message.get("channel") == "analysis"
        or content.get("content_type") not in TEXT_TYPES
    ):
        return ""
    parts = content.get("parts")
    texts = [as_text(part) or as_text(as_fields(part).get("text")) for part in parts] if isinstance(parts, list) else []
    return CITATION.sub("", "\n".join(text for text in texts if text)).strip()


def _profile_texts(message: dict[str, Any]) -> list[str]:
    """Give what the user wrote about themselves, if this message carries it."""
    author, content = as_fields(message.get("author")), as_fields(message.get("content"))
    if author.get("role") != "user" or content.get("content_type") != PROFILE_TYPE:
        return []
    return [text for key in PROFILE_KEYS if (text := as_text(content.get(key)).strip())]
