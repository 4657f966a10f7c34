"""Putting a backup in a vault's place. Whatever happens, the old vault or the new one is there, whole."""

import shutil
import stat
from itertools import count
from pathlib import Path

import pytest

from storage.backups import Backup
from storage.errors import BackupRefused, StorageError, VaultBusy, VaultDamaged, WrongPassphrase
from storage.keys import DataKey
from storage.records import Conversation
from storage.restoring import Restoring, restoring
from storage.vault import Vault
from tests.storage.copies import fill, flip, texts, untold
from tests.storage.dying import dies
from tests.storage.making import MORNING, PASSPHRASE, key_of, raw_bytes, say


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "backup"


@pytest.fixture
def filled(vault: Vault, conversation: Conversation) -> Vault:
    return fill(vault, conversation)


def restore(source: Path, folder: Path, key: DataKey, known: tuple[Backup, ...] = ()) -> Restoring:
    with restoring(source, folder, key, untold) as found:
        found.take_place(known)
    return found


def test_a_backup_is_restored_into_an_empty_place(filled: Vault, target: Path, tmp_path: Path) -> None:
    filled.backup(target, now=MORNING)
    place = tmp_path / "new" / "place"

    with restoring(target, place, PASSPHRASE, untold) as found:
        assert (found.turns, found.made) == (20, MORNING)
        found.take_place()

    assert sorted(path.name for path in place.iterdir()) == ["keys.json", "vault.db"]
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    assert len(texts(place, key_of(filled))) == 20


def test_a_restored_vault_takes_the_place_of_the_one_there(
    filled: Vault, conversation: Conversation, folder: Path, target: Path
) -> None:
    key = key_of(filled)
    filled.backup(target, now=MORNING)
    say(filled, conversation, "said later")
    later = Backup(path=target.with_name("later"), time=MORNING, key_id="0")
    filled.close()

    restore(target, folder, key, (later,))

    assert len(texts(folder, key)) == 20
    assert sorted(path.name for path in folder.iterdir()) == ["keys.json", "vault.db"]
    with Vault.open(folder, key) as vault:
        assert [backup.path for backup in vault.backups.listing()] == [target, later.path]
    assert len(texts(target, key)) == 20


def test_nothing_is_restored_until_it_is_wanted(filled: Vault, conversation: Conversation, target: Path) -> None:
    key = key_of(filled)
    filled.backup(target, now=MORNING)
    say(filled, conversation, "said later")
    with restoring(target, filled.folder, key, untold) as found:
        assert found.turns == 20
    assert filled.turns.count() == 21
    assert not list(filled.folder.glob("incoming*"))


def test_a_vault_that_is_in_use_is_not_replaced(filled: Vault, target: Path) -> None:
    filled.backup(target, now=MORNING)
    with pytest.raises(VaultBusy, match="in use"):
        restore(target, filled.folder, key_of(filled))
    assert filled.turns.count() == 20


def test_a_wrong_passphrase_restores_nothing(filled: Vault, target: Path, tmp_path: Path) -> None:
    filled.backup(target, now=MORNING)
    with (
        pytest.raises(WrongPassphrase),
        restoring(target, tmp_path / "place", "another", untold) as found,
    ):
        found.take_place()
    assert not (tmp_path / "place").exists()


def test_what_is_no_backup_is_refused(filled: Vault, tmp_path: Path) -> None:
    with pytest.raises(BackupRefused, match="no backup"):
        restore(tmp_path, filled.folder, key_of(filled))


def test_a_damaged_backup_is_refused_and_the_vault_stays(filled: Vault, target: Path) -> None:
    key = key_of(filled)
    filled.backup(target, now=MORNING)
    flip(target / "vault.db", at=-100)
    filled.close()
    before = raw_bytes(filled.folder)

    with pytest.raises(VaultDamaged, match="nothing was restored"):
        restore(target, filled.folder, key)
    assert raw_bytes(filled.folder) == before


def test_a_copied_vault_with_a_log_is_restored_with_what_the_log_holds(filled: Vault, tmp_path: Path) -> None:
    key = key_of(filled)
    copied = tmp_path / "copied"
    shutil.copytree(filled.folder, copied)
    assert (copied / "vault.db-wal").stat().st_size > 0
    filled.close()
    restore(copied, tmp_path / "place", key)
    assert len(texts(tmp_path / "place", key)) == 20


def test_restoring_killed_at_any_step_leaves_the_old_or_the_new_vault(
    filled: Vault, conversation: Conversation, folder: Path, target: Path, tmp_path: Path
) -> None:
    key = key_of(filled)
    filled.backup(target, now=MORNING)
    say(filled, conversation, "said later")
    old = tmp_path / "old"
    shutil.copytree(folder, old)  # with its log
    filled.close()
    counts = set()
    for step in count(1):
        shutil.rmtree(folder)
        shutil.copytree(old, folder)
        ended = not dies(step, folder, lambda: restore(target, folder, key))
        found = len(texts(folder, key))
        assert found in {20, 21}
        counts.add(found)
        assert {path.name for path in folder.iterdir()} == {"vault.db", "keys.json"}, "nothing else is left"
        if ended:
            break
    assert counts == {20, 21}
    assert step > 15


def test_restoring_into_an_empty_place_killed_at_any_step_leaves_nothing_or_the_vault(
    filled: Vault, target: Path, tmp_path: Path
) -> None:
    key, place = key_of(filled), tmp_path / "place"
    filled.backup(target, now=MORNING)
    found = set()
    for step in count(1):
        ended = not dies(step, place, lambda: restore(target, place, key))
        found.add(Vault.exists(place))
        if Vault.exists(place):
            assert len(texts(place, key)) == 20
        if ended:
            break
        shutil.rmtree(place, ignore_errors=True)
    assert found == {False, True}


def test_a_vault_that_does_not_open_after_restoring_is_taken_back(
    filled: Vault, conversation: Conversation, folder: Path, target: Path
) -> None:
    key = key_of(filled)
    filled.backup(target, now=MORNING)
    say(filled, conversation, "said later")
    filled.close()

    with restoring(target, folder, key, untold) as found:
        flip(folder / "incoming.draft" / "vault.db", at=100)
        with pytest.raises(StorageError):
            found.take_place()

    assert len(texts(folder, key)) == 21
