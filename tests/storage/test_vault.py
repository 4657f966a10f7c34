import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import apsw
import pytest

from storage import migrations
from storage.database import Database
from storage.errors import (
    AlreadyThere,
    EmptyPassphrase,
    NotFound,
    VaultDamaged,
    VaultExists,
    VaultKeyChanged,
    VaultLocked,
    VaultMissing,
    VaultNewer,
    VaultReadOnly,
    WrongPassphrase,
)
from storage.keys import FLOOR_COST, DataKey
from storage.records import Conversation, Source
from storage.vault import Vault
from tests.storage.making import PASSPHRASE, SPACE, child, passage, say


def test_what_was_kept_is_there_after_opening_again(vault: Vault, conversation: Conversation, folder: Path) -> None:
    turn = say(vault, conversation, "Herons nest late this year")
    vault.close()

    with Vault.open(folder, PASSPHRASE) as again:
        assert again.turns.get(turn.id) == turn
        assert again.conversations.get(conversation.id).turns == 1


def test_folder_and_files_are_their_owners_alone(folder: Path) -> None:
    with Vault.create(folder, PASSPHRASE, cost=FLOOR_COST) as vault:
        say(vault, vault.conversations.create(source=Source.CHAT), "private")

        assert folder.stat().st_mode & 0o777 == 0o700
        assert {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()} == dict.fromkeys(
            ["vault.db", "vault.db-wal", "vault.db-shm", "keys.json"], 0o600
        )


def test_a_folder_with_other_things_in_it_keeps_its_permissions(folder: Path) -> None:
    folder.mkdir(mode=0o755)
    (folder / "letter.txt").write_text("mine")

    Vault.create(folder, PASSPHRASE, cost=FLOOR_COST).close()

    assert folder.stat().st_mode & 0o777 == 0o755


def test_a_closed_vault_leaves_two_files(vault: Vault, folder: Path) -> None:
    vault.close()

    assert sorted(path.name for path in folder.iterdir()) == ["keys.json", "vault.db"]


def test_a_wrong_passphrase_is_refused_and_named(vault: Vault, folder: Path) -> None:
    vault.close()

    with pytest.raises(WrongPassphrase, match="passphrase"):
        Vault.open(folder, PASSPHRASE + "!")


def test_where_there_is_no_vault_one_is_missing(folder: Path) -> None:
    assert not Vault.exists(folder)
    with pytest.raises(VaultMissing, match="Create"):
        Vault.open(folder, PASSPHRASE)


def test_a_second_vault_in_a_folder_is_refused(vault: Vault, folder: Path) -> None:
    with pytest.raises(VaultExists, match="already"):
        Vault.create(folder, PASSPHRASE, cost=FLOOR_COST)

    assert Vault.exists(folder)


def test_an_empty_passphrase_leaves_nothing_behind(folder: Path) -> None:
    with pytest.raises(EmptyPassphrase):
        Vault.create(folder, "", cost=FLOOR_COST)

    assert not folder.exists()


@pytest.mark.parametrize(("gone", "left"), [("keys.json", "vault.db"), ("vault.db", "keys.json")])
def test_half_a_vault_is_named_for_what_it_is_and_never_replaced(
    gone: str, left: str, vault: Vault, folder: Path
) -> None:
    vault.close()
    (folder / gone).unlink()
    before = (folder / left).read_bytes()

    with pytest.raises(VaultDamaged, match=gone):
        Vault.open(folder, PASSPHRASE)
    with pytest.raises(VaultDamaged, match=gone):
        Vault.create(folder, PASSPHRASE, cost=FLOOR_COST)

    assert (folder / left).read_bytes() == before


