"""From the ranking of a graph to memories: which are wanted, in what order they stand, and the ways they came."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from assistant.errors import BadInput
from assistant.memory.activation import strongest_ways
from assistant.memory.engines import Question, Ranking
from assistant.memory.graph import MemoryGraph
from assistant.memory.recollection import ConceptHit, Hit, ScoreParts, Step
from storage.instants import to_columns
from storage.records import Concept, Maker, Turn
from storage.vault import Vault

LEAST_SAY = 0.3
"""Share of an older statement's score that a newer one needs to stand before it. 0 to 1."""
MOST_COPIES = 2
"""Memories with the very same words that were brought in, of which all places would be taken by a file that repeats
one. Two exports that overlap hold each sentence twice."""
CONCEPTS = 5
"""Concepts that come with a recollection. HeLa-Mem, section 4.1: 5."""
LONGEST_QUESTION = 20_000
"""Characters of a question that are read: three thousand words. An encoder reads the first few hundred."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Which memories are wanted."""

    since: datetime | None = None
    until: datetime | None = None
    """Said no earlier, and no later."""
    as_of: datetime | None = None
    """As the memory was then: nothing that was said later counts, not for the scores either."""
    speakers: frozenset[str] = frozenset()
    """Said by one of these, in whatever case; empty: by anybody."""
    exclude: frozenset[int] = frozenset()
    """Nodes that are not wanted back, such as those a prompt holds already. They still pass activation on."""


EVERYTHING = Scope()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """A question, the graph it was put to, and what an engine made of both."""

    graph: MemoryGraph
    question: Question
    ranking: Ranking


def check(query: str, *, k: int) -> str:
    """Give the question as it is read.

    Raises
    ------
    BadInput
        It is empty, or k is below 1.
    """
    if not query.strip():
        raise BadInput("the question is empty: say what you want to recall")
    if k < 1:
        message = f"-k {k}: ask for one memory or more"
        raise BadInput(message)
    return query[:LONGEST_QUESTION]


def wanted(graph: MemoryGraph, ranking: Ranking, scope: Scope) -> NDArray[np.bool_]:
    """Tell of each turn (n,) whether it was ranked and is in the scope."""
    n = len(graph.rows)
    chosen = ranking.score[:n] > 0
    said = graph.microseconds[:n]
    if scope.since is not None:
        chosen &= said >= to_columns(scope.since)[0]
    if scope.until is not None:
        chosen &= said <= to_columns(scope.until)[0]
    if scope.speakers:
        names = {name.casefold() for name in scope.speakers}
        chosen &= graph.said_by({name for name in graph.speakers if name.casefold() in names})
    if scope.exclude:
        chosen &= ~np.isin(graph.nodes[:n], list(scope.exclude))
    return chosen


def best(
    ranking: Ranking,
    chosen: NDArray[np.bool_],
    newer: dict[int, list[int]],
    *,
    k: int,
    brought_in: Callable[[int], str] = lambda _: "",
) -> list[int]:
    """Give the rows of the k best; of equal ones the later said comes first, and what supersedes before what it does.

    Parameters
    ----------
    ranking, chosen
        Scores of all, and which turns (n,) may come.
    newer
        Rows that supersede a row.
    brought_in
        The words of a row that was brought in: of those with the same ones the best two come at most.
    """
    rows = np.flatnonzero(chosen)
    score = ranking.score[rows]
    likely = rows
    if rows.size > 2 * k:  # each of them adds itself, unless it stands already among the k that are found
        likely = rows[score >= np.partition(score, -2 * k)[-2 * k]]
    for some in (likely, rows):  # of the likely ones too many may be the same
        found: dict[int, None] = {}
        told: Counter[str] = Counter()
        for row in some[np.lexsort((-some, -ranking.score[some]))].tolist():
            if len(found) >= k:
                break
            said = brought_in(row)
            told[said] += 1
            if not said or told[said] <= MOST_COPIES:
                _add(row, found, newer, chosen)
        if len(found) >= k or likely.size == rows.size:
            break
    return list(found)[:k]


def superseding(vault: Vault, graph: MemoryGraph, ranking: Ranking) -> dict[int, list[int]]:
    """Give for the row of each superseded turn the rows of what supersedes it, the latest first, where it is there.

    One that has next to nothing to do with the question is not: "I moved to Porto" has no say in how somebody is
    called who once told name and city together.
    """
    score = ranking.score
    found: dict[int, list[int]] = {}
    for one in vault.successions.listing():
        older, newer = graph.row_of.get(one.older), graph.row_of.get(one.newer)
        if older is not None and newer is not None and score[newer] >= LEAST_SAY * score[older]:
            found.setdefault(older, []).append(newer)
    return {older: sorted(rows, key=lambda row: -graph.microseconds[row]) for older, rows in found.items()}


