"""A new data key for a vault: what opens afterwards, what does not, and what a kill leaves."""

import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from storage import key_changes
from storage.database import Database
from storage.errors import LastSlot, VaultBusy, VaultDamaged, VaultKeyChanged, WrongPassphrase
from storage.key_slots import RecoverySlot
from storage.keys import KEY_FILE, DataKey, KeyFile, KeyringKey, KeySet, RecoveryKey
from storage.page_cipher import decrypted
from storage.records import Conversation
from storage.rekeying import rekey
from storage.unlocking import read_data_key
from storage.vault import Vault
from tests.storage.making import PASSPHRASE, child, conceive, key_of, raw_bytes, said, say

KILLS = int(os.environ.get("ASSISTANT_TEST_REKEY_KILLS", "40"))
WORDS = "the ferry leaves at half past six"


@pytest.fixture
def recovery(vault: Vault, folder: Path) -> RecoveryKey:
    """Opens the vault without a derivation of half a second."""
    return key_changes.add_recovery_key(folder, key_of(vault))


@pytest.fixture
def old(vault: Vault, conversation: Conversation, recovery: RecoveryKey) -> DataKey:
    """The key of a vault with something in it, which is closed."""
    for number in range(150):
        vault.turns.append(conversation.id, said(f"{WORDS} {number} " + "wave " * 300), terms="ferry")
    key = key_of(vault)
    vault.close()
    return key


def pages_under(folder: Path, key: DataKey) -> int:
    """Pages of the database and its log that a key opens."""
    return sum(stretch.pages - stretch.unreadable for stretch in decrypted(folder / "vault.db", key))


