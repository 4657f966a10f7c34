"""An export may be larger than the machine's memory: what is held of it does not grow with it."""

import json
import sqlite3
import tracemalloc
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assistant.importers.chatgpt import read_chatgpt
from assistant.importers.claude import read_claude
from assistant.importers.imported import Imported, ImportedTurn
from assistant.importers.jsonl import read_jsonl
from assistant.importers.llm import read_llm
from assistant.importers.openwebui import read_openwebui
from assistant.importers.run import import_turns
from assistant.importers.telegram import read_telegram
from assistant.importers.whatsapp import WhatsAppOptions, read_whatsapp
from storage.records import Role, Source, Utterance
from storage.vault import Vault

MEGABYTE = 1 << 20
START = datetime(2024, 5, 3, 18, 0, tzinfo=UTC)
WORDS = "The ferry leaves at nine from the northern harbour, unless the wind turns. " * 70
"""Some 5,000 characters. Tracing takes its time for each value, not for each letter."""
TURNS = 2000


def chatgpt(number: int) -> object:
    said = {"author": {"role": "user"}, "content": {"content_type": "text", "parts": [WORDS]}, "create_time": 1e9}
    return {"id": f"c{number}", "current_node": "n", "mapping": {"n": {"message": {**said, "id": "n"}}}}


def claude(number: int) -> object:
    said = {"uuid": "m", "sender": "human", "text": WORDS, "created_at": START.isoformat()}
    return {"uuid": f"c{number}", "chat_messages": [said]}


def openwebui(number: int) -> object:
    said = {"role": "user", "content": WORDS, "timestamp": 1_700_000_000}
    return {"id": f"c{number}", "history": {"currentId": "m", "messages": {"m": said}}}


def telegram(number: int) -> object:
    return {"type": "message", "id": number, "from": "Nina", "text": WORDS, "date_unixtime": "1707552060"}


def jsonl(number: int) -> str:
    time = (START + timedelta(minutes=number)).isoformat()
    fields = {"conversation": f"c{number % 7}", "speaker": "Ada", "role": "other", "time": time, "text": WORDS}
    return json.dumps(fields | ({"id": f"m{number}"} if number % 2 else {}))


def whatsapp(number: int) -> str:
    return f"[{START + timedelta(minutes=number):%Y-%m-%d, %H:%M}] Sam: {WORDS}"


def listed(make: Callable[[int], object], path: Path, count: int) -> Path:
    with path.open("w") as file:
        file.write("[")
        file.writelines((", " if number else "") + json.dumps(make(number)) for number in range(count))
        file.write("]")
    return path


def lines(make: Callable[[int], str], path: Path, count: int) -> Path:
    path.write_text("".join(make(number) + "\n" for number in range(count)))
    return path


def one_chat(path: Path, count: int) -> Path:
    messages = listed(telegram, path, count).read_text()
    path.write_text('{"name": "Nina", "id": 1, "messages": ' + messages + "}")
    return path


def packed(path: Path, count: int) -> Path:
    listed(chatgpt, path.with_suffix(".json"), count)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for shard in range(2):
            archive.write(path.with_suffix(".json"), f"conversations-00{shard}.json")
    return path


def log(path: Path, count: int) -> Path:
    with sqlite3.connect(path) as made:
        made.executescript(
            "create table threads(id text primary key, name text);"
            "create table messages(hash text primary key, parent_hash text, role text);"
            "create table parts(id integer primary key, message_hash text, type text, text text, position integer);"
            "create unique index parts_of on parts(message_hash, position);"
            "create table turns(id text primary key, thread_id text, parent_message_hash text, tip_message_hash text,"
            " model text, datetime_utc text);"
        )
        for number in range(count):
            made.execute("insert into messages values (?, ?, 'user')", (f"q{number}", f"a{number - 1}"))
            made.execute("insert into messages values (?, ?, 'assistant')", (f"a{number}", f"q{number}"))
            for name in (f"q{number}", f"a{number}"):
                made.execute("insert into parts values (null, ?, 'text', ?, 0)", (name, WORDS))
            row = (f"t{number:06}", "thread", f"q{number}", f"a{number}", "model", START.isoformat())
            made.execute("insert into turns values (?, ?, ?, ?, ?, ?)", row)
    made.close()
    return path


FORMATS: dict[str, tuple[Callable[[Path], Path], Callable[[Path], Iterable[Imported]]]] = {
    "chatgpt": (lambda path: listed(chatgpt, path, TURNS), read_chatgpt),
    "chatgpt.zip": (lambda path: packed(path, TURNS // 2), read_chatgpt),
    "claude": (lambda path: listed(claude, path, TURNS), read_claude),
    "openwebui": (lambda path: listed(openwebui, path, TURNS), read_openwebui),
    "telegram": (lambda path: one_chat(path, TURNS), read_telegram),
    "jsonl": (lambda path: lines(jsonl, path, TURNS), read_jsonl),
    "whatsapp": (
        lambda path: lines(whatsapp, path, TURNS),
        lambda path: read_whatsapp(path, WhatsAppOptions(zone=UTC)),
    ),
    "llm": (lambda path: log(path, TURNS // 2), read_llm),
}


@pytest.mark.parametrize("name", FORMATS)
def test_reading_holds_a_part_of_the_file_at_a_time(tmp_path: Path, name: str) -> None:
    make, read = FORMATS[name]
    path = make(tmp_path / name)
    imported, most = measured(lambda: sum(1 for _ in read(path)))
    assert imported == TURNS
    assert most < TURNS * len(WORDS) / 2, f"{most / MEGABYTE:.1f} MB at once"


@dataclass(frozen=True, slots=True)
class Heedless:
    """A memory that keeps conversations, and no turn."""

    vault: Vault

    def add_batch(self, conversation: str, utterances: Sequence[Utterance]) -> int:
        assert self.vault.conversations.get(conversation).source is Source.IMPORTED
        return len(utterances)


@pytest.mark.parametrize("dry_run", [True, False])
def test_an_import_holds_a_batch_at_a_time(vault: Vault, *, dry_run: bool) -> None:

    def imported(some: Iterator[ImportedTurn]) -> tuple[int, int]:
        return measured(lambda: import_turns(Heedless(vault), some, source_name="test", dry_run=dry_run).added)

    few, many = imported(told(0, 300)), imported(told(300, 3300))
    assert (few[0], many[0]) == (300, 3000)
    assert many[1] < few[1] + MEGABYTE / 2


def told(start: int, end: int) -> Iterator[ImportedTurn]:
    """Give turns of long names: a list of 3,000 is larger than what is allowed."""
    for number in range(start, end):
        yield ImportedTurn(
            conversation=f"c{number // 10}",
            title="",
            utterance=Utterance(
                role=Role.OTHER,
                speaker="Ada",
                text="The ferry leaves at nine.",
                time=START,
                source=Source.IMPORTED,
                external_id="x" * 1000 + str(number),
            ),
        )


def measured(run: Callable[[], int]) -> tuple[int, int]:
    """Give what it gives, and the bytes of Python's that it held at once."""
    tracemalloc.start()
    try:
        return run(), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
