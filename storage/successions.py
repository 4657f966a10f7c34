"""Successions: which turn says anew what an older one said."""

from collections.abc import Sequence
from dataclasses import dataclass

from storage.database import Database, Row, listed
from storage.errors import NotFound
from storage.records import Succession


@dataclass(frozen=True, slots=True)
class Successions:
    """The successions of a vault. One goes when either turn goes, which brings the older one back."""

    database: Database

    def put(self, newer: int, older: int, slot: str) -> None:
        """Keep that a turn says anew what an older one said, in place of what was kept of these two.

        Parameters
        ----------
        newer, older
            Nodes of the turns.
        slot
            What both fill.

        Raises
        ------
        NotFound
            One of the turns is gone.
        ValueError
            Both are the same.

        """
        if newer == older:
            raise ValueError("a turn does not follow itself")
        with self.database.transaction():
            kept = self.database.rows(
                "insert into succession(newer, older, slot) select newer.node, older.node, ?3"
                " from turn as newer, turn as older where newer.node = ?1 and older.node = ?2"
                " on conflict do update set slot = excluded.slot returning newer",
                (int(newer), int(older), slot),
            )
            if not kept:
                raise NotFound("A turn of this succession is gone.")

    def of(self, nodes: Sequence[int]) -> list[Succession]:
        """Give the successions with either turn among these, ascending."""
        rows = self.database.rows(
            "select newer, older, slot from succession where newer in (select value from json_each(?1))"
            " or older in (select value from json_each(?1)) order by newer, older",
            (listed(nodes),),
        )
        return [_succession(row) for row in rows]

    def listing(self) -> list[Succession]:
        """Give all successions, ascending."""
        rows = self.database.rows("select newer, older, slot from succession order by newer, older")
        return [_succession(row) for row in rows]


def _succession(row: Row) -> Succession:
    newer, older, slot = row
    return Succession(newer=newer, older=older, slot=slot)
