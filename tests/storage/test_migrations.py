"""A vault of an older schema comes to this one with all that is in it, whole or not at all."""

from collections.abc import Callable
from pathlib import Path

import pytest

from storage import migrations
from storage.database import Database
from storage.errors import StorageError, VaultDamaged
from storage.keys import DataKey
from storage.records import BranchPoint, Category, Maker, Role, Source, TurnState
from storage.vault import Vault
from tests.storage import old_vaults
from tests.storage.making import PASSPHRASE, SPACE, child, conceive, say
from tests.storage.old_vaults import dump, found, rows_of

MakeVault = Callable[[Path], DataKey]


@pytest.fixture
def key(folder: Path) -> DataKey:
    """The key of a closed vault of the first schema, with rows."""
    return old_vaults.m001(folder)


@pytest.mark.parametrize("make", [old_vaults.m001, old_vaults.m002, old_vaults.m003])
def test_all_rows_of_an_older_schema_are_there_after_the_upgrade(make: MakeVault, folder: Path) -> None:
    key = make(folder)
    with Vault(folder, key) as old:
        present = migrations.version(old._database)
        before, found_before = dump(old._database), found(old)
    assert all(rows for table, (_, rows) in before.items() if table != "vectors_2_info"), "each table has rows to lose"

    with Vault.open(folder, PASSPHRASE) as vault:
        database = vault._database
        assert migrations.version(database) == len(migrations.MIGRATIONS)
        del before["migration"]
        counter = before.pop("change")[1][0][1]
        for table, (columns, rows) in before.items():
            assert rows_of(database, table, columns) == (columns, rows), table
        assert vault.change_counter() == counter + len(migrations.MIGRATIONS) - present
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


def test_what_was_kept_by_the_second_schema_reads_as_it_did(folder: Path) -> None:
    old_vaults.m002(folder)
    with Vault.open(folder, PASSPHRASE) as vault:
        preference = vault.concepts.get("aaaa0012")
        (line, _) = vault.recollections.of_answer("aaaa0002")
        verdict = vault.recollections.verdict_of("aaaa0002")

        assert (preference.text, preference.maker, preference.category) == (
            "Wilhelmina likes herons",
            Maker.MODEL,
            Category.PREFERENCE,
        )
        assert preference.support == (1,)
        assert vault.concepts.resting_on([1])[0].id == preference.id
        assert dict(line.parts) == {"cosine": 0.5}
        assert line.path == ((1, "temporal", 0.5), (6, "semantic", 0.25))
        assert verdict is not None
        assert (verdict.outcome, verdict.reasons) == ("known", ("told twice",))
        assert [(one.newer, one.older, one.slot) for one in vault.successions.of([5])] == [(10, 5, "place:bittern")]
        assert (vault.traces.of([1])[1].pinned, vault.traces.of([7])[7].archived) == (True, True)
        assert conceive(vault, "Reed", 1).node == 16, "the number of a forgotten concept is not given out again"


def test_what_waited_under_the_third_schema_comes_back_and_can_be_continued(folder: Path) -> None:
    old_vaults.m003(folder)
    with Vault.open(folder, PASSPHRASE) as vault:
        assert vault.take_back("ffff0002").turns == 1
        cut = vault.turns.get("aaaa0017")
        branch = vault.conversations.create(source=Source.CHAT)
        vault.branches.put(branch.id, BranchPoint(parent=cut.conversation, before_node=cut.node + 1))
        grown = say(vault, branch, "It grew again")

        assert vault.turns.whole(branch.id) == [cut, grown]
        assert vault.conversations.get("c0000005").parent is None
        assert vault.check_rows() == []


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
    ("present", "statement", "upgraded"),
    [
        (1, "create table node_made", False),
        (1, "insert into node_made", False),
        (1, "drop table node", False),
        (1, "alter table node_made", False),
        (1, "create table concept", False),
        (1, "pragma foreign_key_check", False),
        (1, "insert into migration", False),
        (1, "commit", False),
        (1, "pragma foreign_keys = 1", True),
        (2, "drop table node", False),
        (2, "create table forgotten_row", False),
        (2, "alter table ledger", False),
        (2, "commit", False),
        (2, "pragma foreign_keys = 1", True),
        (3, "create table branch", False),
        (3, "create trigger branch_handed_on", False),
        (3, "commit", False),
        (3, "pragma foreign_keys = 1", True),
    ],
)
def test_a_kill_in_the_middle_of_an_upgrade_leaves_either_schema_whole(
    present: int, statement: str, upgraded: bool, folder: Path
) -> None:
    key = (old_vaults.m001, old_vaults.m002, old_vaults.m003)[present - 1](folder)
    with Vault(folder, key) as old:
        before, found_before = dump(old._database), found(old)

    with child("upgrade_and_die", folder, statement) as (process, say_to, hear_from):
        say_to.write(key.hexadecimal + "\n")
        say_to.flush()
        assert hear_from.read() == "upgrading\n"
        assert process.wait() == -9

    with Vault(folder, key) as vault:
        assert migrations.version(vault._database) == (present + 1 if upgraded else present)
        assert (dump(vault._database) == before) is not upgraded
        assert found(vault) == found_before
        vault.lexical.check()
        assert vault._database.value("pragma integrity_check") == "ok"
        migrations.upgrade(vault._database)
        assert found(vault) == found_before
        assert vault.turns.count() == (5, 6, 7)[present - 1]


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
