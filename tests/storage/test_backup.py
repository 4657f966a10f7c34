"""Backups: whole, encrypted, of one moment. Whatever happens, none is half there."""

import shutil
import stat
import threading
from itertools import count
from pathlib import Path

import pytest

from storage import backup as backups
from storage.backups import Backup, key_id
from storage.damage import damaged_pages
from storage.errors import (
    BackupRefused,
    VaultDamaged,
    VaultKeyChanged,
    VaultReadOnly,
)
from storage.keys import FLOOR_COST
from storage.records import Conversation
from storage.rekeying import rekey
from storage.vault import Vault
from tests.storage.copies import SECRET_WORDS, fill, flip, texts, untold
from tests.storage.dying import dies
from tests.storage.making import MORNING, PASSPHRASE, child, key_of, raw_bytes, say


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "backup"


@pytest.fixture
def filled(vault: Vault, conversation: Conversation) -> Vault:
    return fill(vault, conversation)


# making


def test_a_backup_holds_what_the_vault_holds_and_opens_with_its_passphrase(filled: Vault, target: Path) -> None:
    made = filled.backup(target, now=MORNING)
    digest, said = filled.digest(), [turn.text for turn in filled.turns.listing()]

    with Vault.open(target, PASSPHRASE) as copy:
        assert copy.digest() == digest
        assert [turn.text for turn in copy.turns.listing()] == said
    assert made == Backup(path=target.resolve(), time=MORNING, key_id=key_id(key_of(filled)))
    assert filled.backups.listing() == [made]


def test_a_backup_is_for_its_owner_alone_and_shows_nothing(filled: Vault, target: Path) -> None:
    filled.backup(target, now=MORNING)

    assert sorted(path.name for path in target.iterdir()) == ["keys.json", "vault.db"]
    assert stat.S_IMODE(target.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in target.iterdir()} == {0o600}
    assert SECRET_WORDS.encode() not in raw_bytes(target)
    assert damaged_pages(target / "vault.db", key_of(filled), lambda *_: None) == []


def test_a_backup_made_while_another_process_writes_is_of_one_moment(
    vault: Vault, conversation: Conversation, folder: Path, target: Path
) -> None:
    with child("write", folder, "100000") as (process, say_to, hear_from):
        print(key_of(vault).hexadecimal, file=say_to, flush=True)
        hear_from.readline()
        before = vault.turns.count()
        vault.backup(target, now=MORNING)
        after = vault.turns.count()
        assert process.poll() is None, "it was still writing"
        process.kill()

    with Vault(target, key_of(vault)) as copy:
        positions = [turn.position for turn in copy.turns.in_conversation(conversation.id)]
        assert copy.check() == []
    assert positions == list(range(len(positions)))
    assert before <= len(positions) <= after


def test_writing_goes_on_while_a_backup_is_made(filled: Vault, conversation: Conversation, target: Path) -> None:
    said = []

    def write_more(what: str, _done: int, _all: int) -> None:
        said.append(what)
        say(filled, conversation, f"while {what} {len(said)}")

    filled.backup(target, now=MORNING, progress=write_more)

    assert set(said) == {"copying", "checking"}
    assert len(texts(target, key_of(filled))) == 20
    assert filled.turns.count() == 20 + len(said)


def test_a_thread_can_write_while_another_makes_a_backup(
    filled: Vault, conversation: Conversation, target: Path
) -> None:
    def write_in_a_thread(_what: str, _done: int, _all: int) -> None:
        thread = threading.Thread(target=say, args=(filled, conversation, "aside"))
        thread.start()
        thread.join(timeout=60)
        assert not thread.is_alive()

    filled.backup(target, now=MORNING, progress=write_in_a_thread)
    assert filled.turns.count() > 20


@pytest.mark.parametrize("inside", ["", "deeper", "deeper/still"])
def test_a_backup_inside_the_vault_is_refused(filled: Vault, folder: Path, inside: str) -> None:
    with pytest.raises(BackupRefused, match="elsewhere"):
        filled.backup(folder / inside, now=MORNING)
    assert filled.backups.listing() == []


def test_a_folder_that_holds_something_else_is_refused_and_stays(filled: Vault, target: Path) -> None:
    target.mkdir()
    (target / "letters.txt").write_text("mine")

    for replace in (False, True):
        with pytest.raises(BackupRefused, match="something else"):
            filled.backup(target, now=MORNING, replace=replace)
    assert [path.name for path in target.iterdir()] == ["letters.txt"]
    assert filled.backups.listing() == []


def test_another_vault_is_no_backup_to_be_replaced(filled: Vault, target: Path) -> None:
    Vault.create(target, PASSPHRASE, cost=FLOOR_COST).close()
    with pytest.raises(BackupRefused, match="something else"):
        filled.backup(target, now=MORNING, replace=True)


def test_a_backup_is_replaced_only_when_that_is_asked(filled: Vault, conversation: Conversation, target: Path) -> None:
    filled.backup(target, now=MORNING)
    say(filled, conversation, "said later")

    with pytest.raises(BackupRefused, match="--replace"):
        filled.backup(target, now=MORNING)
    assert len(texts(target, key_of(filled))) == 20

    filled.backup(target, now=MORNING, replace=True)
    assert len(texts(target, key_of(filled))) == 21
    assert sorted(path.name for path in target.iterdir()) == ["keys.json", "vault.db"]
    assert len(filled.backups.listing()) == 1


