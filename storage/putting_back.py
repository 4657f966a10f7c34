"""Puts rows back into their tables when what was forgotten is taken back: into what place there is for each."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from heapq import merge

from storage.belongings import CONCEPT, CONVERSATION, NODE, PASSAGE, PATH_STEP, SUPPORT, TURN, VECTOR, Belonging
from storage.database import Database, Value, listed_rows
from storage.vectors import put_back, space_rows

_WHOLE = frozenset({CONVERSATION, NODE, TURN, CONCEPT})
"""Tables whose rows come back, or nothing does."""


@dataclass(frozen=True, slots=True)
class Places:
    """What has to be known of the places of rows that come back."""

    database: Database
    conversations: Mapping[int, int | None]
    """For the number of a conversation: that of the one which is there for it, if any is."""
    last: Mapping[int, Belonging]
    """Conversations as they were last, by their numbers."""
    same: Mapping[int, int]
    """For nodes that do not come back: the one that stands in their place."""

    def put_back(self, coming: Mapping[str, list[Belonging]]) -> None:
        """Insert rows by table; the tables are in order, those first that others refer to."""
        special: dict[str, Callable[[list[Belonging]], list[Belonging]]] = {
            TURN: self._placed,
            SUPPORT: lambda rows: [supported(row, self.same) for row in rows],
            PASSAGE: self._with_space,
            PATH_STEP: self._with_line,
        }
        for table, rows in coming.items():
            self._insert(table, special.get(table, list)(rows))

    def _placed(self, turns: Sequence[Belonging]) -> list[Belonging]:
        """Give turns their places, and make room for them and conversations that are gone."""
        numbers = {row.nodes(("conversation",))[0] for row in turns}
        place_of = {number: self.conversations[number] or self._conversation_again(number) for number in numbers}
        by_place: dict[int, list[Belonging]] = defaultdict(list)
        for row in turns:
            by_place[place_of[row.nodes(("conversation",))[0]]].append(row)
        placed: list[Belonging] = []
        for place, rows in by_place.items():
            there = [
                (position, node)
                for position, node in self.database.rows(
                    "select position, node from turn where conversation = ? order by position", (place,)
                )
            ]
            coming = sorted(row.nodes(("position", "node")) for row in rows)
            found = places(there, [(position, node) for position, node in coming])
            self.database.run_each(
                "update turn set position = ? where node = ?",
                [(found[node], node) for position, node in reversed(there) if found[node] != position],
            )
            placed += [
                Belonging(TURN, {**row.values, "conversation": place, "position": found[row.nodes(("node",))[0]]})
                for row in rows
            ]
        return placed

    def _conversation_again(self, number: int) -> int:
        """Put a conversation back as it was last."""
        self._insert(CONVERSATION, [self.last[number]])
        return number

    def _with_space(self, rows: Sequence[Belonging]) -> list[Belonging]:
        """Give the passages whose space is there, and keep their vectors; the others are made again in a new one."""
        spaces = set(space_rows(self.database))
        kept = [row for row in rows if row.values["space"] in spaces]
        by_space: dict[int, list[tuple[int, bytes]]] = defaultdict(list)
        for row in kept:
            vector = row.values[VECTOR]
            if isinstance(vector, bytes):
                by_space[row.nodes(("space",))[0]].append((number_of(row), vector))
        for space, vectors in by_space.items():
            put_back(self.database, space, vectors)
        return [Belonging(PASSAGE, {k: v for k, v in row.values.items() if k != VECTOR}) for row in kept]

    def _with_line(self, rows: Sequence[Belonging]) -> list[Belonging]:
        """Give the ways of lines that are there and have no other way."""
        ways = {row.way for row in rows if row.way is not None}
        there = set(
            self.database.rows(
                "select answer, node from recollection where (answer, node) in"
                " (select value ->> 0, value ->> 1 from json_each(?))"
                " and not exists (select 1 from path_step as p where p.answer = recollection.answer"
                " and p.node = recollection.node)",
                (listed_rows(ways),),
            )
        )
        return [row for row in rows if row.way in there]

    def _insert(self, table: str, rows: Sequence[Belonging]) -> None:
        """Insert rows by the names of their columns, as far as the schema has these; an edge that is there stays."""
        otherwise = "" if table in _WHOLE else " on conflict do nothing"
        names = [name for (name,) in self.database.rows("select name from pragma_table_info(?)", (table,))]
        alike: dict[tuple[str, ...], list[tuple[Value, ...]]] = defaultdict(list)
        for row in rows:
            columns = tuple(name for name in names if name in row.values)
            alike[columns].append(tuple(row.values[name] for name in columns))
        for columns, bindings in alike.items():
            marks = ", ".join("?" * len(columns))
            quoted = ", ".join(f'"{name}"' for name in columns)
            statement = f'insert into "{table}"({quoted}) values ({marks})'  # the schema's own names  # noqa: S608
            self.database.run_each(statement + otherwise, bindings)


def places(there: Sequence[tuple[int, int]], coming: Sequence[tuple[int, int]]) -> dict[int, int]:
    """Give the position of each node when some come back into a conversation.

    Parameters
    ----------
    there, coming
        Position and node of those that are there and of those that come, each ascending by position. Nodes are
        numbered in the order in which they were kept, and so they follow one another; none moves down.

    """
    position, found = -1, dict[int, int]()
    for own, node in merge(there, coming, key=lambda place: place[1]):
        position = max(own, position + 1)
        found[node] = position
    return found


def supported(row: Belonging, same: Mapping[int, int]) -> Belonging:
    """Give a row of support as it is for what stands in the place of its turn and its concept."""
    return Belonging(SUPPORT, {column: same.get(node, node) for column in row.values for node in row.nodes((column,))})


def number_of(row: Belonging) -> int:
    """Give the number of a row that has one of its own."""
    return row.nodes(("id",))[0]
