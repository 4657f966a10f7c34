"""The gate fitted to the outcomes of a benchmark."""

import numpy as np
import pytest

from assistant.bench.calibrate import SEEN_BY, calibrate, examples, in_first_person, seen_by
from assistant.bench.outcomes import Outcome
from assistant.bench.samples import Asked, Round, Sample
from assistant.errors import BadInput
from assistant.importers.imported import ImportedTurn
from assistant.memory.gate_signals import PERSONAL, SOURCE, STRENGTH
from storage.records import Role, Source, Utterance
from tests.assistant.bench.outcomes import outcome
from tests.conftest import NOON


def outcomes(sample: str, *, personal: bool = False, count: int = 90) -> list[Outcome]:
    """Give outcomes of a dialogue: by turns answerable, foreign (a low cosine), and of the wrong person."""
    random = np.random.default_rng(sum(sample.encode()))
    found = []
    for number in range(count):
        kind = number % (2 if personal else 3)
        names = STRENGTH if personal else (*STRENGTH, *SOURCE)
        signals = dict(zip(names, random.normal(size=len(names)).tolist(), strict=True)) | {PERSONAL: float(personal)}
        signals["cosine"] -= 6.0 * (kind == 1)
        if not personal:
            signals["words"] -= 6.0 * (kind == 2)
        found.append(
            outcome(
                sample=sample,
                home="elsewhere" if kind == 1 else sample,
                number=number,
                answerable=kind != 2,
                signals=signals,
            )
        )
    return found


def test_only_answerable_questions_of_the_dialogue_itself_are_held() -> None:
    seen = {"cosine": 0.5}
    found = examples(
        [
            outcome(signals=seen),
            outcome(signals=seen, answerable=False),
            outcome(signals=seen, home="elsewhere"),
            outcome(signals=seen, home="elsewhere", answerable=False),
            outcome(sample=f"other{SEEN_BY}Ann", home=f"other{SEEN_BY}Ann", signals=seen),
        ]
    )
    assert [one.answerable for one in found] == [True, False, False, False, True]
    assert [one.foreign for one in found] == [False, False, True, True, False]
    assert [one.group for one in found] == ["talk", "talk", "talk", "talk", "other"]
    assert all(one.signals == seen for one in found)


def test_a_question_that_no_gate_saw_is_left_out() -> None:
    assert examples([outcome()]) == []


def test_the_gate_is_fitted_and_tested_where_it_was_not_fitted() -> None:
    given = [one for name in "abc" for one in outcomes(name)]
    given += [one for name in "abc" for one in outcomes(f"{name}{SEEN_BY}Ann", personal=True)]
    made = calibrate(given, encoder="e", bound=0.05)
    assert made.gate.encoder == "e"
    assert made.questions == len(given)
    figures = made.as_json()
    for name in ("curve", "personal_curve"):
        refused = [(point["false_refusals"], point["foreign_refused"]) for point in figures[name]]
        assert refused == sorted(refused)
        assert refused[-1][0] == pytest.approx(0.3, abs=0.01)
        assert refused[-3][1] > 0.9
    assert figures["curve"][-1]["adversarial_refused"] > 0.9
    assert figures["personal_curve"][-1]["adversarial_refused"] is None
    assert figures["thresholds"]["refuse_below"] == made.gate.refuse_below


@pytest.mark.parametrize("names", ["ab", "abc"])
def test_the_thresholds_refuse_no_more_than_they_may_where_the_gate_was_not_fitted(names: str) -> None:
    made = calibrate([one for name in names for one in outcomes(name, count=150)], encoder="e", bound=0.1)
    assert 0.08 <= made.false_refusals <= 0.1
    assert made.as_json()["false_refusals"] == made.false_refusals


def test_one_dialogue_is_no_calibration() -> None:
    with pytest.raises(BadInput, match="two or more"):
        calibrate([*outcomes("a"), *outcomes(f"a{SEEN_BY}Ann", personal=True)], encoder="e")


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("What is Ann's job?", "What is my job?"),
        ("Where does Ann live?", "Where do I live?"),
        ("Was Ann happy, and has Ann slept?", "Was I happy, and have I slept?"),
        ("Who is Annette?", "Who is Annette?"),
    ],
)
def test_a_question_is_asked_as_the_person_it_is_about_would(text: str, own: str) -> None:
    assert in_first_person(text, ["Ann"]) == own


def test_seen_by_a_speaker_a_dialogue_has_a_user_who_asks() -> None:
    def asked(number: int, text: str, *, answerable: bool = True) -> Asked:
        return Asked(
            number=number,
            text=text,
            answer="",
            category="4",
            answerable=answerable,
            evidence=(),
            sessions=(),
            corrected=(),
            corrected_sessions=(),
        )

    def turn(speaker: str) -> ImportedTurn:
        said = Utterance(role=Role.OTHER, speaker=speaker, text="Hi!", time=NOON, source=Source.IMPORTED)
        return ImportedTurn(conversation="c", title="", utterance=said)

    sample = Sample(name="talk", turns=(turn("Ann"), turn("Bob")), session_of={}, questions=(), now=NOON)
    one = Round(
        sample=sample,
        own=(
            asked(0, "Where does Ann live?"),
            asked(1, "Where does Bob live?"),
            asked(2, "What does Ann eat?", answerable=False),
        ),
        foreign=(("other", asked(0, "Where does Zoe live?")), ("other", asked(1, "What is blue?"))),
    )
    seen = seen_by(one, "Ann", ["Ann", "Bob", "Zoe"])
    assert seen.sample.name == "talk, seen by Ann"
    assert [turn.utterance.role for turn in seen.sample.turns] == [Role.USER, Role.OTHER]
    assert [(asked.number, asked.text) for asked in seen.own] == [(0, "Where do I live?")]
    assert [(home, asked.text) for home, asked in seen.foreign] == [("other", "Where do I live?")]