def test_a_crash_at_any_step_of_creating_leaves_a_vault_or_nothing(folder: Path) -> None:
    step, finished = 1, False
    outcomes = set()
    while not finished:
        here = folder.with_name(f"vault{step}")
        with child("create_and_die", here, str(step)) as (process, _, _):
            finished = process.wait() == 0
        outcomes.add(Vault.exists(here))
        if Vault.exists(here):
            with pytest.raises(VaultExists):
                Vault.create(here, PASSPHRASE, cost=FLOOR_COST)
            again = Vault.open(here, PASSPHRASE)
        else:
            again = Vault.create(here, PASSPHRASE, cost=FLOOR_COST)
        with again:
            assert again.turns.count() == 0
            say(again, again.conversations.create(source=Source.CHAT), "works")
        assert sorted(path.name for path in here.iterdir()) == ["keys.json", "vault.db"]
        step += 1

    assert step > 7
    assert outcomes == {True, False}


def test_a_file_where_the_folder_should_be_is_named(folder: Path) -> None:
    folder.write_text("in the way")

    for place in (folder, folder / "deeper"):
        assert not Vault.exists(place)
        with pytest.raises(VaultReadOnly, match="in the way"):
            Vault.create(place, PASSPHRASE, cost=FLOOR_COST)


def test_a_folder_where_the_database_should_be_is_named(vault: Vault, folder: Path) -> None:
    vault.close()
    (folder / "vault.db").unlink()
    (folder / "vault.db").mkdir()

    with pytest.raises(VaultReadOnly, match=r"vault\.db"):
        Vault.open(folder, PASSPHRASE)


def test_no_form_of_an_open_vault_shows_its_key(vault: Vault) -> None:
    key = vault._key
    assert isinstance(key, DataKey)
    shown = f"{vault!r} {vault._database!r} {vars(vault)!r} {vars(vault._database)!r}"

    assert key.hexadecimal not in shown
    assert PASSPHRASE not in shown


def test_an_error_of_unlocking_carries_no_key(vault: Vault, folder: Path) -> None:
    other = DataKey.random()

    with pytest.raises(VaultKeyChanged) as failure:
        Vault(folder, other)

    assert failure.value.__cause__ is None
    assert failure.value.__context__ is None
    trace = failure.value.__traceback__
    seen = ""
    while trace is not None:
        seen += repr({name: value for name, value in trace.tb_frame.f_locals.items() if name != "other"})
        trace = trace.tb_next
    assert other.hexadecimal not in seen


def test_a_locked_vault_has_no_key_and_answers_nothing(vault: Vault, conversation: Conversation) -> None:
    vault.close()
    vault.close()

    assert vault._key is None
    for ask in (vault.turns.count, vault.change_counter, vault.status, lambda: vault.erase([1]), vault.ledger.listing):
        with pytest.raises(VaultLocked, match="locked"):
            ask()
    with pytest.raises(VaultLocked), vault.transaction():
        raise AssertionError


def test_a_transaction_that_fails_leaves_nothing(vault: Vault, conversation: Conversation) -> None:
    counter = vault.change_counter()

    def keep_and_fail() -> None:
        with vault.transaction():
            say(vault, conversation, "never kept")
            vault.turns.get("ffffffff")

    with pytest.raises(NotFound):
        keep_and_fail()

    assert vault.turns.count() == 0
    assert vault.change_counter() == counter


def test_an_inner_transaction_that_fails_takes_back_its_own_part_only(vault: Vault, conversation: Conversation) -> None:
    def keep_and_fail() -> None:
        with vault.transaction():
            say(vault, conversation, "taken back")
            vault.conversations.create(id=conversation.id, source=Source.CHAT)

    with vault.transaction():
        kept = say(vault, conversation, "kept")
        with pytest.raises(AlreadyThere):
            keep_and_fail()

    assert [turn.id for turn in vault.turns.listing()] == [kept.id]


def test_the_change_counter_moves_once_for_each_outermost_transaction(vault: Vault, conversation: Conversation) -> None:
    before = vault.change_counter()
    with vault.transaction():
        say(vault, conversation, "one")
        say(vault, conversation, "two")
    assert vault.change_counter() == before + 1

    vault.turns.listing()
    assert vault.change_counter() == before + 1

    vault.settings.put("name", "value")
    assert vault.change_counter() == before + 2


