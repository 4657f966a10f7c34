"""What was promised is there after kill -9, at any moment. ASSISTANT_TEST_KILLS sets how many kills; 8 by default."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from assistant.importers.run import import_turns
from assistant.memory.associative import AssociativeMemory
from storage.keys import FLOOR_COST
from storage.vault import Vault
from tests.conftest import PASSPHRASE
from tests.doubles import HashEncoder
from tests.writer import IMPORTED, turns

KILLS = int(os.environ.get("ASSISTANT_TEST_KILLS", "8"))
LONGEST_SECONDS = 1.5
"""Of writing before the kill."""


def write_and_kill(what: str, folder: Path, *, after: float) -> list[str]:
    """Start a writer, kill it so many seconds after it began, and give the promises it made."""
    writer = subprocess.Popen(
        [sys.executable, "-m", "tests.writer", what, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[1],
    )
    assert writer.stdin is not None
    assert writer.stdout is not None
    writer.stdin.write(PASSPHRASE + "\n")
    writer.stdin.flush()
    assert writer.stdout.readline() == "open\n"
    time.sleep(after)  # the moment of the kill is the point of the test
    writer.send_signal(signal.SIGKILL)
    promises = [line.rstrip("\n") for line in writer.stdout if line.endswith("\n")]
    writer.wait()
    writer.stdin.close()
    writer.stdout.close()
    return promises


def is_sound(vault: Vault) -> bool:
    vault.lexical.check()
    return bool(vault._database.value("pragma integrity_check") == "ok")


def test_no_finished_turn_is_missing_after_kills_while_chatting(tmp_path: Path) -> None:
    folder = tmp_path / "vault"
    Vault.create(folder, PASSPHRASE, cost=FLOOR_COST).close()
    moments = random.Random(20)
    promised: set[str] = set()
    for _ in range(KILLS):
        promises = write_and_kill("chat", folder, after=moments.uniform(0, LONGEST_SECONDS))
        promised |= {line.removeprefix("turn ") for line in promises}
        with Vault.open(folder, PASSPHRASE) as vault:
            assert is_sound(vault)
            assert promised <= {turn.id for turn in vault.turns.listing()}
    assert len(promised) > KILLS


def test_an_import_killed_again_and_again_ends_with_each_turn_once(tmp_path: Path) -> None:
    folder = tmp_path / "vault"
    Vault.create(folder, PASSPHRASE, cost=FLOOR_COST).close()
    moments = random.Random(21)
    kept = 0
    for _ in range(KILLS):
        promises = write_and_kill("import", folder, after=moments.uniform(0, LONGEST_SECONDS / 2))
        told = [int(line.removeprefix("imported ")) for line in promises]
        with Vault.open(folder, PASSPHRASE) as vault:
            assert is_sound(vault)
            assert vault.turns.count() >= kept + (told[-1] if told else 0)
            kept = vault.turns.count()
    with Vault.open(folder, PASSPHRASE) as vault:
        memory = AssociativeMemory(vault, HashEncoder(32))
        summary = import_turns(memory, turns(), source_name="jsonl")
        assert (summary.added, summary.known) == (IMPORTED - kept, kept)
        assert len({turn.external_id for turn in vault.turns.listing()}) == vault.turns.count() == IMPORTED
        assert import_turns(memory, turns(), source_name="jsonl").added == 0
