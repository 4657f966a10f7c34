"""A process that writes to a vault and tells each thing it was promised to find again, until it is killed.

    python -m tests.writer chat|import FOLDER < passphrase

Each line on stdout is a promise: `turn ID`, or `imported N`.
"""

import itertools
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from assistant import events
from assistant.importers.imported import ImportedTurn
from assistant.importers.run import import_turns
from assistant.language.speed import ReadingSpeed
from assistant.memory.associative import AssociativeMemory
from assistant.session import Session, SessionSettings
from storage.records import Role, Source, Utterance
from storage.vault import Vault
from tests.doubles import HashEncoder, ScriptedModel

IMPORTED = 2_000
"""Turns of the import."""


def promise(text: str) -> None:
    print(text, flush=True)


def chat(memory: AssociativeMemory) -> None:
    settings = SessionSettings(user_name="Mara", temperature=0.0, max_tokens=100, memory_tokens=200)
    speed = ReadingSpeed(memory.vault.folder / "speed.json")
    for number in itertools.count():
        model = ScriptedModel([f"Answer {number} about heron {number % 7}."], delay=0.002)
        session = Session(memory=memory, model=model, speed=speed, settings=settings, now=lambda: datetime.now(UTC))
        for event in session.reply(f"Note {number}: heron {number % 7} was seen at the river."):
            match event:
                case events.TurnKept(turn=turn) | events.ReplyFinished(turn=turn) if turn is not None:
                    promise(f"turn {turn.id}")


def turns() -> Iterator[ImportedTurn]:
    start = datetime(2024, 1, 1, tzinfo=UTC)
    for number in range(IMPORTED):
        yield ImportedTurn(
            conversation=f"c{number // 500}",
            title="Imported",
            utterance=Utterance(
                role=Role.OTHER,
                speaker="Ann",
                text=f"Line {number} tells of otter {number % 13}.",
                time=start + timedelta(minutes=number),
                source=Source.IMPORTED,
                origin="jsonl:test",
                external_id=f"line-{number}",
            ),
        )


def main() -> None:
    what, folder = sys.argv[1:]
    with Vault.open(Path(folder), sys.stdin.readline().rstrip("\n")) as vault:
        memory = AssociativeMemory(vault, HashEncoder(32))
        promise("open")
        if what == "chat":
            chat(memory)
        import_turns(
            memory, turns(), source_name="jsonl", progress=lambda summary: promise(f"imported {summary.added}")
        )


if __name__ == "__main__":
    main()