@contextmanager
def rekeyer(folder: Path, recovery: RecoveryKey) -> Iterator[Callable[[str, float], str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.storage.rekeyer", str(folder)],
        cwd=Path(__file__).parents[2],
        env={name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    say_to, hear_from = process.stdin, process.stdout

    def attempt(how: str, when: float) -> str:
        print(how, when, file=say_to, flush=True)
        return hear_from.readline().strip()

    print(recovery.text, file=say_to, flush=True)
    try:
        yield attempt
    finally:
        process.kill()
        process.wait()
        say_to.close()
        hear_from.close()


def see_whole(folder: Path, recovery: RecoveryKey, before: DataKey) -> DataKey:
    """Open what a kill left, see that nothing is lost and that exactly one key opens it; give that key."""
    with Vault.open(folder, recovery) as vault:
        assert vault._database.value("pragma integrity_check") == "ok"
        assert vault.turns.count() == 150
        key = key_of(vault)
    keys = KeyFile.read(folder / KEY_FILE)
    assert (keys.pending, keys.keys.fingerprint) == (None, key.fingerprint)
    if key.secret != before.secret:
        assert pages_under(folder, before) == 0
        with pytest.raises(VaultKeyChanged):
            Vault.open(folder, before)
    return key


def test_everything_opens_as_before_and_the_old_key_opens_nothing(
    old: DataKey, folder: Path, recovery: RecoveryKey
) -> None:
    wrapping, steps = KeyringKey.random(), []
    key_changes.add_keyring_key(folder, recovery, wrapping, "a1")
    assert pages_under(folder, old) > 50

    done = rekey(folder, PASSPHRASE, keyring=wrapping, progress=lambda what, share: steps.append((what, share)))

    assert (done.kept, done.dropped) == (("passphrase", "recovery", "keyring"), ())
    new = read_data_key(folder, PASSPHRASE)
    assert new.secret != old.secret
    assert [read_data_key(folder, secret).secret for secret in (recovery, wrapping)] == [new.secret] * 2
    assert key_changes.keyring_ids(folder) == ("a1",)
    assert pages_under(folder, old) == 0
    assert steps[-1][1] == 1.0
    see_whole_words(folder, new)


def see_whole_words(folder: Path, key: DataKey) -> None:
    with Vault.open(folder, key) as vault:
        assert vault.turns.listing()[0].text.startswith(WORDS)
        vault.lexical.check()


def test_what_is_not_at_hand_is_dropped_and_named(old: DataKey, folder: Path, recovery: RecoveryKey) -> None:
    key_changes.add_keyring_key(folder, recovery, KeyringKey.random(), "a1")
    path = folder / KEY_FILE
    keys = KeyFile.read(path)
    keys.with_slots([*keys.keys.slots, {"type": "smartcard"}], old).write(path)

    done = rekey(folder, recovery.text.lower(), keyring=KeyringKey.random())

    assert (done.kept, done.dropped) == (("recovery",), ("passphrase", "keyring", "smartcard"))
    with pytest.raises(WrongPassphrase):
        read_data_key(folder, PASSPHRASE)
    see_whole_words(folder, read_data_key(folder, recovery))


def test_a_recovery_slot_that_a_stranger_put_there_never_gets_the_new_key(
    old: DataKey, folder: Path, recovery: RecoveryKey
) -> None:
    path, stranger = folder / KEY_FILE, RecoveryKey.random()
    keys = KeyFile.read(path)
    forged = RecoverySlot.wrap(DataKey.random(), stranger)  # the stranger can write the folder, and has no key
    keys.with_slots([*keys.keys.of_type("passphrase"), forged], old).write(path)

    done = rekey(folder, PASSPHRASE)

    assert (done.kept, done.dropped) == (("passphrase",), ("recovery",))
    with pytest.raises(WrongPassphrase):
        read_data_key(folder, stranger)


def test_nothing_is_changed_when_nothing_would_open_the_vault(old: DataKey, folder: Path) -> None:
    path, wrapping = folder / KEY_FILE, KeyringKey.random()
    recovery = RecoveryKey.random()
    slot = {**RecoverySlot.wrap(old, recovery), "proof": "A" * 43 + "="}
    KeyFile(keys=KeySet(slots=(slot,), fingerprint=old.fingerprint)).write(path)
    before = raw_bytes(folder)

    with pytest.raises(LastSlot):
        rekey(folder, recovery, keyring=wrapping)

    assert raw_bytes(folder) == before


def test_who_has_the_vault_open_is_told_and_unlocks_again(vault: Vault, folder: Path, recovery: RecoveryKey) -> None:
    with Vault.open(folder, recovery) as other:
        rekey(folder, recovery)

        for use in (other.turns.count, vault.turns.count, lambda: vault.settings.put("a", "b")):
            with pytest.raises(VaultKeyChanged, match="Unlock it again"):
                use()
    Vault.open(folder, recovery).close()


def test_damage_is_still_told_as_damage(old: DataKey, folder: Path, recovery: RecoveryKey) -> None:
    rekey(folder, recovery)
    file = folder / "vault.db"
    content = bytearray(file.read_bytes())
    content[100] ^= 1
    file.write_bytes(content)

    with pytest.raises(VaultDamaged):
        Vault.open(folder, recovery)


def test_another_process_that_reads_keeps_the_key_as_it_is(vault: Vault, folder: Path, recovery: RecoveryKey) -> None:
    key = key_of(vault)
    vault.close()
    with child("hold", folder) as (_, _, hear_from):
        assert hear_from.readline() == "holding\n"
        before = KeyFile.read(folder / KEY_FILE)
        with Vault.open(folder, recovery) as other:
            other.settings.put("a", "b")  # what the reader does not see lies in the log
        with pytest.raises(VaultBusy, match="Nothing was changed"):
            rekey(folder, recovery)

    assert KeyFile.read(folder / KEY_FILE) == before
    assert read_data_key(folder, recovery).secret == key.secret


def test_a_reader_that_comes_in_the_middle_only_puts_off_the_end(
    old: DataKey, folder: Path, recovery: RecoveryKey
) -> None:
    reader = Database(folder / "vault.db", old)

    def read(what: str, _share: float) -> None:
        if what.startswith("encrypting"):
            reader.run("begin")
            reader.rows("select count(*) from node")

    with pytest.raises(VaultBusy, match="has its new key"):
        rekey(folder, recovery, progress=read)
    assert KeyFile.read(folder / KEY_FILE).pending is not None
    new = read_data_key(folder, recovery)
    assert new.secret != old.secret
    with pytest.raises(VaultBusy, match="waits for another process"):
        key_changes.add_recovery_key(folder, recovery)

    reader.close()
    assert see_whole(folder, recovery, old).secret == new.secret


def test_a_writer_that_comes_in_the_middle_keeps_the_key_as_it_is(
    old: DataKey, folder: Path, recovery: RecoveryKey
) -> None:
    writer = Database(folder / "vault.db", old)
    before = KeyFile.read(folder / KEY_FILE)

    def write(what: str, _share: float) -> None:
        if what.startswith("encrypting"):
            writer.run("begin immediate")

    with pytest.raises(VaultBusy, match="Another process"):
        rekey(folder, recovery, progress=write)

    writer.close()
    assert KeyFile.read(folder / KEY_FILE) == before
    assert see_whole(folder, recovery, old).secret == old.secret


def test_forgettings_that_wait_and_purges_that_are_pending_go_on_under_the_new_key(
    vault: Vault, conversation: Conversation, folder: Path, recovery: RecoveryKey
) -> None:
    gone = say(vault, conversation, "the zebrafinch of quillabeth")
    conceive(vault, "zebrafinch", gone.node)
    vault.close()
    with child("erase_and_die", folder, str(gone.node), "vacuum") as (process, _, _):
        process.wait()

    rekey(folder, recovery)

    with Vault.open(folder, recovery) as again:
        receipts = again.ledger.listing()
        assert [(receipt.pending, receipt.residue) for receipt in receipts] == [(False, 0)]
        content = b"".join(stretch.content for stretch in decrypted(again.file, key_of(again)))
    assert b"zebrafinch" not in content


@pytest.mark.parametrize(("how", "most"), [("statement", 60), ("file", 40)])
def test_killed_at_any_step_it_is_whole_and_finished_at_the_next_opening(
    old: DataKey, folder: Path, recovery: RecoveryKey, how: str, most: int
) -> None:
    key, changes, step = old, 0, 0
    with rekeyer(folder, recovery) as attempt:
        for step in range(1, most):
            ended = attempt(how, step)
            found = see_whole(folder, recovery, key)
            changes += found.secret != key.secret
            key = found
            if ended == "ended 0":
                break
            assert ended == "killed"
        else:
            pytest.fail("it never came to its end")

    assert step > 5, "there are steps to be killed at"
    assert changes > 1, "at some the key was changed already"
    assert changes < step, "at others it was not"


def test_killed_at_any_moment_it_is_whole_and_finished_at_the_next_opening(
    old: DataKey, folder: Path, recovery: RecoveryKey
) -> None:
    chance, key, killed = random.Random(17), old, 0
    begun = time.perf_counter()
    rekey(folder, recovery)
    longest = 1.5 * (time.perf_counter() - begun)
    key = see_whole(folder, recovery, key)
    with rekeyer(folder, recovery) as attempt:
        for _ in range(KILLS):
            was_killed = attempt("seconds", chance.uniform(0.001, longest)) == "killed"
            killed += was_killed
            longest *= 1.0 if was_killed else 0.8  # this machine may have been busier when it was measured
            key = see_whole(folder, recovery, key)

    assert killed > KILLS // 4
