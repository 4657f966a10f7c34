import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from assistant.memory.inhibition import inhibit

POTENTIALS = arrays(np.float64, st.integers(1, 20), elements=st.floats(0, 5))
STRENGTHS = st.floats(0, 1)
COUNTS = st.integers(1, 9)


def test_inhibition_by_hand() -> None:
    # M = 2: 1.0 and 0.6 inhibit. 0.6 loses 0.5 * 0.4; 0.5 loses 0.5 * (0.5 + 0.1); 0.1 would lose 0.5 * (0.9 + 0.5)
    inhibited = inhibit(np.array([1.0, 0.6, 0.5, 0.1]), strength=0.5, inhibitors=2)
    assert inhibited == pytest.approx([1.0, 0.4, 0.2, 0.0])


def test_a_graph_without_nodes_stays_without() -> None:
    assert inhibit(np.zeros(0), strength=0.15, inhibitors=7).tolist() == []


@given(potential=POTENTIALS, strength=STRENGTHS, inhibitors=COUNTS)
def test_inhibition_only_lowers_and_never_below_0(potential: np.ndarray, strength: float, inhibitors: int) -> None:
    inhibited = inhibit(potential, strength=strength, inhibitors=inhibitors)
    assert (inhibited <= potential).all()
    assert (inhibited >= 0).all()


@given(potential=POTENTIALS, strength=STRENGTHS, inhibitors=COUNTS)
def test_inhibition_keeps_the_order_of_nodes(potential: np.ndarray, strength: float, inhibitors: int) -> None:
    inhibited = inhibit(potential, strength=strength, inhibitors=inhibitors)
    assert (np.diff(inhibited[np.argsort(potential)]) >= -1e-12).all()


@given(potential=POTENTIALS, strength=STRENGTHS, inhibitors=COUNTS)
def test_the_highest_and_its_equals_are_untouched(potential: np.ndarray, strength: float, inhibitors: int) -> None:
    equals = np.append(potential, potential.max())
    top = equals == equals.max()
    np.testing.assert_array_equal(inhibit(equals, strength=strength, inhibitors=inhibitors)[top], equals[top])


@given(potential=POTENTIALS, inhibitors=COUNTS)
def test_stronger_inhibition_takes_more(potential: np.ndarray, inhibitors: int) -> None:
    weak = inhibit(potential, strength=0.1, inhibitors=inhibitors)
    assert (inhibit(potential, strength=0.3, inhibitors=inhibitors) <= weak).all()


@given(potential=POTENTIALS, inhibitors=COUNTS)
def test_without_strength_nothing_is_inhibited(potential: np.ndarray, inhibitors: int) -> None:
    np.testing.assert_array_equal(inhibit(potential, strength=0.0, inhibitors=inhibitors), potential)
