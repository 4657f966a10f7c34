"""What has had its time: nodes that expired, what was put aside long enough, and turns that a rule may let go of."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from storage.database import Database, Value
from storage.records import Source

_UNPROTECTED = " and {node} not in (select node from trace where pinned = 1)"
_CANDIDATES = """
select t.node, n.source, t.time_us, (select json_group_array(name) from tag where tag.node = t.node)
from turn as t join node as n on n.id = t.node
where t.time_us <= ? and (n.source = 'chat' or t.node <= ?) and t.node not in (select node from expiry)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgeLimit:
    """The turns that one rule may let go of."""

    said_us: int
    """Said at this time (UTC microseconds since 1970) or before."""
    last_node: int
    """Of what was not said in a chat here: kept under this number or a lower one, so no later than so long ago."""
    source: Source | None = None
    """Came in this way; None: in any."""
    tag: str = ""
    """With this tag; empty: with any or none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgedTurn:
    """What a rule looks at."""

    node: int
    source: Source
    said_us: int
    tags: frozenset[str]


@dataclass(frozen=True, slots=True)
class Overdue:
    """What has had its time in a vault. Pinned nodes are never among it."""

    database: Database

    def is_pressing(self, now_us: int) -> bool:
        """Whether anything expired, or was put aside for long enough or by a clock that was ahead. One quick query."""
        return bool(
            self.database.value(
                "select exists(select 1 from forgetting where until_us <= ?1 or time_us > ?1 or behind_us is not null)"
                " or exists(select 1 from expiry where time_us <= ?1)",
                (now_us,),
            )
        )

    def expired(self, now_us: int) -> list[int]:
        """Give the nodes whose own time is over, ascending."""
        rows = self.database.rows(
            f"select node from expiry where time_us <= ?{_UNPROTECTED.format(node='node')} order by node",  # noqa: S608
            (now_us,),
        )
        return [node for (node,) in rows]

    def aged(self, limits: Sequence[AgeLimit]) -> list[AgedTurn]:
        """Give the turns within any of these limits, ascending; those that have a time of their own are left out."""
        found: dict[int, AgedTurn] = {}
        for limit in limits:
            statement, bindings = _CANDIDATES + _UNPROTECTED.format(node="t.node"), list[Value]()
            bindings += [limit.said_us, limit.last_node]
            if limit.source is not None:
                statement += " and n.source = ?"
                bindings.append(limit.source.value)
            if limit.tag:
                statement += " and t.node in (select node from tag where name = ?)"
                bindings.append(limit.tag)
            for node, source, said_us, tags in self.database.rows(statement, bindings):
                found[node] = AgedTurn(
                    node=node, source=Source(source), said_us=said_us, tags=frozenset(json.loads(tags))
                )
        return [found[node] for node in sorted(found)]
