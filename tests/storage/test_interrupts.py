"""A signal may raise after any statement: the transaction is then whole or gone, and the next one works."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from storage.database import Database, Value
from storage.keys import DataKey


class Interrupted(Database):
    """Raises as ctrl+c does, right after a statement that begins so was done."""

    after = ""

    def run(self, statement: str, bindings: Sequence[Value] = ()) -> None:
        super().run(statement, bindings)
        if self.after and statement.startswith(self.after):
            self.after = ""
            raise KeyboardInterrupt


@pytest.fixture
def database(tmp_path: Path) -> Interrupted:
    """An empty database with the change counter and a table of numbers."""
    file = tmp_path / "interrupted.db"
    file.touch(mode=0o600)
    made = Interrupted(file, DataKey.random())
    made.run("create table change(counter integer not null); insert into change values (0); create table number(n)")
    return made


@pytest.mark.parametrize(
    ("after", "kept"),
    [("begin", []), ("savepoint", []), ("insert", []), ("release", []), ("update change", []), ("commit", [(1,)])],
)
def test_an_interrupt_leaves_a_transaction_whole_or_gone(database: Interrupted, after: str, kept: list[object]) -> None:
    database.after = after
    with pytest.raises(KeyboardInterrupt), database.transaction(), database.transaction():
        database.run("insert into number values (1)")
    assert not database.in_transaction()
    assert database.rows("select n from number") == kept
    with database.transaction(), database.transaction():
        database.run("insert into number values (2)")
    assert database.rows("select n from number") == [*kept, (2,)]
    database.close()


def test_what_was_kept_by_an_inner_transaction_goes_with_the_outer_one(database: Interrupted) -> None:
    with database.transaction():
        database.after = "release"
        with pytest.raises(KeyboardInterrupt), database.transaction():
            database.run("insert into number values (1)")
        database.run("insert into number values (2)")
    assert database.rows("select n from number") == [(1,), (2,)]
    database.close()
