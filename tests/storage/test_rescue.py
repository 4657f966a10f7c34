"""What was said is saved from a damaged file: every turn on a page that can still be read, and no other."""

import shutil
from datetime import timedelta
from pathlib import Path

import pytest

from storage import btree
from storage.damage import Pages
from storage.keys import PAGE_BYTES, DataKey
from storage.records import Conversation, Source, Turn
from storage.rescue import UNKNOWN_SPEAKER, Rescued, rescue
from storage.survey import owners
from storage.vault import Vault
from tests.storage.making import MORNING, SPACE, conceive, key_of, passage, said, say

READ_FROM = {"node", "turn", "conversation", "sqlite_schema", "sqlite_autoindex_turn_1"}
"""The tables and the index that turns are read from."""
LONG = 7
"""Every so many turns one is too long for its page."""


@pytest.fixture
def filled(vault: Vault, conversation: Conversation) -> Vault:
    """A vault with two conversations, the turns in turn, some of them long, and one that was erased."""
    titled = vault.conversations.create(source=Source.IMPORTED, title="Herons", external_id="h")
    vault.vectors.begin_space(SPACE)
    with vault.transaction():
        for number in range(40):
            home = titled if number % 2 else conversation
            utterance = said(
                f"word{number} ünd ☂ " * (1 if number % LONG else 300),
                time=MORNING + timedelta(minutes=number),
                external_id=f"e{number}" if number % 2 else None,
            )
            turn = vault.turns.append(home.id, utterance, terms=f"word{number}")
            vault.vectors.put(turn.node, [passage(number)], space=SPACE)
        conceive(vault, "a concept is nobody's words", turn.node)
        going = say(vault, conversation, "this was forgotten")
    vault.erase([going.node])
    return vault


def rescued(folder: Path, key: DataKey) -> Rescued:
    return rescue(folder / "vault.db", key, lambda *_: None)


def as_said(turn: Turn) -> tuple[object, ...]:
    return turn.id, turn.text, turn.time, turn.speaker, turn.role.value


def as_rescued(found: Rescued) -> dict[str, tuple[object, ...]]:
    return {turn.id: (turn.id, turn.text, turn.time, turn.speaker, turn.role) for turn in found.turns}


def closed(vault: Vault) -> tuple[Path, DataKey, dict[str, Turn]]:
    """Close a vault whose log is empty; give its folder, its key, and its turns by identifier."""
    turns = {turn.id: turn for turn in vault.turns.listing()}
    key = key_of(vault)
    vault.close()
    return vault.folder, key, turns


def test_everything_is_saved_from_a_file_that_is_whole(filled: Vault, conversation: Conversation) -> None:
    folder, key, turns = closed(filled)
    told = []

    found = rescue(folder / "vault.db", key, lambda done, of: told.append((done, of)))

    assert as_rescued(found) == {turn.id: as_said(turn) for turn in turns.values()}
    assert (found.damaged, found.damaged_frames, found.lost, found.may_lack) == ((), 0, 0, False)
    assert {turn.conversation for turn in found.turns} == {"Herons", conversation.id}
    assert told[-1] == (found.pages, found.pages)
    order = [turn.time for turn in found.turns if turn.conversation == "Herons"]
    assert order == sorted(order)


def test_what_is_only_in_the_log_is_saved_too(filled: Vault, conversation: Conversation, tmp_path: Path) -> None:
    filled._database.run("pragma wal_checkpoint(truncate)")
    added = say(filled, conversation, "only in the log")
    key, copied = key_of(filled), tmp_path / "copied"
    shutil.copytree(filled.folder, copied)

    assert added.id in as_rescued(rescued(copied, key))
    (copied / "vault.db-wal").unlink()
    assert added.id not in as_rescued(rescued(copied, key))


def test_what_was_not_committed_is_not_saved(filled: Vault, conversation: Conversation, tmp_path: Path) -> None:
    filled._database.run("pragma wal_checkpoint(truncate)")
    filled._database.run("pragma cache_size = 1")  # so that pages are written before the end
    key, copied = key_of(filled), tmp_path / "copied"
    with filled.transaction():
        turns = [say(filled, conversation, f"not committed {number} " * 400) for number in range(50)]
        assert (filled.folder / "vault.db-wal").stat().st_size > 0
        shutil.copytree(filled.folder, copied)

    found = as_rescued(rescued(copied, key))
    assert len(found) == 40
    assert not {turn.id for turn in turns} & found.keys()


def test_a_damaged_page_of_the_log_costs_only_what_is_on_it(
    filled: Vault, conversation: Conversation, tmp_path: Path
) -> None:
    filled._database.run("pragma wal_checkpoint(truncate)")
    added = [say(filled, conversation, f"only in the log {number}") for number in range(8)]
    key, copied = key_of(filled), tmp_path / "copied"
    shutil.copytree(filled.folder, copied)
    log = copied / "vault.db-wal"
    content = bytearray(log.read_bytes())
    content[32 + 24 + 500] ^= 1
    log.write_bytes(content)

    found = rescued(copied, key)
    assert found.damaged_frames == 1
    assert added[-1].id in as_rescued(found), "a later frame holds the page anew"


