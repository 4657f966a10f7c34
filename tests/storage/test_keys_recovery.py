"""The recovery key on paper, and slots that it and the keyring's key open."""

import copy
import json
import pickle
import random
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.errors import BadRecoveryKey, VaultDamaged, VaultKeyChanged, WrongPassphrase
from storage.key_material import ALPHABET
from storage.key_slots import KeyringSlot, RecoverySlot
from storage.keys import DataKey, KeyFile, KeyringKey, KeySet, RecoveryKey, _checksum

HERE = Path("keys.json")


@pytest.fixture(scope="module")
def key() -> DataKey:
    return DataKey.random()


@pytest.fixture(scope="module")
def recovery() -> RecoveryKey:
    return RecoveryKey.random()


@pytest.fixture
def keys(key: DataKey, recovery: RecoveryKey) -> KeyFile:
    return KeyFile(keys=KeySet(slots=(RecoverySlot.wrap(key, recovery),), fingerprint=key.fingerprint))


def changed(keys: KeyFile, path: Path, **change: Any) -> KeyFile:
    """The file with another slot, and a checksum that fits it."""
    keys.write(path)
    content = json.loads(path.read_bytes())
    del content["checksum"]
    content["slots"][0].update(change)
    content["checksum"] = _checksum(content)
    path.write_text(json.dumps(content))
    return KeyFile.read(path)


@given(st.binary(min_size=32, max_size=32))
def test_what_is_read_from_paper_is_what_was_written(secret: bytes) -> None:
    text = RecoveryKey(secret).text

    assert re.fullmatch(r"([0-9A-HJKMNP-TV-Z]{4}-){13}[0-9A-HJKMNP-TV-Z]{4}", text)
    assert RecoveryKey.from_text(text).secret == secret


def test_how_it_is_typed_does_not_matter() -> None:
    key = RecoveryKey(bytes(range(32)))
    plain = key.text.replace("-", "")

    for typed in (plain, plain.lower(), f"  {plain[:20]} {plain[20:]}\n", key.text.replace("0", "o").replace("1", "l")):
        assert RecoveryKey.from_text(typed).secret == key.secret


def test_every_wrong_letter_and_every_swap_of_two_is_seen() -> None:
    letters = RecoveryKey(bytes(range(32))).text.replace("-", "")
    chance = random.Random(3)

    for at in range(len(letters)):
        other = chance.choice([letter for letter in ALPHABET if letter != letters[at]])
        with pytest.raises(BadRecoveryKey, match="checksum"):
            RecoveryKey.from_text(letters[:at] + other + letters[at + 1 :])
        swapped = letters[:at] + letters[at : at + 2][::-1] + letters[at + 2 :]
        if swapped != letters:
            with pytest.raises(BadRecoveryKey, match="checksum"):
                RecoveryKey.from_text(swapped)


@pytest.mark.parametrize(
    ("typed", "said"), [("", "this has 0"), ("ABCD" * 13, "this has 52"), ("U" + "A" * 55, "never has 'U'")]
)
def test_what_is_no_recovery_key_is_told_without_being_repeated(typed: str, said: str) -> None:
    with pytest.raises(BadRecoveryKey, match=said) as failure:
        RecoveryKey.from_text(typed)

    assert "AAAA" not in str(failure.value)
    assert "\n" not in str(failure.value)


@pytest.mark.parametrize("kind", [RecoveryKey, KeyringKey, DataKey])
def test_no_key_shows_itself_or_is_copied(kind: type[RecoveryKey | KeyringKey | DataKey]) -> None:
    key = kind(bytes(range(32)))

    assert repr(key) == str(key) == f"{kind.__name__}(hidden)"
    for attempt in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="not to be copied"):
            attempt(key)
    with pytest.raises(ValueError, match="32 bytes"):
        kind(bytes(31))