def hits(vault: Vault, ranked: Ranked, rows: Sequence[int], newer: dict[int, list[int]]) -> tuple[Hit, ...]:
    """Give the memories of these rows, best first; one that another process has just forgotten is left out."""
    graph, ranking = ranked.graph, ranked.ranking
    ways = _ways(ranking, rows)
    named = {*rows, *(source for way in ways.values() for source, _ in way)}
    named |= {newer[row][0] for row in rows if row in newer}
    nodes = [int(graph.nodes[row]) for row in named]
    things: dict[int, Turn | Concept] = {thing.node: thing for thing in vault.turns.by_nodes(nodes)}
    things |= {thing.node: thing for thing in vault.concepts.by_nodes(nodes)}
    archived = {node for node, trace in vault.traces.of(nodes).items() if trace.archived}
    coverage = graph.coverage(ranked.question.terms)
    found: list[Hit] = []
    for row in rows:
        turn = things.get(int(graph.nodes[row]))
        if not isinstance(turn, Turn):
            continue
        after = things.get(int(graph.nodes[newer[row][0]])) if row in newer else None
        found.append(
            Hit(
                turn=turn,
                rank=len(found) + 1,
                score=float(ranking.score[row]),
                parts=_parts(ranking, coverage, row),
                path=_path(graph, ways[row], row, things),
                archived=turn.node in archived,
                superseded_by=after if isinstance(after, Turn) else None,
            )
        )
    return tuple(found)


def concept_hits(vault: Vault, graph: MemoryGraph, question: Question) -> tuple[ConceptHit, ...]:
    """Give the concepts nearest to the question that say something, best first: facts and knowledge, not mere terms."""
    n = len(graph.rows)
    told = [row for row, concept in enumerate(graph.concepts, start=n) if concept.maker is not Maker.SALIENT]
    if not told:
        return ()
    cosine, coverage = graph.cosines(question.vector), graph.coverage(question.terms)
    nearest = sorted(told, key=lambda row: -(cosine[row] + coverage[row]))[:CONCEPTS]
    concepts = {
        concept.node: concept for concept in vault.concepts.by_nodes([int(graph.nodes[row]) for row in nearest])
    }
    return tuple(
        ConceptHit(concept=concepts[int(graph.nodes[row])], cosine=float(cosine[row]), coverage=float(coverage[row]))
        for row in nearest
        if int(graph.nodes[row]) in concepts
    )


def _add(row: int, found: dict[int, None], newer: dict[int, list[int]], chosen: NDArray[np.bool_]) -> None:
    """Add a row, what supersedes it first."""
    if row in found:
        return
    for later in newer.get(row, []):
        if chosen[later] and later not in found:
            _add(later, found, {older: rows for older, rows in newer.items() if older != row}, chosen)
    found[row] = None


def _parts(ranking: Ranking, coverage: NDArray[np.float64], row: int) -> ScoreParts:
    return ScoreParts(
        cosine=float(ranking.cosine[row]),
        bm25=float(ranking.bm25[row]),
        coverage=float(coverage[row]),
        energy=float(ranking.energy[row]),
        received=float(ranking.received[row]),
    )


def _ways(ranking: Ranking, rows: Sequence[int]) -> dict[int, list[tuple[int, float]]]:
    """Give the way by which each was reached, row and weight of each edge on it; empty where nothing came."""
    if ranking.passing is None:
        return {row: [] for row in rows}
    reached = [row for row in rows if ranking.received[row] > 0]
    ways = strongest_ways(ranking.passing, ranking.energy, reached, share=ranking.share, steps=ranking.steps)
    return {row: [] for row in rows} | dict(zip(reached, ways, strict=True))


def _path(
    graph: MemoryGraph, way: Sequence[tuple[int, float]], row: int, things: dict[int, Turn | Concept]
) -> tuple[Step, ...]:
    """Give the way as steps; empty when a node on it is gone."""
    if not way:
        return ()
    targets = [*(source for source, _ in way[1:]), row]
    steps = [
        Step(source=things[node], kind=graph.kind_of(source, target), weight=weight)
        for (source, weight), target in zip(way, targets, strict=True)
        if (node := int(graph.nodes[source])) in things
    ]
    return tuple(steps) if len(steps) == len(way) else ()