def test_a_flipped_byte_in_a_page_is_named_and_costs_only_what_is_on_it(filled: Vault) -> None:
    filled.compact()
    folder, key, turns = closed(filled)
    file = folder / "vault.db"
    content = file.read_bytes()
    with Pages(file, key) as pages:
        owner, on_page = owners(pages), nodes_by_page(pages)
    assert len(owner) == len(content) // PAGE_BYTES, "each page belongs to something"

    for number in (number for number in owner if owner[number] in READ_FROM or number % 5 == 0):
        at = (number - 1) * PAGE_BYTES + number * 37 % PAGE_BYTES
        file.write_bytes(content[:at] + bytes([content[at] ^ 0x10]) + content[at + 1 :])
        found = rescued(folder, key)

        assert [page for page, _ in found.damaged] == [number]
        lost = on_page.get(number, set())
        assert {turn.id for turn in found.turns} == {one.id for one in turns.values() if one.node not in lost}
        assert found.lost == len(lost)
        assert all(turn.text == turns[turn.id].text for turn in found.turns)
        whole = {turn.id: as_said(turns[turn.id]) for turn in found.turns if turn.whole}
        assert whole.items() <= as_rescued(found).items()
        assert len(whole) == len(found.turns) or owner[number] == "turn"


def nodes_by_page(pages: Pages) -> dict[int, set[int]]:
    """Give for each page the turns whose words are on it, wholly or in part."""
    found: dict[int, set[int]] = {}
    for number, name in owners(pages).items():
        page = pages.page(number)
        assert page is not None
        if name == "node" and btree.kind(page, number) == btree.TABLE_LEAF:
            for cell in btree.cells(pages.page, page, number):
                assert cell.rowid is not None
                assert cell.values is not None
                if cell.values[2] == "episodic":
                    for one in (number, *cell.overflow):
                        found.setdefault(one, set()).add(cell.rowid)
    return found


def test_words_whose_place_was_lost_are_saved_under_the_conversation_that_an_index_names(filled: Vault) -> None:
    filled.compact()
    folder, key, turns = closed(filled)
    file = folder / "vault.db"
    with Pages(file, key) as pages:
        numbers = [number for number, name in owners(pages).items() if name == "turn"]
    content = bytearray(file.read_bytes())
    for number in numbers:
        content[number * PAGE_BYTES - 1] ^= 1
    file.write_bytes(content)

    found = rescued(folder, key)

    assert found.lost == 0
    assert found.may_lack
    assert {turn.id: turn.text for turn in found.turns} == {turn.id: turn.text for turn in turns.values()}
    assert {(turn.whole, turn.speaker) for turn in found.turns} == {(False, UNKNOWN_SPEAKER)}
    assert {turn.conversation for turn in found.turns if turns[turn.id].external_id} == {"Herons"}


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_a_file_that_was_cut_short_gives_what_is_left(filled: Vault, share: float) -> None:
    folder, key, turns = closed(filled)
    file = folder / "vault.db"
    content = file.read_bytes()
    file.write_bytes(content[: int(len(content) * share)])

    found = rescued(folder, key)

    assert found.damaged
    assert found.pages == len(content) // PAGE_BYTES
    assert all(turns[turn.id].text == turn.text for turn in found.turns)
    assert found.lost + len(found.turns) <= len(turns)


def test_most_of_the_pages_damaged_at_once_is_no_reason_to_fail(filled: Vault) -> None:
    folder, key, turns = closed(filled)
    file = folder / "vault.db"
    content = bytearray(file.read_bytes())
    for number in range(len(content) // PAGE_BYTES):
        if number % 3:
            content[number * PAGE_BYTES + 77] ^= 1
    file.write_bytes(content)

    found = rescued(folder, key)

    assert len(found.damaged) == sum(number % 3 > 0 for number in range(found.pages)) or found.pages == 0
    assert all(turns[turn.id].text == turn.text for turn in found.turns)


def test_with_another_key_nothing_can_be_read(filled: Vault) -> None:
    folder, _, _ = closed(filled)
    found = rescued(folder, DataKey.random())
    assert found.turns == ()
    assert len(found.damaged) == found.pages


def test_conversations_of_one_title_stay_apart(vault: Vault) -> None:
    first, second = (vault.conversations.create(source=Source.CHAT, title="Herons") for _ in range(2))
    say(vault, first, "one")
    say(vault, second, "two")
    folder, key, _ = closed(vault)

    assert {turn.text: turn.conversation for turn in rescued(folder, key).turns} == {
        "one": f"Herons ({first.id[:8]})",
        "two": f"Herons ({second.id[:8]})",
    }


@pytest.mark.parametrize("number", [0, 1, -1, 127, -128, 128, 1 << 15, -(1 << 23), 1 << 31, 1 << 47, -(1 << 63)])
def test_numbers_of_each_width_are_read_as_sqlite_wrote_them(vault: Vault, number: int) -> None:
    with vault.transaction():
        vault._database.run("create table sample(id integer primary key, one, two, three, four)")
        vault._database.run("insert into sample values (?, ?, 1.5, null, x'00ff')", (number, number))
    vault._database.run("pragma wal_checkpoint(truncate)")
    root = vault._database.value("select rootpage from sqlite_schema where name = 'sample'")

    with Pages(vault.file, key_of(vault)) as pages:
        page = pages.page(root)
        assert page is not None
        (cell,) = btree.cells(pages.page, page, root)
    assert (cell.rowid, cell.values) == (number, (None, number, 1.5, None, b"\0\xff"))
