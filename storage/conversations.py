"""Conversations: sequences of turns under one title."""

from dataclasses import dataclass

from storage.database import Database, Row
from storage.errors import AmbiguousId, NotFound
from storage.instants import from_columns
from storage.records import Conversation, Source, new_id

TITLE_CHARACTERS = 60
EPISODIC = "episodic"
SEMANTIC = "semantic"
"""Kinds of nodes: a turn, a concept."""
_SHORTEST_PREFIX = 4

_SELECT = """
select c.uid, c.title, c.source, c.origin, c.external_id, coalesce(extent.turns, 0),
    first.time_us, first.offset_s, last.time_us, last.offset_s, substr(opening.text, 1, 1000), parent.uid
from conversation as c
left join (
    select conversation, count(*) as turns, min(position) as first, max(position) as last
    from turn group by conversation
) as extent on extent.conversation = c.id
left join turn as first on first.conversation = c.id and first.position = extent.first
left join turn as last on last.conversation = c.id and last.position = extent.last
left join node as opening on opening.id = first.node
left join branch on branch.conversation = c.id
left join conversation as parent on parent.id = branch.parent
"""


@dataclass(frozen=True, slots=True)
class Conversations:
    """The conversations of a vault.

    A title is stored only when it was given. Else it is read off the first turn, so that it goes when that turn does.
    """

    database: Database

    def create(
        self,
        *,
        id: str | None = None,  # noqa: A002
        title: str = "",
        source: Source,
        origin: str = "",
        external_id: str | None = None,
    ) -> Conversation:
        """Give a new conversation without turns.

        Raises
        ------
        AlreadyThere
            One with this identifier, or this external identifier from the same source, is there.

        """
        uid = new_id() if id is None else id
        with self.database.transaction():
            self.database.run(
                "insert into conversation(uid, title, source, origin, external_id) values (?, ?, ?, ?, ?)",
                (uid, title, source.value, origin, external_id),
            )
        return Conversation(id=uid, title=title, source=source, origin=origin, external_id=external_id)

    def find(self, source: Source, external_id: str) -> Conversation | None:
        """Give the conversation that has this identifier where it came from, or None."""
        found = self.database.row(_SELECT + "where c.source = ? and c.external_id = ?", (source.value, external_id))
        return None if found is None else _conversation(found)

    def id_of(self, source: Source, external_id: str) -> str | None:
        """Give the identifier of the conversation that has this one where it came from, without counting its turns."""
        found = self.database.value(
            "select uid from conversation where source = ? and external_id = ?", (source.value, external_id)
        )
        return None if found is None else str(found)

    def get(self, prefix: str) -> Conversation:
        """Give the one conversation whose identifier begins so.

        Raises
        ------
        NotFound
            None does, or fewer than four characters were given.
        AmbiguousId
            Several do.

        """
        uid = whole_id(self.database, "conversation", prefix)
        return _conversation(self.database.rows(_SELECT + "where c.uid = ?", (uid,))[0])

    def listing(self, *, limit: int | None = None, match: str = "") -> list[Conversation]:
        """Give conversations, the one with the latest last turn first, and those without turns at the end.

        Parameters
        ----------
        limit
            At most so many.
        match
            Only those whose title holds this, in whatever case.

        """
        rows = self.database.rows(_SELECT + "order by last.time_us desc nulls last, c.id desc")
        wanted = match.casefold()
        found = [one for one in map(_conversation, rows) if wanted in one.title.casefold()]
        return found if limit is None else found[: max(limit, 0)]

    def rename(self, id: str, title: str) -> Conversation:  # noqa: A002
        """Give the conversation its own title; an empty one lets it be read off the first turn again.

        Raises
        ------
        NotFound
            No conversation has this identifier.

        """
        with self.database.transaction():
            uid = whole_id(self.database, "conversation", id)
            self.database.run("update conversation set title = ? where uid = ?", (title, uid))
            return self.get(uid)


def derived_title(text: str) -> str:
    """Give the beginning of a text's first line that is not blank; one that is cut ends in an ellipsis."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= TITLE_CHARACTERS else line[: TITLE_CHARACTERS - 1].rstrip() + "…"


def whole_id(database: Database, table: str, prefix: str, *, kind: str = "") -> str:
    """Give the one identifier in a table that begins so; the exact one goes before longer ones.

    Parameters
    ----------
    database, table
        Where to look.
    prefix
        Its beginning.
    kind
        In the table of nodes: only those of this kind.

    Raises
    ------
    NotFound, AmbiguousId
        None does, or several.

    """
    condition, bindings = "uid >= ? and uid < ?", [prefix, prefix + "\U0010ffff"]
    if kind:
        condition += " and kind = ?"
        bindings.append(kind)
    statement = f"select uid from {table} where {condition} order by uid limit 2"  # own names  # noqa: S608
    found = [uid for (uid,) in database.rows(statement, bindings)]
    if prefix in found:
        return prefix
    if len(prefix) < _SHORTEST_PREFIX:
        message = f"{prefix!r} is too short to name anything: give {_SHORTEST_PREFIX} characters or more."
        raise NotFound(message)
    match found:
        case []:
            message = f"Nothing has an identifier that begins with {prefix!r}."
            raise NotFound(message)
        case [only]:
            return str(only)
        case _:
            message = f"Several identifiers begin with {prefix!r}: give more of it."
            raise AmbiguousId(message)


def _conversation(row: Row) -> Conversation:
    uid, title, source, origin, external_id, turns, first_us, first_offset, last_us, last_offset, opening, parent = row
    return Conversation(
        id=uid,
        title=title or derived_title(opening or ""),
        source=Source(source),
        origin=origin,
        external_id=external_id,
        turns=turns,
        started=None if first_us is None else from_columns(first_us, first_offset),
        last=None if last_us is None else from_columns(last_us, last_offset),
        parent=parent,
    )
