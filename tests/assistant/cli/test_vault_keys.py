"""What opens the vault, from the command line: passphrase, rekey, recovery-key, keyring."""

import json
import os
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import keyring
import pytest
from keyring.backends import fail

from assistant.agent.client import held_key, hold_key
from storage import key_changes
from storage.errors import WrongPassphrase
from storage.keys import KEY_FILE, KeyFile, RecoveryKey
from storage.unlocking import read_data_key
from tests.assistant.agents import ended_at_last
from tests.assistant.cli.support import Here, Home, Terminal
from tests.conftest import PASSPHRASE
from tests.keyrings import MemoryKeyring

NEW = "four brass weights on a sill"


@pytest.fixture
def keys() -> Iterator[MemoryKeyring]:
    """The system's keyring."""
    before, made = keyring.get_keyring(), MemoryKeyring()
    keyring.set_keyring(made)
    yield made
    keyring.set_keyring(before)


def all_bytes(folder: Path) -> bytes:
    """All that a user's folders hold, but for the file that the passphrase is given in."""
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != "passphrase")


# passphrase


def test_a_new_passphrase_from_a_file_takes_the_place_of_the_old_one(here: Here) -> None:
    new = here.home.folder / "new"
    new.write_text(NEW + "\n")
    new.chmod(0o600)

    ran = here.run("vault", "passphrase", "--new-passphrase-file", str(new))

    assert (ran.code, ran.out) == (0, "changed the passphrase\n")
    assert "roughly" in ran.err
    assert "vault rekey" in ran.err
    new.unlink()
    assert NEW.encode() not in all_bytes(here.home.folder)
    with pytest.raises(WrongPassphrase):
        read_data_key(here.home.paths.data, PASSPHRASE)
    read_data_key(here.home.paths.data, NEW)


def test_on_a_terminal_the_new_passphrase_is_asked_for_twice_and_a_weak_one_warned_of(full: Home) -> None:
    terminal = Terminal(full, "vault", "passphrase")
    terminal.wait_for("Passphrase: ")
    terminal.send(PASSPHRASE + "\n")
    terminal.wait_for("New passphrase: ")
    terminal.send("summer24\n")
    terminal.wait_for("The same again: ")
    terminal.send("summer24\n")

    assert terminal.end() == 0
    assert "warning: somebody with 1,000 computers would guess" in terminal.seen
    assert "summer24" not in terminal.seen
    read_data_key(full.paths.data, "summer24")


def test_two_places_for_the_new_passphrase_or_an_empty_one_change_nothing(here: Here) -> None:
    before = all_bytes(here.home.folder)

    both = here.run("vault", "passphrase", "--new-passphrase-file", "a", "--new-passphrase-fd", "3")
    none = here.run("vault", "passphrase", "--new-passphrase-file", os.devnull)

    assert (both.code, none.code) == (2, 4)
    assert "choose one" in both.err
    assert all_bytes(here.home.folder) == before


# rekey


def test_the_vault_is_encrypted_anew_and_opens_as_before(here: Here) -> None:
    folder = here.home.paths.data
    old = read_data_key(folder, PASSPHRASE)

    ran = here.run("vault", "rekey", "-y", "--json")

    assert ran.code == 0
    assert json.loads(ran.out) == {"opened_by": ["passphrase"], "dropped": []}
    assert KeyFile.read(folder / KEY_FILE).keys.fingerprint != old.fingerprint
    assert len(here.run("memory", "list").out.splitlines()) == 3


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked into by /proc")
def test_after_it_the_agent_holds_no_key_any_more(here: Here) -> None:
    paths = here.home.paths
    with ended_at_last(paths):
        hold_key(paths, read_data_key(paths.data, PASSPHRASE), at_most=timedelta(hours=1), idle=None)
        assert here.run("memory", "list", unlocking=False).code == 0

        assert here.run("vault", "rekey", "-y").code == 0

        assert held_key(paths) is None
        assert here.run("memory", "list", unlocking=False).code == 4


def test_after_a_recovery_key_the_passphrase_opens_no_more_and_that_is_told(here: Here) -> None:
    folder = here.home.paths.data
    recovery = key_changes.add_recovery_key(folder, PASSPHRASE)
    here.home.passphrase_file.write_text(recovery.text.lower().replace("-", " "))

    ran = here.run("vault", "rekey", "-y")

    assert (ran.code, ran.out) == (0, "encrypted the vault anew; it opens with the recovery key\n")
    assert "warning: the passphrase opens the vault no more" in ran.err
    assert "backups made before keep the old key" in ran.err
    assert key_changes.slot_types(folder) == ("recovery",)
    here.home.passphrase_file.write_text(PASSPHRASE)
    assert "Give its recovery key" in here.run("memory", "list").err


@pytest.mark.parametrize("command", ["rekey", "recovery-key"])
def test_without_a_terminal_to_ask_nothing_is_changed(here: Here, command: str) -> None:
    before = all_bytes(here.home.folder)

    ran = here.run("vault", command)

    assert (ran.code, ran.out) == (2, "")
    assert "give -y" in ran.err
    assert all_bytes(here.home.folder) == before


