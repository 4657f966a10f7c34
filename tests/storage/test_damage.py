import errno
import os
import random
from pathlib import Path

import apsw
import pytest

from storage import files, migrations
from storage.database import _translate
from storage.errors import (
    DiskFull,
    StorageError,
    VaultBusy,
    VaultDamaged,
    VaultReadOnly,
)
from storage.keys import FLOOR_COST, PAGE_BYTES, DataKey
from storage.records import Conversation, Source
from storage.vault import Vault
from tests.storage.making import PASSPHRASE, SPACE, key_of, passage, say


@pytest.fixture
def key(vault: Vault, conversation: Conversation) -> DataKey:
    """The key of a filled vault, which is closed."""
    vault.vectors.begin_space(SPACE)
    with vault.transaction():
        for number in range(100):
            turn = say(vault, conversation, f"words to be damaged, number {number}")
            vault.vectors.put(turn.node, [passage(number)], space=SPACE)
    vault._database.run("vacuum")  # a free page holds nothing that could be damaged
    key = key_of(vault)
    vault.close()
    return key


def read_all(folder: Path, key: DataKey) -> None:
    with Vault(folder, key) as vault:
        migrations.upgrade(vault._database)
        vault.turns.listing()
        vault.vectors.matrix(SPACE)
        vault.lexical.check()
        assert vault._database.value("pragma integrity_check") == "ok"


