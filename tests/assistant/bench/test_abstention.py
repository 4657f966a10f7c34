"""What is refused, and at which price."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.bench.abstention import abstention, refused_share, separation, threshold_at
from tests.assistant.bench.outcomes import judged, outcome

CHANCES = st.lists(st.floats(0, 1), min_size=1, max_size=60)


def test_refusals_at_the_bound_by_hand() -> None:
    # of 40 answerable questions one may be refused (2.5 %): the threshold is the second lowest of them, 0.3
    right = judged(0.1, 0.3, *[0.9] * 38)
    adversarial = judged(0.2, 0.3, 0.05, 0.8, category="5", answerable=False)
    foreign = judged(0.01, 0.02, home="elsewhere")
    found = abstention([*right, *adversarial, *foreign])
    assert (found["bound"], found["threshold"]) == (0.025, 0.3)
    assert found["false_refusal"] == 0.025
    assert found["adversarial_refused"] == 0.5
    assert found["foreign_refused"] == 1.0
    # of 160 pairs with an adversarial one, 38 * 4 + 2 and a half + 1 are in the right order
    assert found["separation"] == {"adversarial": pytest.approx(155.5 / 160, abs=1e-4), "foreign": 1.0}


def test_the_curve_rises_with_the_bound() -> None:
    chances = [step / 50 for step in range(50)]
    found = abstention([*judged(*chances), *judged(*chances, category="5", answerable=False)])
    refused = [point["adversarial_refused"] for point in found["curve"]]
    assert refused == sorted(refused)
    assert refused[0] < refused[-1]
    assert [point["bound"] for point in found["curve"]] == [0.0, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3]


def test_without_a_gate_there_is_nothing_to_tell() -> None:
    found = abstention([outcome(), outcome(home="elsewhere")])
    names = ("false_refusal", "adversarial_refused", "foreign_refused", "threshold", "separation", "own")
    assert all(found[name] is None for name in names)
    assert found["curve"] == []


def test_the_gates_own_outcome_counts_as_a_refusal_only_when_it_is_unknown() -> None:
    outcomes: list[Any] = [
        outcome(number=number, probability=0.5, verdict=verdict)
        for number, verdict in enumerate(("known", "unsure", "unknown", "known"))
    ]
    found = abstention([*outcomes, outcome(home="elsewhere", probability=0.1, verdict="unknown")])
    assert found["own"] == {"false_refusal": 0.25, "adversarial_refused": None, "foreign_refused": 1.0}


@given(CHANCES, st.floats(0, 0.99))
def test_no_more_answerable_questions_are_refused_than_the_bound_allows(chances: list[float], bound: float) -> None:
    threshold = threshold_at(chances, bound)
    assert sum(one < threshold for one in chances) / len(chances) <= bound + 1e-9


@given(CHANCES, CHANCES)
def test_separation_is_a_chance_and_its_mirror_the_rest(right: list[float], other: list[float]) -> None:
    there, back = separation(right, other), separation(other, right)
    assert there is not None
    assert back is not None
    assert 0 <= there <= 1
    assert there + back == pytest.approx(1, abs=2e-4)


def test_separation_counts_equals_half() -> None:
    assert separation([0.5, 0.9], [0.5, 0.1]) == 0.875
    assert separation([], [0.5]) is None


def test_no_question_has_no_share() -> None:
    assert refused_share([], 0.5) is None
