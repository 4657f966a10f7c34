"""vault backup, restore, check, compact and rescue, as they are typed."""

import json
import shutil
import stat
from pathlib import Path

import pytest

from storage.keys import PAGE_BYTES, DataKey
from storage.records import Role, Source, Utterance
from storage.unlocking import read_data_key
from storage.vault import Vault
from tests.assistant.cli.conftest import SAID
from tests.assistant.cli.small_disk import run_with_little_room
from tests.assistant.cli.support import Here, Home, Terminal
from tests.conftest import NOON, PASSPHRASE

LATER = "Said after the backup."


@pytest.fixture(scope="module")
def key(vaults: Path) -> DataKey:
    """The key of the user's vault, so that a test need not guess its passphrase."""
    return read_data_key(Home(vaults / "full").paths.data, PASSPHRASE)


def texts(folder: Path, key: DataKey) -> set[str]:
    with Vault.open(folder, key) as vault:
        return {turn.text for turn in vault.turns.listing()}


def damage(home: Home, *, page: int) -> None:
    file = home.paths.data / "vault.db"
    content = bytearray(file.read_bytes())
    content[page * PAGE_BYTES - 1] ^= 1
    file.write_bytes(content)


def page_of(home: Home, key: DataKey, table: str) -> int:
    with Vault.open(home.paths.data, key) as vault:
        return int(vault._database.value("select rootpage from sqlite_schema where name = ?", (table,)))


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """Where a backup shall lie: nothing is there."""
    return tmp_path / "disk" / "backup"


@pytest.fixture
def made(here: Here, key: DataKey, target: Path) -> Path:
    """Where a backup lies, after which something was told and something forgotten."""
    with Vault.open(here.home.paths.data, key) as vault:
        vault.backup(target, now=NOON)
        conversation = vault.conversations.listing()[0]
        later = Utterance(role=Role.USER, speaker="User", text=LATER, time=NOON, source=Source.CHAT)
        vault.turns.append(conversation.id, later, terms="later")
        vault.erase([turn.node for turn in vault.turns.listing() if turn.text == SAID[0]])
    return target


# backup


def test_a_backup_is_made_listed_and_opens_like_the_vault(here: Here, key: DataKey, target: Path) -> None:
    ran = here.run("vault", "backup", str(target))
    assert (ran.code, ran.out) == (0, f"backed up 3 memories into {target}\n")
    assert texts(target, key) == set(SAID)

    assert str(target) in here.run("vault", "backup", "--list").out
    (told,) = json.loads(here.run("vault", "backup", "--list", "--json").out)
    assert (told["path"], told["there"]) == (str(target), True)
    assert told["made"].endswith("Z")
    assert len(told["key_id"]) == 16


def test_without_backups_the_list_is_empty(here: Here) -> None:
    assert here.run("vault", "backup", "--list", "--json").out == "[]\n"


def test_one_thing_is_asked_of_backup_at_a_time(here: Here, target: Path) -> None:
    for arguments in ([], [str(target), "--list"], ["--renew", "--list"]):
        ran = here.run("vault", "backup", *arguments)
        assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert not target.exists()


def test_a_backup_is_replaced_when_that_is_said_and_refused_otherwise(here: Here, key: DataKey, made: Path) -> None:
    ran = here.run("vault", "backup", str(made))
    assert (ran.code, "--replace" in ran.err, ran.err.count("\n")) == (2, True, 1)
    assert texts(made, key) == set(SAID)

    assert json.loads(here.run("vault", "backup", str(made), "--replace", "--json").out)["path"] == str(made)
    assert texts(made, key) == {*SAID[1:], LATER}


@pytest.mark.skipif(not Path("/proc/version").exists(), reason="needs a place where nobody may write")
def test_a_place_where_nobody_may_write_is_named_in_one_line(here: Here) -> None:
    ran = here.run("vault", "backup", "/proc/backup")
    assert (ran.code, ran.out, ran.err.count("\n")) == (6, "", 1)
    assert "/proc" in ran.err