def test_a_draft_that_is_not_ours_is_left_alone(filled: Vault, target: Path) -> None:
    draft = target.with_name("backup.draft")
    draft.mkdir()
    (draft / "letters.txt").write_text("mine")

    with pytest.raises(BackupRefused, match="in the way"):
        filled.backup(target, now=MORNING)
    assert (draft / "letters.txt").exists()
    assert not target.exists()


def test_a_place_that_cannot_be_written_is_named_and_nothing_is_left(filled: Vault, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")

    with pytest.raises(VaultReadOnly, match="file"):
        filled.backup(tmp_path / "file" / "backup", now=MORNING)
    assert filled.backups.listing() == []


def test_a_failure_in_the_middle_leaves_nothing_half_written(filled: Vault, target: Path) -> None:
    def fail(what: str, _done: int, _all: int) -> None:
        if what == "checking":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        filled.backup(target, now=MORNING, progress=fail)
    assert not target.exists()
    assert not target.with_name("backup.draft").exists()
    assert filled.backups.listing() == []


def test_a_copy_that_is_not_as_it_was_written_is_found_out(filled: Vault, target: Path) -> None:
    filled.backup(target, now=MORNING)
    flip(target / "vault.db", at=5000)

    with pytest.raises(VaultDamaged, match="1 page"):
        backups.verify(target / "vault.db", key_of(filled), untold)


def test_a_copy_that_holds_something_else_is_found_out(filled: Vault, target: Path) -> None:
    filled.backup(target, now=MORNING)

    with pytest.raises(VaultDamaged, match="not hold what it should"):
        backups.verify(target / "vault.db", key_of(filled), untold, expected="0" * 64)


def test_a_backup_killed_at_any_step_is_whole_or_not_there(filled: Vault, target: Path, tmp_path: Path) -> None:
    key, folder = key_of(filled), filled.folder
    filled.close()
    killed = 0
    for step in count(1):

        def work() -> None:
            with Vault(folder, key) as vault:
                vault.backup(target, now=MORNING)

        ended = not dies(step, target.parent, work)
        if target.exists():
            assert len(texts(target, key)) == 20
            shutil.rmtree(target)
        if ended:
            break
        killed += 1
    assert killed > 5
    assert not target.with_name("backup.draft").exists()


def test_replacing_a_backup_killed_at_any_step_leaves_the_old_or_the_new(
    filled: Vault, conversation: Conversation, target: Path, tmp_path: Path
) -> None:
    key, folder = key_of(filled), filled.folder
    filled.backup(target, now=MORNING)
    say(filled, conversation, "said later")
    filled.close()
    old = tmp_path / "old"
    shutil.copytree(target, old)
    counts = set()
    for step in count(1):

        def work() -> None:
            with Vault(folder, key) as vault:
                vault.backup(target, now=MORNING, replace=True)

        ended = not dies(step, target, work)
        found = len(texts(target, key))
        assert found in {20, 21}
        counts.add(found)
        if ended:
            break
        shutil.rmtree(target)
        shutil.copytree(old, target)
    assert counts == {20, 21}


# renewing


def test_renewing_takes_out_of_backups_what_was_forgotten(
    filled: Vault, conversation: Conversation, target: Path, tmp_path: Path
) -> None:
    going = say(filled, conversation, "my number is 0177 5550199")
    filled.backup(target, now=MORNING)
    filled.backup(tmp_path / "second", now=MORNING)
    filled.erase([going.node])
    shutil.rmtree(tmp_path / "second")

    renewal = filled.renew_backups(now=MORNING)

    assert [backup.path for backup in renewal.made] == [target]
    assert [backup.path for backup in renewal.gone] == [tmp_path / "second"]
    assert renewal.failed == ()
    assert [backup.path for backup in filled.backups.listing()] == [target]
    assert going.text not in texts(target, key_of(filled))


def test_when_the_vault_has_a_new_key_backups_are_renewed_with_it(filled: Vault, target: Path) -> None:
    before = filled.backup(target, now=MORNING)
    old, folder = key_of(filled), filled.folder
    filled.close()
    rekey(folder, PASSPHRASE)
    assert len(texts(target, old)) == 20, "it keeps the key that it was made with"

    with Vault.open(folder, PASSPHRASE) as vault:
        assert vault.backups.listing() == [before]
        assert [backup.key_id for backup in vault.renew_backups(now=MORNING).made] == [key_id(key_of(vault))]
        assert key_id(key_of(vault)) != before.key_id
        new = key_of(vault)
    assert len(texts(target, new)) == 20
    with pytest.raises(VaultKeyChanged):
        Vault.open(target, old)


def test_what_a_killed_backup_left_goes_when_backups_are_renewed(filled: Vault, target: Path) -> None:
    draft = target.with_name("backup.draft")
    draft.mkdir()
    (draft / "vault.db").write_bytes(b"half")
    filled.backups.note(Backup(path=target, time=MORNING, key_id="0"))

    assert len(filled.renew_backups(now=MORNING).gone) == 1
    assert not draft.exists()


def test_a_backup_whose_disk_is_away_stays_known(filled: Vault, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    filled.backup(disk / "backup", now=MORNING)
    disk.rename(tmp_path / "elsewhere")

    renewal = filled.renew_backups(now=MORNING)

    assert (renewal.made, renewal.gone) == ((), ())
    assert "Attach its disk" in str(renewal.failed[0][1])
    assert len(filled.backups.listing()) == 1
