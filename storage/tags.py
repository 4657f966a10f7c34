"""Tags that the user gave to nodes, and the times at which nodes expire."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from storage.database import Database, Value, listed
from storage.instants import from_columns, to_columns


@dataclass(frozen=True, slots=True)
class Tags:
    """The tags and expiry times of a vault. Both go with their node."""

    database: Database

    def add(self, nodes: Sequence[int], names: Iterable[str]) -> None:
        """Give nodes these tags, normal ones; those they have stay, and nodes that are gone are left out."""
        with self.database.transaction():
            self.database.run(
                "insert into tag(node, name) select n.id, name.value from node as n, json_each(?2) as name"
                " where n.id in (select value from json_each(?1)) on conflict do nothing",
                (listed(nodes), listed(names)),
            )

    def remove(self, nodes: Sequence[int], names: Iterable[str]) -> None:
        """Take these tags away from nodes that have them."""
        with self.database.transaction():
            self.database.run(
                "delete from tag where node in (select value from json_each(?1))"
                " and name in (select value from json_each(?2))",
                (listed(nodes), listed(names)),
            )

    def of(self, nodes: Sequence[int]) -> dict[int, tuple[str, ...]]:
        """Give the tags of those of these nodes that have any, in the order of the alphabet."""
        found: dict[int, list[str]] = defaultdict(list)
        for node, name in self.database.rows(
            "select node, name from tag where node in (select value from json_each(?)) order by node, name",
            (listed(nodes),),
        ):
            found[node].append(name)
        return {node: tuple(names) for node, names in found.items()}

    def holding(self, names: Sequence[str]) -> list[int]:
        """Give the nodes that have all of these tags, ascending; none when no tag is given."""
        rows = self.database.rows(
            "select node from tag where name in (select value from json_each(?1)) group by node"
            " having count(*) = (select count(distinct value) from json_each(?1)) order by node",
            (listed(names),),
        )
        return [node for (node,) in rows]

    def counts(self) -> dict[str, int]:
        """Give how many nodes have each tag, in the order of the alphabet."""
        return dict(self.database.rows("select name, count(*) from tag group by name order by name"))

    def expire(self, nodes: Sequence[int], time: datetime | None) -> None:
        """Keep when nodes expire; None: never. Nodes that are gone are left out."""
        statement, bindings = "delete from expiry where node in (select value from json_each(?))", list[Value]()
        if time is not None:
            statement = (
                "insert into expiry(node, time_us) select id, ?2 from node"
                " where id in (select value from json_each(?1)) on conflict do update set time_us = excluded.time_us"
            )
            bindings.append(to_columns(time)[0])
        with self.database.transaction():
            self.database.run(statement, (listed(nodes), *bindings))

    def expiry_of(self, nodes: Sequence[int]) -> dict[int, datetime]:
        """Give when those of these nodes that expire do, in UTC."""
        rows = self.database.rows(
            "select node, time_us from expiry where node in (select value from json_each(?))", (listed(nodes),)
        )
        return {node: from_columns(time_us, 0).astimezone(UTC) for node, time_us in rows}