def test_a_full_disk_is_named_and_nothing_is_left_on_it(full: Home, key: DataKey, target: Path) -> None:
    ran = run_with_little_room(full, "vault", "backup", str(target), place=target.parent, free_kib=200)
    assert (ran.code, ran.out, ran.err.count("\n")) == (6, "", 1)
    assert "The disk is full" in ran.err
    assert list(target.parent.iterdir()) == []
    with Vault.open(full.paths.data, key) as vault:
        assert vault.backups.listing() == []


def test_backups_are_renewed_after_forgetting(here: Here, key: DataKey, made: Path) -> None:
    ran = here.run("vault", "backup", "--renew")
    assert (ran.code, ran.out) == (0, f"renewed {made}\n")
    assert SAID[0] not in texts(made, key)

    shutil.rmtree(made)
    ran = here.run("vault", "backup", "--renew", "--json")
    assert json.loads(ran.out) == {"renewed": [], "gone": [str(made)], "failed": []}
    assert "is there no more" in ran.err


def test_a_backup_on_a_disk_that_is_away_is_an_error_and_stays_known(here: Here, key: DataKey, made: Path) -> None:
    shutil.rmtree(made.parent)
    ran = here.run("vault", "backup", "--renew")
    assert (ran.code, "Attach its disk" in ran.err) == (6, True)
    with Vault.open(here.home.paths.data, key) as vault:
        assert [backup.path for backup in vault.backups.listing()] == [made]


# restore


def test_a_backup_is_restored_where_there_is_no_vault(here: Here, key: DataKey, made: Path) -> None:
    shutil.rmtree(here.home.paths.data)

    ran = here.run("vault", "restore", str(made))
    assert (ran.code, ran.out) == (0, f"restored 3 memories into {here.home.paths.data}\n")
    assert texts(here.home.paths.data, key) == set(SAID)


def test_without_a_terminal_a_vault_is_replaced_only_with_yes(here: Here, key: DataKey, made: Path) -> None:
    ran = here.run("vault", "restore", str(made))
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.count("holds 3 memories") == 2, "three of then, three of now"
    assert "-y" in ran.err
    assert LATER in texts(here.home.paths.data, key)

    assert json.loads(here.run("vault", "restore", str(made), "-y", "--json").out)["turns"] == 3
    assert texts(here.home.paths.data, key) == set(SAID)


@pytest.mark.parametrize(("answer", "code", "is_back"), [("n", 2, False), ("y", 0, True)])
def test_on_a_terminal_it_is_asked_and_told_what_comes_back(
    here: Here, key: DataKey, made: Path, answer: str, code: int, is_back: bool
) -> None:
    home = here.home
    terminal = Terminal(home, "--passphrase-file", str(home.passphrase_file), "vault", "restore", str(made))
    terminal.wait_for("Put the backup in its place? [y/N] ")
    assert "What was forgotten since is back: 1 time" in terminal.seen
    terminal.send(f"{answer}\n")
    assert terminal.end() == code
    assert (SAID[0] in texts(home.paths.data, key)) is is_back


def test_a_folder_that_is_no_backup_is_refused(here: Here, tmp_path: Path) -> None:
    ran = here.run("vault", "restore", str(tmp_path), "-y")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "no backup" in ran.err


def test_a_vault_that_is_damaged_points_to_its_backup_and_is_replaced_by_it(
    here: Here, key: DataKey, made: Path
) -> None:
    damage(here.home, page=1)
    ran = here.run("memory", "list")
    assert (ran.code, ran.err.count("\n")) == (6, 1)
    assert "vault restore" in ran.err
    assert "vault rescue" in ran.err

    assert here.run("vault", "restore", str(made), "-y").code == 0
    assert texts(here.home.paths.data, key) == set(SAID)


# check and compact


def test_nothing_is_wrong_with_a_vault_that_is_well(here: Here) -> None:
    ran = here.run("vault", "check")
    assert (ran.code, ran.out, ran.err) == (0, "nothing is wrong\n", "")


