"""Things that the tests of the vault make, and the processes that they start beside their own."""

import os
import random
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from storage.keys import DataKey
from storage.page_cipher import decrypted
from storage.records import (
    Category,
    Concept,
    Conversation,
    EmbeddingSpace,
    Maker,
    Passage,
    RecalledLine,
    Role,
    Source,
    Turn,
    Utterance,
)
from storage.vault import Vault

PASSPHRASE = "nine quiet lanterns under the pier"
MORNING = datetime(2026, 3, 14, 9, 26, 53, 589793, tzinfo=UTC)
SPACE = EmbeddingSpace(model="paper", dimension=32, pooling="mean", digest="0" * 64)


def said(text: str, *, role: Role = Role.USER, time: datetime = MORNING, external_id: str | None = None) -> Utterance:
    return Utterance(role=role, speaker="Wilhelmina", text=text, time=time, source=Source.CHAT, external_id=external_id)


def say(vault: Vault, conversation: Conversation, text: str, *, role: Role = Role.USER) -> Turn:
    return vault.turns.append(conversation.id, said(text, role=role), terms=text.lower())


def conceive(vault: Vault, text: str, *support: int, maker: Maker = Maker.SALIENT) -> Concept:
    return vault.concepts.add(
        text=text, terms=text.lower(), maker=maker, category=Category.TERM, confidence=0.5, support=support
    )


def line(node: int, score: float = 1.0, *, injected: bool = True, used: bool = True) -> RecalledLine:
    return RecalledLine(node=node, score=score, injected=injected, used=used)


def vector(seed: int, dimension: int = SPACE.dimension) -> bytes:
    chance = random.Random(seed)
    numbers = [chance.gauss(0.0, 1.0) for _ in range(dimension)]
    length = sum(number * number for number in numbers) ** 0.5
    return struct.pack(f"<{dimension}f", *(number / length for number in numbers))


def key_of(vault: Vault) -> DataKey:
    assert vault._key is not None
    return vault._key


def passage(seed: int, *, start: int = 0, stop: int = 10) -> Passage:
    return Passage(start=start, stop=stop, vector=vector(seed))


def raw_bytes(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.iterdir()))


def plain_bytes(vault: Vault) -> bytes:
    """All that the holder of the key can read in the vault's files, SQLite's view of them aside."""
    return b"".join(stretch.content for stretch in decrypted(vault.file, key_of(vault)))


@contextmanager
def child(task: str, folder: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], IO[str], IO[str]]]:
    """A process that does a task of `tests.storage.child`, with its standard input and output.

    Its coverage is not measured: what is killed while it writes that down leaves half a file.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.storage.child", task, str(folder), *arguments],
        cwd=Path(__file__).parents[2],
        env={name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield process, process.stdin, process.stdout
    finally:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()
