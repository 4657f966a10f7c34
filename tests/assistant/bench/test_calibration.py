"""What the gate is calibrated on."""

from assistant.bench.calibration import labelled
from tests.assistant.bench.outcomes import outcome


def test_only_answerable_questions_of_the_dialogue_itself_are_held() -> None:
    seen = {"cosine": 0.5}
    found = labelled(
        [
            outcome(signals=seen),
            outcome(signals=seen, answerable=False),
            outcome(signals=seen, home="elsewhere"),
            outcome(signals=seen, home="elsewhere", answerable=False),
            outcome(sample="other", home="other", signals=seen),
        ]
    )
    assert found.labels == (True, False, False, False, True)
    assert found.groups == ("talk", "talk", "talk", "talk", "other")
    assert found.rows == (seen,) * 5


def test_a_question_that_no_gate_saw_is_left_out() -> None:
    assert labelled([outcome()]).rows == ()
