"""Associations: edges between two nodes that are alike, or that were of use together."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from storage.database import Database, Row, Value, listed_rows
from storage.records import Association

_COLUMNS = "low, high, cosine, hebbian, updated_us"


@dataclass(frozen=True, slots=True)
class Associations:
    """The associations of a vault. The two nodes of one may be given in any order; it goes when either node goes."""

    database: Database

    def listing(self) -> list[Association]:
        """Give all associations, ascending by both nodes."""
        rows = self.database.rows(f"select {_COLUMNS} from association order by low, high")  # own names  # noqa: S608
        return [_association(row) for row in rows]

    def of(self, pairs: Iterable[tuple[int, int]]) -> dict[tuple[int, int], Association]:
        """Give the associations of these pairs that there are, each under the lesser node and the greater one."""
        chosen = listed_rows(_ordered(one, other) for one, other in pairs if one != other)
        rows = self.database.rows(
            f"select {_COLUMNS} from association where (low, high) in"  # own names  # noqa: S608
            " (select value ->> 0, value ->> 1 from json_each(?))",
            (chosen,),
        )
        return {(found.low, found.high): found for found in map(_association, rows)}

    def put_cosines(self, edges: Iterable[tuple[int, int, float]]) -> None:
        """Keep how alike two nodes are; what was learned of them stays. Edges of nodes that are gone are left out.

        Raises
        ------
        ValueError
            An edge joins a node with itself.

        """
        self._put(
            "insert into association(low, high, cosine) select low.id, high.id, ?3 from node as low, node as high"
            " where low.id = ?1 and high.id = ?2 on conflict do update set cosine = excluded.cosine",
            [(*_ordered(one, other), cosine) for one, other, cosine in edges],
        )

    def put_learned(self, edges: Iterable[tuple[int, int, float, int]]) -> None:
        """Keep the Hebbian weight of two nodes at a time; how alike they are stays.

        Parameters
        ----------
        edges
            Both nodes, the weight, and its time in UTC microseconds since 1970. Those of nodes that are gone are left
            out.

        Raises
        ------
        ValueError
            An edge joins a node with itself.

        """
        self._put(
            "insert into association(low, high, hebbian, updated_us) select low.id, high.id, ?3, ?4"
            " from node as low, node as high where low.id = ?1 and high.id = ?2"
            " on conflict do update set hebbian = excluded.hebbian, updated_us = excluded.updated_us",
            [(*_ordered(one, other), hebbian, updated_us) for one, other, hebbian, updated_us in edges],
        )

    def remove(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Drop the associations of these pairs, with what was learned."""
        self._put("delete from association where low = ? and high = ?", [_ordered(one, other) for one, other in pairs])

    def _put(self, statement: str, bindings: Sequence[tuple[Value, ...]]) -> None:
        """Run a statement for each of them, all or none."""
        if any(low == high for low, high, *_ in bindings):
            raise ValueError("an association joins two nodes")
        with self.database.transaction():
            self.database.run_each(statement, bindings)


def _ordered(one: int, other: int) -> tuple[int, int]:
    """Give two nodes ascending, as SQLite takes them even when they are numpy's."""
    low, high = sorted((int(one), int(other)))
    return low, high


def _association(row: Row) -> Association:
    low, high, cosine, hebbian, updated_us = row
    return Association(low=low, high=high, cosine=cosine, hebbian=hebbian, updated_us=updated_us)
