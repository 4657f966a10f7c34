"""Concepts: what the memory made of turns, each a semantic node that rests on the turns that support it.

A concept is never without support. When words go, so does what was made of them: a concept that a rule picked stays
while another turn holds it; one that a language model wrote goes with any of its turns, since nobody can tell which of
its words came from which, and the turns left over wait to be read again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from storage.conversations import SEMANTIC, whole_id
from storage.database import Database, Row, Value, listed
from storage.errors import NotFound
from storage.instants import from_columns
from storage.lexical import every_term
from storage.quarantine import HELD_BACK
from storage.records import Category, Concept, ConceptRow, Finding, Maker, Source, new_id
from storage.vectors import drop_passages

_INSERT_NODE = "insert into node(uid, kind, text, terms, source, origin) values (?, ?, ?, ?, ?, '') returning id"
_SELECT = """
select n.id, n.uid, n.text, c.maker, c.category, c.confidence
from concept as c
join node as n on n.id = c.node
"""
_SUPPORT = """
select s.concept, s.turn, t.time_us, t.offset_s
from support as s join turn as t on t.node = s.turn
where s.concept in (select value from json_each(?))
order by s.concept, s.turn
"""
_GRAPH = """
select c.node, c.maker, c.category, n.terms, min(t.time_us), max(t.time_us)
from concept as c
join node as n on n.id = c.node
join support as s on s.concept = c.node
join turn as t on t.node = s.turn
group by c.node order by c.node
"""
_READ_FOR = (
    "select c.maker, s.turn from concept as c join support as s on s.concept = c.node"
    " where c.maker <> 'salient' and c.node in (select value from json_each(?))"
)
"""The turns that language models read to write these concepts."""


@dataclass(frozen=True, slots=True)
class Concepts:
    """The concepts of a vault."""

    database: Database

    def add(
        self, *, text: str, terms: str, maker: Maker, category: Category, confidence: float, support: Sequence[int]
    ) -> Concept:
        """Give a new concept.

        Parameters
        ----------
        text
            What it says.
        terms
            Its lexical terms, separated by blanks: what the index holds of it.
        maker, category
            What made it, and what it tells of.
        confidence
            From 0 to 1.
        support
            Nodes of the turns that it was made of.

        Raises
        ------
        ValueError
            It has no support, or its confidence is out of range.
        NotFound
            A turn that it was made of is gone.

        """
        if not support:
            raise ValueError("a concept rests on one turn or more")
        if not 0.0 <= confidence <= 1.0:
            raise ValueError("a confidence is from 0 to 1")
        with self.database.transaction():
            node = self.database.value(_INSERT_NODE, (new_id(), SEMANTIC, text, terms, Source.MEMORY.value))
            self.database.run(
                "insert into concept(node, maker, category, confidence) values (?, ?, ?, ?)",
                (node, maker.value, category.value, confidence),
            )
            self.reinforce(node, support)
            return self.by_nodes([node])[0]

    def add_each(self, maker: Maker, findings: Sequence[Finding]) -> list[int]:
        """Keep many findings of a maker as concepts, all or none, and give their nodes.

        Raises
        ------
        NotFound
            All turns that one was made of are gone; of others those that are gone are left out.

        """
        with self.database.transaction():
            nodes = [
                int(self.database.value(_INSERT_NODE, (new_id(), SEMANTIC, one.text, one.terms, Source.MEMORY.value)))
                for one in findings
            ]
            self.database.run_each(
                "insert into concept(node, maker, category, confidence) values (?, ?, ?, ?)",
                [
                    (node, maker.value, one.category.value, one.confidence)
                    for node, one in zip(nodes, findings, strict=True)
                ],
            )
            self.reinforce_each({node: one.support for node, one in zip(nodes, findings, strict=True)})
            groundless = self.database.row(
                "select 1 from json_each(?) where not exists (select 1 from support where concept = value)",
                (listed(nodes),),
            )
            if groundless is not None:
                raise NotFound("All turns that this concept was made of are gone.")
            return nodes

    def reinforce(self, node: int, support: Sequence[int]) -> None:
        """Let a concept rest on these turns too.

        Raises
        ------
        NotFound
            The concept or one of the turns is gone.

        """
        chosen = listed(set(support))
        with self.database.transaction():
            if self.database.row("select 1 from concept where node = ?", (node,)) is None:
                raise NotFound("This concept is gone.")
            there = "select count(*) from turn where node in (select value from json_each(?))"
            if self.database.value(there, (chosen,)) != len(set(support)):
                raise NotFound("A turn that this concept was made of is gone.")
            self.database.run(
                "insert into support(concept, turn) select ?, value from json_each(?) where true"
                " on conflict do nothing",
                (node, chosen),
            )

    def reinforce_each(self, supports: Mapping[int, Sequence[int]]) -> None:
        """Let many concepts rest on further turns, each on its own; what is gone of either is left out."""
        with self.database.transaction():
            self.database.run_each(
                "insert into support(concept, turn) select c.node, t.node from concept as c, turn as t"
                " where c.node = ? and t.node = ? on conflict do nothing",
                [(concept, turn) for concept, turns in supports.items() for turn in turns],
            )

    def by_text(self, maker: Maker) -> dict[str, int]:
        """Give the node of each concept of a maker by its text, casefolded; of equal texts the earlier one."""
        rows = self.database.rows(
            "select n.text, n.id from concept as c join node as n on n.id = c.node where c.maker = ?"
            " order by n.id desc",
            (maker.value,),
        )
        return {text.casefold(): node for text, node in rows}

    def get(self, prefix: str) -> Concept:
        """Give the one concept whose identifier begins so.

        Raises
        ------
        NotFound
            None does, or fewer than four characters were given.
        AmbiguousId
            Several do.

        """
        uid = whole_id(self.database, "node", prefix, kind=SEMANTIC)
        return self._made(self.database.rows(_SELECT + "where n.uid = ?", (uid,)))[0]

    def by_nodes(self, nodes: Sequence[int]) -> list[Concept]:
        """Give the concepts of these nodes in the order asked; those that are gone, and turns, are left out."""
        rows = self.database.rows(f"{_SELECT} where c.node in (select value from json_each(?))", (listed(nodes),))  # noqa: S608
        found = {concept.node: concept for concept in self._made(rows)}
        return [found[node] for node in nodes if node in found]

    def of_turns(self, nodes: Sequence[int]) -> list[Concept]:
        """Give the concepts that any of these turns supports, ascending by node."""
        rows = self.database.rows(
            f"{_SELECT} where c.node in (select concept from support where turn in (select value from json_each(?)))"  # noqa: S608
            " order by c.node",
            (listed(nodes),),
        )
        return self._made(rows)

    def resting_on(self, nodes: Sequence[int]) -> list[Concept]:
        """Give the concepts that would go if these turns were forgotten, ascending by node."""
        return self.by_nodes(resting_on(self.database, nodes))

    def listing(
        self,
        *,
        limit: int | None = None,
        offset: int = 0,
        categories: Sequence[Category] = (),
        makers: Sequence[Maker] = (),
        match_terms: Sequence[str] = (),
    ) -> list[Concept]:
        """Give concepts, the one made last first.

        Parameters
        ----------
        limit, offset
            At most so many, after leaving out so many.
        categories, makers
            Only those of these.
        match_terms
            Only those that have all of these terms, the last of which may be the beginning of one.

        """
        conditions, bindings = ["true"], list[Value]()
        if match_terms:
            expression = every_term(match_terms)
            if not expression:
                return []
            conditions.append("c.node in (select rowid from lexical where lexical match ?)")
            bindings.append(expression)
        if categories:
            conditions.append("c.category in (select value from json_each(?))")
            bindings.append(listed([category.value for category in categories]))
        if makers:
            conditions.append("c.maker in (select value from json_each(?))")
            bindings.append(listed([maker.value for maker in makers]))
        bindings += [-1 if limit is None else max(limit, 0), offset]
        rows = self.database.rows(
            f"{_SELECT} where {' and '.join(conditions)} order by c.node desc limit ? offset ?", bindings
        )
        return self._made(rows)

    def count(self) -> int:
        """Give the number of concepts."""
        return int(self.database.value("select count(*) from concept"))

    def graph_rows(self) -> list[ConceptRow]:
        """Give what a graph needs of the concepts, ascending by node."""
        return [
            ConceptRow(
                node=node,
                maker=Maker(maker),
                category=Category(category),
                terms=terms,
                first_us=first_us,
                last_us=last_us,
            )
            for node, maker, category, terms, first_us, last_us in self.database.rows(_GRAPH)
        ]

    def support(self) -> list[tuple[int, int]]:
        """Give each concept with each turn that supports it, as nodes, ascending."""
        rows = self.database.rows("select concept, turn from support order by concept, turn")
        return [(concept, turn) for concept, turn in rows]

    def pending(self, maker: Maker, *, limit: int) -> list[int]:
        """Give the nodes of turns that this maker has not consolidated yet, oldest first; none that is held back."""
        rows = self.database.rows(
            "select t.node from turn as t where not exists"  # its own words  # noqa: S608
            " (select 1 from consolidated as done where done.turn = t.node and done.maker = ?)"
            f" and t.node not in {HELD_BACK} order by t.node limit ?",
            (maker.value, max(limit, 0)),
        )
        return [node for (node,) in rows]

    def note_consolidated(self, maker: Maker, nodes: Sequence[int]) -> None:
        """Keep that this maker has consolidated these turns; those that are gone are left out."""
        with self.database.transaction():
            self.database.run(
                "insert into consolidated(maker, turn) select ?, node from turn"
                " where node in (select value from json_each(?)) on conflict do nothing",
                (maker.value, listed(nodes)),
            )

    def remove(self, nodes: Sequence[int]) -> int:
        """Drop concepts with their vectors, and give how many there were. No proof of erasure is made: turns stay."""
        with self.database.transaction():
            return drop_concepts(self.database, [concept.node for concept in self.by_nodes(nodes)])

    def _made(self, rows: Sequence[Row]) -> list[Concept]:
        """Give the concepts of rows, each with its support; one that another process removes meanwhile has none."""
        supports: dict[int, list[Row]] = {node: [] for node, *_ in rows}
        for concept, *turn in self.database.rows(_SUPPORT, (listed(supports),)):
            supports[concept].append(tuple(turn))
        return [_concept(row, supports[row[0]]) for row in rows if supports[row[0]]]


def resting_on(database: Database, turns: Sequence[int]) -> list[int]:
    """Give the nodes of concepts that go when the words of these turns go, ascending."""
    rows = database.rows(
        "select s.concept from support as s join concept as c on c.node = s.concept where s.concept in"
        " (select concept from support where turn in (select value from json_each(?1)))"
        " group by s.concept having c.maker <> 'salient'"
        " or sum(s.turn not in (select value from json_each(?1))) = 0 order by s.concept",
        (listed(turns),),
    )
    return [node for (node,) in rows]


def reopen(database: Database, concepts: Sequence[int]) -> None:
    """Let the turns that these concepts rest on wait for the maker of each again."""
    database.run(f"delete from consolidated where (maker, turn) in ({_READ_FOR})", (listed(concepts),))  # noqa: S608


def reopened(database: Database, concepts: Sequence[int]) -> list[tuple[str, int]]:
    """Give each maker with each turn that `reopen` would let wait for it again."""
    statement = f"select maker, turn from consolidated where (maker, turn) in ({_READ_FOR}) order by maker, turn"  # noqa: S608
    return [(maker, turn) for maker, turn in database.rows(statement, (listed(concepts),))]


def release(database: Database, turn: int) -> None:
    """Take a turn's support away from what was made of it, for its words are others now, and let it wait again."""
    going = resting_on(database, [turn])
    reopen(database, going)
    drop_concepts(database, going)
    database.run("delete from support where turn = ?", (turn,))
    database.run("delete from consolidated where turn = ?", (turn,))


def drop_concepts(database: Database, nodes: Sequence[int]) -> int:
    """Delete the nodes of concepts with their vectors; give how many there were."""
    drop_passages(database, nodes)
    rows = database.rows("delete from node where id in (select value from json_each(?)) returning id", (listed(nodes),))
    return len(rows)


def _concept(row: Row, support: Sequence[Row]) -> Concept:
    node, uid, text, maker, category, confidence = row
    times = sorted((microseconds, offset_seconds) for _, microseconds, offset_seconds in support)
    return Concept(
        id=uid,
        node=node,
        text=text,
        maker=Maker(maker),
        category=Category(category),
        confidence=confidence,
        first=from_columns(*times[0]),
        last=from_columns(*times[-1]),
        support=tuple(turn for turn, _, _ in support),
    )