def test_on_a_terminal_the_answer_no_changes_nothing(full: Home) -> None:
    before = all_bytes(full.paths.data)
    terminal = Terminal(full, "vault", "recovery-key")
    terminal.wait_for("[y/N] ")
    assert "Whoever has the recovery key opens the vault" in terminal.seen
    terminal.send("\n")

    assert terminal.end() == 0
    assert "nothing was changed" in terminal.seen
    assert all_bytes(full.paths.data) == before


# recovery key


def test_a_recovery_key_is_printed_once_opens_the_vault_and_is_kept_nowhere(here: Here) -> None:
    ran = here.run("vault", "recovery-key", "-y")
    printed = ran.out.strip()

    assert ran.code == 0
    assert "write it down" in ran.err
    content = all_bytes(here.home.folder)
    for text in (printed, printed.replace("-", ""), RecoveryKey.from_text(printed).secret.hex()):
        assert text.encode() not in content
    here.home.passphrase_file.write_text(printed + "\n")
    status = here.run("vault", "status")
    assert status.code == 0
    assert "recovery key" in status.out
    assert printed not in status.out + status.err


def test_a_recovery_key_with_a_wrong_letter_is_told_from_a_wrong_passphrase(here: Here) -> None:
    printed = json.loads(here.run("vault", "recovery-key", "-y", "--json").out)["recovery_key"]
    here.home.passphrase_file.write_text(printed[:-1] + ("A" if printed[-1] != "A" else "B"))

    ran = here.run("memory", "list")

    assert ran.code == 4
    assert "checksum does not fit" in ran.err
    assert printed[:4] not in ran.err


def test_a_recovery_key_that_was_taken_away_opens_no_more(here: Here) -> None:
    folder = here.home.paths.data
    recovery = key_changes.add_recovery_key(folder, PASSPHRASE)

    ran = here.run("vault", "recovery-key", "--remove", "--json")

    assert json.loads(ran.out) == {"opened_by": ["passphrase"]}
    with pytest.raises(WrongPassphrase):
        read_data_key(folder, recovery)


# keyring


def test_the_keyring_opens_the_vault_without_a_question_until_it_is_taken_away(here: Here, keys: MemoryKeyring) -> None:
    assert here.run("vault", "keyring").out == "the system's keyring opens the vault\n"
    (kept,) = keys.kept.values()
    assert read_data_key(here.home.paths.data, PASSPHRASE).hexadecimal not in kept

    listed = here.run("memory", "list", unlocking=False)
    assert (listed.code, len(listed.out.splitlines())) == (0, 3)
    assert json.loads(here.run("vault", "status", "--json", unlocking=False).out)["opened_by"] == [
        "passphrase",
        "keyring",
    ]
    assert here.run("vault", "rekey", "-y").code == 0
    assert here.run("memory", "list", unlocking=False).code == 0, "its slot got the new key, too"

    assert here.run("vault", "keyring", "--remove").out == "the system's keyring opens the vault no more\n"
    assert not keys.kept
    assert here.run("memory", "list", unlocking=False).code == 4


def test_a_second_key_in_the_keyring_takes_the_place_of_the_first(here: Here, keys: MemoryKeyring) -> None:
    here.run("vault", "keyring")
    first = dict(keys.kept)
    told = here.run("vault", "keyring", "--json")

    assert json.loads(told.out) == {"opened_by": ["passphrase", "keyring"]}
    assert len(keys.kept) == 1
    assert keys.kept != first
    assert here.run("memory", "list", unlocking=False).code == 0


def test_a_keyring_that_fails_is_warned_of_and_the_passphrase_remains(here: Here, keys: MemoryKeyring) -> None:
    here.run("vault", "keyring")
    keys.kept.clear()

    ran = here.run("memory", "list", unlocking=False)
    assert ran.code == 4
    assert "warning: the system's keyring has no key for this vault" in ran.err
    assert here.run("memory", "list").code == 0
    assert "the system's keyring opens the vault no more" in here.run("vault", "rekey", "-y").err


def test_a_system_without_a_keyring_is_told_and_nothing_is_changed(here: Here, keys: MemoryKeyring) -> None:
    keyring.set_keyring(fail.Keyring())  # type: ignore[no-untyped-call]
    before = all_bytes(here.home.folder)

    ran = here.run("vault", "keyring")

    assert (ran.code, ran.out) == (4, "")
    assert "no keyring" in ran.err
    assert all_bytes(here.home.folder) == before


def test_a_wrong_passphrase_leaves_no_key_in_the_keyring(here: Here, keys: MemoryKeyring) -> None:
    here.home.passphrase_file.write_text("something else")

    assert here.run("vault", "keyring").code == 4

    assert not keys.kept
    assert key_changes.keyring_ids(here.home.paths.data) == ()
