"""Other secrets for a vault: passphrases changed, recovery and keyring keys added and taken away."""

import json
from pathlib import Path

import pytest

from storage import key_changes
from storage.errors import EmptyPassphrase, LastSlot, VaultDamaged, VaultKeyChanged, WrongPassphrase
from storage.key_slots import PassphraseSlot, RecoverySlot
from storage.keys import FLOOR_COST, KEY_FILE, DataKey, KeyFile, KeyringKey, KeySet, RecoveryKey
from storage.unlocking import read_data_key
from storage.vault import Vault
from tests.storage.making import PASSPHRASE, key_of, raw_bytes

NEW = "eleven damp maps of the moon"


@pytest.fixture
def known(vault: Vault) -> DataKey:
    """The data key: to open with it costs no derivation."""
    return key_of(vault)


def test_a_new_passphrase_opens_and_the_old_one_does_not(vault: Vault, folder: Path) -> None:
    key = key_of(vault)

    key_changes.change_passphrase(folder, PASSPHRASE, NEW, cost=FLOOR_COST)

    assert read_data_key(folder, NEW).secret == key.secret
    with pytest.raises(WrongPassphrase):
        read_data_key(folder, PASSPHRASE)
    assert vault.turns.count() == 0, "who has it open goes on"


def test_a_wrong_or_empty_passphrase_changes_nothing(vault: Vault, folder: Path, known: DataKey) -> None:
    before = raw_bytes(folder)

    with pytest.raises(EmptyPassphrase):
        key_changes.change_passphrase(folder, known, "")
    with pytest.raises(WrongPassphrase):
        key_changes.change_passphrase(folder, "something else", NEW, cost=FLOOR_COST)
    with pytest.raises(VaultKeyChanged):
        key_changes.change_passphrase(folder, DataKey.random(), NEW, cost=FLOOR_COST)

    assert raw_bytes(folder) == before


def test_a_recovery_key_opens_the_vault_and_sets_a_new_passphrase(vault: Vault, folder: Path, known: DataKey) -> None:
    recovery = key_changes.add_recovery_key(folder, known)

    with Vault.open(folder, recovery.text) as again:
        assert again.status().opened_by == ("passphrase", "recovery")
    key_changes.change_passphrase(folder, recovery, NEW, cost=FLOOR_COST)
    assert read_data_key(folder, NEW).secret == known.secret
    assert read_data_key(folder, recovery).secret == known.secret


def test_only_the_recovery_key_printed_last_opens(vault: Vault, folder: Path, known: DataKey) -> None:
    first = key_changes.add_recovery_key(folder, known)
    second = key_changes.add_recovery_key(folder, known)

    with pytest.raises(WrongPassphrase, match="printed last"):
        read_data_key(folder, first)
    key_changes.remove_recovery_key(folder, second)
    with pytest.raises(WrongPassphrase):
        read_data_key(folder, second)
    assert key_changes.slot_types(folder) == ("passphrase",)


def test_a_key_in_the_keyring_opens_until_it_is_taken_away(vault: Vault, folder: Path, known: DataKey) -> None:
    wrapping = KeyringKey.random()
    key_changes.add_keyring_key(folder, known, wrapping, "a1")
    assert key_changes.keyring_ids(folder) == ("a1",)
    Vault.open(folder, wrapping).close()

    key_changes.remove_keyring_key(folder, known)

    assert key_changes.keyring_ids(folder) == ()
    with pytest.raises(WrongPassphrase, match="keyring does not open"):
        read_data_key(folder, wrapping)


def test_a_passphrase_or_a_recovery_key_always_stays(vault: Vault, folder: Path, known: DataKey) -> None:
    recovery, path = RecoveryKey.random(), folder / KEY_FILE
    KeyFile(keys=KeySet(slots=(RecoverySlot.wrap(known, recovery),), fingerprint=known.fingerprint)).write(path)
    key_changes.add_keyring_key(folder, recovery, KeyringKey.random(), "a1")

    with pytest.raises(LastSlot):
        key_changes.remove_recovery_key(folder, recovery)

    assert key_changes.slot_types(folder) == ("recovery", "keyring")
    with Vault.open(folder, recovery) as again:
        assert again.status().cost is None


def test_slots_of_unknown_types_outlive_every_change(vault: Vault, folder: Path, known: DataKey) -> None:
    path, other = folder / KEY_FILE, {"type": "smartcard", "words": 24, "inner": {"a": [1, 2]}}
    keys = KeyFile.read(path)
    keys.with_slots([other, *keys.keys.slots], known).write(path)

    recovery = key_changes.add_recovery_key(folder, known)
    key_changes.add_keyring_key(folder, recovery, KeyringKey.random(), "a1")
    key_changes.remove_recovery_key(folder, known)

    assert json.loads(path.read_bytes())["slots"][0] == other
    assert key_changes.slot_types(folder) == ("smartcard", "passphrase", "keyring")


def test_a_file_without_a_fingerprint_opens_and_gets_one_when_it_is_changed(
    vault: Vault, folder: Path, known: DataKey
) -> None:
    path = folder / KEY_FILE
    KeyFile(keys=KeySet(slots=(PassphraseSlot.wrap(known, NEW, FLOOR_COST),))).write(path)
    assert "fingerprint" not in json.loads(path.read_bytes())
    with pytest.raises(VaultDamaged):
        key_changes.add_recovery_key(folder, DataKey.random())

    key_changes.add_recovery_key(folder, NEW)

    assert json.loads(path.read_bytes())["fingerprint"] == known.fingerprint


def test_nothing_secret_is_written_in_plain(vault: Vault, folder: Path, known: DataKey) -> None:
    recovery, wrapping = key_changes.add_recovery_key(folder, known), KeyringKey.random()
    key_changes.add_keyring_key(folder, known, wrapping, "a1")
    key_changes.change_passphrase(folder, known, NEW, cost=FLOOR_COST)

    content = raw_bytes(folder)
    for secret in (known.secret, recovery.secret, wrapping.secret):
        assert secret not in content
        assert secret.hex().encode() not in content
    for text in (NEW, PASSPHRASE, recovery.text, recovery.text.replace("-", "")):
        assert text.encode() not in content
