from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.memory.concepts.alike import grow, most_alike, moved, nearest


def unit(*numbers: float) -> np.ndarray[Any, np.dtype[np.float32]]:
    vector = np.array(numbers, dtype=np.float32)
    return vector / np.linalg.norm(vector)


# kernels


def test_the_nearest_are_found_above_a_bound_each_pair_once() -> None:
    every = np.stack([unit(1, 0), unit(0, 1), unit(1, 0.1), unit(0.1, 1)])
    found = nearest(every[2:], every, least=0.5, most=5)
    assert [(one, other) for one, other, _ in found] == [(0, 2), (1, 3)]
    assert found[0][2] == pytest.approx(1 / np.sqrt(1.01))


@given(st.integers(0, 6), st.integers(1, 9), st.integers(0, 4), st.floats(-0.5, 0.9), st.integers(0, 99))
def test_the_nearest_are_those_of_the_whole_product(old: int, new: int, most: int, least: float, seed: int) -> None:
    every = np.random.default_rng(seed).standard_normal((old + new, 5)).astype(np.float32)
    every /= np.linalg.norm(every, axis=1, keepdims=True)
    expected = set()
    for row in range(old, old + new):
        others = sorted(
            (column for column in range(old + new) if column != row), key=lambda c: -(every[row] @ every[c])
        )
        expected |= {(min(row, c), max(row, c)) for c in others[:most] if every[row] @ every[c] >= least}
    assert {(one, other) for one, other, _ in nearest(every[old:], every, least=least, most=most)} == expected


def test_the_most_alike_of_none_is_none() -> None:
    assert most_alike(unit(1, 0), np.zeros((0, 2), dtype=np.float32)) == (-1, 0.0)
    assert most_alike(unit(1, 0.2), np.stack([unit(0, 1), unit(1, 0)]))[0] == 1


@given(st.floats(0, 1), st.integers(0, 99))
def test_a_moved_vector_lies_between_and_has_unit_length(share: float, seed: int) -> None:
    one, other = (row / np.linalg.norm(row) for row in np.random.default_rng(seed).standard_normal((2, 8)))
    between = moved(one.astype(np.float32), other.astype(np.float32), share=share)
    assert np.linalg.norm(between) == pytest.approx(1.0, abs=1e-5)
    assert between @ one >= one @ other - 1e-5
    assert between @ other >= one @ other - 1e-5


def test_a_full_node_gives_up_its_weakest_association_for_a_stronger_one() -> None:
    edges = {1: {2: 0.6, 3: 0.7}, 2: {1: 0.6}, 3: {1: 0.7}}
    changed, gone = grow(edges, [(1, 4, 0.9), (1, 5, 0.5)], degree=2)
    assert changed[1] == {3: 0.7, 4: 0.9}
    assert changed[2] == {}
    assert changed[4] == {1: 0.9}
    assert gone == {(1, 2)}
    assert edges[1] == {2: 0.6, 3: 0.7}


@given(
    st.dictionaries(
        st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(lambda pair: pair[0] < pair[1]), st.floats(0.5, 1.0)
    ),
    st.integers(0, 4),
)
def test_no_node_ever_has_more_associations_than_its_degree(
    candidates: dict[tuple[int, int], float], degree: int
) -> None:
    strongest_first = sorted(((*pair, cosine) for pair, cosine in candidates.items()), key=lambda edge: -edge[2])
    edges, gone = grow({}, strongest_first, degree=degree)
    assert all(len(others) <= degree for others in edges.values())
    assert all(edges[other][node] == cosine for node, others in edges.items() for other, cosine in others.items())
    assert not gone & {(node, other) for node, others in edges.items() for other in others}
    if strongest_first and degree:
        one, other, cosine = strongest_first[0]
        assert edges[one][other] == cosine


# salient terms
