"""Gives all that a vault remembers as plain records, and takes such records in: what an export and its import rest on.

Records name nodes by their identifiers, since their numbers are each vault's own. They come in the order in which they
were kept, so that numbers given anew keep it, and recall with it. Vectors and index entries are not among them: both
are made again. Nor is what waits to be forgotten, and no receipt.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from storage.belongings import CONCEPT, NODE, PASSAGE, TURN, Shape
from storage.branches import put_branch
from storage.conversations import EPISODIC, SEMANTIC
from storage.database import Database, Value, listed
from storage.errors import StorageError
from storage.instants import from_columns, to_columns

Record = Mapping[str, Any]
"""Under `type` what it is: `conversation`, `turn`, `concept`, or a table whose rows belong to nodes."""
TYPE = "type"
CONVERSATION = "conversation"
WINDOW = "window"
_ASSOCIATION = "association"
_TOLD_APART = {NODE, TURN, CONCEPT, PASSAGE}
"""Tables that have records of their own form, or none."""
_AT_ONCE = 1000
_TURN = (
    "select n.id, n.uid, n.text, n.source, n.origin, c.uid, t.position, t.role, t.speaker, t.time_us, t.offset_s,"
    " t.external_id, t.state, t.model, t.seed from turn as t join node as n on n.id = t.node"
    " join conversation as c on c.id = t.conversation where n.id in (select value from json_each(?))"
)
_CONCEPT = (
    "select n.id, n.uid, n.text, c.maker, c.category, c.confidence from concept as c join node as n on n.id = c.node"
    " where n.id in (select value from json_each(?))"
)
_CONVERSATION = (
    "select c.uid, c.title, c.source, c.origin, c.external_id, p.uid, (select n.uid from turn as t join node as n"
    " on n.id = t.node where t.conversation = b.parent and t.node < b.before_node order by t.node desc limit 1)"
    " from conversation as c left join branch as b on b.conversation = c.id"
    " left join conversation as p on p.id = b.parent order by c.id"
)
"""With what it continues from: the conversation, and the last of its turns that belongs to both."""
_TURN_COLUMNS = ("role", "speaker", "external_id", "state", "model", "seed")


class NotTransferable(StorageError):
    """A record is not as an export of this program has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenIn:
    """What was taken into a vault."""

    turns: int
    known: int
    """Turns that were there already."""
    concepts: int


@dataclass(frozen=True, slots=True)
class Transfer:
    """The ways out of a vault and into it."""

    database: Database

    def records(self) -> Iterator[Record]:
        """Give all records, those first that others refer to."""
        rows = self.database.rows
        for uid, title, source, origin, external_id, *branch in rows(_CONVERSATION):
            told = {"id": uid, "title": title, "source": source, "origin": origin, "external_id": external_id}
            parent, after = branch
            yield {TYPE: CONVERSATION, **told, **({} if parent is None else {"parent": parent, "after": after})}
        names: dict[int, str] = dict(rows("select id, uid from node order by id"))
        nodes = list(names)
        for start in range(0, len(nodes), _AT_ONCE):
            chosen = nodes[start : start + _AT_ONCE]
            found = dict(_turns(self.database, chosen)) | dict(_concepts(self.database, chosen))
            yield from (found[node] for node in chosen)
        for table, columns in _tables(self.database).items():
            for row in _rows(self.database, table):
                yield {TYPE: table, **row, **{column: names[row[column]] for column in columns}}
        for number, last_node in rows("select number, last_node from consolidation order by number"):
            earlier = bisect_right(nodes, last_node)
            yield {TYPE: WINDOW, "number": number, "last": names[nodes[earlier - 1]] if earlier else None}

    def take_in(self, given: Iterable[Record], *, terms: Callable[[str, str], str]) -> TakenIn:
        """Keep the records of another vault, all or none; what is there already stays as it is.

        Parameters
        ----------
        given
            In the order in which `records` gives them.
        terms
            Gives the lexical terms of a speaker, empty for a concept, and a text.

        Raises
        ------
        NotTransferable
            A record lacks something, or names what no earlier one told of.

        """
        with self.database.transaction():
            taking = _Taking(self.database, terms)
            for number, record in enumerate(given, 1):
                try:
                    taking.take(record)
                except (KeyError, TypeError, ValueError) as error:
                    message = f"Record {number} of the export is not as this program writes it. Export again."
                    raise NotTransferable(message) from error
            taking.put_branches()
            taking.refuse_groundless()
        return TakenIn(turns=taking.turns, known=taking.known, concepts=taking.concepts)