def test_any_thread_may_use_it(vault: Vault, conversation: Conversation) -> None:
    def work(name: str) -> int:
        for number in range(20):
            say(vault, conversation, f"{name} {number}")
            vault.turns.listing(limit=3)
        return 20

    with ThreadPoolExecutor(3) as threads:
        assert sum(threads.map(work, ["one", "two", "three"])) == 60

    assert [turn.position for turn in vault.turns.in_conversation(conversation.id)] == list(range(60))


def test_status_says_what_there_is_to_know(vault: Vault, conversation: Conversation, folder: Path) -> None:
    turn = say(vault, conversation, "counted")
    vault.vectors.begin_space(SPACE)
    vault.vectors.finish_space(SPACE)
    vault.vectors.put(turn.node, [passage(1)], space=SPACE)

    status = vault.status()

    assert (status.conversations, status.turns, status.passages, status.receipts) == (1, 1, 1, 0)
    assert (status.folder, status.cipher, status.cost, status.space) == (folder, "chacha20", FLOOR_COST, SPACE)
    assert status.schema == len(migrations.MIGRATIONS)
    assert status.sqlite == apsw.sqlite_lib_version()
    assert status.file_bytes >= 4096
    assert not status.purge_pending


def test_settings_are_kept(vault: Vault) -> None:
    assert vault.settings.get("stemmer") is None
    vault.settings.put("stemmer", "porter 1")
    vault.settings.put("stemmer", "porter 2")
    assert vault.settings.get("stemmer") == "porter 2"


def test_a_vault_of_a_newer_version_is_refused_and_named(vault: Vault, folder: Path) -> None:
    with vault.transaction():
        vault._database.run("insert into migration(version, applied_us) values (99, 0)")
    vault.close()

    with pytest.raises(VaultNewer, match="99"):
        Vault.open(folder, PASSPHRASE)


def test_an_older_vault_gets_each_later_step_once(vault: Vault, conversation: Conversation) -> None:
    turn = say(vault, conversation, "from before")
    applied: list[int] = []

    def next_one(database: Database) -> None:
        applied.append(1)
        database.run("create table later(id integer primary key) strict")

    def one_after_it(database: Database) -> None:
        applied.append(2)

    steps = (*migrations.MIGRATIONS, next_one, one_after_it)
    migrations.upgrade(vault._database, steps)
    migrations.upgrade(vault._database, steps)

    assert applied == [1, 2]
    assert migrations.version(vault._database) == len(migrations.MIGRATIONS) + 2
    assert vault.turns.get(turn.id) == turn


def test_a_step_that_fails_leaves_the_schema_as_it_was(vault: Vault) -> None:
    def next_one(database: Database) -> None:
        database.run("create table later(id integer primary key) strict")
        raise NotFound("something it needs is not there")

    with pytest.raises(NotFound):
        migrations.upgrade(vault._database, (*migrations.MIGRATIONS, next_one))

    assert migrations.version(vault._database) == len(migrations.MIGRATIONS)
    assert vault._database.value("select count(*) from sqlite_master where name = 'later'") == 0


def test_opening_imports_no_numpy(vault: Vault, folder: Path) -> None:
    """It would add a tenth of a second to each command."""
    program = (
        "import sys; from pathlib import Path; from storage.vault import Vault\n"
        "Vault.open(Path(sys.argv[1]), sys.stdin.read()).close()\n"
        "print(*sorted({'numpy', 'sqlite_vec'} & set(sys.modules)))"
    )
    command = [sys.executable, "-c", program, str(folder)]

    assert subprocess.run(command, input=PASSPHRASE, capture_output=True, text=True, check=True).stdout == "\n"


def test_a_newer_step_left_by_another_process_is_not_applied_twice(vault: Vault) -> None:
    applied: list[int] = []
    migrations._apply(vault._database, [lambda _: applied.append(1)], present=0)

    assert applied == []


def test_two_processes_that_create_at_once_make_one_vault(folder: Path) -> None:
    with ExitStack() as stack:
        creators = [stack.enter_context(child("create_and_die", folder, "0")) for _ in range(2)]
        codes = sorted(process.wait() for process, _, _ in creators)

    assert codes == [0, 1]
    with Vault.open(folder, PASSPHRASE) as vault:
        assert vault.turns.count() == 0
