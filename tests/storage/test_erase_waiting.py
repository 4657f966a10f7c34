"""What waits to be forgotten is erased when it is due or named, and what proves it looks everywhere."""

import shutil
from datetime import timedelta
from pathlib import Path

import pytest

from storage.errors import AmbiguousId, NotFound, StorageError
from storage.keys import DataKey
from storage.records import Conversation, Maker, Turn
from storage.vault import Vault
from tests.storage.making import (
    MORNING,
    PASSPHRASE,
    SPACE,
    child,
    conceive,
    key_of,
    line,
    passage,
    plain_bytes,
    say,
    vector,
)

SECRET = "quillabeth hides zebrafinches in an aviary near tromso"
DAY = timedelta(days=1)


@pytest.fixture
def turns(vault: Vault, conversation: Conversation) -> list[Turn]:
    """Turns with vectors, the first of them secret."""
    vault.vectors.begin_space(SPACE)
    vault.vectors.finish_space(SPACE)
    turns = [say(vault, conversation, text) for text in (SECRET, *(f"ordinary words {n}" for n in range(20)))]
    for turn in turns:
        vault.vectors.put(turn.node, [passage(turn.node)], space=SPACE)
    return turns


def put_aside(vault: Vault, *turns: Turn) -> str:
    return vault.put_aside([turn.node for turn in turns], now=MORNING, until=MORNING + DAY).id


def traces(vault: Vault, turn: Turn) -> list[bytes]:
    """What of a turn the holder of the key still finds."""
    content = plain_bytes(vault)
    wanted = [*(word.encode() for word in turn.text.split() if len(word) > 6), turn.id.encode()]
    wanted += [vector(turn.node)[at : at + 16] for at in range(0, 128, 16)]
    return [piece for piece in wanted if piece in content]


def later_said(vault: Vault) -> Turn:
    """A turn that no backup holds."""
    return say(vault, vault.conversations.listing()[0], "something said after the backup")


def test_what_is_due_is_erased_without_a_trace_and_what_is_not_waits_on(vault: Vault, turns: list[Turn]) -> None:
    put_aside(vault, turns[0])
    later = vault.put_aside([turns[1].node], now=MORNING, until=MORNING + 2 * DAY)
    assert vault.erase_waiting(None, now=MORNING + DAY - timedelta(microseconds=1)) is None
    assert len(traces(vault, turns[0])) == 11, "it is in the file, and in no other table"

    receipt = vault.erase_waiting(None, now=MORNING + DAY)

    assert receipt is not None
    assert (receipt.turns, receipt.passages, receipt.residue, receipt.pending) == (1, 1, 0, False)
    assert (receipt.time, receipt.probes, receipt.backups) == (MORNING + DAY, 1, 0)
    assert vault.ledger.listing() == [receipt]
    assert traces(vault, turns[0]) == []
    assert vault.forgettings() == [later]
    assert vault.take_back(later.id).turns == 1


def test_several_are_erased_in_one_run(vault: Vault, turns: list[Turn]) -> None:
    concept = conceive(vault, "Zebrafinches", turns[0].node, turns[1].node, maker=Maker.MODEL)
    vault.recollections.put(turns[2].id, [line(turns[1].node)])
    waiting = [put_aside(vault, turn) for turn in turns[:3]]

    receipt = vault.erase_waiting([waiting[0][:8], waiting[2]], now=MORNING)

    assert receipt is not None
    assert (receipt.turns, receipt.concepts, receipt.residue) == (2, 1, 0)
    assert [forgetting.id for forgetting in vault.forgettings()] == [waiting[1]]
    assert traces(vault, turns[0]) == []
    assert concept.id.encode() not in plain_bytes(vault)
    assert vault.take_back(waiting[1]).turns == 1


def test_one_that_is_not_there_keeps_the_others_from_being_erased(vault: Vault, turns: list[Turn]) -> None:
    forgetting = put_aside(vault, turns[0])

    with pytest.raises(NotFound):
        vault.erase_waiting([forgetting, "ffffffff"], now=MORNING)
    with pytest.raises(StorageError, match="transaction"), vault.transaction():
        vault.erase_waiting([forgetting], now=MORNING)

    assert [waiting.id for waiting in vault.forgettings()] == [forgetting]


