"""Quarantine: turns that are kept and shown, and used by nothing until the user accepts them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from storage.database import Database, Value, listed
from storage.errors import NotFound

HELD_BACK = "(select node from quarantine where accepted = 0)"
"""SQL: the nodes of the turns that are held back."""


@dataclass(frozen=True, slots=True)
class Quarantine:
    """The turns of a vault that are held back, or were until the user accepted them. One goes when its turn goes."""

    database: Database

    def put(self, node: int, reasons: Sequence[str]) -> None:
        """Hold a turn back for these reasons, in words.

        Raises
        ------
        NotFound
            The turn is gone.
        ValueError
            No reason is given.

        """
        if not reasons:
            raise ValueError("what is held back has a reason")
        with self.database.transaction():
            kept = self.database.rows(
                "insert into quarantine(node, reasons, accepted) select node, ?2, 0 from turn where node = ?1"
                " on conflict do update set reasons = excluded.reasons, accepted = 0 returning node",
                (int(node), json.dumps(list(reasons), ensure_ascii=False)),
            )
            if not kept:
                raise NotFound("The memory that is to be held back is gone.")

    def waiting(self, nodes: Sequence[int] | None = None) -> dict[int, tuple[str, ...]]:
        """Give the nodes that are held back, of these or of all, ascending, each with the reasons."""
        condition, bindings = "", list[Value]()
        if nodes is not None:
            condition = " and node in (select value from json_each(?))"
            bindings.append(listed(nodes))
        rows = self.database.rows(
            f"select node, reasons from quarantine where accepted = 0{condition} order by node",  # noqa: S608
            bindings,
        )
        return {node: tuple(json.loads(reasons)) for node, reasons in rows}

    def accepted(self) -> list[int]:
        """Give the nodes that were held back until the user accepted them, ascending."""
        return [node for (node,) in self.database.rows("select node from quarantine where accepted = 1 order by node")]

    def count(self) -> int:
        """Give how many turns are held back."""
        return int(self.database.value("select count(*) from quarantine where accepted = 0"))

    def accept(self, nodes: Sequence[int]) -> list[int]:
        """Hold these nodes back no longer; gives those that were, ascending."""
        with self.database.transaction():
            rows = self.database.rows(
                "update quarantine set accepted = 1 where accepted = 0"
                " and node in (select value from json_each(?)) returning node",
                (listed(nodes),),
            )
        return sorted(node for (node,) in rows)

    def lift(self, node: int) -> None:
        """Drop what is known of a turn here: its words are others now."""
        with self.database.transaction():
            self.database.run("delete from quarantine where node = ?", (int(node),))
