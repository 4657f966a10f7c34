"""Branches: conversations that continue from a place in another one, whose turns they show and do not copy.

What a branch inherits are its parent's turns that were kept before a node. Nodes are numbered in the order in which
they were kept, and no number is used twice: so the place stays what it is when turns go, or come back. A turn that is
forgotten is gone from all branches, since there is only one of it.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from storage.belongings import BRANCH, Belonging
from storage.database import Database
from storage.errors import NotFound
from storage.records import BranchPoint, Fork, Turn

_LONGEST_LINE = 1000
"""Conversations that continue one another. It ends a reading that a damaged vault would lead in circles."""
LINE = f"""
with recursive line(conversation, before_node, depth) as (
    select id, null, 0 from conversation where uid = ?1
    union all
    select b.parent, b.before_node, line.depth + 1
    from line join branch as b on b.conversation = line.conversation where line.depth < {_LONGEST_LINE}
)
"""  # its own number  # noqa: S608
"""The conversation with this identifier, and those that it continues from, each with the node before which it parts."""


@dataclass(frozen=True, slots=True)
class Branches:
    """The branches of a vault."""

    database: Database

    def put(self, conversation: str, point: BranchPoint) -> None:
        """Let a conversation continue from a place in another one.

        Parameters
        ----------
        conversation
            Its whole identifier. It is new, and continues from none.
        point
            The place.

        Raises
        ------
        NotFound
            One of both conversations is not there.

        """
        with self.database.transaction():
            uids = (conversation, point.parent)
            numbers: dict[str, int] = dict(
                self.database.rows("select uid, id from conversation where uid in (?, ?)", uids)
            )
            if not {conversation, point.parent} <= numbers.keys():
                raise NotFound("The conversation that this is to continue from is gone.")
            put_branch(self.database, numbers[conversation], numbers[point.parent], point.before_node)

    def point(self, conversation: str) -> BranchPoint | None:
        """Give the place from which a conversation continues; None when it begins by itself."""
        found = self.database.row(
            "select p.uid, b.before_node from conversation as c join branch as b on b.conversation = c.id"
            " join conversation as p on p.id = b.parent where c.uid = ?",
            (conversation,),
        )
        return None if found is None else BranchPoint(parent=found[0], before_node=found[1])

    def point_of(self, turn: Turn) -> BranchPoint:
        """Give the place from which a branch continues that has something else where this turn stands.

        What stands first in a branch parts where the branch does.
        """
        before = self.database.row(
            "select 1 from turn as t join conversation as c on c.id = t.conversation where c.uid = ? and t.node < ?",
            (turn.conversation, turn.node),
        )
        own = BranchPoint(parent=turn.conversation, before_node=turn.node)
        return own if before is not None else self.point(turn.conversation) or own

    def forks(self, conversation: str) -> list[Fork]:
        """Give the places of a conversation, those before it that it continues from included, where others part."""
        line = self.database.rows(
            f"{LINE} select c.id, c.uid, line.before_node from line join conversation as c on c.id = line.conversation"  # noqa: S608
            " order by line.depth desc",
            (conversation,),
        )
        found = list[Fork]()
        for (number, uid, before_node), following in zip_longest(line, line[1:]):
            after = None if following is None else following[0]
            found += self._forks_of(number, uid, following=after, before_node=before_node)
        return sorted(found, key=lambda fork: fork.node)

    def _forks_of(self, parent: int, uid: str, *, following: int | None, before_node: int | None) -> Iterator[Fork]:
        """Give the forks in one conversation of a line, as far as it is shown.

        Parameters
        ----------
        parent, uid
            Number and identifier of the conversation.
        following, before_node
            Number of the branch of it by which the line goes on, and where that parts; None where the line ends.

        """
        branches: dict[int | None, list[tuple[int, str, int]]] = defaultdict(list)
        for place, *child in self.database.rows(
            "select (select min(node) from turn where conversation = b.parent and node >= b.before_node),"
            " c.id, c.uid, (select min(node) from turn where conversation = c.id)"
            " from branch as b join conversation as c on c.id = b.conversation where b.parent = ? order by c.id",
            (parent,),
        ):
            branches[place].append((child[0], child[1], child[2]))
        for place, children in branches.items():
            there = [*([(parent, uid, place)] if place is not None else []), *children]
            is_further = place is not None and (before_node is None or place < before_node)
            shown = next((number for number, one in enumerate(there) if one[0] == following), 0 if is_further else None)
            if shown is not None and len(there) > 1:
                yield Fork(versions=tuple(one[1] for one in there), nodes=tuple(one[2] for one in there), shown=shown)


def put_branch(database: Database, conversation: int, parent: int, before_node: int) -> None:
    """Let a conversation continue from another one, both by their numbers.

    Of two places the later one stays: the other was handed on when the conversation in between went. Nothing is done
    where it would lead in a circle.
    """
    database.run(
        "with recursive line(number) as (select ?2 union select b.parent from line join branch as b"
        " on b.conversation = line.number)"
        " insert into branch(conversation, parent, before_node) select ?1, ?2, ?3"
        " where ?1 not in (select number from line)"
        " on conflict(conversation) do update set parent = excluded.parent, before_node = excluded.before_node"
        " where excluded.before_node > before_node",
        (conversation, parent, before_node),
    )


def put_back_branches(
    database: Database, rows: Sequence[Belonging], place_of: dict[int, int | None]
) -> list[tuple[Belonging, set[int]]]:
    """Put back branches whose two ends are there, and give the others with the conversations that are missing.

    Parameters
    ----------
    database, rows
        What comes back, when all else did.
    place_of
        For the number of a conversation: that of the one which stands in its place, if another does.

    """
    missing = list[tuple[Belonging, set[int]]]()
    for row in rows:
        if row.table != BRANCH:
            continue
        (before_node,) = row.nodes(("before_node",))
        ends = row.nodes(("conversation", "parent"))
        conversation, parent = (place_of.get(end) or end for end in ends)
        there = database.rows("select id from conversation where id in (?, ?)", (conversation, parent))
        absent = {end for end in ends if ((place_of.get(end) or end),) not in there}
        if absent:
            missing.append((row, absent))
        else:
            put_branch(database, conversation, parent, before_node)
    return missing
