"""What memory gave for each answer: the record behind "why did it say that"."""

from collections.abc import Sequence
from dataclasses import dataclass

from storage.conversations import whole_id
from storage.database import Database, listed
from storage.records import RecalledTurn, Turn
from storage.turns import Turns


@dataclass(frozen=True, slots=True)
class Recollections:
    """The recollections of a vault. A line goes when either its answer or its memory goes."""

    database: Database

    def put(self, answer: str, lines: Sequence[tuple[int, float, bool, bool]]) -> None:
        """Keep what memory gave for an answer, in place of what was kept before.

        Parameters
        ----------
        answer
            Identifier of the turn that answers.
        lines
            Node, score, whether it was put into the prompt, whether the answer drew on it; best first. Nodes that
            are gone are left out.

        Raises
        ------
        NotFound
            There is no such answer.

        """
        with self.database.transaction():
            uid = whole_id(self.database, "node", answer)
            self.database.run("delete from recollection where answer = (select id from node where uid = ?)", (uid,))
            self.database.run_each(
                "insert into recollection(answer, node, rank, score, injected, used)"
                " select answer.id, given.id, ?, ?, ?, ? from node as answer, node as given"
                " where answer.uid = ? and given.id = ?",
                [
                    (rank, score, int(injected), int(used), uid, node)
                    for rank, (node, score, injected, used) in enumerate(lines, start=1)
                ],
            )

    def of_answer(self, answer: str) -> list[RecalledTurn]:
        """Give what memory gave for an answer, best first; nothing when there is no such answer."""
        rows = self.database.rows(
            "select r.node, r.rank, r.score, r.injected, r.used from recollection as r"
            " join node as answer on answer.id = r.answer where answer.uid = ? order by r.rank",
            (answer,),
        )
        turns = {turn.node: turn for turn in Turns(self.database).by_nodes([row[0] for row in rows])}
        return [
            RecalledTurn(turn=turns[node], rank=rank, score=score, injected=bool(injected), used=bool(used))
            for node, rank, score, injected, used in rows
            if node in turns
        ]

    def answers_that_had(self, nodes: Sequence[int]) -> list[Turn]:
        """Give the answers that had any of these in their prompt or drew on it, oldest first."""
        rows = self.database.rows(
            "select distinct answer from recollection where (injected = 1 or used = 1)"
            " and node in (select value from json_each(?)) order by answer",
            (listed(nodes),),
        )
        return Turns(self.database).by_nodes([answer for (answer,) in rows])
