"""The vault's own decryptor, and what of the content can be read in the files without a key."""

from dataclasses import replace
from pathlib import Path

import pytest

from storage.keys import PAGE_BYTES, DataKey
from storage.page_cipher import decrypt_page, decrypted
from storage.records import Source
from storage.vault import Vault
from tests.storage.making import SPACE, child, key_of, passage, plain_bytes, raw_bytes, said, vector

CANARIES = {
    "text": b"quillabeth hides zebrafinches near tromso",
    "speaker": b"Archibaldine Featherstonehaugh",
    "title": b"Unmistakable conversation title",
    "external identifier": b"external-identifier-4711-canary",
    "setting": b"setting-value-canary-0815",
    "vector": vector(77)[32:64],
}


@pytest.fixture
def filled(vault: Vault) -> Vault:
    conversation = vault.conversations.create(title=CANARIES["title"].decode(), source=Source.CHAT)
    utterance = replace(
        said(CANARIES["text"].decode()),
        speaker=CANARIES["speaker"].decode(),
        external_id=CANARIES["external identifier"].decode(),
    )
    vault.vectors.begin_space(SPACE)
    turn = vault.turns.append(conversation.id, utterance, terms=utterance.text)
    vault.vectors.put(turn.node, [passage(77)], space=SPACE)
    vault.settings.put("canary", CANARIES["setting"].decode())
    return vault


@pytest.mark.parametrize("name", CANARIES)
def test_nothing_can_be_read_in_the_files_without_the_key(name: str, filled: Vault, folder: Path) -> None:
    canary = CANARIES[name]
    (folder / "control").write_bytes(canary)
    assert canary in raw_bytes(folder), "the search itself finds it"
    (folder / "control").unlink()
    assert {path.name for path in folder.iterdir()} == {"vault.db", "vault.db-wal", "vault.db-shm", "keys.json"}

    assert canary not in raw_bytes(folder)
    assert canary in plain_bytes(filled), "it is there for the holder of the key"

    filled.close()
    assert canary not in raw_bytes(folder)


def test_not_even_sqlites_own_names_can_be_read(filled: Vault, folder: Path) -> None:
    filled.close()
    content = (folder / "vault.db").read_bytes()

    assert not content.startswith(b"SQLite format 3")
    assert b"create table" not in content.lower()
    assert b"conversation" not in content


def test_each_page_and_frame_opens_with_the_key_and_with_no_other(filled: Vault) -> None:
    key = key_of(filled)
    stretches = list(decrypted(filled.file, key))
    foreign = list(decrypted(filled.file, DataKey.random()))

    assert len(stretches) >= 2, "the database and its log"
    assert sum(stretch.unreadable for stretch in stretches) == 0
    assert sum(stretch.pages for stretch in stretches) > 2
    assert sum(stretch.unreadable for stretch in foreign) == sum(stretch.pages for stretch in stretches)
    assert b"create table" in b"".join(stretch.content for stretch in stretches).lower()


def test_a_page_that_was_changed_or_moved_does_not_open(filled: Vault, folder: Path) -> None:
    key = key_of(filled)
    filled.close()
    content = (folder / "vault.db").read_bytes()
    page = content[PAGE_BYTES : 2 * PAGE_BYTES]

    assert decrypt_page(key, page, 2) is not None
    assert decrypt_page(key, page, 3) is None
    for at in (0, 1000, PAGE_BYTES - 30, PAGE_BYTES - 1):
        assert decrypt_page(key, page[:at] + bytes([page[at] ^ 4]) + page[at + 1 :], 2) is None


def test_a_page_cut_short_counts_as_unreadable(filled: Vault, folder: Path) -> None:
    key = key_of(filled)
    filled.close()
    content = (folder / "vault.db").read_bytes()
    (folder / "vault.db").write_bytes(content[:-100])

    stretches = list(decrypted(folder / "vault.db", key))

    assert sum(stretch.unreadable for stretch in stretches) == 1
    assert sum(stretch.pages for stretch in stretches) == len(content) // PAGE_BYTES


def test_reading_the_raw_file_keeps_the_locks_of_the_open_database(filled: Vault, folder: Path) -> None:
    plain_bytes(filled)
    with child("try_lock", folder) as (_, _, output):
        assert output.read() == "held\n"

    # what would be wrong: closing any descriptor of the file lets go of all locks of the process
    filled.file.read_bytes()
    with child("try_lock", folder) as (_, _, output):
        assert output.read() == "free\n"
