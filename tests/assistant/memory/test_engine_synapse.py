from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from assistant.memory.engines import Ranking
from assistant.memory.engines.synapse import association_edges, rank, window_edges
from assistant.memory.graph import MemoryGraph
from assistant.memory.parameters import Parameters, SynapseParameters
from tests.assistant.memory.small_graph import Node, ask, small_graph

PUBLISHED = SynapseParameters()


def with_numbers(**numbers: Any) -> Parameters:
    return Parameters(synapse=replace(PUBLISHED, **numbers))


def airport(parameters: Parameters) -> MemoryGraph:
    """The failure of the paper's figure 4: one turn names the jacket, twelve of another talk are about the airport.

    The jacket's turn is alone in its conversation; the others all rest on one concept, and are nearer or less near.
    """
    jacket = Node(cosine=0.6, words="green jacket airport", talk=1, also=1)
    crowd = [
        Node(cosine=cosine, words="airport taxi", talk=2, position=turn, also=2)
        for turn, cosine in enumerate(np.linspace(0.5, 0.1, 12).tolist())
    ]
    hub = Node(cosine=0.5, words="airport", also=2, support=tuple(range(1, 13)))
    return small_graph(jacket, *crowd, hub, parameters=parameters)


def test_one_step_by_hand() -> None:
    # two turns of one talk, a day apart in nothing; only the first is an anchor: a(0) = 0.8.
    # u = (0.5 * 0.8, 0.8 * 0.8 / 1); Eq. 3 takes 0.15 * (0.64 - 0.4) from the first; Eq. 4; PageRank is even
    graph = small_graph(
        Node(cosine=0.8, words="tea"), Node(position=1, words="milk"), parameters=with_numbers(steps=1, anchors=1)
    )
    ranking = rank(graph, ask("tea"))
    fired = 1 / (1 + np.exp(-5 * (np.array([0.4, 0.64]) - 0.5)))
    assert ranking.energy == pytest.approx([0.8, 0])
    assert ranking.received == pytest.approx(fired)
    assert ranking.score == pytest.approx(0.5 * np.array([0.8, 0]) + 0.3 * fired + 0.2)


def test_a_neighbour_in_time_is_reached_without_a_word_of_the_question() -> None:
    graph = small_graph(
        Node(cosine=0.7, words="ski"),
        Node(position=1),
        Node(position=2),
        Node(talk=2),
        parameters=with_numbers(anchors=1),
    )
    activation = rank(graph, ask("ski")).received
    assert activation[0] > 0
    assert activation[1] > activation[3] == 0


def test_words_alone_make_an_anchor_and_its_cosine_the_energy() -> None:
    graph = small_graph(
        Node(cosine=0.3, words="kendall"), Node(cosine=0.9, words="x", talk=2), parameters=with_numbers(anchors=1)
    )
    assert rank(graph, ask("kendall")).energy == pytest.approx([0.3, 0.9])


def test_what_nothing_reaches_stays_at_0() -> None:
    graph = small_graph(Node(cosine=0.5), *[Node(talk=talk) for talk in range(2, 40)])
    assert np.count_nonzero(rank(graph, ask()).received) == 1


def test_as_printed_inhibition_silences_the_direct_hit_beside_a_hub() -> None:
    ranking = rank(airport(with_numbers(spares_anchors=False)), ask("green jacket"))
    assert ranking.received[0] == 0


def test_inhibition_never_pushes_out_a_direct_hit_of_low_degree() -> None:
    asked = ask("green jacket")
    spared = rank(airport(Parameters()), asked)
    printed = rank(airport(with_numbers(spares_anchors=False)), asked)
    free = rank(airport(with_numbers(inhibition=0.0)), asked)
    assert spared.received[0] == pytest.approx(free.received[0])
    place, as_printed, if_free = (int(np.sum(one.score > one.score[0])) for one in (spared, printed, free))
    assert place < as_printed
    assert place < if_free


def test_inhibition_still_quietens_those_that_only_came_along() -> None:
    def activation(parameters: Parameters) -> float:
        crowd = [Node(cosine=0.6, position=turn) for turn in range(8)]
        ranking = rank(small_graph(*crowd, Node(position=8), parameters=parameters), ask())
        return float(ranking.received[8])

    assert activation(with_numbers(anchors=8)) < activation(with_numbers(anchors=8, inhibition=0.0))


