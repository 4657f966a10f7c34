import pytest

from assistant.errors import BadInput
from assistant.memory.parameters import Parameters
from assistant.memory.tuning import with_changes


def test_a_number_is_changed_and_the_rest_stays() -> None:
    changed = with_changes(Parameters(), {"k1": 2, "synapse.decay": 0.4, "synapse.spares_anchors": False})
    assert (changed.k1, changed.synapse.decay, changed.synapse.spares_anchors) == (2.0, 0.4, False)
    assert changed.b == Parameters().b
    assert changed.synapse.share == Parameters().synapse.share


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("synaps.decay", 0.4, "there is no parameter synaps.decay; did you mean synapse?"),
        ("synapse", 0.4, "synapse is no number"),
        ("k1.more", 1, "k1.more is no number"),
        ("associative.spread_steps", 2.5, "takes int values, not 2.5"),
        ("synapse.decay", float("nan"), "takes a finite number"),
        ("synapse.decay", -0.1, "synapse.decay is 0 or more, not -0.1"),
    ],
)
def test_what_cannot_be_used_is_named(name: str, value: float, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        with_changes(Parameters(), {name: value})


def test_a_cosine_may_be_negative() -> None:
    assert with_changes(Parameters(), {"hela.least_cosine": -0.2}).hela.least_cosine == -0.2


def test_a_mechanism_that_may_be_missing_is_left_out_by_false() -> None:
    without = with_changes(Parameters(), {"gate": False})
    assert without.gate is None
    assert with_changes(without, {"gate": False}) == without
    with pytest.raises(BadInput, match=r"gate is no number: name a parameter"):
        with_changes(Parameters(), {"gate": True})
    with pytest.raises(BadInput, match=r"gate.refuse_below is no number"):
        with_changes(without, {"gate.refuse_below": 0.5})


def test_the_thresholds_of_the_gate_are_numbers_like_any() -> None:
    gate = with_changes(Parameters(), {"gate.refuse_below": 0.5}).gate
    assert gate is not None
    assert gate.refuse_below == 0.5
