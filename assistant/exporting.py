"""Writes all that is remembered as plain text, and takes such an export in again.

JSON lines hold everything: turns, concepts, tags, what was learned and what memory gave for each answer. Taken into an
empty vault they recall the same. Markdown is for reading. Both are plain text: whoever has the file can read it.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from pathlib import Path

from assistant.errors import BadInput
from assistant.memory import terms as lexical
from assistant.memory.active import begin_epoch
from assistant.memory.associative import AssociativeMemory
from storage.records import Conversation, Turn
from storage.transfer import TYPE, Record, TakenIn
from storage.vault import Vault

FORMAT = "assistant"
VERSION = 1
HEAD = "export"
"""Type of the first line, by which an export is known."""


def json_lines(vault: Vault) -> Iterator[str]:
    """Give all that is remembered, a line of JSON each, without line ends; the first tells what it is."""
    yield json.dumps({TYPE: HEAD, "format": FORMAT, "version": VERSION})
    for record in vault.transfer.records():
        yield json.dumps(record, ensure_ascii=False)


def markdown(vault: Vault, conversation: str | None = None) -> Iterator[str]:
    """Give conversations for reading, in lines: each under its title, its turns under their days.

    Parameters
    ----------
    vault
        Open.
    conversation
        Only the one whose identifier begins so, with what it continues from.

    Raises
    ------
    NotFound, AmbiguousId
        There is no such conversation, or there are several.

    """
    vaults = vault.conversations
    if conversation is not None:
        only = vaults.get(conversation)
        yield from _told(only, vault.turns.whole(only.id))
        return
    chosen = vaults.listing()[::-1]
    titles = {each.id: each.title for each in chosen}
    for each in chosen:
        turns = vault.turns.in_conversation(each.id)
        yield from _told(each, turns, continues=titles.get(each.parent or ""))
    known = vault.concepts.listing()
    if known:
        yield "# What was made of it"
        yield ""
        yield from (f"- {_line(concept.text)} ({concept.category.value})" for concept in known)


def is_export(path: Path) -> bool:
    """Whether a file begins as an export of this program does; one that cannot be read does not."""
    try:
        with path.open("rb") as file:
            return _is_head(file.readline(1000))
    except OSError:
        return False


def take_in(memory: AssociativeMemory, path: Path, progress: Callable[[int, int], None] | None = None) -> TakenIn:
    """Take an export in, whole or not at all; what is there already stays. Its vectors are made afterwards.

    Parameters
    ----------
    memory
        Where it goes.
    path
        The file.
    progress
        Told how many vectors were made, of how many. Stopping there loses nothing.

    Raises
    ------
    BadInput
        It is no export of this program, of a newer version of it, or not JSON; the message names the line.
    NotTransferable
        A record is not as this program writes it.

    """
    with memory.vault.transaction():
        taken = memory.vault.transfer.take_in(
            _records(path), terms=lambda speaker, text: lexical.indexed(text, speaker=speaker)
        )
        begin_epoch(memory.vault)
    memory.embed_pending(progress)
    return taken


def _records(path: Path) -> Iterator[Record]:
    """Give the records of an export behind its head."""
    try:
        with path.open("rb") as file:
            head = file.readline(1000)
            if not _is_head(head):
                message = f"{path.name} is no export of this program"
                raise BadInput(message)
            if json.loads(head)["version"] != VERSION:
                message = f"{path.name} was written by a newer version of the program; install that one"
                raise BadInput(message)
            for number, line in enumerate(file, 2):
                yield _record(line, f"{path.name}, line {number}")
    except OSError as error:
        message = f"{path} cannot be read: {error.strerror}"
        raise BadInput(message) from error


def _record(line: bytes, place: str) -> Record:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        message = f"{place}: not JSON: the file was cut short or changed; export again"
        raise BadInput(message) from error
    if not isinstance(record, dict):
        message = f"{place}: not a record"
        raise BadInput(message)
    return record


def _is_head(line: bytes) -> bool:
    try:
        head = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(head, dict) and head.get(TYPE) == HEAD and head.get("format") == FORMAT


def _told(conversation: Conversation, turns: Iterable[Turn], *, continues: str | None = None) -> Iterator[str]:
    yield f"# {_line(conversation.title) or 'Conversation'}"
    yield ""
    if continues is not None:
        yield f"Continues from: {_line(continues) or 'Conversation'}"
        yield ""
    for day, of_day in groupby(turns, key=lambda turn: turn.time.date()):
        yield f"## {day.isoformat()}"
        yield ""
        for turn in of_day:
            yield f"**{_line(turn.speaker)}**, {turn.time:%H:%M}:"
            yield ""
            yield from turn.text.splitlines()
            yield ""


def _line(text: str) -> str:
    return " ".join(text.split())
