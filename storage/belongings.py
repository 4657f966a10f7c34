"""All rows that belong to some nodes, in whatever table they are: what goes with them, and what comes back with them.

Which tables those are is read off the schema's own references, so that a table that a later schema adds is in.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from graphlib import TopologicalSorter

from storage.concepts import reopened
from storage.database import Database, Row, Value, listed
from storage.digest import row_bytes, row_of
from storage.vectors import vectors_by_passage

CONVERSATION = "conversation"
BRANCH = "branch"
NODE = "node"
TURN = "turn"
CONCEPT = "concept"
SUPPORT = "support"
CONSOLIDATED = "consolidated"
PASSAGE = "passage"
PATH_STEP = "path_step"
VECTOR = "vector"
"""Of a passage's row: what the table of its space holds of it."""

_WHOLE_WAYS = (
    "select * from path_step where (answer, node) in (select answer, node from path_step where via in (select value"
    " from json_each(?1)) or answer in (select value from json_each(?1)) or node in (select value from json_each(?1)))"
)
"""A way goes as a whole when a node on it goes."""


@dataclass(frozen=True, slots=True)
class Belonging:
    """A row of a table that belongs to nodes, as it was before they went."""

    table: str
    values: Mapping[str, Value]
    """By the names of the columns."""

    @classmethod
    def from_bytes(cls, table: str, content: bytes) -> "Belonging":
        """Give the row that `content` gave."""
        framed = row_of(content)
        return cls(table, dict(zip(framed[::2], framed[1::2], strict=True)))

    @property
    def content(self) -> bytes:
        """Names and values in bytes: texts and vectors lie in them as they are, so that they can be searched for."""
        return row_bytes(tuple(part for pair in self.values.items() for part in pair))

    @property
    def way(self) -> tuple[int, int] | None:
        """Answer and memory of the way that this is a step of; None when it is none."""
        if self.table != PATH_STEP:
            return None
        answer, node = self.nodes(("answer", "node"))
        return answer, node

    def nodes(self, columns: Iterable[str]) -> list[int]:
        """Give the nodes that are named in these columns."""
        return [int(node) for column in columns if (node := self.values.get(column)) is not None]


@dataclass(frozen=True, slots=True)
class Shape:
    """What the schema says of the tables whose rows belong to nodes."""

    columns: Mapping[str, tuple[str, ...]]
    """By table, each after those that it refers to: the columns that name a node."""

    @classmethod
    def of(cls, database: Database) -> "Shape":
        """Read it off the references: a column that refers to a column that names a node names one too."""
        references = database.rows(
            'select m.name, r."from", r."table", r."to" from sqlite_schema as m, pragma_foreign_key_list(m.name) as r'
            " where m.type = 'table' order by m.name, r.id, r.seq"
        )
        return cls(_columns(tuple(references)))


def belongings(database: Database, nodes: Sequence[int], rewritten: Sequence[int]) -> Iterator[Belonging]:
    """Give all rows that go with nodes, those first that others refer to.

    Parameters
    ----------
    database
        Where they are.
    nodes
        What goes. The conversations of turns are among the rows, whether they go or not, and what they continue from.
    rewritten
        Concepts among them whose other turns are to be read again: that they were read is among the rows.

    """
    chosen = listed(nodes)
    held = "(select conversation from turn where node in (select value from json_each(?1)))"
    yield from _rows(database, CONVERSATION, f"select * from conversation where id in {held}", chosen)  # noqa: S608
    either = f"select * from branch where conversation in {held} or parent in {held}"  # its own words  # noqa: S608
    yield from _rows(database, BRANCH, either, chosen)
    for table, columns in Shape.of(database).columns.items():
        if table == PATH_STEP:
            yield from _rows(database, table, _WHOLE_WAYS, chosen)
            continue
        named = " or ".join(f'"{column}" in (select value from json_each(?1))' for column in columns)  # noqa: S608
        found = _rows(database, table, f'select * from "{table}" where {named}', chosen)  # its own names  # noqa: S608
        yield from _with_vectors(database, found, chosen) if table == PASSAGE else found
    going = set(nodes)
    for maker, turn in reopened(database, rewritten):
        if turn not in going:
            yield Belonging(CONSOLIDATED, {"maker": maker, "turn": turn})


@cache
def _columns(references: tuple[Row, ...]) -> dict[str, tuple[str, ...]]:
    naming: dict[str, dict[str, None]] = {NODE: {"id": None}}
    known = 0
    while known != (known := sum(map(len, naming.values()))):
        for table, column, target, target_column in references:
            if target_column in naming.get(target, ()):
                naming.setdefault(table, {})[column] = None
    order: TopologicalSorter[str] = TopologicalSorter({table: set[str]() for table in naming})
    for table, _, target, _ in references:
        if table in naming and target in naming:
            order.add(table, target)
    return {table: tuple(naming[table]) for table in order.static_order()}


def _rows(database: Database, table: str, statement: str, chosen: str) -> list[Belonging]:
    names = [name for (name,) in database.rows("select name from pragma_table_info(?) order by cid", (table,))]
    return [Belonging(table, dict(zip(names, row, strict=True))) for row in database.rows(statement, (chosen,))]


def _with_vectors(database: Database, passages: Sequence[Belonging], chosen: str) -> Iterator[Belonging]:
    vectors = vectors_by_passage(database, chosen)
    for passage in passages:
        yield Belonging(PASSAGE, {**passage.values, VECTOR: vectors.get(passage.nodes(["id"])[0])})
