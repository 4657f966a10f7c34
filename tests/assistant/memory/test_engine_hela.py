from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from assistant.memory.engines.hela import freshness, rank, standing_above
from assistant.memory.parameters import HelaParameters, Parameters
from tests.assistant.memory.small_graph import Node, ask, small_graph

SMALL = Parameters(hela=replace(HelaParameters(), episodic=2, lifted=1, semantic=1))


def best(score: np.ndarray, most: int) -> list[int]:
    return [int(row) for row in np.argsort(-score, kind="stable")[:most]]


def test_scores_by_hand() -> None:
    # 0 says "tea" sixty days ago: (0.6 + 0.5 * 1) / e. The hop brings 0.1 * 0.4 of it to 1, which itself has 0.1, today
    graph = small_graph(
        Node(cosine=0.6, words="tea"), Node(cosine=0.1, day=60, talk=2, words="milk"), learned={(0, 1): 0.4}
    )
    ranking = rank(graph, ask("tea", day=60))
    base = np.array([1.1 / np.e, 0.1])
    assert ranking.energy == pytest.approx(base)
    assert ranking.received == pytest.approx([0, 0.1 * 0.4 * base[0]])
    assert ranking.score == pytest.approx(ranking.energy + ranking.received)


def test_only_turns_above_the_threshold_pass_on() -> None:
    for cosine, passes in [(0.21, True), (0.19, False)]:
        graph = small_graph(Node(cosine=cosine), Node(talk=2), learned={(0, 1): 1.0})
        assert (rank(graph, ask()).received[1] > 0) == passes


def test_consecutive_turns_are_bound_before_anything_was_learned() -> None:
    graph = small_graph(Node(cosine=0.5), Node(position=1), Node(talk=2))
    assert rank(graph, ask()).received == pytest.approx([0, 0.1 * 0.1 * 0.5, 0])


def test_a_weight_is_never_above_1() -> None:
    graph = small_graph(Node(cosine=0.5), Node(position=1), learned={(0, 1): 0.98})
    assert rank(graph, ask()).received[1] == pytest.approx(0.1 * 1.0 * 0.5)


def test_what_the_hop_lifted_stands_within_the_first_k_and_m() -> None:
    # by base: 0, 1, 2, 3, 4. Use has bound 4 to 0; so it comes third, before 2 and 3, which are nearer to the question
    graph = small_graph(
        *[Node(cosine=cosine, talk=talk) for talk, cosine in enumerate([0.9, 0.8, 0.7, 0.6, 0.1])],
        learned={(0, 4): 1.0},
        parameters=SMALL,
    )
    ranking = rank(graph, ask())
    assert best(ranking.energy, 5) == [0, 1, 2, 3, 4]
    assert set(best(ranking.score, 3)) == {0, 1, 4}


def test_of_what_the_hop_lifted_the_highest_survive() -> None:
    graph = small_graph(
        *[Node(cosine=cosine, talk=talk) for talk, cosine in enumerate([0.9, 0.8, 0.1, 0.1, 0.1])],
        learned={(0, 2): 0.2, (0, 3): 0.9, (0, 4): 0.5},
        parameters=SMALL,
    )
    assert set(best(rank(graph, ask()).score, 3)) == {0, 1, 3}


def test_the_first_path_keeps_its_places_whatever_was_lifted() -> None:
    graph = small_graph(
        *[Node(cosine=cosine, talk=talk) for talk, cosine in enumerate([0.5, 0.3, 0.29, 0.28])],
        learned={(0, 2): 1.0, (0, 3): 1.0},
        parameters=SMALL,
    )
    assert {0, 1} <= set(best(rank(graph, ask()).score, 3))


def test_the_best_concepts_are_the_semantic_path() -> None:
    graph = small_graph(
        *[Node(cosine=cosine, talk=talk) for talk, cosine in enumerate([0.9, 0.8, 0.7])],
        Node(cosine=0.5, support=(0,)),
        Node(cosine=0.4, support=(1,)),
        parameters=SMALL,
    )
    assert set(best(rank(graph, ask()).score, 3)) == {0, 1, 3}


def test_concepts_do_not_age() -> None:
    graph = small_graph(Node(cosine=0.9), Node(cosine=0.5, support=(0,)))
    assert rank(graph, ask(day=120)).energy == pytest.approx([0.9 * np.exp(-2), 0.5])


def test_a_turn_counts_less_the_older_it_is_and_a_later_one_as_new() -> None:
    graph = small_graph(Node(day=0), Node(day=60, talk=2), Node(day=120, talk=3))
    assert freshness(graph, ask(day=60).microseconds) == pytest.approx([np.exp(-1), 1, 1])


def test_ranking_learns_nothing() -> None:
    graph = small_graph(Node(cosine=0.9), Node(cosine=0.8, position=1), learned={(0, 1): 0.4})
    first = rank(graph, ask())
    np.testing.assert_array_equal(rank(graph, ask()).score, first.score)
    assert graph.learned.toarray().tolist() == [[0, 0.4], [0.4, 0]]


@given(score=arrays(np.float64, 8, elements=st.floats(0.01, 3)), selected=arrays(np.bool_, 8))
def test_the_selected_stand_above_the_others_and_each_part_keeps_its_order(
    score: np.ndarray, selected: np.ndarray
) -> None:
    standing = standing_above(score, selected)
    np.testing.assert_array_equal(standing[selected], score[selected])
    if selected.any() and not selected.all():
        assert standing[~selected].max() < standing[selected].min()
    assert (np.diff(standing[~selected][np.argsort(score[~selected])]) >= 0).all()
