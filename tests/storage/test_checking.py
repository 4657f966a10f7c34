"""What is wrong with a vault is found and named; what can be made again is made again."""

import shutil
from pathlib import Path

import pytest

from storage.checking import UNREAD, Fault, check_stored
from storage.damage import Pages
from storage.database import Database
from storage.keys import FLOOR_COST, PAGE_BYTES, DataKey
from storage.records import Conversation, Source
from storage.vault import Vault
from tests.storage.making import MORNING, PASSPHRASE, SPACE, child, conceive, key_of, passage, say

PENDING = (
    "insert into ledger(uid, time_us, turns, passages, conversations, pages_scanned, residue, pending, digest)"
    " values ('0000', 0, 1, 1, 0, 0, 0, 1, '')"
)


EMPTY = "insert into conversation(uid, title, source, origin) values ('0000', '', 'chat', ''), ('0001', '', 'chat', '')"


@pytest.fixture
def filled(vault: Vault, conversation: Conversation) -> Vault:
    """A vault with something in most tables."""
    vault.vectors.begin_space(SPACE)
    vault.vectors.finish_space(SPACE)
    with vault.transaction():
        turns = [say(vault, conversation, f"words to be checked, number {number}") for number in range(30)]
        vault.vectors.put_each({turn.node: [passage(turn.node)] for turn in turns}, space=SPACE)
        concept = conceive(vault, "numbers", turns[0].node, turns[1].node)
        vault.vectors.put(concept.node, [passage(0, stop=3)], space=SPACE)
        vault.associations.put_cosines([(turns[0].node, turns[1].node, 0.5)])
        vault.successions.put(turns[3].node, turns[2].node, "number")
        vault.traces.pin([turns[0].node], pinned=True)
    return vault


def page_contents(file: Path, key: DataKey) -> list[bytes | None]:
    with Pages(file, key) as pages:
        return [pages.page(number) for number in range(1, pages.count + 1)]


def untold(_what: str, _done: int, _all: int) -> None:
    """Tell nobody."""


def kinds(faults: list[Fault]) -> list[str]:
    return [fault.kind for fault in faults]


def carelessly(vault: Vault, statement: str) -> None:
    """Run a statement as if nothing were checked."""
    vault._database.run("pragma ignore_check_constraints = 1")
    with vault._database.without_references(), vault.transaction():
        vault._database.run(statement)
    vault._database.run("pragma ignore_check_constraints = 0")


def flip(file: Path, *, at: int) -> None:
    content = bytearray(file.read_bytes())
    content[at] ^= 16
    file.write_bytes(content)


def test_nothing_is_wrong_with_a_vault_that_is_well(filled: Vault) -> None:
    told = []
    before = filled.digest()
    assert filled.check(lambda what, done, of: told.append((what, done, of))) == []
    assert {what for what, _, _ in told} == {"reading pages", "reading rows"}
    assert all(done <= of for _, done, of in told)
    assert filled.digest() == before


def test_nothing_is_wrong_with_what_waits_to_be_forgotten(filled: Vault) -> None:
    turn = filled.turns.listing()[-1]
    filled.put_aside([turn.node], now=MORNING, until=MORNING)
    assert filled.check() == []


def test_a_vault_is_checked_while_another_process_writes(
    vault: Vault, conversation: Conversation, folder: Path
) -> None:
    with child("write", folder, "100000") as (process, say_to, hear_from):
        print(key_of(vault).hexadecimal, file=say_to, flush=True)
        hear_from.readline()
        for _ in range(3):
            assert vault.check() == []
        assert process.poll() is None, "it was still writing"
        process.kill()


@pytest.mark.parametrize(
    ("kind", "statement"),
    [
        ("turn", "delete from turn where node = (select max(node) from turn)"),
        ("concept", "delete from concept"),
        ("support", "delete from support"),
        ("association", "insert into association(low, high) values (5, 5)"),
        ("trace", "update trace set archived = 1"),
        ("succession", "insert into succession(newer, older, slot) select older, newer, slot from succession"),
        ("passage", "update passage set stop = 100000 where id = (select max(id) from passage)"),
        ("reference", "insert into tag(node, name) values (99999, 'lost')"),
        ("conversation", EMPTY),
        ("vectors", "delete from vectors_1 where passage = 1"),
        ("vectors", "delete from passage where id = 1"),
        ("erasure", PENDING),
        ("schema", "delete from migration where version = (select max(version) from migration)"),
        ("lexical index", "insert into lexical(lexical, rowid, terms) values ('delete', 1, 'words')"),
    ],
)  # fmt: skip
def test_rows_that_contradict_others_are_found(filled: Vault, kind: str, statement: str) -> None:
    carelessly(filled, statement)

    found = filled.check()
    assert kind in kinds(found)
    assert all("\n" not in fault.what + fault.remedy and fault.what.endswith((".", "'")) for fault in found)


def test_an_empty_conversation_for_notes_is_as_it_should_be(filled: Vault) -> None:
    filled.conversations.create(title="Notes", source=Source.NOTE, external_id="notes")
    filled.conversations.create(source=Source.CHAT)  # its first turn is about to come
    assert filled.check() == []


def test_what_waits_and_cannot_be_read_is_named(filled: Vault) -> None:
    filled.put_aside([filled.turns.listing()[0].node], now=MORNING, until=MORNING)
    carelessly(filled, "update forgotten_row set content = x'00ff' where number = 1")

    assert kinds(filled.check()) == ["forgetting"]


def test_the_key_file_and_its_openness_are_looked_at(filled: Vault) -> None:
    keys = filled.folder / "keys.json"
    keys.chmod(0o644)
    assert kinds(filled.check()) == ["permissions"]
    filled.mend()
    assert filled.check() == []

    keys.write_text("{")
    found = filled.check()
    assert kinds(found) == ["keys"]
    assert "backup" in found[0].remedy


