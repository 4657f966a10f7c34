"""What waits to be forgotten: out of every table that anything reads, and still there to be taken back.

Putting aside deletes the rows as an erasure does, and keeps their bytes in a table that nothing but this reads. So what
waits is used by nothing. Until it is erased its traces are in the encrypted file.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import datetime

from storage.belongings import (
    CONCEPT,
    CONSOLIDATED,
    CONVERSATION,
    PASSAGE,
    SUPPORT,
    TURN,
    Belonging,
    Shape,
    belongings,
)
from storage.concepts import reopen, resting_on
from storage.conversations import whole_id
from storage.database import Database, Row, listed
from storage.forgotten_imports import ForgottenImports
from storage.instants import from_columns, to_columns
from storage.lexical import Lexical
from storage.records import Maker, new_id
from storage.vectors import drop_passages

SEQUENCE = "sqlite_sequence"
"""Of the rows that wait, one tells the last number that had been given to a node."""
_SUCCESSION = "succession"
_MADE_OF_WORDS = frozenset({SUPPORT, CONSOLIDATED, _SUCCESSION})
_MANY = 1000
"""Nodes that go together, from which on the index is built anew when they are half of all."""
_COLUMNS = "uid, time_us, until_us, turns, passages, conversations, concepts"


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgetting:
    """What waits to be erased together, and can be taken back until then."""

    id: str
    time: datetime
    """When it was put aside, UTC."""
    until: datetime
    """When it is due to be erased, UTC."""
    turns: int
    passages: int
    conversations: int
    """Conversations that were left empty, and wait too."""
    concepts: int
    there: int = 0
    """When it is taken back: turns that had come in again meanwhile, and stay as they are."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A row that waits."""

    forgetting: int
    number: int
    row: Belonging


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How much of what counts is among rows."""

    turns: int
    passages: int
    conversations: int
    concepts: int

    @classmethod
    def of(cls, rows: Iterable[Belonging], *, conversations: int) -> "Counts":
        """Count the rows of each table."""
        tables = Counter(row.table for row in rows)
        return cls(turns=tables[TURN], passages=tables[PASSAGE], conversations=conversations, concepts=tables[CONCEPT])


def put_aside(database: Database, nodes: Sequence[int], *, now: datetime, until: datetime) -> Forgetting:
    """Take nodes out of everything, with all that goes with them, and let them wait to be erased.

    Raises
    ------
    ValueError
        It would be due before it is put aside, or a time is naive.

    """
    (now_us, _), (until_us, _) = to_columns(now), to_columns(until)
    if until_us < now_us:
        raise ValueError("what is forgotten is due after that, or at once")
    with database.transaction():
        sequence = database.value("select coalesce(max(seq), 0) from sqlite_sequence where name = 'node'")
        rows = take_out(database, nodes)
        counts = Counts.of(rows, conversations=len(gone_conversations(database, rows)))
        uid = new_id()
        forgetting = database.value(
            f"insert into forgetting({_COLUMNS}) values (?, ?, ?, ?, ?, ?, ?) returning id",  # own names  # noqa: S608
            (uid, now_us, until_us, counts.turns, counts.passages, counts.conversations, counts.concepts),
        )
        let_wait(database, forgetting, [Belonging(SEQUENCE, {"name": "node", "seq": sequence}), *rows])
        return named(database, uid)[0]


def take_out(database: Database, nodes: Sequence[int]) -> list[Belonging]:
    """Delete nodes with all that goes with them, inside the transaction around it, and give the rows that went.

    Concepts that cannot stay without these turns go too, and the turns left over wait for their maker again.
    Conversations that stay are among the rows all the same: their turns may outlive them here.
    """
    resting = resting_on(database, nodes)
    going = sorted({*nodes, *resting})
    rows = list(belongings(database, going, resting))
    ForgottenImports(database).note(rows)
    reopen(database, resting)
    drop_passages(database, going)
    with _index_of_rest(database, len(going)):
        database.run("delete from node where id in (select value from json_each(?))", (listed(going),))
    database.run(
        "delete from conversation where id in (select value from json_each(?))"
        " and not exists (select 1 from turn where turn.conversation = conversation.id)",
        (listed(_conversations(rows)),),
    )
    return rows


def gone_conversations(database: Database, rows: Iterable[Belonging]) -> set[int]:
    """Give the conversations among rows that are no more, by their numbers."""
    held = _conversations(rows)
    there = database.rows("select id from conversation where id in (select value from json_each(?))", (listed(held),))
    return held - {number for (number,) in there}


def forgettings(database: Database) -> list[Forgetting]:
    """Give all that wait, oldest first."""
    rows = database.rows(f"select {_COLUMNS} from forgetting order by id")  # own names  # noqa: S608
    return [_forgetting(row) for row in rows]


def named(database: Database, *prefixes: str) -> list[Forgetting]:
    """Give those whose identifiers begin so.

    Raises
    ------
    NotFound, AmbiguousId
        Of one of these there is none, or several.

    """
    uids = {whole_id(database, "forgetting", prefix) for prefix in prefixes}
    return [one for one in forgettings(database) if one.id in uids]


def due(database: Database, now: datetime) -> list[str]:
    """Give the identifiers of those that are due, oldest first.

    A clock that steps back makes nothing due earlier. One that was put aside in what is now the future was so under
    another clock: it is due when its whole time has passed on this one.
    """
    now_us, _ = to_columns(now)
    odd = "time_us > ?1 or behind_us is not null"
    if database.row(f"select 1 from forgetting where {odd}", (now_us,)) is not None:  # own words  # noqa: S608
        with database.transaction():
            behind = "case when time_us > ?1 then min(coalesce(behind_us, ?1), ?1) end"
            database.run(f"update forgetting set behind_us = {behind} where {odd}", (now_us,))  # noqa: S608
    rows = database.rows(
        "select uid from forgetting where case when behind_us is null then until_us <= ?1"
        " else ?1 - behind_us >= until_us - time_us end order by id",
        (now_us,),
    )
    return [uid for (uid,) in rows]


def waiting_rows(database: Database, uids: Iterable[str] | None = None) -> list[Waiting]:
    """Give the rows that wait in these, or in all, in the order in which they were put aside."""
    condition, bindings = "", list[str]()
    if uids is not None:
        condition = " where g.uid in (select value from json_each(?))"
        bindings.append(listed(uids))
    statement = (
        "select w.forgetting, w.number, w.origin, w.content from forgetting as g"  # its own words  # noqa: S608
        f" join forgotten_row as w on w.forgetting = g.id{condition} order by w.forgetting, w.number"
    )
    return [
        Waiting(forgetting, number, Belonging.from_bytes(table, content))
        for forgetting, number, table, content in database.rows(statement, bindings)
    ]


def let_wait(database: Database, forgetting: int, rows: Iterable[Belonging]) -> None:
    """Keep rows behind those that wait in a forgetting already."""
    first = database.value("select coalesce(max(number) + 1, 0) from forgotten_row where forgetting = ?", (forgetting,))
    database.run_each(
        "insert into forgotten_row(forgetting, number, origin, content) values (?, ?, ?, ?)",
        ((forgetting, number, row.table, row.content) for number, row in enumerate(rows, start=first)),
    )


def recount(database: Database, forgetting: int) -> None:
    """Count again what waits in a forgetting after rows came to it or left it; conversations stay as they were."""
    database.run(
        "update forgetting set (turns, passages, concepts) = (select count(*) filter (where origin = 'turn'),"
        " count(*) filter (where origin = 'passage'), count(*) filter (where origin = 'concept')"
        " from forgotten_row where forgetting = ?1) where id = ?1",
        (forgetting,),
    )


def drop_waiting(database: Database, nodes: Collection[int], *, rewritten: bool = False) -> list[Belonging]:
    """Drop what waits and rests on nodes that are gone for good, and give its rows.

    That is all that names one of them, and concepts that cannot stay without one.

    Parameters
    ----------
    database, nodes
        What is gone, inside the transaction around it.
    rewritten
        The nodes stay and have other words: what was made of the old ones goes.

    """
    if not nodes or database.row("select 1 from forgetting") is None:
        return []
    columns = Shape.of(database).columns
    waiting = [one for one in waiting_rows(database) if one.row.table in columns]
    gone = set(nodes)
    groundless = _groundless(waiting, gone)

    def goes(row: Belonging) -> bool:
        named_here = groundless if rewritten and row.table not in _MADE_OF_WORDS else gone | groundless
        return not named_here.isdisjoint(row.nodes(columns[row.table]))

    broken = {one.row.way for one in waiting if one.row.way is not None and goes(one.row)}
    dropped = [one for one in waiting if one.row.way in broken or goes(one.row)]
    database.run_each(
        "delete from forgotten_row where forgetting = ? and number = ?",
        [(one.forgetting, one.number) for one in dropped],
    )
    for forgetting in {one.forgetting for one in dropped}:
        recount(database, forgetting)
    return [one.row for one in dropped]


def _index_of_rest(database: Database, going: int) -> AbstractContextManager[None]:
    """Give the way in which the index lets go of so many nodes: one by one, or by being built anew of the rest."""
    if going >= _MANY and going * 2 >= database.value("select count(*) from node"):
        return Lexical(database).built_anew()
    return nullcontext()


def _groundless(waiting: Sequence[Waiting], gone: Collection[int]) -> set[int]:
    """Give the concepts that wait and cannot stay without these turns: as `resting_on` does of those that do not."""
    left: dict[int, int] = defaultdict(int)
    lost: set[int] = set()
    for one in waiting:
        if one.row.table == SUPPORT:
            concept, turn = one.row.nodes(("concept", "turn"))
            if turn in gone:
                lost.add(concept)
            else:
                left[concept] += 1
    makers = {one.row.nodes(("node",))[0]: one.row.values["maker"] for one in waiting if one.row.table == CONCEPT}
    return {
        concept
        for concept in lost
        if concept in makers and (makers[concept] != Maker.SALIENT.value or not left[concept])
    }


def _conversations(rows: Iterable[Belonging]) -> set[int]:
    return {row.nodes(("id",))[0] for row in rows if row.table == CONVERSATION}


def _forgetting(row: Row) -> Forgetting:
    uid, time_us, until_us, turns, passages, conversations, concepts = row
    return Forgetting(
        id=uid,
        time=from_columns(time_us, 0),
        until=from_columns(until_us, 0),
        turns=turns,
        passages=passages,
        conversations=conversations,
        concepts=concepts,
    )