def test_a_damaged_page_is_named_with_what_to_do(here: Here, key: DataKey) -> None:
    page = page_of(here.home, key, "turn")
    damage(here.home, page=page)

    ran = here.run("vault", "check")
    assert ran.code == 6
    assert f"Page {page} of vault.db is damaged. It held who said what when. Put back a backup" in ran.out
    told = json.loads(here.run("vault", "check", "--json").out)
    assert told["sound"] is False
    assert {"kind", "what", "remedy", "mendable"} == set(told["faults"][0])


def test_what_can_be_made_again_is_repaired(here: Here, key: DataKey) -> None:
    with Vault.open(here.home.paths.data, key) as vault, vault.transaction():
        vault._database.run("delete from passage where node = (select min(node) from passage)")
    ran = here.run("vault", "check")
    assert (ran.code, "--repair" in ran.out) == (6, True)

    ran = here.run("vault", "check", "--repair", "--json")
    assert (ran.code, json.loads(ran.out)) == (0, {"sound": True, "faults": []})


def test_compacting_tells_the_size_before_and_after(here: Here) -> None:
    told = json.loads(here.run("vault", "compact", "--json").out)
    assert 0 < told["bytes_after"] <= told["bytes_before"]


def test_compacting_a_vault_that_is_read_elsewhere_is_refused(here: Here, key: DataKey) -> None:
    with Vault.open(here.home.paths.data, key) as vault, vault._database.snapshot():
        ran = here.run("vault", "compact")
    assert (ran.code, ran.err.count("\n")) == (7, 1)


# rescue


def test_what_was_saved_from_a_damaged_vault_can_be_imported_into_another_one(
    here: Here, key: DataKey, vaults: Path, tmp_path: Path
) -> None:
    saved = tmp_path / "saved.jsonl"
    damage(here.home, page=1)

    ran = here.run("vault", "rescue", str(saved))

    assert (ran.code, ran.out) == (0, f"saved 3 memories into {saved}\n")
    assert "plain text" in ran.err
    assert "page 1 of" in ran.err
    assert stat.S_IMODE(saved.stat().st_mode) == 0o600
    shutil.rmtree(here.home.paths.data)
    shutil.copytree(Home(vaults / "new").paths.data, here.home.paths.data)
    assert here.run("import", "jsonl", str(saved)).code == 0
    with here.home.opened() as memory:
        assert {turn.text for turn in memory.vault.turns.listing()} == set(SAID)


def test_a_file_that_is_there_is_not_written_over(here: Here, tmp_path: Path) -> None:
    saved = tmp_path / "saved.jsonl"
    saved.write_text("mine")
    ran = here.run("vault", "rescue", str(saved))
    assert (ran.code, ran.err.count("\n"), saved.read_text()) == (2, 1, "mine")


def test_what_is_lost_is_told_and_ends_with_an_error(here: Here, key: DataKey, tmp_path: Path) -> None:
    damage(here.home, page=page_of(here.home, key, "node"))

    ran = here.run("vault", "rescue", str(tmp_path / "saved.jsonl"), "--json")

    told = json.loads(ran.out)
    assert (ran.code, told["turns"], told["lost"], told["may_lack"]) == (6, 0, 3, True)
    assert told["damaged"][0]["held"] == "words"
    assert "3 memories are lost" in ran.err


def test_a_damaged_key_file_is_named_and_that_of_a_backup_fits(here: Here, made: Path, tmp_path: Path) -> None:
    keys = here.home.paths.data / "keys.json"
    keys.write_text("{")

    ran = here.run("vault", "rescue", str(tmp_path / "saved.jsonl"))
    assert (ran.code, "keys.json" in ran.err, ran.err.count("\n")) == (6, True, 1)
    shutil.copy(made / "keys.json", keys)
    assert here.run("vault", "rescue", str(tmp_path / "saved.jsonl")).code == 0
