"""Takes back what waits to be forgotten: every row into its table, under its own number, as far as its place is there.

Meanwhile the vault went on. A conversation may have been made anew, a place in it taken, a turn imported again, a term
found again; what a row refers to may be gone for good, or wait in another forgetting: then the row waits there too, so
that forgettings come back whole in whatever order.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from heapq import merge

from storage import grace
from storage.belongings import (
    CONCEPT,
    CONSOLIDATED,
    CONVERSATION,
    NODE,
    PASSAGE,
    PATH_STEP,
    SUPPORT,
    TURN,
    VECTOR,
    Belonging,
    Shape,
)
from storage.database import Database, Value, listed, listed_rows
from storage.forgotten_imports import ForgottenImports
from storage.grace import Forgetting, Waiting
from storage.records import Maker
from storage.vectors import put_back, space_rows


def take_back(database: Database, id_prefix: str) -> tuple[Forgetting, list[Belonging]]:
    """Put back all rows of a forgetting, whole or not at all, and give it with the rows that had no place any more.

    Raises
    ------
    NotFound, AmbiguousId
        There is no forgetting whose identifier begins so, or there are several.

    """
    with database.transaction():
        (forgetting,) = grace.named(database, id_prefix)
        number = database.value("select id from forgetting where uid = ?", (forgetting.id,))
        returning = _Returning(database, grace.waiting_rows(database), number)
        returning.run()
        database.run("delete from forgetting where uid = ?", (forgetting.id,))
        return replace(forgetting, there=returning.there), returning.left


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


class _Fate(Enum):
    """What becomes of a row that does not wait on elsewhere."""

    BACK = auto()
    LEFT = auto()


@dataclass(slots=True)
class _Returning:
    """The rows of one forgetting on their way back."""

    database: Database
    waiting: Sequence[Waiting]
    """The rows of all forgettings."""
    forgetting: int
    left: list[Belonging] = field(default_factory=list)
    """Rows that had no place any more."""
    there: int = 0
    """Turns that had come in again meanwhile."""
    _columns: Mapping[str, Sequence[str]] = field(default_factory=dict)
    _rows: dict[str, list[Belonging]] = field(default_factory=lambda: defaultdict(list))
    """Those that want to come back, by table."""
    _same: dict[int, int] = field(default_factory=dict)
    """For nodes that want to come back: the one that stands in their place now."""
    _elsewhere: dict[int, int] = field(default_factory=dict)
    """For nodes that wait in another forgetting: which one."""
    _present: set[int] = field(default_factory=set)
    """Nodes that are there or come back."""
    _unread: dict[tuple[Value, int], _Fate | int] = field(default_factory=dict)
    """For maker and turn: what becomes of the record that one has read the other, when what it made is not back."""

    def run(self) -> None:
        """Put back what has its place."""
        self._columns = Shape.of(self.database).columns
        for one in self.waiting:
            if one.forgetting == self.forgetting:
                self._rows[one.row.table].append(one.row)
        conversations = self._conversations()
        self._recognise_turns(conversations)
        self._recognise_concepts()
        self._hand_over_support()
        self._look_for_others()
        self._weigh_concepts()

        elsewhere: dict[int, list[Belonging]] = defaultdict(list)
        coming: dict[str, list[Belonging]] = {}
        for table in self._columns:
            coming[table] = []
            for row, fate in self._fates(table):
                match fate:
                    case _Fate.BACK:
                        coming[table].append(row)
                    case _Fate.LEFT:
                        self.left.append(row)
                    case int():
                        elsewhere[fate].append(row)
        self._put_back(coming, conversations)
        for forgetting, rows in elsewhere.items():
            grace.let_wait(self.database, forgetting, rows)
            grace.recount(self.database, forgetting)
        ForgottenImports(self.database).release(self._rows[CONVERSATION] + self._rows[TURN])

    # what happened meanwhile

    def _conversations(self) -> dict[int, int | None]:
        """Give for each conversation the number of the one that is there for it; None when there is none."""
        found: dict[int, int | None] = {}
        for row in self._rows[CONVERSATION]:
            values = row.values
            found[_number(row)] = self.database.value(
                "select id from conversation where id = ?1 or uid = ?2 or (source = ?3 and external_id = ?4)"
                " order by id = ?1 desc",
                (values["id"], values["uid"], values["source"], values["external_id"]),
            )
        return found

    def _recognise_turns(self, conversations: Mapping[int, int | None]) -> None:
        """Find the turns that came in again."""
        uids = {str(row.values["uid"]): _number(row) for row in self._rows[NODE]}
        for uid, node in self.database.rows(
            "select uid, id from node where uid in (select value from json_each(?))", (listed(uids),)
        ):
            self._same[uids[uid]] = node
        within: dict[int, dict[str, int]] = defaultdict(dict)
        for row in self._rows[TURN]:
            place, external_id = conversations[row.nodes(("conversation",))[0]], row.values["external_id"]
            if place is not None and external_id is not None:
                within[place][str(external_id)] = row.nodes(("node",))[0]
        for place, nodes in within.items():
            for external_id, node in self.database.rows(
                "select external_id, node from turn where conversation = ?"
                " and external_id in (select value from json_each(?))",
                (place, listed(nodes)),
            ):
                self._same[nodes[external_id]] = node
        self.there = len(self._same)

    def _recognise_concepts(self) -> None:
        """Find the concepts that the same maker has made again in the same words."""
        if not self._rows[CONCEPT]:
            return
        last = max((row.nodes(("seq",))[0] for row in self._rows[grace.SEQUENCE]), default=0)
        again = {
            (maker, text.casefold()): node
            for maker, text, node in self.database.rows(
                "select c.maker, n.text, n.id from concept as c join node as n on n.id = c.node"
                " where n.id > ? order by n.id desc",
                (last,),
            )
        }
        texts = {_number(row): str(row.values["text"]) for row in self._rows[NODE]}
        for row in self._rows[CONCEPT]:
            (node,) = row.nodes(("node",))
            made = again.get((row.values["maker"], texts[node].casefold()))
            if made is not None:
                self._same[node] = made

    def _hand_over_support(self) -> None:
        """Let concepts that wait elsewhere rest on the turns that came in again."""
        for one in self.waiting:
            if one.row.table == SUPPORT and not self._same.keys().isdisjoint(_numbers(one.row).values()):
                self.database.run(
                    "update forgotten_row set content = ? where forgetting = ? and number = ?",
                    (self._supported(one.row).content, one.forgetting, one.number),
                )

    def _look_for_others(self) -> None:
        """Find where the nodes are that the rows name: there, coming back, or waiting on."""
        own = {_number(row) for row in self._rows[NODE]}
        every = {
            node for table, columns in self._columns.items() for row in self._rows[table] for node in row.nodes(columns)
        }
        rows = self.database.rows(
            "select id from node where id in (select value from json_each(?))", (listed(every - own),)
        )
        self._present = own | {node for (node,) in rows}
        for one in self.waiting:
            if one.row.table == NODE and one.forgetting != self.forgetting:
                self._elsewhere[_number(one.row)] = one.forgetting

    def _weigh_concepts(self) -> None:
        """Let no concept come back without the turns that it cannot stay without."""
        support: dict[int, list[int]] = defaultdict(list)
        for row in self._rows[SUPPORT]:
            concept, turn = row.nodes(("concept", "turn"))
            support[concept].append(turn)
        for row in self._rows[CONCEPT]:
            (concept,) = row.nodes(("node",))
            if concept in self._same:
                continue
            fate = self._fate_on(support[concept], every=row.values["maker"] != Maker.SALIENT.value)
            if fate is _Fate.BACK:
                continue
            self._present.discard(concept)
            if isinstance(fate, int):
                self._elsewhere[concept] = fate
            self._unread |= {(row.values["maker"], turn): fate for turn in support[concept]}
        for concept, turns in support.items():
            if concept not in self._present and concept not in self._same:
                fate = self._elsewhere.get(concept, _Fate.LEFT)
                self._unread |= {(Maker.SALIENT.value, turn): fate for turn in turns}

    def _fate_on(self, turns: Iterable[int], *, every: bool) -> _Fate | int:
        """Give what becomes of what rests on these turns: on every one of them, or on any."""
        there = [turn in self._present or turn in self._same for turn in turns]
        if any(there) and (all(there) or not every):
            return _Fate.BACK
        waits = [self._elsewhere[turn] for turn in turns if turn in self._elsewhere]
        lost = len(there) - sum(there) - len(waits)
        return waits[0] if waits and not (every and lost) else _Fate.LEFT

    # what becomes of the rows

    def _fates(self, table: str) -> list[tuple[Belonging, _Fate | int]]:
        """Give the rows of a table, each with what becomes of it: back, left, or the forgetting where it waits on."""
        if table == PATH_STEP:
            return self._fates_of_ways()
        return [(row, self._fate(row)) for row in self._rows[table]]

    def _fate(self, row: Belonging) -> _Fate | int:
        nodes = row.nodes(self._columns[row.table])
        if row.table == CONSOLIDATED and (unread := self._unread.get((row.values["maker"], nodes[0]))) is not None:
            return unread
        if row.table == SUPPORT:
            nodes = [node for node in nodes if node not in self._same]
        elif not self._same.keys().isdisjoint(nodes):
            return _Fate.LEFT
        for node in nodes:
            if node in self._elsewhere:
                return self._elsewhere[node]
        return _Fate.BACK if self._present.issuperset(nodes) else _Fate.LEFT

    def _fates_of_ways(self) -> list[tuple[Belonging, _Fate | int]]:
        """Give the steps of ways: those of one way stay together."""
        ways: dict[tuple[int, int] | None, list[_Fate | int]] = defaultdict(list)
        for row in self._rows[PATH_STEP]:
            ways[row.way].append(self._fate(row))
        together = {way: _worst(fates) for way, fates in ways.items()}
        return [(row, together[row.way]) for row in self._rows[PATH_STEP]]

    # putting back

    def _put_back(self, coming: Mapping[str, list[Belonging]], conversations: dict[int, int | None]) -> None:
        """Insert rows, those first that others refer to."""
        special: dict[str, Callable[[list[Belonging]], list[Belonging]]] = {
            TURN: lambda rows: self._placed(rows, conversations),
            SUPPORT: lambda rows: list(map(self._supported, rows)),
            PASSAGE: self._with_space,
            PATH_STEP: self._with_line,
        }
        for table, rows in coming.items():
            self._insert(table, special.get(table, list)(rows))

    def _placed(self, turns: Sequence[Belonging], conversations: dict[int, int | None]) -> list[Belonging]:
        """Give turns their places, and make room for them and conversations that are gone."""
        by_conversation: dict[int, list[Belonging]] = defaultdict(list)
        for row in turns:
            by_conversation[row.nodes(("conversation",))[0]].append(row)
        placed: list[Belonging] = []
        for number, rows in by_conversation.items():
            place = conversations[number] or self._conversation_again(number)
            there = [
                (position, node)
                for position, node in self.database.rows(
                    "select position, node from turn where conversation = ? order by position", (place,)
                )
            ]
            coming = sorted((row.nodes(("position", "node"))) for row in rows)
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
        rows = [one.row for one in self.waiting if one.row.table == CONVERSATION and _number(one.row) == number]
        self._insert(CONVERSATION, rows[-1:])
        return number

    def _supported(self, row: Belonging) -> Belonging:
        """Give support as it is for what stands in the place of turns and concepts."""
        return Belonging(SUPPORT, {column: self._same.get(node, node) for column, node in _numbers(row).items()})

    def _with_space(self, rows: Sequence[Belonging]) -> list[Belonging]:
        """Give the passages whose space is there, and keep their vectors; the others are made again in a new one."""
        spaces = set(space_rows(self.database))
        kept = [row for row in rows if row.values["space"] in spaces]
        by_space: dict[int, list[tuple[int, bytes]]] = defaultdict(list)
        for row in kept:
            vector = row.values[VECTOR]
            if isinstance(vector, bytes):
                by_space[row.nodes(("space",))[0]].append((_number(row), vector))
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
        """Insert rows by the names of their columns, as far as the schema has these; what is there already stays."""
        names = [name for (name,) in self.database.rows("select name from pragma_table_info(?)", (table,))]
        alike: dict[tuple[str, ...], list[tuple[Value, ...]]] = defaultdict(list)
        for row in rows:
            columns = tuple(name for name in names if name in row.values)
            alike[columns].append(tuple(row.values[name] for name in columns))
        for columns, bindings in alike.items():
            marks = ", ".join("?" * len(columns))
            quoted = ", ".join(f'"{name}"' for name in columns)
            statement = f'insert into "{table}"({quoted}) values ({marks})'  # the schema's own names  # noqa: S608
            self.database.run_each(f"{statement} on conflict do nothing", bindings)


def _worst(fates: Sequence[_Fate | int]) -> _Fate | int:
    """Give what becomes of rows that stay together."""
    if _Fate.LEFT in fates:
        return _Fate.LEFT
    return next((fate for fate in fates if isinstance(fate, int)), _Fate.BACK)


def _number(row: Belonging) -> int:
    return row.nodes(("id",))[0]


def _numbers(row: Belonging) -> dict[str, int]:
    return {column: row.nodes((column,))[0] for column in row.values}
