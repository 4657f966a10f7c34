import json
from pathlib import Path
from typing import Any

import pytest

from storage.errors import EmptyPassphrase, VaultDamaged, VaultNewer, WrongPassphrase
from storage.keys import DEFAULT_COST, FLOOR_COST, DataKey, KdfCost, KeyFile, _checksum, cost_for_this_machine


@pytest.fixture(scope="module")
def key() -> DataKey:
    return DataKey.random()


@pytest.fixture(scope="module")
def written(key: DataKey, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("keys") / "keys.json"
    KeyFile.for_passphrase(key, "na\u00efve au lait", FLOOR_COST).write(path)
    return path


def rewrite(written: Path, path: Path, change: dict[str, Any]) -> Path:
    """Write a key file with other content and a checksum that fits it."""
    content = json.loads(written.read_bytes())
    del content["checksum"]
    slot_change = change.pop("slot", {})
    content.update(change)
    for name, value in slot_change.items():
        content["slots"][0][name] = value
    content["checksum"] = _checksum(content)
    path.write_text(json.dumps(content))
    return path


def test_the_passphrase_opens_it_however_its_letters_are_composed(written: Path, key: DataKey) -> None:
    assert KeyFile.read(written).unlock("nai\u0308ve au lait", written).secret == key.secret


def test_another_passphrase_is_refused_and_named(written: Path) -> None:
    with pytest.raises(WrongPassphrase, match="passphrase"):
        KeyFile.read(written).unlock("naive au lait", written)


def test_an_empty_passphrase_is_refused(key: DataKey) -> None:
    with pytest.raises(EmptyPassphrase):
        KeyFile.for_passphrase(key, "", FLOOR_COST)


def test_only_the_owner_may_read_it(written: Path) -> None:
    assert written.stat().st_mode & 0o777 == 0o600


def test_the_key_is_in_it_in_no_form(written: Path, key: DataKey) -> None:
    content = written.read_bytes()

    assert key.secret not in content
    assert key.hexadecimal.encode() not in content


def test_any_flipped_bit_is_seen_as_damage(written: Path, tmp_path: Path) -> None:
    content = written.read_bytes()
    path = tmp_path / "keys.json"
    blank = b" \n\t\r"
    for at in range(len(content)):
        flipped = bytes([content[at] ^ 1])
        if content[at : at + 1] in blank and flipped in blank:
            continue
        path.write_bytes(content[:at] + flipped + content[at + 1 :])
        with pytest.raises(VaultDamaged, match=r"keys\.json"):
            KeyFile.read(path)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 100_000, b"{}"])
def test_what_is_no_key_file_is_named_in_one_line(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    path.write_bytes(content)

    with pytest.raises(VaultDamaged, match=r"keys\.json") as failure:
        KeyFile.read(path)

    assert "\n" not in str(failure.value)


@pytest.mark.parametrize(
    "change",
    [
        {"format": "1"},
        {"format": 0},
        {"cipher": "aes256cbc"},
        {"page_bytes": 8192},
        {"slots": {}},
        {"slots": []},
        {"slots": ["passphrase"]},
        {"slots": [{"type": 1}]},
        {"slots": [{"type": "passphrase"}]},
        {"slots": [{"type": "keyring"}]},
        {"slot": {"salt": None}},
        {"slot": {"salt": "not base64!"}},
        {"slot": {"salt": "c2hvcnQ="}},
        {"slot": {"nonce": ""}},
        {"slot": {"kdf": {"name": "scrypt"}}},
        {"slot": {"kdf": {"name": "argon2id", "memory_kib": "65536", "iterations": 3, "lanes": 4}}},
        {"slot": {"kdf": {"name": "argon2id", "memory_kib": 1024, "iterations": 3, "lanes": 4}}},
        {"slot": {"kdf": {"name": "argon2id", "memory_kib": 1 << 40, "iterations": 3, "lanes": 4}}},
        {"slot": {"kdf": {"name": "argon2id", "memory_kib": 65536, "iterations": 1, "lanes": 4}}},
        {"slot": {"kdf": {"name": "argon2id", "memory_kib": 65536, "iterations": 3, "lanes": 400}}},
    ],
    ids=str,
)
def test_what_is_missing_or_out_of_range_is_damage(change: dict[str, Any], written: Path, tmp_path: Path) -> None:
    path = rewrite(written, tmp_path / "keys.json", json.loads(json.dumps(change)))

    with pytest.raises(VaultDamaged, match=r"keys\.json"):
        KeyFile.read(path).unlock("na\u00efve au lait", path)


def test_a_changed_header_opens_nothing_even_with_a_checksum_that_fits(written: Path, tmp_path: Path) -> None:
    path = rewrite(written, tmp_path / "keys.json", {"slot": {"key_id": "0" * 16}})

    with pytest.raises(WrongPassphrase):
        KeyFile.read(path).unlock("na\u00efve au lait", path)


def test_a_newer_format_is_named(written: Path, tmp_path: Path) -> None:
    path = rewrite(written, tmp_path / "keys.json", {"format": 2})

    with pytest.raises(VaultNewer, match="newer"):
        KeyFile.read(path)


def test_a_slot_of_an_unknown_type_is_kept_as_it_is(written: Path, tmp_path: Path, key: DataKey) -> None:
    ours = json.loads(written.read_bytes())["slots"][0]
    other = {"type": "smartcard", "words": 24, "inner": {"a": [1, 2]}}
    path = rewrite(written, tmp_path / "keys.json", {"slots": [other, ours]})

    keys = KeyFile.read(path)
    keys.write(path)

    assert json.loads(path.read_bytes())["slots"] == [other, ours]
    assert keys.unlock("na\u00efve au lait", path).secret == key.secret
    assert keys.cost(path) == FLOOR_COST


def test_the_cost_of_a_file_without_a_passphrase_slot_is_unknown(written: Path, tmp_path: Path) -> None:
    path = rewrite(written, tmp_path / "keys.json", {"slots": []})

    assert KeyFile.read(path).cost(path) is None


def test_a_cost_out_of_range_is_never_written(key: DataKey) -> None:
    with pytest.raises(ValueError, match="range"):
        KeyFile.for_passphrase(key, "na\u00efve", KdfCost(memory_kib=8, iterations=1, lanes=1))


def test_the_cost_for_this_machine_is_one_of_two() -> None:
    assert cost_for_this_machine() in {DEFAULT_COST, FLOOR_COST}


def test_a_data_key_shows_nothing_and_is_not_copied(key: DataKey) -> None:
    import pickle

    assert key.hexadecimal not in repr(key)
    assert repr(key) == str(key) == "DataKey(hidden)"
    with pytest.raises(TypeError):
        pickle.dumps(key)


def test_a_key_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        DataKey(bytes(31))
