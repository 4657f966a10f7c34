"""Turns: what was said, each an episodic node in its place in a conversation."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from storage.branches import LINE
from storage.concepts import release
from storage.conversations import EPISODIC, whole_id
from storage.database import Database, Row, Value, listed
from storage.errors import NotFound
from storage.grace import drop_waiting
from storage.instants import from_columns, to_columns
from storage.lexical import every_term
from storage.quarantine import HELD_BACK
from storage.records import GraphRow, Role, Source, Turn, TurnState, Utterance, new_id
from storage.vectors import drop_passages

_SELECT = """
select n.id, n.uid, c.uid, t.position, t.role, t.speaker, n.text, t.time_us, t.offset_s, n.source, n.origin,
    t.external_id, t.state, t.model, t.seed
from turn as t
join node as n on n.id = t.node
join conversation as c on c.id = t.conversation
"""
_GRAPH = """
select t.node, t.conversation, t.position, t.role, t.speaker, t.time_us, n.source, n.terms
from turn as t join node as n on n.id = t.node
"""


@dataclass(frozen=True, slots=True)
class Turns:
    """The turns of a vault."""

    database: Database

    def append(self, conversation: str, utterance: Utterance, *, terms: str, id: str | None = None) -> Turn:  # noqa: A002
        """Give the utterance its place at the end of a conversation.

        It is on disk when this returns, or when the transaction around it ends.

        Parameters
        ----------
        conversation
            Its whole identifier.
        utterance
            What was said.
        terms
            Its lexical terms, separated by blanks: what the index holds of it.
        id
            Its identifier, when one was given out before.

        Raises
        ------
        NotFound
            There is no such conversation.
        AlreadyThere
            A turn has this identifier, or one in this conversation this external identifier.
        ValueError
            Its time is naive.

        """
        microseconds, offset_seconds = to_columns(utterance.time)
        uid = new_id() if id is None else id
        with self.database.transaction():
            place = self.database.row(
                "select c.id, coalesce((select max(position) + 1 from turn where conversation = c.id), 0)"
                " from conversation as c where c.uid = ?",
                (conversation,),
            )
            if place is None:
                message = f"There is no conversation {conversation!r}."
                raise NotFound(message)
            node = self.database.value(
                "insert into node(uid, kind, text, terms, source, origin) values (?, ?, ?, ?, ?, ?) returning id",
                (uid, EPISODIC, utterance.text, terms, utterance.source.value, utterance.origin),
            )
            self.database.run(
                "insert into turn(node, conversation, position, role, speaker, time_us, offset_s, external_id, state,"
                " model, seed) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    node,
                    *place,
                    utterance.role.value,
                    utterance.speaker,
                    microseconds,
                    offset_seconds,
                    utterance.external_id,
                    utterance.state.value,
                    utterance.model,
                    utterance.seed,
                ),
            )
            return self.by_nodes([node])[0]

    def get(self, prefix: str) -> Turn:
        """Give the one turn whose identifier begins so.

        Raises
        ------
        NotFound
            None does, or fewer than four characters were given.
        AmbiguousId
            Several do.

        """
        uid = whole_id(self.database, "node", prefix, kind=EPISODIC)
        return _turn(self.database.rows(_SELECT + "where n.uid = ?", (uid,))[0])

    def by_nodes(self, nodes: Sequence[int]) -> list[Turn]:
        """Give the turns of these nodes in the order asked; those that are gone are left out."""
        rows = self.database.rows(f"{_SELECT} where t.node in (select value from json_each(?))", (listed(nodes),))  # noqa: S608
        found = {row[0]: _turn(row) for row in rows}
        return [found[node] for node in nodes if node in found]

    def in_conversation(self, conversation: str, *, held_back: bool = True) -> list[Turn]:
        """Give a conversation's turns by position; none when there is no such conversation.

        `held_back`: those in quarantine, too.
        """
        condition = "" if held_back else f" and t.node not in {HELD_BACK}"
        rows = self.database.rows(f"{_SELECT} where c.uid = ?{condition} order by t.position", (conversation,))
        return [_turn(row) for row in rows]

    def whole(self, conversation: str, *, held_back: bool = True) -> list[Turn]:
        """Give what a conversation continues from, and then its own turns: all that is shown of it.

        `held_back`: those in quarantine, too.
        """
        condition = "true" if held_back else f"t.node not in {HELD_BACK}"
        rows = self.database.rows(
            f"{LINE} {_SELECT} join line on line.conversation = t.conversation"  # its own words
            f" where (line.before_node is null or t.node < line.before_node) and {condition}"
            " order by line.depth desc, t.position",
            (conversation,),
        )
        return [_turn(row) for row in rows]

    def nodes_by_external_id(self, conversation: str, external_ids: Iterable[str]) -> dict[str, int]:
        """Give the nodes of those of a conversation's turns that had one of these identifiers where they came from."""
        rows = self.database.rows(
            "select t.external_id, t.node from turn as t join conversation as c on c.id = t.conversation"
            " where c.uid = ? and t.external_id in (select value from json_each(?))",
            (conversation, listed(external_ids)),
        )
        return dict(rows)

    def listing(
        self,
        *,
        limit: int | None = None,
        offset: int = 0,
        match_terms: Sequence[str] = (),
        conversation: str | None = None,
        roles: Sequence[Role] = (),
        held_back: bool = True,
    ) -> list[Turn]:
        """Give turns, the one kept last first.

        Parameters
        ----------
        limit, offset
            At most so many, after leaving out so many.
        match_terms
            Only those that have all of these terms, the last of which may be the beginning of one.
        conversation
            Only those of the conversation with this identifier.
        roles
            Only those of these roles.
        held_back
            Those in quarantine, too.

        """
        conditions, bindings = ["true"], list[Value]()
        if match_terms:
            expression = every_term(match_terms)
            if not expression:
                return []
            conditions.append("t.node in (select rowid from lexical where lexical match ?)")
            bindings.append(expression)
        if conversation is not None:
            conditions.append("c.uid = ?")
            bindings.append(conversation)
        if roles:
            conditions.append("t.role in (select value from json_each(?))")
            bindings.append(listed([role.value for role in roles]))
        if not held_back:
            conditions.append(f"t.node not in {HELD_BACK}")
        bindings += [-1 if limit is None else max(limit, 0), offset]
        rows = self.database.rows(
            f"{_SELECT} where {' and '.join(conditions)} order by t.node desc limit ? offset ?", bindings
        )
        return [_turn(row) for row in rows]

    def nodes_of(
        self,
        *,
        conversation: str | None = None,
        speakers: Sequence[str] | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> list[int]:
        """Give the nodes of the turns that fit all of this, ascending; without anything, those of all turns.

        Parameters
        ----------
        conversation
            Only those of the conversation with this identifier.
        speakers
            Only those said by one of these, as their names are written.
        since, until
            Only those said no earlier, and no later.

        """
        conditions, bindings = ["true"], list[Value]()
        if conversation is not None:
            conditions.append("conversation = (select id from conversation where uid = ?)")
            bindings.append(conversation)
        if speakers is not None:
            conditions.append("speaker in (select value from json_each(?))")
            bindings.append(listed(speakers))
        for operator, time in ((">=", since), ("<=", until)):
            if time is not None:
                conditions.append(f"time_us {operator} ?")
                bindings.append(to_columns(time)[0])
        rows = self.database.rows(f"select node from turn where {' and '.join(conditions)} order by node", bindings)  # noqa: S608
        return [node for (node,) in rows]

    def speakers(self) -> list[str]:
        """Give the names of all who speak, each once, in order."""
        return [name for (name,) in self.database.rows("select distinct speaker from turn order by speaker")]

    def count(self) -> int:
        """Give the number of turns."""
        return int(self.database.value("select count(*) from turn"))

    def revise(self, id: str, *, text: str, terms: str) -> Turn:  # noqa: A002
        """Give a turn new words; the old ones leave the index, and its vectors go, to be made again.

        What was made of the old words goes as if the turn were forgotten: concepts that rest on it, and successions.

        Raises
        ------
        NotFound
            No turn has this identifier.

        """
        with self.database.transaction():
            turn = self.get(id)
            drop_passages(self.database, [turn.node])
            release(self.database, turn.node)
            drop_waiting(self.database, [turn.node], rewritten=True)
            self.database.run("delete from succession where ?1 in (newer, older)", (turn.node,))
            self.database.run("update node set text = ?, terms = ? where id = ?", (text, terms, turn.node))
            return self.by_nodes([turn.node])[0]

    def revise_terms(self, node: int, terms: str) -> None:
        """Give a node other terms for the same words, when the way of finding them has changed.

        Raises
        ------
        NotFound
            There is no such node.

        """
        with self.database.transaction():
            if not self.database.rows("update node set terms = ? where id = ? returning id", (terms, node)):
                raise NotFound("This memory is gone.")

    def graph_rows(
        self,
        *,
        since_node: int = 0,
        limit: int | None = None,
        nodes: Sequence[int] | None = None,
        active_only: bool = False,
    ) -> list[GraphRow]:
        """Give what a graph needs of the turns, ascending by node; of those that are held back it needs nothing.

        Parameters
        ----------
        since_node
            Only nodes above this one.
        limit
            At most so many, the latest ones.
        nodes
            Only these.
        active_only
            Leave out those that are archived.

        """
        condition, bindings = f"where t.node > ? and t.node not in {HELD_BACK}", list[Value]([since_node])
        if nodes is not None:
            condition += " and t.node in (select value from json_each(?))"
            bindings.append(listed(nodes))
        if active_only:
            condition += " and t.node not in (select node from trace where archived = 1)"
        bindings.append(-1 if limit is None else max(limit, 0))
        rows = self.database.rows(f"{_GRAPH} {condition} order by t.node desc limit ?", bindings)
        return [
            GraphRow(
                node=node,
                conversation=conversation,
                position=position,
                role=Role(role),
                speaker=speaker,
                microseconds=microseconds,
                source=Source(source),
                terms=terms,
            )
            for node, conversation, position, role, speaker, microseconds, source, terms in reversed(rows)
        ]

    def neighbours(self, nodes: Sequence[int], *, reach: int) -> list[int]:
        """Give the nodes at most `reach` positions from any of these in its conversation, these included; ascending.

        Those that are held back are left out.
        """
        rows = self.database.rows(
            "select distinct near.node from turn as given join turn as near on near.conversation = given.conversation"  # noqa: S608
            " and near.position between given.position - ? and given.position + ?"
            f" where given.node in (select value from json_each(?)) and near.node not in {HELD_BACK}"
            " order by near.node",
            (reach, reach, listed(nodes)),
        )
        return [node for (node,) in rows]


def _turn(row: Row) -> Turn:
    (
        node,
        uid,
        conversation,
        position,
        role,
        speaker,
        text,
        microseconds,
        offset_seconds,
        source,
        origin,
        external_id,
        state,
        model,
        seed,
    ) = row
    return Turn(
        id=uid,
        node=node,
        conversation=conversation,
        position=position,
        role=Role(role),
        speaker=speaker,
        text=text,
        time=from_columns(microseconds, offset_seconds),
        source=Source(source),
        origin=origin,
        external_id=external_id,
        state=TurnState(state),
        model=model,
        seed=seed,
    )