def _tables(database: Database) -> dict[str, tuple[str, ...]]:
    return {name: columns for name, columns in Shape.of(database).columns.items() if name not in _TOLD_APART}


def _rows(database: Database, table: str) -> Iterator[dict[str, Any]]:
    names = [name for (name,) in database.rows("select name from pragma_table_info(?) order by cid", (table,))]
    keys = database.rows("select name from pragma_table_info(?) where pk > 0 order by pk", (table,))
    order = ", ".join(f'"{key}"' for (key,) in keys)
    for row in database.rows(f'select * from "{table}" order by {order}'):  # the schema's own names  # noqa: S608
        yield dict(zip(names, row, strict=True))


def _turns(database: Database, nodes: Iterable[int]) -> Iterator[tuple[int, Record]]:
    for node, uid, text, *rest in database.rows(_TURN, (listed(nodes),)):
        source, origin, conversation, position, role, speaker, time_us, offset_s, external_id, state, model, seed = rest
        yield (
            node,
            {
                TYPE: TURN,
                "id": uid,
                "conversation": conversation,
                "position": position,
                "role": role,
                "speaker": speaker,
                "time": from_columns(time_us, offset_s).isoformat(),
                "text": text,
                "source": source,
                "origin": origin,
                "external_id": external_id,
                "state": state,
                "model": model,
                "seed": seed,
            },
        )


def _concepts(database: Database, nodes: Iterable[int]) -> Iterator[tuple[int, Record]]:
    for node, uid, text, maker, category, confidence in database.rows(_CONCEPT, (listed(nodes),)):
        yield (
            node,
            {TYPE: CONCEPT, "id": uid, "text": text, "maker": maker, "category": category, "confidence": confidence},
        )


