"""A vault of an older schema comes to this one with all that is in it, whole or not at all."""

from pathlib import Path

import pytest

from storage import migrations
from storage.database import Database, Row
from storage.errors import StorageError, VaultDamaged
from storage.keys import DataKey
from storage.records import Maker, Role, Source, TurnState
from storage.vault import Vault
from tests.storage import old_vaults
from tests.storage.making import PASSPHRASE, SPACE, child, conceive, say, vector

Dump = dict[str, tuple[str, list[Row]]]


@pytest.fixture
def key(folder: Path) -> DataKey:
    """The key of a closed vault of the first schema, with rows."""
    return old_vaults.m001(folder)


def dump(database: Database) -> Dump:
    """All rows of all tables, those of the indexes among them, with the names of their columns."""
    tables = database.rows("select name from pragma_table_list where schema = 'main' and type in ('table', 'shadow')")
    return {name: _rows(database, name, "*") for (name,) in tables if not name.startswith("sqlite_")}


def _rows(database: Database, table: str, columns: str) -> tuple[str, list[Row]]:
    if columns == "*":
        columns = ", ".join(f'"{name}"' for (name,) in database.rows("select name from pragma_table_info(?)", (table,)))
    return columns, database.rows(f'select {columns} from "{table}" order by 1, 2')


def found(vault: Vault) -> list[object]:
    """What is found in a vault by each of its indexes."""
    return [
        vault.lexical.search(["heron", "reed", "rohrdommel", "forgotten"], limit=10),
        vault.vectors.nearest(SPACE, vector(6), k=10),
        vault.vectors.matrix(SPACE),
        vault.vectors.missing(SPACE, limit=10),
        [turn.node for turn in vault.turns.listing(match_terms=["heron", "ne"])],
    ]


def test_all_rows_of_the_first_schema_are_there_after_the_upgrade(key: DataKey, folder: Path) -> None:
    with Vault(folder, key) as old:
        before, found_before = dump(old._database), found(old)

    with Vault.open(folder, PASSPHRASE) as vault:
        database = vault._database
        assert migrations.version(database) == len(migrations.MIGRATIONS)
        del before["migration"]
        counter = before.pop("change")[1][0][1]
        for table, (columns, rows) in before.items():
            assert _rows(database, table, columns) == (columns, rows), table
        assert vault.change_counter() == counter + len(migrations.MIGRATIONS) - 1
        assert found(vault) == found_before
        assert all(found_before), "each index has something to lose"
        vault.lexical.check()
        assert database.value("pragma integrity_check") == "ok"


def test_what_was_kept_by_the_first_schema_reads_as_it_did(key: DataKey, folder: Path) -> None:
    with Vault.open(folder, PASSPHRASE) as vault:
        answer = vault.turns.get("aaaa0002")
        lines = vault.recollections.of_answer(answer.id)

        assert (answer.role, answer.state, answer.seed) == (Role.ASSISTANT, TurnState.STOPPED, 42)
        assert [(line.turn.id, line.rank, line.score, line.used) for line in lines] == [
            ("aaaa0006", 1, 1.5, True),
            ("aaaa0007", 2, 0.25, False),
        ]
        assert [(dict(line.parts), line.path) for line in lines] == [({}, ())] * 2
        assert vault.recollections.verdict_of(answer.id) is None
        assert [(receipt.turns, receipt.concepts) for receipt in vault.ledger.listing()] == [(1, 0)]
        assert vault.conversations.find(Source.IMPORTED, "birds-1") == vault.conversations.get("c0000003")
        assert vault.concepts.pending(Maker.SALIENT, limit=9) == [1, 2, 5, 6, 7]


def test_an_upgraded_vault_keeps_its_rules(key: DataKey, folder: Path) -> None:
    with Vault.open(folder, PASSPHRASE) as vault:
        conversation = vault.conversations.get("c0000001")
        turn = say(vault, conversation, "Bitterns boom at dusk")
        concept = conceive(vault, "Bittern", 5, turn.node)

        assert turn.node == 10, "the number of a forgotten node is not given out again"
        assert [node for node, _ in vault.lexical.search(["boom"], limit=5)] == [turn.node]
        assert vault.vectors.missing(SPACE, limit=9) == [7, turn.node, concept.node]

        receipt = vault.erase([1, 5])

        assert (receipt.turns, receipt.passages, receipt.concepts, receipt.residue) == (2, 2, 0, 0)
        assert vault.turns.by_nodes([1, 5]) == []
        assert vault.concepts.get(concept.id).support == (turn.node,)
        assert vault.lexical.search(["rohrdommel"], limit=5) == []
        vault.lexical.check()
        assert vault._database.rows("pragma foreign_key_check") == []


@pytest.mark.parametrize(
    ("statement", "upgraded"),
    [
        ("create table node_made", False),
        ("insert into node_made", False),
        ("drop table node", False),
        ("alter table node_made", False),
        ("create table concept", False),
        ("pragma foreign_key_check", False),
        ("insert into migration", False),
        ("commit", False),
        ("pragma foreign_keys = 1", True),
    ],
)
def test_a_kill_in_the_middle_of_an_upgrade_leaves_either_schema_whole(
    statement: str, upgraded: bool, key: DataKey, folder: Path
) -> None:
    with Vault(folder, key) as old:
        before, found_before = dump(old._database), found(old)

    with child("upgrade_and_die", folder, statement) as (process, say_to, hear_from):
        say_to.write(key.hexadecimal + "\n")
        say_to.flush()
        assert hear_from.read() == "upgrading\n"
        assert process.wait() == -9

    with Vault(folder, key) as vault:
        assert migrations.version(vault._database) == (2 if upgraded else 1)
        assert (dump(vault._database) == before) is not upgraded
        assert found(vault) == found_before
        vault.lexical.check()
        assert vault._database.value("pragma integrity_check") == "ok"
        migrations.upgrade(vault._database)
        assert found(vault) == found_before
        assert vault.turns.count() == 5


def test_references_are_enforced_again_after_an_upgrade(key: DataKey, folder: Path) -> None:
    with Vault(folder, key) as vault:
        migrations.upgrade(vault._database)
        with pytest.raises(StorageError):
            vault._database.run("insert into trace(node) values (99)")
        vault._database.run("delete from node where id = 2")

        assert vault._database.value("select count(*) from recollection") == 0


def test_a_step_that_leaves_rows_without_what_they_refer_to_is_refused(key: DataKey, folder: Path) -> None:
    def careless(database: Database) -> None:
        database.run("delete from conversation")

    with Vault(folder, key) as vault:
        with pytest.raises(VaultDamaged, match="turn"):
            migrations.upgrade(vault._database, (*migrations.MIGRATIONS, careless))

        assert migrations.version(vault._database) == len(migrations.MIGRATIONS), "the steps before it count"
        assert vault.turns.count() == 5
        assert vault._database.value("pragma foreign_keys") == 1


def test_references_are_enforced_to_the_end_of_a_transaction(vault: Vault) -> None:
    with vault.transaction(), pytest.raises(StorageError, match="transaction"), vault._database.without_references():
        raise AssertionError

    assert vault._database.value("pragma foreign_keys") == 1
