"""The lexical index: which nodes hold which terms (SQLite's FTS5, Okapi BM25)."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from storage.database import Database
from storage.errors import VaultDamaged
from storage.quarantine import HELD_BACK


@dataclass(frozen=True, slots=True)
class Lexical:
    """The index over the terms of all nodes. It follows the nodes by triggers."""

    database: Database

    def search(self, terms: Sequence[str], *, limit: int) -> list[tuple[int, float]]:
        """Give the nodes, turns and concepts, that hold any of the terms, with their BM25 score; highest first.

        Turns that are held back are not looked at.
        """
        expression = any_term(terms)
        if not expression:
            return []
        return [
            (node, score)
            for node, score in self.database.rows(
                f"select rowid, -bm25(lexical) from lexical where lexical match ? and rowid not in {HELD_BACK}"  # noqa: S608
                " order by bm25(lexical), rowid limit ?",
                (expression, max(limit, 0)),
            )
        ]

    def check(self) -> None:
        """Compare the index with the nodes.

        Raises
        ------
        VaultDamaged
            It does not hold what they hold: `rebuild` puts that right.

        """
        try:
            self.database.run("insert into lexical(lexical, rank) values ('integrity-check', 1)")
        except VaultDamaged as error:
            raise VaultDamaged(
                "The index does not hold what the memories hold. `vault status` builds it anew."
            ) from error

    def stray_words(self) -> int:
        """Give how many words the index holds for nodes that are gone, and one more when it does not fit the others."""
        with self.database.transaction():
            self.database.run("create virtual table temp.lexical_word using fts5vocab(main, lexical, instance)")
            strays = self.database.value(
                "select count(*) from temp.lexical_word where doc not in (select id from node)"
            )
            self.database.run("drop table temp.lexical_word")
        try:
            self.check()
        except VaultDamaged:
            return int(strays) + 1
        return int(strays)

    @contextmanager
    def built_anew(self) -> Iterator[None]:
        """Build the index anew at the end, instead of taking out one by one what is deleted inside a transaction.

        Taking out many of the nodes that hold a word costs more for each the more there are.
        """
        follow = self.database.value("select sql from sqlite_schema where name = 'node_unindexed'")
        self.database.run("drop trigger node_unindexed")
        yield
        self.database.run(follow)
        self.database.run("insert into lexical(lexical) values ('rebuild')")

    def mend(self) -> bool:
        """Build the index anew from the nodes if it does not hold what they hold; give whether it had to be."""
        try:
            self.check()
        except VaultDamaged:
            with self.database.transaction():
                self.database.run("insert into lexical(lexical) values ('rebuild')")
            return True
        return False

    def optimize(self) -> None:
        """Merge the index into one part, which leaves behind what was deleted."""
        with self.database.transaction():
            self.database.run("insert into lexical(lexical) values ('optimize')")


def any_term(terms: Sequence[str]) -> str:
    """Give the FTS5 expression for any of the terms; empty when none can be looked up."""
    return " OR ".join(_quoted(terms))


def every_term(terms: Sequence[str]) -> str:
    """Give the FTS5 expression for all of the terms, the last of which may be the beginning of one."""
    quoted = _quoted(terms)
    return " AND ".join([*quoted[:-1], f"{quoted[-1]} *"]) if quoted else ""


def _quoted(terms: Sequence[str]) -> list[str]:
    """Quote terms, so that nothing in them is syntax. One without a letter or digit holds nothing to look up."""
    return ['"' + term.replace('"', '""').replace("\0", " ") + '"' for term in terms if any(map(str.isalnum, term))]