@dataclass(slots=True)
class _Taking:
    """Records on their way in."""

    database: Database
    terms: Callable[[str, str], str]
    turns: int = 0
    known: int = 0
    concepts: int = 0
    _conversations: dict[str, int] = field(default_factory=dict)
    """The number here of each conversation there."""
    _branches: list[tuple[str, str, str | None]] = field(default_factory=list)
    """Conversation, what it continues from, and the last turn of that which belongs to both."""
    _nodes: dict[str, int] = field(default_factory=dict)
    _was_empty: bool = False
    _new: set[int] = field(default_factory=set)
    _tables: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    _columns: dict[str, set[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._was_empty = self.database.row("select 1 from node") is None
        self._tables = _tables(self.database)

    def take(self, record: Record) -> None:
        """Keep one record."""
        match record[TYPE]:
            case "conversation":
                self._take_conversation(record)
            case "turn":
                self._take_turn(record)
            case "concept":
                self._take_concept(record)
            case "window":
                if self._was_empty:  # else this vault counts its own
                    last = 0 if record["last"] is None else self._nodes[record["last"]]
                    self.database.run("insert into consolidation(last_node) values (?)", (last,))
            case str(table) if table in self._tables:
                self._take_row(table, record)
            case _:
                raise ValueError("a record of no known kind")

    def put_branches(self) -> None:
        """Let conversations continue from others, as far as they do not yet continue from any."""
        for branch, parent, after in self._branches:
            if parent not in self._conversations or (after is not None and after not in self._nodes):
                raise NotTransferable("The export has conversations that continue from nothing. Export again.")
            number = self._conversations[branch]
            if self.database.row("select 1 from branch where conversation = ?", (number,)) is None:
                last = 0 if after is None else self._nodes[after]
                put_branch(self.database, number, self._conversations[parent], last + 1)

    def refuse_groundless(self) -> None:
        """Refuse concepts that nothing supports."""
        if self.database.row("select 1 from concept where node not in (select concept from support)") is not None:
            raise NotTransferable("The export has concepts that rest on nothing. Export again.")

    def _take_conversation(self, record: Record) -> None:
        there = self.database.value(
            "select id from conversation where uid = ?1 or (source = ?2 and external_id = ?3) order by uid = ?1 desc",
            (record["id"], record["source"], record["external_id"]),
        )
        if there is None:
            there = self.database.value(
                "insert into conversation(uid, title, source, origin, external_id) values (?, ?, ?, ?, ?) returning id",
                (record["id"], record["title"], record["source"], record["origin"], record["external_id"]),
            )
        self._conversations[record["id"]] = there
        if record.get("parent") is not None:
            self._branches.append((record["id"], record["parent"], record["after"]))

    def _take_turn(self, record: Record) -> None:
        place = self._conversations[record["conversation"]]
        there = self.database.value(
            "select n.id from node as n join turn as t on t.node = n.id"
            " where n.uid = ?1 or (t.conversation = ?2 and t.external_id = ?3)",
            (record["id"], place, record["external_id"]),
        )
        if there is not None:
            self._nodes[record["id"]] = there
            self.known += 1
            return
        node = self._node(record, EPISODIC, source=record["source"], origin=record["origin"])
        microseconds, offset_seconds = to_columns(datetime.fromisoformat(record["time"]))
        behind = self.database.value(
            "select coalesce(max(position), -1) + 1 from turn where conversation = ?", (place,)
        )
        self.database.run(
            "insert into turn(node, conversation, position, time_us, offset_s, role, speaker, external_id, state,"
            " model, seed) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                node,
                place,
                max(behind, record["position"]),
                microseconds,
                offset_seconds,
                *(record[column] for column in _TURN_COLUMNS),
            ),
        )
        self.turns += 1

    def _take_concept(self, record: Record) -> None:
        there = self.database.value("select id from node where uid = ?", (record["id"],))
        if there is not None:
            self._nodes[record["id"]] = there
            return
        node = self._node(record, SEMANTIC, source="memory", origin="")
        self.database.run(
            "insert into concept(node, maker, category, confidence) values (?, ?, ?, ?)",
            (node, record["maker"], record["category"], record["confidence"]),
        )
        self.concepts += 1

    def _node(self, record: Record, kind: str, *, source: str, origin: str) -> int:
        terms = self.terms(record.get("speaker", ""), record["text"])
        node = self.database.value(
            "insert into node(uid, kind, text, terms, source, origin) values (?, ?, ?, ?, ?, ?) returning id",
            (record["id"], kind, record["text"], terms, source, origin),
        )
        self._nodes[record["id"]] = node
        self._new.add(node)
        return int(node)

    def _take_row(self, table: str, record: Record) -> None:
        """Keep a row that belongs to nodes, unless it is only about what was there already."""
        naming = self._tables[table]
        values: dict[str, Value] = {name: value for name, value in record.items() if name != TYPE}
        named = {column: self._nodes[str(record[column])] for column in naming}
        if self._new.isdisjoint(named.values()):
            return
        if table == _ASSOCIATION:
            named = dict(zip(("low", "high"), sorted(named.values()), strict=True))
        values |= named
        if table not in self._columns:
            rows = self.database.rows("select name from pragma_table_info(?)", (table,))
            self._columns[table] = {name for (name,) in rows}
        if not values.keys() <= self._columns[table]:
            raise ValueError("a column that is not known")
        quoted = ", ".join(f'"{name}"' for name in values)
        marks = ", ".join("?" * len(values))
        self.database.run(
            f'insert into "{table}"({quoted}) values ({marks}) on conflict do nothing',  # checked  # noqa: S608
            tuple(values.values()),
        )
