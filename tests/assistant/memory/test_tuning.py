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