# mending


def test_what_can_be_made_again_is_mended(filled: Vault) -> None:
    node = filled.turns.listing()[5].node
    carelessly(filled, "insert into lexical(lexical, rowid, terms) values ('delete', 1, 'words')")
    carelessly(
        filled,
        EMPTY,
    )
    carelessly(filled, f"delete from vectors_1 where passage = (select id from passage where node = {node})")
    carelessly(filled, "delete from passage where id = 1")
    found = filled.check()
    assert all(fault.mendable for fault in found)
    assert len(found) == 4

    filled.mend()

    assert filled.check() == []
    assert node in filled.vectors.missing(SPACE, limit=100), "its vector is made again when it is needed"
    assert filled.turns.count() == 30


def test_mending_what_is_well_changes_nothing_but_the_counter(filled: Vault) -> None:
    said = filled.turns.listing()
    vectors = filled.vectors.matrix(SPACE)
    filled.mend()
    assert (filled.turns.listing(), filled.vectors.matrix(SPACE)) == (said, vectors)


# pages


def test_a_flipped_byte_in_any_page_is_found_and_that_page_named(filled: Vault, tmp_path: Path) -> None:
    filled.compact()
    key, file = key_of(filled), filled.file
    filled.close()
    content = file.read_bytes()
    held = set()
    for number in range(1, len(content) // PAGE_BYTES + 1):
        at = (number - 1) * PAGE_BYTES + number * 37 % PAGE_BYTES
        file.write_bytes(content[:at] + bytes([content[at] ^ 0x10]) + content[at + 1 :])
        (fault,) = check_stored(filled.folder, key, untold)
        assert fault.kind == "page"
        assert fault.what.startswith(f"Page {number} of vault.db is damaged. It held ")
        assert "rescue" in fault.remedy
        held.add(fault.what.partition("It held ")[2])
    assert {"words.", "who said what when.", "the list of tables.", "conversations.", "settings of the vault."} <= held
    assert "something unknown." not in held


def test_an_open_vault_with_a_damaged_page_tells_of_it_and_of_what_cannot_be_read(filled: Vault) -> None:
    filled.compact()
    key, folder, file = key_of(filled), filled.folder, filled.file
    filled.close()
    root = Database(file, key)
    page = root.value("select rootpage from sqlite_schema where name = 'turn'")
    root.close()
    flip(file, at=(page - 1) * PAGE_BYTES + 9)

    with Vault(folder, key) as vault:
        found = vault.check()
    assert kinds(found) == ["page", UNREAD.kind]
    assert f"Page {page} " in found[0].what


@pytest.mark.parametrize("cut", [1, 100, PAGE_BYTES, 3 * PAGE_BYTES + 7])
def test_a_file_that_was_cut_short_is_found(filled: Vault, cut: int) -> None:
    filled.compact()
    key, file = key_of(filled), filled.file
    filled.close()
    content = file.read_bytes()
    file.write_bytes(content[:-cut])

    whole = len(content) // PAGE_BYTES
    missing = range(whole - (cut - 1) // PAGE_BYTES, whole + 1)
    assert [fault.what.partition(" of ")[0] for fault in check_stored(filled.folder, key, untold)] == [
        f"Page {number}" for number in missing
    ]


def test_a_damaged_page_of_the_log_is_named_before_opening_drops_it(
    filled: Vault, conversation: Conversation, tmp_path: Path
) -> None:
    key, copied = key_of(filled), tmp_path / "copied"
    filled._database.run("pragma wal_checkpoint(truncate)")
    for number in range(5):
        say(filled, conversation, f"in the log {number}")
    shutil.copytree(filled.folder, copied)
    assert check_stored(copied, key, untold) == []
    flip(copied / "vault.db-wal", at=32 + 24 + 1000)

    found = check_stored(copied, key, untold)
    assert "log" in kinds(found)


def test_a_log_of_another_vault_is_named_and_nothing_is_taken_from_it(filled: Vault, tmp_path: Path) -> None:
    key, file = key_of(filled), filled.file
    filled.close()
    said = page_contents(file, key)
    with Vault.create(tmp_path / "another", PASSPHRASE, cost=FLOOR_COST) as other:
        other.conversations.create(source=Source.CHAT)
        shutil.copy(f"{other.file}-wal", f"{file}-wal")

    (fault,) = check_stored(file.parent, key, untold)
    assert (fault.kind, "move that file" in fault.remedy) == ("log", True)
    assert page_contents(file, key) == said


def test_a_log_from_before_it_was_begun_anew_counts_for_nothing(
    filled: Vault, conversation: Conversation, tmp_path: Path
) -> None:
    say(filled, conversation, "before")
    filled._database.run("pragma wal_checkpoint(restart)")
    say(filled, conversation, "after")  # its few frames lie over the first of many
    copied = tmp_path / "copied"
    shutil.copytree(filled.folder, copied)

    with Pages(copied / "vault.db", key_of(filled)) as pages:
        assert pages.damaged_frames == 0
        assert [pages.page(number) for number in range(1, pages.count + 1)].count(None) == 0
    assert check_stored(copied, key_of(filled), untold) == []


# compacting


def test_compacting_gives_room_back_and_changes_no_row(filled: Vault, conversation: Conversation) -> None:
    with filled.transaction():
        turns = [say(filled, conversation, f"{number} " * 3000) for number in range(100)]
        filled._database.run("delete from node where id > ?", (turns[0].node,))
    said = filled.turns.listing()

    before, after = filled.compact()

    assert after < before / 2
    assert filled.turns.listing() == said
    assert filled.check() == []
