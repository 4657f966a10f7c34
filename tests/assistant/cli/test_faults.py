"""What goes wrong beside the program: one line that says what and what to do, an exit code, and a whole vault."""

import hashlib
import json
from pathlib import Path

import pytest

from storage.keys import KEY_FILE, PAGE_BYTES
from tests.assistant.cli.small_disk import run_read_only, run_with_little_room
from tests.assistant.cli.support import Here, Home, Ran
from tests.assistant.cli.test_boundary import one_error
from tests.assistant.cli.test_importing import lines

SCRIPTED = "tests.assistant.cli.scripted"


def refused(ran: Ran, *words: str) -> str:
    """Give the one line of a command that could not use the vault."""
    assert (ran.code, ran.out) == (6, "")
    line = one_error(ran.err)
    assert all(word in line for word in words), line
    return line


def assert_whole(home: Home, *, turns: int) -> None:
    """Open the vault, which finishes what was left, and find nothing wrong with it."""
    with home.opened() as memory:
        assert memory.vault.check() == []
        assert memory.vault.turns.count() == turns


def database(home: Home) -> Path:
    return home.paths.data / "vault.db"


# a full disk


def test_a_turn_for_which_there_is_no_room_is_told_and_not_half_kept(full: Home) -> None:
    ran = run_with_little_room(full, "ask", "Where is the boat?", place=full.paths.data, free_kib=60, module=SCRIPTED)
    refused(ran, "disk is full", "Make room", str(database(full)))
    assert_whole(full, turns=3)


def test_an_import_for_which_there_is_no_room_ends_and_goes_on_when_there_is(full: Home, tmp_path: Path) -> None:
    (tmp_path / "talk.jsonl").write_text(lines(320))
    ran = run_with_little_room(
        full,
        "import",
        "jsonl",
        str(tmp_path / "talk.jsonl"),
        place=full.paths.data,
        free_kib=500,
        module=SCRIPTED,
    )
    assert ran.code == 6
    assert "The disk is full" in one_error(ran.err)
    with full.opened() as memory:
        kept = memory.vault.turns.count() - 3
        assert memory.vault.check() == []
    assert 0 < kept < 320
    assert full.run("import", "jsonl", str(tmp_path / "talk.jsonl"), module=SCRIPTED).code == 0
    assert_whole(full, turns=323)


def test_an_erasure_for_which_there_is_no_room_says_so_and_is_finished_later(full: Home) -> None:
    with full.opened() as memory:
        (turn,) = [turn for turn in memory.vault.turns.listing() if "northern harbour" in turn.text]
    ran = run_with_little_room(full, "forget", "--now", "-y", turn.id, place=full.paths.data, free_kib=200)
    assert ran.code == 0
    assert "traces are still in the file" in ran.err
    assert "the disk has room" in ran.err
    with full.opened() as memory:
        (receipt,) = memory.vault.ledger.listing()
        assert (receipt.pending, receipt.residue, memory.vault.check()) == (False, 0, [])


def test_a_backup_for_which_there_is_no_room_leaves_nothing_and_names_its_disk(full: Home) -> None:
    place = full.folder / "disk"
    ran = run_with_little_room(full, "vault", "backup", str(place / "copy"), place=place, free_kib=300)
    refused(ran, "disk is full", str(place))
    assert list(place.iterdir()) == []
    with full.opened() as memory:
        assert memory.vault.backups.listing() == []


# what cannot be written


@pytest.mark.parametrize("what", ["folder", "file"])
def test_a_vault_that_cannot_be_written_is_told_and_stays_as_it_is(full: Home, what: str) -> None:
    before = database(full).read_bytes()
    refused(run_read_only(full, "memory", "list", what=what), "vault.db", "permissions")
    assert database(full).read_bytes() == before


# what a newer version wrote


def test_a_newer_schema_is_told_and_left_alone(here: Here) -> None:
    with here.home.opened() as memory:
        memory.vault._database.run("insert into migration(version, applied_us) values (99, 0)")
    refused(here.run("memory", "list"), "schema 99", "newer version")


def test_a_newer_key_file_is_told_and_left_alone(here: Here) -> None:
    path = here.home.paths.data / KEY_FILE
    content = {**json.loads(path.read_bytes()), "format": 99}
    del content["checksum"]
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":")).encode()
    path.write_text(json.dumps({**content, "checksum": hashlib.sha256(canonical).hexdigest()}))
    before = path.read_bytes()
    refused(here.run("memory", "list"), KEY_FILE, "newer version")
    assert path.read_bytes() == before


# what is damaged


@pytest.mark.parametrize("bytes_kept", [0, 100, 5 * PAGE_BYTES, -PAGE_BYTES])
def test_a_file_that_was_cut_short_is_told(here: Here, bytes_kept: int) -> None:
    content = database(here.home).read_bytes()
    database(here.home).write_bytes(content[:bytes_kept])
    refused(here.run("memory", "list"), "vault.db", "Put back")


def test_keys_that_are_gone_or_damaged_are_told(here: Here) -> None:
    path = here.home.paths.data / KEY_FILE
    content = path.read_bytes()
    path.write_bytes(content.replace(b"argon2id", b"argon2ie"))
    refused(here.run("memory", "list"), KEY_FILE, "damaged")
    path.write_bytes(content[: len(content) // 2])
    refused(here.run("memory", "list"), KEY_FILE, "damaged")
    path.unlink()
    refused(here.run("memory", "list"), KEY_FILE, "Put back")
    path.write_bytes(content)
    assert here.run("memory", "list").code == 0