def test_the_prior_of_the_hub_is_1_and_weighs_as_published() -> None:
    graph = airport(Parameters())
    ranking = rank(graph, ask("green jacket"))
    prior = (ranking.score - 0.5 * ranking.cosine - 0.3 * ranking.received) / 0.2
    assert prior.max() == pytest.approx(1)
    assert int(prior.argmax()) == 13


def test_a_concept_is_joined_with_the_whole_window_of_its_support() -> None:
    turns = [Node(position=turn) for turn in range(12)]
    edges = window_edges(small_graph(*turns, Node(support=(1,)), Node(support=(4, 10)))).toarray()
    assert np.flatnonzero(edges[12]).tolist() == [0, 1, 2, 3, 4]
    assert np.flatnonzero(edges[13]).tolist() == [0, 1, 2, 3, 4, 10, 11]
    assert set(edges[edges > 0].tolist()) == {0.8}
    np.testing.assert_array_equal(edges, edges.T)


def test_windows_do_not_reach_into_another_conversation() -> None:
    edges = window_edges(small_graph(Node(), Node(talk=2), Node(support=(0,)))).toarray()
    assert np.flatnonzero(edges[2]).tolist() == [0]


def test_only_concepts_above_the_printed_cosine_are_associated() -> None:
    graph = small_graph(
        Node(),
        Node(cosine=0.99, also=1, support=(0,)),
        Node(cosine=0.99, also=2, support=(0,)),
        Node(cosine=0.7, also=2, support=(0,)),
    )
    assert graph.association.nnz == 6
    assert np.argwhere(association_edges(graph).toarray()).tolist() == [[1, 2], [2, 1]]
    assert graph.association.nnz == 6


def test_pruning_leaves_a_concept_its_support_and_takes_from_its_windows() -> None:
    turns = [Node(position=5 * turn) for turn in range(20)] + [Node(position=5 * turn + 1) for turn in range(20)]
    graph = small_graph(*turns, Node(support=tuple(range(20))))
    passing = rank(graph, ask()).passing
    assert passing is not None
    assert np.flatnonzero(passing.toarray()[40]).tolist() == list(range(20))


@pytest.mark.parametrize(
    ("numbers", "weighs"),
    [
        ({"activation_weight": 0.0, "prior_weight": 0.0}, "cosine"),
        ({"cosine_weight": 0.0, "prior_weight": 0.0}, "received"),
    ],
)
def test_each_part_of_the_score_can_be_taken_alone(numbers: dict[str, float], weighs: str) -> None:
    ranking = rank(airport(with_numbers(**numbers)), ask("jacket"))
    part = getattr(ranking, weighs)
    assert ranking.score / ranking.score.max() == pytest.approx(part / part.max())


def test_without_a_share_nothing_is_reached_but_the_anchors() -> None:
    graph = small_graph(
        Node(cosine=0.7, words="ski"), Node(position=1), Node(position=2), parameters=with_numbers(anchors=1, share=0.0)
    )
    assert np.flatnonzero(rank(graph, ask("ski")).received).tolist() == [0]


def test_a_graph_is_read_and_not_changed_and_answers_alike_twice() -> None:
    graph = airport(Parameters())
    before = [matrix.toarray().copy() for matrix in (graph.temporal, graph.abstraction, graph.association)]
    first, second = rank(graph, ask("jacket")), rank(graph, ask("jacket"))
    np.testing.assert_array_equal(first.score, second.score)
    for matrix, kept in zip((graph.temporal, graph.abstraction, graph.association), before, strict=True):
        np.testing.assert_array_equal(matrix.toarray(), kept)


def sizes(ranking: Ranking) -> set[int]:
    return {part.size for part in (ranking.score, ranking.cosine, ranking.bm25, ranking.energy, ranking.received)}


def test_turns_and_concepts_are_scored_alike() -> None:
    assert sizes(rank(airport(Parameters()), ask("jacket"))) == {14}
