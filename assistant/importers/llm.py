"""Turns from the log of the command `llm`: `logs.db`.

Versions before 0.27 keep prompts and responses in one table; newer ones keep messages in a tree, which threads run
through. A file may have both, each for its time. What was said to and by tools is not conversation.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from assistant.errors import BadInput
from assistant.importers.exports import Checking, checked
from assistant.importers.imported import ImportedTurn
from storage import foreign
from storage.foreign import ForeignDatabase
from storage.records import Role, Source, Utterance

FORMAT = "llm"
OLD = {"id", "model", "prompt", "response", "conversation_id", "datetime_utc"}
"""Columns of the table `responses`."""
NEW = {"id", "thread_id", "parent_message_hash", "tip_message_hash", "model", "datetime_utc"}
"""Columns of the table `turns`."""


def read_llm(path: Path, *, user_name: str = "User", checking: Checking | None = None) -> Iterator[ImportedTurn]:
    """Give the turns of a log, which `llm logs path` names. The whole of it is checked before the first one is given.

    Raises
    ------
    BadInput
        It is no such log; the message names file and row.
    NotReadable
        It is no SQLite file.
    """
    return checked(lambda: _all_turns(path, user_name), checking)


def _all_turns(path: Path, user_name: str) -> Iterator[ImportedTurn]:
    with foreign.opened(path) as log:
        reader = _LogReader(name=path.name, log=log, user_name=user_name)
        old, new = log.columns("responses") >= OLD, log.columns("turns") >= NEW
        if not old and not new:
            message = f"{path.name} has neither responses nor turns as llm logs them; see: llm logs path"
            raise BadInput(message)
        if old:
            yield from reader.responses()
        if new:
            yield from reader.threads()


@dataclass(frozen=True, slots=True, kw_only=True)
class _LogReader:
    """Reads one log."""

    name: str
    log: ForeignDatabase
    user_name: str

    def responses(self) -> Iterator[ImportedTurn]:
        """Give what older versions logged."""
        columns = ("id", "conversation_id", "model", "datetime_utc", "prompt", "response")
        for identifier, conversation, *rest in self.log.rows("responses", columns, order="id"):
            title = self._title("conversations", conversation)
            yield from self._exchange(identifier, conversation or identifier, title, rest)

    def threads(self) -> Iterator[ImportedTurn]:
        """Give what newer versions logged."""
        columns = ("id", "thread_id", "model", "datetime_utc", "parent_message_hash", "tip_message_hash")
        for identifier, thread, model, time, asked, answer in self.log.rows("turns", columns, order="id"):
            said = [self._text(one) for one in (self._question(asked or ""), answer or "")]
            yield from self._exchange(
                identifier, thread or identifier, self._title("threads", thread), [model, time, *said]
            )

    def _title(self, table: str, name: str | None) -> str:
        found = self.log.found(table, ("name",), "id", name, order="id") if name else []
        return (found[0][0] or "") if found else ""

    def _question(self, asked: str) -> str:
        """Give the message of the user that was answered: what stands between is the work of tools."""
        passed = set[str]()
        while found := self.log.found("messages", ("parent_hash", "role"), "hash", asked, order="hash"):
            if asked in passed:
                message = f"{self.name} has messages that go in a circle, at {asked!r}"
                raise BadInput(message)
            passed.add(asked)
            parent, role = found[0]
            if role == Role.USER:
                return asked
            asked = parent or ""
        return ""

    def _text(self, message: str) -> str:
        parts = self.log.found("parts", ("type", "text"), "message_hash", message, order="position")
        return "\n\n".join(text for kind, text in parts if kind == "text" and text)

    def _exchange(self, identifier: str, place: str, title: str, rest: list[str]) -> Iterator[ImportedTurn]:
        """Give a question and its answer."""
        model, time, prompt, response = rest
        said = ((Role.USER, self.user_name, prompt), (Role.ASSISTANT, model or "llm", response))
        for role, speaker, text in said:
            if text and text.strip():
                yield ImportedTurn(
                    conversation=place,
                    title=title,
                    utterance=Utterance(
                        role=role,
                        speaker=speaker,
                        text=text.strip(),
                        time=self._time(time, identifier),
                        source=Source.IMPORTED,
                        origin=f"{FORMAT}:{self.name}",
                        external_id=f"{identifier}:{role.value}",
                    ),
                )

    def _time(self, written: object, identifier: str) -> datetime:
        """Give a time; without an offset it is UTC, as the column's name says."""
        try:
            time = datetime.fromisoformat(str(written))
        except ValueError as error:
            message = f"{self.name}: {identifier} has a time that is none: {str(written)[:40]!r}"
            raise BadInput(message) from error
        return time.replace(tzinfo=UTC) if time.utcoffset() is None else time
