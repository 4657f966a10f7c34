"""What memory gave for each answer: the record behind "why did it say that"."""

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from storage.conversations import EPISODIC, whole_id
from storage.database import Database, listed
from storage.records import RecalledFor, RecalledLine, RecalledTurn, Turn, Verdict
from storage.turns import Turns


@dataclass(frozen=True, slots=True)
class Recollections:
    """The recollections of a vault.

    A line goes when either its answer or its memory goes; the way by which it was reached when any node on it goes.
    """

    database: Database

    def put(self, answer: str, lines: Sequence[RecalledLine], verdict: Verdict | None = None) -> None:
        """Keep what memory gave for an answer, in place of what was kept before.

        Parameters
        ----------
        answer
            Identifier of the turn that answers.
        lines
            Best first, each node once. Nodes that are gone are left out, and ways that lead over one.
        verdict
            How sure memory was that it knew; None when nobody asked.

        Raises
        ------
        NotFound
            There is no such answer.

        """
        with self.database.transaction():
            uid = whole_id(self.database, "node", answer, kind=EPISODIC)
            row = self.database.value("select id from node where uid = ?", (uid,))
            self.database.run("delete from recollection where answer = ?", (row,))
            self.database.run("delete from verdict where answer = ?", (row,))
            self.database.run_each(
                "insert into recollection(answer, node, rank, score, injected, used, parts)"
                " select ?, id, ?, ?, ?, ?, ? from node where id = ?",
                [
                    (row, rank, line.score, int(line.injected), int(line.used), json.dumps(dict(line.parts)), line.node)
                    for rank, line in enumerate(lines, start=1)
                ],
            )
            self._put_paths(row, lines)
            if verdict is not None:
                self.database.run(
                    "insert into verdict(answer, outcome, probability, reasons) values (?, ?, ?, ?)",
                    (row, verdict.outcome, verdict.probability, json.dumps(verdict.reasons, ensure_ascii=False)),
                )

    def of_answer(self, answer: str) -> list[RecalledTurn]:
        """Give what memory gave for an answer, best first; nothing when there is no such answer."""
        rows = self.database.rows(
            "select r.node, r.rank, r.score, r.injected, r.used, r.parts from recollection as r"
            " join node as answer on answer.id = r.answer where answer.uid = ? order by r.rank",
            (answer,),
        )
        turns = {turn.node: turn for turn in Turns(self.database).by_nodes([row[0] for row in rows])}
        paths = self._paths(answer)
        return [
            RecalledTurn(
                turn=turns[node],
                rank=rank,
                score=score,
                injected=bool(injected),
                used=bool(used),
                parts=json.loads(parts),
                path=tuple(paths[node]),
            )
            for node, rank, score, injected, used, parts in rows
            if node in turns
        ]

    def verdict_of(self, answer: str) -> Verdict | None:
        """Give how sure memory was that it knew; None when nobody asked, or there is no such answer."""
        row = self.database.row(
            "select v.outcome, v.probability, v.reasons from verdict as v join node as n on n.id = v.answer"
            " where n.uid = ?",
            (answer,),
        )
        if row is None:
            return None
        outcome, probability, reasons = row
        return Verdict(outcome=outcome, probability=probability, reasons=tuple(json.loads(reasons)))

    def answers_that_had(self, nodes: Sequence[int]) -> list[Turn]:
        """Give the answers that had any of these in their prompt or drew on it, oldest first."""
        rows = self.database.rows(
            "select distinct answer from recollection where (injected = 1 or used = 1)"
            " and node in (select value from json_each(?)) order by answer",
            (listed(nodes),),
        )
        return Turns(self.database).by_nodes([answer for (answer,) in rows])

    def of_memory(self, node: int) -> list[RecalledFor]:
        """Give the answers that a node was given for, oldest first, each with what became of it there."""
        rows = self.database.rows(
            "select answer, rank, score, injected, used from recollection where node = ? order by answer", (int(node),)
        )
        answers = {turn.node: turn for turn in Turns(self.database).by_nodes([row[0] for row in rows])}
        return [
            RecalledFor(answer=answers[answer], rank=rank, score=score, injected=bool(injected), used=bool(used))
            for answer, rank, score, injected, used in rows
            if answer in answers
        ]

    def led_by(self, node: int) -> list[Turn]:
        """Give the answers for which a node led to other memories, oldest first."""
        rows = self.database.rows("select distinct answer from path_step where via = ? order by answer", (int(node),))
        return Turns(self.database).by_nodes([answer for (answer,) in rows])

    def spikes(self) -> list[tuple[int, int, float]]:
        """Give each node that an answer drew on, the node of the answer and the score it had; ascending by answer."""
        rows = self.database.rows("select node, answer, score from recollection where used = 1 order by answer, rank")
        return [(node, answer, score) for node, answer, score in rows]

    def _put_paths(self, answer: int, lines: Sequence[RecalledLine]) -> None:
        """Keep the ways of the lines that were kept, each whole."""
        wanted = {node for line in lines for node in (line.node, *(via for via, _, _ in line.path))}
        rows = self.database.rows("select id from node where id in (select value from json_each(?))", (listed(wanted),))
        there = {node for (node,) in rows}
        self.database.run_each(
            "insert into path_step(answer, node, step, via, kind, weight) values (?, ?, ?, ?, ?, ?)",
            [
                (answer, line.node, step, via, kind, weight)
                for line in lines
                if line.node in there and all(via in there for via, _, _ in line.path)
                for step, (via, kind, weight) in enumerate(line.path)
            ],
        )

    def _paths(self, answer: str) -> dict[int, list[tuple[int, str, float]]]:
        """Give the way by which each node of an answer was reached."""
        paths: dict[int, list[tuple[int, str, float]]] = defaultdict(list)
        for node, *step in self.database.rows(
            "select p.node, p.via, p.kind, p.weight from path_step as p join node as answer on answer.id = p.answer"
            " where answer.uid = ? order by p.node, p.step",
            (answer,),
        ):
            via, kind, weight = step
            paths[node].append((via, kind, weight))
        return paths
