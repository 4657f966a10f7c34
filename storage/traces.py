"""Traces: what became of nodes since they were made, and the windows that this is counted in."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from storage.database import Database, Row, Value, listed
from storage.records import Trace

_SELECT = "select node, pinned, archived, used_count, last_used_us, active_window from trace"


@dataclass(frozen=True, slots=True)
class Traces:
    """The traces of a vault's nodes. A node without one is neither pinned nor archived, and was never used."""

    database: Database

    def of(self, nodes: Sequence[int] | None = None) -> dict[int, Trace]:
        """Give the traces there are of these nodes, or of all."""
        condition, bindings = "", list[Value]()
        if nodes is not None:
            condition = " where node in (select value from json_each(?))"
            bindings.append(listed(nodes))
        rows = self.database.rows(f"{_SELECT}{condition} order by node", bindings)
        return {row[0]: _trace(row) for row in rows}

    def pin(self, nodes: Sequence[int], *, pinned: bool) -> None:
        """Keep that the user wants these nodes at hand always, or no longer. One that is archived comes back for it."""
        self._put(
            "insert into trace(node, pinned) select id, ?2 from node where id in (select value from json_each(?1))"
            " on conflict do update set pinned = excluded.pinned, archived = archived and not excluded.pinned",
            nodes,
            int(pinned),
        )

    def archive(self, nodes: Sequence[int]) -> None:
        """Let these nodes rest outside the active graph; those that are pinned stay in it."""
        self._put(
            "insert into trace(node, archived) select id, 1 from node where id in (select value from json_each(?1))"
            " on conflict do update set archived = not pinned",
            nodes,
        )

    def restore(self, nodes: Sequence[int]) -> None:
        """Take these nodes back into the active graph."""
        self._put("update trace set archived = 0 where node in (select value from json_each(?1))", nodes)

    def archived(self) -> list[int]:
        """Give the nodes that rest outside the active graph, ascending."""
        return [node for (node,) in self.database.rows("select node from trace where archived = 1 order by node")]

    def note_used(self, nodes: Sequence[int], microseconds: int) -> None:
        """Keep that an answer drew on these nodes at this time (UTC, since 1970)."""
        self._put(
            "insert into trace(node, used_count, last_used_us) select id, 1, ?2 from node"
            " where id in (select value from json_each(?1)) on conflict do update set used_count = used_count + 1,"
            " last_used_us = max(coalesce(last_used_us, excluded.last_used_us), excluded.last_used_us)",
            nodes,
            microseconds,
        )

    def note_active(self, nodes: Sequence[int], window: int) -> None:
        """Keep that these nodes were active in the window of this number."""
        self._put(
            "insert into trace(node, active_window) select id, ?2 from node"
            " where id in (select value from json_each(?1)) on conflict do update set"
            " active_window = max(coalesce(active_window, excluded.active_window), excluded.active_window)",
            nodes,
            window,
        )

    def end_window(self, last_node: int) -> int:
        """End the window that is open with this node, and give its number: they count from 1."""
        with self.database.transaction():
            statement = "insert into consolidation(last_node) values (?) returning number"
            return int(self.database.value(statement, (int(last_node),)))

    def window(self) -> int:
        """Give the number of the window that ended last; 0 before the first did."""
        return int(self.database.value("select coalesce(max(number), 0) from consolidation"))

    def births(self, nodes: Sequence[int]) -> dict[int, int]:
        """Give for each node the number of the window in which it was made: the next one when that has not ended."""
        rows = self.database.rows("select number, last_node from consolidation order by number")
        return birth_windows([(number, last_node) for number, last_node in rows], nodes)

    def _put(self, statement: str, nodes: Sequence[int], *values: int) -> None:
        """Run a statement for these nodes; those that are gone are left out."""
        with self.database.transaction():
            self.database.run(statement, (listed(nodes), *values))


def birth_windows(windows: Sequence[tuple[int, int]], nodes: Sequence[int]) -> dict[int, int]:
    """Give for each node the number of the first window, of those in order with their last nodes, that ended after."""
    numbers = [number for number, _ in windows]
    numbers.append(numbers[-1] + 1 if numbers else 1)
    ends = list(accumulate((last_node for _, last_node in windows), max))
    return {int(node): numbers[bisect_left(ends, node)] for node in nodes}


def _trace(row: Row) -> Trace:
    node, pinned, archived, used_count, last_used_us, active_window = row
    return Trace(
        node=node,
        pinned=bool(pinned),
        archived=bool(archived),
        used_count=used_count,
        last_used_us=last_used_us,
        active_window=active_window,
    )