def test_an_ambiguous_beginning_names_none(vault: Vault, turns: list[Turn]) -> None:
    for number, turn in enumerate(turns[:2]):
        vault._database.run("update forgetting set uid = ? where uid = ?", (f"abcd{number}", put_aside(vault, turn)))

    with pytest.raises(AmbiguousId):
        vault.take_back("abcd")


def test_a_clock_that_steps_back_erases_nothing_early(vault: Vault, turns: list[Turn]) -> None:
    put_aside(vault, turns[0])

    for hours in (-5, -24 * 365 * 50, 1, 23):
        assert vault.erase_waiting(None, now=MORNING + timedelta(hours=hours)) is None

    assert vault.erase_waiting(None, now=MORNING + DAY) is not None


def test_what_a_wrong_clock_put_aside_in_the_future_is_due_when_its_time_has_passed(
    vault: Vault, turns: list[Turn]
) -> None:
    now = MORNING - 900 * DAY
    put_aside(vault, turns[0])

    assert vault.erase_waiting(None, now=now) is None
    assert vault.erase_waiting(None, now=now - DAY) is None, "another step back: it counts from there"
    assert vault.erase_waiting(None, now=now - timedelta(hours=1)) is None
    assert vault.erase_waiting(None, now=now) is not None


def test_asking_what_is_due_writes_nothing(vault: Vault, turns: list[Turn]) -> None:
    put_aside(vault, turns[0])
    before = vault.digest()

    assert vault.erase_waiting(None, now=MORNING) is None

    assert vault.digest() == before


@pytest.mark.parametrize("at_once", [True, False])
def test_words_that_wait_elsewhere_are_no_residue(at_once: bool, vault: Vault, turns: list[Turn]) -> None:
    twin = say(vault, vault.conversations.listing()[0], SECRET)
    vault.vectors.put(twin.node, [passage(turns[0].node)], space=SPACE)
    put_aside(vault, twin)

    receipt = (
        vault.erase([turns[0].node]) if at_once else vault.erase_waiting([put_aside(vault, turns[0])], now=MORNING)
    )

    assert receipt is not None
    assert receipt.residue == 0
    assert b"zebrafinches" in plain_bytes(vault)


def test_a_word_that_stays_in_the_index_is_residue(vault: Vault, turns: list[Turn]) -> None:
    vault._database.run("insert into lexical(rowid, terms) values (999, 'stowaway')")

    assert vault.erase([turns[0].node]).residue > 0
    vault._database.run("insert into lexical(lexical, rowid, terms) values ('delete', 999, 'stowaway')")
    assert vault.erase([]).residue == 0


def test_a_vector_that_is_still_found_is_residue(vault: Vault, turns: list[Turn]) -> None:
    forgetting = put_aside(vault, turns[0])
    vault._database.run("insert into vectors_1(passage, vector) values (1, ?)", (vector(turns[0].node),))

    receipt = vault.erase_waiting([forgetting], now=MORNING)

    assert receipt is not None
    assert receipt.residue > 0
    vault._database.run("delete from vectors_1 where passage = 1")
    assert vault.erase([turns[1].node]).residue == 0


def test_all_vectors_are_probed_when_they_are_few_and_some_when_they_are_many(
    vault: Vault, turns: list[Turn], conversation: Conversation
) -> None:
    assert vault.erase([turn.node for turn in turns[:5]]).probes == 5
    with vault.transaction():
        many = [say(vault, conversation, f"more words {n}").node for n in range(150)]
        vault.vectors.put_each({node: [passage(node)] for node in many}, space=SPACE)

    assert 32 <= vault.erase(many).probes <= 64