def test_a_flipped_byte_in_any_page_is_damage(key: DataKey, folder: Path) -> None:
    file = folder / "vault.db"
    content = file.read_bytes()
    read_all(folder, key)

    chance = random.Random(1)
    for page in range(len(content) // PAGE_BYTES):
        at = page * PAGE_BYTES + chance.randrange(PAGE_BYTES)
        file.write_bytes(content[:at] + bytes([content[at] ^ 0x10]) + content[at + 1 :])
        with pytest.raises(VaultDamaged, match=r"vault\.db|index"):
            read_all(folder, key)


@pytest.mark.parametrize("bytes_kept", [1, 100, PAGE_BYTES - 1, PAGE_BYTES, 3 * PAGE_BYTES, -PAGE_BYTES, -1])
def test_a_database_cut_short_is_damage(bytes_kept: int, key: DataKey, folder: Path) -> None:
    file = folder / "vault.db"
    content = file.read_bytes()
    file.write_bytes(content[:bytes_kept])

    with pytest.raises(VaultDamaged, match=r"vault\.db") as failure:
        read_all(folder, key)
    assert "\n" not in str(failure.value)


@pytest.fixture
def logged(key: DataKey, folder: Path, tmp_path: Path) -> tuple[Path, list[int]]:
    """A copy of the vault as a crash leaves it, all of three turns in its log alone, and the log's size after each."""
    sizes = []
    with Vault(folder, key) as vault:
        vault._database.run("pragma wal_checkpoint(truncate)")
        for number in range(3):
            say(vault, vault.conversations.listing()[0], f"last words, number {number}")
            sizes.append((folder / "vault.db-wal").stat().st_size)
        for name in ("vault.db", "vault.db-wal", "keys.json"):
            (tmp_path / "crashed").mkdir(exist_ok=True)
            (tmp_path / "crashed" / name).write_bytes((folder / name).read_bytes())
            (tmp_path / "crashed" / name).chmod(0o600)
    return tmp_path / "crashed", sizes


def test_a_log_that_a_crash_left_is_read_and_a_torn_one_loses_its_last_turn_alone(
    logged: tuple[Path, list[int]], key: DataKey
) -> None:
    folder, sizes = logged
    log = folder / "vault.db-wal"
    content = log.read_bytes()
    for kept, size in ((103, sizes[2]), (102, sizes[2] - 1), (102, sizes[1]), (101, sizes[1] - 100)):
        log.touch(mode=0o600)
        log.write_bytes(content[:size])
        database = (folder / "vault.db").read_bytes()
        with Vault.open(folder, key) as vault:
            assert vault.turns.count() == kept
            assert vault.check() == []
        (folder / "vault.db").write_bytes(database)


def test_the_log_of_another_vault_is_damage_and_does_none(key: DataKey, folder: Path, tmp_path: Path) -> None:
    with Vault.create(tmp_path / "other", PASSPHRASE, cost=FLOOR_COST) as other:
        say(other, other.conversations.create(source=Source.CHAT), "of another vault")
        (folder / "vault.db-wal").write_bytes((tmp_path / "other" / "vault.db-wal").read_bytes())
    with pytest.raises(VaultDamaged, match="rescue"):
        read_all(folder, key)

    (folder / "vault.db-wal").unlink()
    read_all(folder, key)


def test_the_log_of_an_earlier_time_is_told_as_damage(
    logged: tuple[Path, list[int]], key: DataKey, folder: Path
) -> None:
    crashed, _ = logged
    with Vault(folder, key) as vault:
        for number in range(200):
            say(vault, vault.conversations.listing()[0], f"words of a later time, number {number} " + "x" * 100)
    (folder / "vault.db-wal").write_bytes((crashed / "vault.db-wal").read_bytes())
    with pytest.raises(VaultDamaged, match="rescue"):
        read_all(folder, key)


def test_an_empty_file_in_place_of_the_database_is_damage(key: DataKey, folder: Path) -> None:
    (folder / "vault.db").write_bytes(b"")

    with pytest.raises(VaultDamaged, match="empty"):
        Vault.open(folder, PASSPHRASE)


def test_a_plain_database_in_its_place_is_damage(key: DataKey, folder: Path) -> None:
    (folder / "vault.db").unlink()
    plain = apsw.Connection(str(folder / "vault.db"))
    plain.execute("create table migration(version)")
    plain.close()

    with pytest.raises(VaultDamaged):
        Vault.open(folder, PASSPHRASE)


def test_a_damaged_key_file_is_named(key: DataKey, folder: Path) -> None:
    path = folder / "keys.json"
    path.write_bytes(path.read_bytes().replace(b"argon2id", b"argon2ie"))

    with pytest.raises(VaultDamaged, match=r"keys\.json"):
        Vault.open(folder, PASSPHRASE)


def test_a_full_disk_is_named_and_nothing_is_half_written(vault: Vault, conversation: Conversation) -> None:
    say(vault, conversation, "first")
    pages = vault._database.value("pragma page_count")
    vault._database.run(f"pragma max_page_count = {pages}")

    def fill() -> None:
        with vault.transaction():
            for _ in range(100):
                say(vault, conversation, "x" * PAGE_BYTES)

    with pytest.raises(DiskFull, match="full"):
        fill()

    assert [turn.text for turn in vault.turns.listing()] == ["first"]
    vault._database.run(f"pragma max_page_count = {pages + 1000}")
    assert say(vault, conversation, "third").position == 1


def test_a_vault_that_another_one_is_writing_to_is_busy(vault: Vault, conversation: Conversation, folder: Path) -> None:
    key = key_of(vault)
    with Vault(folder, key) as other, other.transaction():
        with vault._database.patience(20), pytest.raises(VaultBusy, match="try again"):
            say(vault, conversation, "too late")
        assert vault.turns.count() == 0

    assert say(vault, conversation, "in time").position == 0


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_named(key: DataKey, folder: Path) -> None:
    (folder / "vault.db").chmod(0o400)
    folder.chmod(0o500)
    try:
        with pytest.raises(VaultReadOnly, match="permissions"):
            Vault.open(folder, PASSPHRASE)
        with pytest.raises(VaultReadOnly, match="permissions"):
            Vault.create(folder / "deeper", PASSPHRASE, cost=FLOOR_COST)
    finally:
        folder.chmod(0o700)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (apsw.FullError("full"), DiskFull),
        (apsw.BusyError("busy"), VaultBusy),
        (apsw.LockedError("locked"), VaultBusy),
        (apsw.ReadOnlyError("readonly"), VaultReadOnly),
        (apsw.CantOpenError("cantopen"), VaultReadOnly),
        (apsw.PermissionsError("perm"), VaultReadOnly),
        (apsw.CorruptError("corrupt"), VaultDamaged),
        (apsw.NotADBError("notadb"), VaultDamaged),
        (apsw.IOError("ioerr"), StorageError),
        (apsw.SQLError("near x"), StorageError),
    ],
)
def test_sqlites_errors_become_the_vaults_in_one_line(
    error: apsw.Error, expected: type[StorageError], folder: Path
) -> None:
    translated = _translate(error, folder / "vault.db")

    assert type(translated) is expected
    assert str(translated)
    assert "\n" not in str(translated)


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (errno.ENOSPC, DiskFull),
        (errno.EDQUOT, DiskFull),
        (errno.EROFS, VaultReadOnly),
        (errno.EACCES, VaultReadOnly),
        (errno.EPERM, VaultReadOnly),
        (errno.EEXIST, VaultReadOnly),
        (errno.EIO, StorageError),
    ],
)
def test_the_systems_errors_become_the_vaults(number: int, expected: type[StorageError], folder: Path) -> None:
    with pytest.raises(expected) as failure, files.translated(folder):
        raise OSError(number, os.strerror(number))

    assert type(failure.value) is expected
    assert str(folder) in str(failure.value)


def test_a_file_is_written_whole_or_keeps_what_it_held(tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    files.write_whole(path, b"old")
    (tmp_path / "keys.json.draft").mkdir()

    with pytest.raises(StorageError):
        files.write_whole(path, b"new")

    assert path.read_bytes() == b"old"