def test_the_recovery_key_opens_its_slot_as_an_object_and_as_it_was_typed(
    keys: KeyFile, key: DataKey, recovery: RecoveryKey
) -> None:
    assert keys.unlock(recovery, HERE).secret == key.secret
    assert keys.unlock(recovery.text.lower().replace("-", " "), HERE).secret == key.secret


def test_another_recovery_key_and_one_with_a_typo_are_told_apart(keys: KeyFile, recovery: RecoveryKey) -> None:
    other = RecoveryKey.random()
    typo = recovery.text[:-1] + ("A" if recovery.text[-1] != "A" else "B")

    for secret in (other, other.text):
        with pytest.raises(WrongPassphrase, match="not the recovery key of this vault"):
            keys.unlock(secret, HERE)
    with pytest.raises(WrongPassphrase, match="checksum"):
        keys.unlock(typo, HERE)


@pytest.mark.parametrize("change", [{"key_id": "0" * 16}, {"public_key": "A" * 43 + "="}, {"added": 1}], ids=str)
def test_a_changed_header_opens_nothing(
    keys: KeyFile, recovery: RecoveryKey, tmp_path: Path, change: dict[str, Any]
) -> None:
    with pytest.raises(WrongPassphrase):
        changed(keys, tmp_path / "keys.json", **change).unlock(recovery, tmp_path / "keys.json")


@pytest.mark.parametrize(
    "change",
    [{"sealing": "rot13"}, {"public_key": None}, {"public_key": "AAAA"}, {"ciphertext": "?"}, {"proof": "AAAA"}],
    ids=str,
)
def test_what_a_recovery_slot_lacks_is_damage(
    keys: KeyFile, recovery: RecoveryKey, tmp_path: Path, change: dict[str, Any]
) -> None:
    path = tmp_path / "keys.json"
    with pytest.raises(VaultDamaged, match=r"keys\.json"):
        changed(keys, path, **change).unlock(recovery, path)


def test_a_slot_is_made_again_without_the_recovery_key(keys: KeyFile, key: DataKey, recovery: RecoveryKey) -> None:
    slot = RecoverySlot.read(keys.keys.slots[0], HERE)
    new = DataKey.random()
    again = RecoverySlot.read(slot.again(new), HERE)

    opened = again.open(recovery)
    assert opened is not None
    assert opened.secret == new.secret
    assert (slot.was_made_by_holder_of(key), again.was_made_by_holder_of(new)) == (True, True)
    assert not again.was_made_by_holder_of(key)


def test_a_keyring_key_opens_its_own_slot_and_no_other(key: DataKey) -> None:
    wrapping = KeyringKey.random()
    slot = KeyringSlot.read(KeyringSlot.wrap(key, wrapping, "abc"), HERE)

    opened = slot.open(wrapping)
    assert opened is not None
    assert opened.secret == key.secret
    assert slot.open(KeyringKey.random()) is None
    renamed = KeyringSlot.read(KeyringSlot.wrap(key, wrapping, "abc") | {"key_id": "abd"}, HERE)
    assert renamed.open(wrapping) is None


def test_a_data_key_is_known_by_its_fingerprint(keys: KeyFile, key: DataKey) -> None:
    assert keys.unlock(DataKey(key.secret), HERE).secret == key.secret
    with pytest.raises(VaultKeyChanged, match="new key by another process"):
        keys.unlock(DataKey.random(), HERE)
    assert key.fingerprint not in key.hexadecimal
    assert len(key.fingerprint) == 32


def test_no_secret_is_in_the_file(keys: KeyFile, key: DataKey, recovery: RecoveryKey, tmp_path: Path) -> None:
    keys.write(tmp_path / "keys.json")
    content = (tmp_path / "keys.json").read_bytes()

    for secret in (key.secret, recovery.secret):
        assert secret not in content
        assert secret.hex().encode() not in content
    assert recovery.text.encode() not in content
    assert recovery.text.replace("-", "").encode() not in content
