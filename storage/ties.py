"""How many edges of the graph end at nodes: what goes with them when they go."""

from collections.abc import Sequence
from dataclasses import dataclass

from storage.database import Database, listed

_TEMPORAL = """
select count(*) from (
    select node, lead(node) over (partition by conversation order by position) as following from turn
    where conversation in (select conversation from turn where node in (select value from json_each(?1)))
) where following is not null and (
    node in (select value from json_each(?1)) or following in (select value from json_each(?1))
)
"""
_ABSTRACTION = """
select count(*) from support
where concept in (select value from json_each(?1)) or turn in (select value from json_each(?1))
"""
_ASSOCIATION = """
select count(*) filter (where cosine > 0), count(*) filter (where hebbian > 0) from association
where low in (select value from json_each(?1)) or high in (select value from json_each(?1))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class TieCounts:
    """Edges by kind; one that ends at two of the nodes counts once."""

    temporal: int = 0
    """From one turn of a conversation to the next one that is there."""
    abstraction: int = 0
    """From a concept to a turn that supports it."""
    association: int = 0
    """Between two that are alike."""
    learned: int = 0
    """Between two that were of use together."""

    @property
    def total(self) -> int:
        """All of them."""
        return self.temporal + self.abstraction + self.association + self.learned


@dataclass(frozen=True, slots=True)
class Ties:
    """The edges of a vault, counted."""

    database: Database

    def of(self, nodes: Sequence[int]) -> TieCounts:
        """Give how many edges end at any of these nodes, turns and concepts."""
        chosen = (listed(nodes),)
        temporal, abstraction = (self.database.value(statement, chosen) for statement in (_TEMPORAL, _ABSTRACTION))
        association, learned = self.database.rows(_ASSOCIATION, chosen)[0]
        return TieCounts(temporal=temporal, abstraction=abstraction, association=association, learned=learned)
