"""Vectors of passages: one table (sqlite-vec's vec0) for each embedding space, since two are never compared."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from storage.database import Database, Value, listed
from storage.errors import NotFound
from storage.quarantine import HELD_BACK
from storage.records import EmbeddingSpace, Passage

_MOST_NEIGHBOURS = 4096
"""The limit of vec0."""
_FLOAT_BYTES = 4


@dataclass(frozen=True, slots=True)
class Vectors:
    """The vectors of a vault."""

    database: Database

    def current_space(self) -> EmbeddingSpace | None:
        """Give the space that is complete and in use; None before the first was finished."""
        row = self.database.row(
            "select model, dimension, pooling, digest from embedding_space where finished = 1 order by id desc"
        )
        if row is None:
            return None
        model, dimension, pooling, digest = row
        return EmbeddingSpace(model=model, dimension=dimension, pooling=pooling, digest=digest)

    def begin_space(self, space: EmbeddingSpace) -> None:
        """Make room for vectors of this space, beside what is there; nothing when it was begun before."""
        with self.database.transaction():
            if self._row(space) is not None:
                return
            row = self.database.value(
                "insert into embedding_space(model, dimension, pooling, digest, finished) values (?, ?, ?, ?, 0)"
                " returning id",
                (space.model, space.dimension, space.pooling, space.digest),
            )
            self.database.run(
                f"create virtual table {_table(row)} using vec0("
                f"passage integer primary key, vector float[{space.dimension:d}] distance_metric=cosine)"
            )

    def finish_space(self, space: EmbeddingSpace) -> None:
        """Make this the space in use, and drop all others with their vectors.

        Raises
        ------
        NotFound
            It was not begun.

        """
        with self.database.transaction():
            kept = self._known_row(space)
            self.database.run("update embedding_space set finished = 1 where id = ?", (kept,))
            for row in space_rows(self.database):
                if row != kept:
                    self.database.run(f"drop table {_table(row)}")
                    self.database.run("delete from embedding_space where id = ?", (row,))

    def put(self, node: int, passages: Sequence[Passage], *, space: EmbeddingSpace) -> None:
        """Keep the vectors of a node in this space, in place of those it had there.

        Raises
        ------
        NotFound
            The node is gone, or the space was not begun.
        ValueError
            A vector does not have the space's dimension.

        """
        self.put_each({node: passages}, space=space)

    def put_each(self, passages: Mapping[int, Sequence[Passage]], *, space: EmbeddingSpace) -> None:
        """Keep the vectors of many nodes in this space, as `put` does of one: all or none.

        Raises
        ------
        NotFound, ValueError
            As for `put`.

        """
        if any(len(one.vector) != space.dimension * _FLOAT_BYTES for of_node in passages.values() for one in of_node):
            message = f"a vector of this space has {space.dimension} numbers"
            raise ValueError(message)
        with self.database.transaction():
            row = self._known_row(space)
            there = "select count(*) from node where id in (select value from json_each(?))"
            if self.database.value(there, (listed(passages),)) != len(passages):
                raise NotFound("The memory that this vector belongs to is gone.")
            _drop_from(self.database, row, list(passages))
            for node, of_node in passages.items():
                for passage in of_node:
                    key = self.database.value(
                        "insert into passage(space, node, start, stop) values (?, ?, ?, ?) returning id",
                        (row, node, passage.start, passage.stop),
                    )
                    self.database.run(
                        f"insert into {_table(row)}(passage, vector) values (?, ?)",  # own name  # noqa: S608
                        (key, passage.vector),
                    )

    def missing(self, space: EmbeddingSpace, *, limit: int) -> list[int]:
        """Give the nodes, turns and concepts, that have no vector in this space, oldest first."""
        rows = self.database.rows(
            "select n.id from node as n where not exists"
            " (select 1 from passage as p where p.node = n.id and p.space = ?) order by n.id limit ?",
            (self._known_row(space), max(limit, 0)),
        )
        return [node for (node,) in rows]

    def matrix(
        self, space: EmbeddingSpace, *, since_node: int = 0, nodes: Sequence[int] | None = None
    ) -> tuple[list[int], bytes]:
        """Give all vectors of a space.

        Parameters
        ----------
        space
            One that was begun.
        since_node
            Only of nodes above this one.
        nodes
            Only of these.

        Returns
        -------
        tuple[list[int], bytes]
            The node of each row, ascending and as often as it has passages, and the rows (float32) joined.

        """
        row = self._known_row(space)
        condition, bindings = "p.space = ? and p.node > ?", list[Value]([row, since_node])
        if nodes is not None:
            condition += " and p.node in (select value from json_each(?))"
            bindings.append(listed(nodes))
        rows = self.database.rows(
            f"select p.node, v.vector from passage as p cross join {_table(row)} as v on v.passage = p.id"  # noqa: S608
            f" where {condition} order by p.node, p.id",
            bindings,
        )
        return [node for node, _ in rows], b"".join([vector for _, vector in rows])

    def nearest(self, space: EmbeddingSpace, vector: bytes, *, k: int) -> list[tuple[int, float]]:
        """Give the k nodes, turns and concepts, nearest to a vector, by the cosine of their best passage; best first.

        Turns that are held back are left out.

        Raises
        ------
        ValueError
            k is not from 1 to 4,096, or the vector does not have the space's dimension.

        """
        if not 1 <= k <= _MOST_NEIGHBOURS:
            message = f"k is from 1 to {_MOST_NEIGHBOURS}"
            raise ValueError(message)
        if len(vector) != space.dimension * _FLOAT_BYTES:
            message = f"a vector of this space has {space.dimension} numbers"
            raise ValueError(message)
        row = self._known_row(space)
        asked = k
        held_back = {node for (node,) in self.database.rows(f"select node from {HELD_BACK}")}  # noqa: S608
        while True:
            found = self._nearest_passages(row, vector, asked)
            best: dict[int, float] = {}
            for node, distance in found:
                if node not in held_back:
                    best.setdefault(node, 1.0 - distance)
            if len(best) >= k or len(found) < asked or asked == _MOST_NEIGHBOURS:
                return list(best.items())[:k]
            asked = min(asked * 4, _MOST_NEIGHBOURS)

    def _nearest_passages(self, row: int, vector: bytes, k: int) -> list[tuple[int, float]]:
        rows = self.database.rows(
            f"select p.node, v.distance from {_table(row)} as v join passage as p on p.id = v.passage"  # noqa: S608
            " where v.vector match ? and v.k = ? order by v.distance, p.id",
            (vector, k),
        )
        return [(node, distance) for node, distance in rows]

    def _row(self, space: EmbeddingSpace) -> int | None:
        found = self.database.value(
            "select id from embedding_space where model = ? and dimension = ? and pooling = ? and digest = ?",
            (space.model, space.dimension, space.pooling, space.digest),
        )
        return None if found is None else int(found)

    def _known_row(self, space: EmbeddingSpace) -> int:
        row = self._row(space)
        if row is None:
            message = f"The vault has no vectors of {space.model} yet."
            raise NotFound(message)
        return row


def drop_passages(database: Database, nodes: Sequence[int]) -> int:
    """Delete the vectors of these nodes in all spaces; give how many there were."""
    return sum(_drop_from(database, row, nodes) for row in space_rows(database))


def vectors_by_passage(database: Database, nodes: str) -> dict[int, bytes]:
    """Give the vectors of these nodes, a list in JSON, in all spaces, each under the number of its passage."""
    found: dict[int, bytes] = {}
    for row in space_rows(database):
        found |= database.rows(
            f"select p.id, v.vector from passage as p cross join {_table(row)} as v on v.passage = p.id"  # noqa: S608
            " where p.space = ? and p.node in (select value from json_each(?))",
            (row, nodes),
        )
    return found


def put_back(database: Database, space: int, vectors: Sequence[tuple[int, bytes]]) -> None:
    """Keep vectors of passages, by their numbers, in a space, by the number of its row."""
    database.run_each(f"insert into {_table(space)}(passage, vector) values (?, ?)", vectors)  # own name  # noqa: S608


def nearest_passages(database: Database, space: int, vector: bytes, k: int) -> list[int]:
    """Give the numbers of the k passages nearest to a vector in a space, by the number of its row; best first."""
    rows = database.rows(
        f"select v.passage from {_table(space)} as v where v.vector match ? and v.k = ? order by v.distance",  # noqa: S608
        (vector, k),
    )
    return [passage for (passage,) in rows]


def vectors_with(database: Database, piece: bytes) -> bool:
    """Whether any vector in any space holds this stretch of bytes."""
    return any(
        database.row(f"select 1 from {_table(row)} where instr(vector, ?) limit 1", (piece,)) is not None  # noqa: S608
        for row in space_rows(database)
    )


def _drop_from(database: Database, row: int, nodes: Sequence[int]) -> int:
    """Delete the vectors of these nodes in one space; vec0 takes a delete by its key alone."""
    keys = database.rows(
        "delete from passage where space = ? and node in (select value from json_each(?)) returning id",
        (row, listed(nodes)),
    )
    database.run_each(f"delete from {_table(row)} where passage = ?", keys)  # own name  # noqa: S608
    return len(keys)


def space_rows(database: Database) -> list[int]:
    """Give the numbers of all spaces, oldest first."""
    return [row for (row,) in database.rows("select id from embedding_space order by id")]


def space_tables(database: Database) -> dict[int, str]:
    """Give the table of each space's vectors by the space's number."""
    return {row: _table(row) for row in space_rows(database)}


def _table(row: int) -> str:
    """Give the name of a space's table: made of a number that the vault itself gave out."""
    return f"vectors_{row:d}"
