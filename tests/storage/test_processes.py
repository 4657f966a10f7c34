"""Several processes with one vault, and processes that are killed."""

import random
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from storage.errors import VaultBusy
from storage.records import Conversation
from storage.vault import Vault
from tests.storage.making import PASSPHRASE, child, key_of, say


def test_two_processes_write_and_a_third_reads(vault: Vault, conversation: Conversation, folder: Path) -> None:
    with ExitStack() as stack:
        writers = [stack.enter_context(child("write", folder, "60")) for _ in range(2)]
        for _, say_to, _ in writers:
            print(key_of(vault).hexadecimal, file=say_to, flush=True)
        seen = [0]
        while any(process.poll() is None for process, _, _ in writers):
            seen.append(vault.turns.count())
            time.sleep(0.01)
        acknowledged = [output.read().split() for _, _, output in writers]
        assert [process.returncode for process, _, _ in writers] == [0, 0]

    assert seen == sorted(seen)
    turns = vault.turns.in_conversation(conversation.id)
    assert {turn.id for turn in turns} == {line for lines in acknowledged for line in lines}
    assert [turn.position for turn in turns] == list(range(120))


def test_the_change_counter_tells_of_other_processes_writes(
    vault: Vault, conversation: Conversation, folder: Path
) -> None:
    before = vault.change_counter()
    with child("write", folder, "3") as (process, say_to, _):
        print(key_of(vault).hexadecimal, file=say_to, flush=True)
        process.wait()

    assert vault.change_counter() == before + 3
    assert [row.terms.split()[2] for row in vault.turns.graph_rows()] == ["0", "1", "2"]


def test_who_waits_too_long_for_another_process_is_told(vault: Vault, conversation: Conversation, folder: Path) -> None:
    with child("block", folder) as (process, say_to, hear_from):
        assert hear_from.readline() == "blocking\n"
        with vault._database.patience(50), pytest.raises(VaultBusy):
            say(vault, conversation, "not yet")
        assert vault.turns.count() == 0, "readers never wait"

        say_to.close()
        assert say(vault, conversation, "after waiting").position == 0
        assert process.wait() == 0


def test_killing_a_writer_loses_nothing_that_was_acknowledged(
    vault: Vault, conversation: Conversation, folder: Path
) -> None:
    key = key_of(vault)
    vault.close()
    chance = random.Random(11)
    acknowledged: set[str] = set()
    for _ in range(15):
        with child("write", folder, "100000") as (process, say_to, output):
            print(key.hexadecimal, file=say_to, flush=True)
            acknowledged.add(output.readline().strip())
            time.sleep(chance.uniform(0.0, 0.1))
            process.kill()
            acknowledged |= {line.strip() for line in output if line.endswith("\n")}

    with Vault.open(folder, PASSPHRASE) as again:
        assert again._database.value("pragma integrity_check") == "ok"
        again.lexical.check()
        kept = {turn.id for turn in again.turns.listing()}
    assert len(acknowledged) > 15
    assert acknowledged <= kept
    assert len(kept) <= len(acknowledged) + 15, "at most the one turn in hand at each kill"