def test_backups_that_hold_a_trace_are_counted(vault: Vault, turns: list[Turn], tmp_path: Path) -> None:
    old, gone, new = (tmp_path / name for name in ("old", "gone", "new"))
    vault.backup(old, now=MORNING)
    vault.backup(gone, now=MORNING)
    shutil.rmtree(gone)

    assert vault.erase([turns[0].node]).backups == 1

    shutil.rmtree(old)
    vault.backup(new, now=MORNING)
    assert (
        vault.erase([say(vault, vault.conversations.listing()[0], "something said after the backup").node]).backups == 0
    )


def test_a_backup_of_another_key_is_counted_as_it_cannot_be_searched(
    vault: Vault, turns: list[Turn], tmp_path: Path
) -> None:
    vault.backup(tmp_path / "old", now=MORNING)
    vault._database.run("update backup set key_id = 'ffffffffffffffff'")

    assert vault.erase([]).backups == 0, "nothing is looked for"
    assert vault.erase([later_said(vault).node]).backups == 1


def test_a_damaged_backup_is_counted(vault: Vault, turns: list[Turn], tmp_path: Path) -> None:
    vault.backup(tmp_path / "old", now=MORNING)
    with (tmp_path / "old" / "vault.db").open("r+b") as file:
        file.seek(5 * 4096)
        file.write(b"damage")

    assert vault.erase([]).backups == 0, "nothing is looked for"
    assert vault.erase([later_said(vault).node]).backups == 1


def test_what_another_process_holds_up_is_pending_and_completes(vault: Vault, turns: list[Turn], folder: Path) -> None:
    forgetting = put_aside(vault, turns[0])
    with child("hold", folder) as (_, say_to, hear_from):
        assert hear_from.readline() == "holding\n"
        with vault._database.patience(100):
            receipt = vault.erase_waiting([forgetting], now=MORNING)
        assert receipt is not None
        assert receipt.pending
        assert vault.forgettings() == []
        say_to.write("\n")
        say_to.flush()
        assert hear_from.readline() == "let go\n"

    assert vault.finish_erasures()
    assert traces(vault, turns[0]) == []


def test_what_waits_is_there_after_closing_and_opening(vault: Vault, turns: list[Turn], folder: Path) -> None:
    forgetting = put_aside(vault, turns[0])
    vault.close()

    with Vault.open(folder, PASSPHRASE) as again:
        assert [waiting.id for waiting in again.forgettings()] == [forgetting]
        assert again.turns.by_nodes([turns[0].node]) == []
        again.take_back(forgetting)
        assert again.turns.by_nodes([turns[0].node]) == [turns[0]]


@pytest.mark.parametrize(
    ("step", "statement", "state"),
    [
        ("put_aside", "insert into forgotten_row", "there"),
        ("put_aside", "commit", "there"),
        ("take_back", 'insert into "turn"', "waiting"),
        ("take_back", "delete from forgetting", "waiting"),
        ("take_back", "commit", "waiting"),
        ("erase_waiting", "delete from forgetting", "waiting"),
        ("erase_waiting", "insert into ledger", "waiting"),
        ("erase_waiting", "vacuum", "gone"),
    ],
)
def test_a_kill_leaves_all_of_it_on_one_side(
    step: str, statement: str, state: str, vault: Vault, turns: list[Turn], folder: Path
) -> None:
    if step != "put_aside":
        put_aside(vault, turns[0])
    key = key_of(vault)
    vault.close()
    with child("forget_and_die", folder, str(turns[0].node), step, statement) as (process, say_to, output):
        say_to.write(key.hexadecimal + "\n")
        say_to.flush()
        assert output.read() == "forgetting\n"
        assert process.wait() == -9

    with Vault(folder, DataKey(key.secret)) as again:
        assert again._database.value("pragma integrity_check") == "ok"
        assert again._database.rows("pragma foreign_key_check") == []
        again.lexical.check()
        assert bool(again.turns.by_nodes([turns[0].node])) is (state == "there")
        assert bool(again.forgettings()) is (state == "waiting")
        assert again.finish_erasures()
        assert (traces(again, turns[0]) == []) is (state == "gone")
