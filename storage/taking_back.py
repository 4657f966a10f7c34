"""Takes back what waits to be forgotten: every row into its table, under its own number, as far as its place is there.

Meanwhile the vault went on. A conversation may have been made anew, a place in it taken, a turn imported again, a term
found again; what a row refers to may be gone for good, or wait in another forgetting: then the row waits there too, so
that forgettings come back whole in whatever order.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto

from storage import grace
from storage.belongings import (
    BRANCH,
    CONCEPT,
    CONSOLIDATED,
    CONVERSATION,
    NODE,
    PATH_STEP,
    SUPPORT,
    TURN,
    Belonging,
    Shape,
)
from storage.branches import put_back_branches
from storage.database import Database, Value, listed
from storage.forgotten_imports import ForgottenImports
from storage.grace import Forgetting, Waiting
from storage.putting_back import Places, number_of, supported
from storage.records import Maker


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
        last = {number_of(one.row): one.row for one in self.waiting if one.row.table == CONVERSATION}
        Places(self.database, conversations, last, self._same).put_back(coming)
        for row, absent in put_back_branches(self.database, self._rows[BRANCH], conversations):
            self._let_branch_wait(row, absent, elsewhere)
        for forgetting, rows in elsewhere.items():
            grace.let_wait(self.database, forgetting, rows)
            grace.recount(self.database, forgetting)
        ForgottenImports(self.database).release(self._rows[CONVERSATION] + self._rows[TURN])

    def _let_branch_wait(self, row: Belonging, absent: set[int], elsewhere: dict[int, list[Belonging]]) -> None:
        """Let a branch wait wherever a conversation waits that it lacks: each of these may bring it back."""
        holding = {
            one.forgetting
            for one in self.waiting
            if one.row.table == CONVERSATION and one.forgetting != self.forgetting and number_of(one.row) in absent
        }
        for forgetting in holding:
            elsewhere[forgetting].append(row)
        if not holding:
            self.left.append(row)

    # what happened meanwhile

    def _conversations(self) -> dict[int, int | None]:
        """Give for each conversation the number of the one that is there for it; None when there is none."""
        found: dict[int, int | None] = {}
        for row in self._rows[CONVERSATION]:
            values = row.values
            found[number_of(row)] = self.database.value(
                "select id from conversation where id = ?1 or uid = ?2 or (source = ?3 and external_id = ?4)"
                " order by id = ?1 desc",
                (values["id"], values["uid"], values["source"], values["external_id"]),
            )
        return found

    def _recognise_turns(self, conversations: Mapping[int, int | None]) -> None:
        """Find the turns that came in again."""
        uids = {str(row.values["uid"]): number_of(row) for row in self._rows[NODE]}
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
        texts = {number_of(row): str(row.values["text"]) for row in self._rows[NODE]}
        for row in self._rows[CONCEPT]:
            (node,) = row.nodes(("node",))
            made = again.get((row.values["maker"], texts[node].casefold()))
            if made is not None:
                self._same[node] = made

    def _hand_over_support(self) -> None:
        """Let concepts that wait elsewhere rest on the turns that came in again."""
        for one in self.waiting:
            if one.row.table == SUPPORT and not self._same.keys().isdisjoint(one.row.nodes(one.row.values)):
                self.database.run(
                    "update forgotten_row set content = ? where forgetting = ? and number = ?",
                    (supported(one.row, self._same).content, one.forgetting, one.number),
                )

    def _look_for_others(self) -> None:
        """Find where the nodes are that the rows name: there, coming back, or waiting on."""
        own = {number_of(row) for row in self._rows[NODE]}
        every = {
            node for table, columns in self._columns.items() for row in self._rows[table] for node in row.nodes(columns)
        }
        rows = self.database.rows(
            "select id from node where id in (select value from json_each(?))", (listed(every - own),)
        )
        self._present = own | {node for (node,) in rows}
        for one in self.waiting:
            if one.row.table == NODE and one.forgetting != self.forgetting:
                self._elsewhere[number_of(one.row)] = one.forgetting

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


def _worst(fates: Sequence[_Fate | int]) -> _Fate | int:
    """Give what becomes of rows that stay together."""
    if _Fate.LEFT in fates:
        return _Fate.LEFT
    return next((fate for fate in fates if isinstance(fate, int)), _Fate.BACK)
