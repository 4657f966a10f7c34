"""Orphans: rows that stand alone though they never should, found by looking."""

from dataclasses import dataclass

from storage.conversations import SEMANTIC
from storage.database import Database


@dataclass(frozen=True, slots=True)
class Orphans:
    """What a vault holds that nothing leads to, or that leads to nothing."""

    database: Database

    def concepts(self) -> list[str]:
        """Give the identifiers of concepts that no turn supports, ascending."""
        rows = self.database.rows(
            "select n.uid from node as n where n.kind = ? and not exists (select 1 from support where concept = n.id)"
            " order by n.uid",
            (SEMANTIC,),
        )
        return [uid for (uid,) in rows]

    def conversations(self) -> list[str]:
        """Give the identifiers of conversations without a turn, ascending."""
        rows = self.database.rows(
            "select uid from conversation as c where not exists (select 1 from turn where conversation = c.id)"
            " order by uid"
        )
        return [uid for (uid,) in rows]

    def passages(self) -> list[str]:
        """Give the identifiers of nodes with a passage that has no vector, each once, ascending."""
        found: set[str] = set()
        for (space,) in self.database.rows("select id from embedding_space"):
            rows = self.database.rows(
                "select distinct n.uid from passage as p join node as n on n.id = p.node"  # own name  # noqa: S608
                f" where p.space = ? and p.id not in (select passage from vectors_{space:d})",
                (space,),
            )
            found |= {uid for (uid,) in rows}
        return sorted(found)
