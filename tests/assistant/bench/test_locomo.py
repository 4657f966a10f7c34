"""The loader of LoCoMo: what it takes, and how it refuses what is damaged."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from assistant.bench.locomo import read_locomo
from assistant.errors import BadInput
from tests.assistant.bench.invented import locomo, written


def test_turns_come_in_order_with_their_times(tmp_path: Path) -> None:
    given = locomo()
    given[0]["conversation"]["session_1"].reverse()
    turns = [turn.utterance for turn in read_locomo(written(given, tmp_path))[0].turns]
    assert [turn.external_id for turn in turns] == ["D1:1", "D1:2", "D1:3", "D1:4", "D2:1", "D2:2"]
    assert turns[1].time == datetime(2023, 5, 8, 13, 56, 1, tzinfo=UTC)
    assert turns[4].time == datetime(2023, 6, 2, 9, 5, tzinfo=UTC)
    assert turns[3].speaker == "Tomas"


def test_it_is_asked_at_the_time_of_the_last_turn(tmp_path: Path) -> None:
    assert read_locomo(written(locomo(), tmp_path))[0].now == datetime(2023, 6, 2, 9, 5, 1, tzinfo=UTC)


def test_a_picture_is_told_by_its_caption_even_without_words(tmp_path: Path) -> None:
    given = locomo()
    given[1]["conversation"]["session_1"][0] |= {"text": "", "blip_caption": "a photo of trees"}
    assert read_locomo(written(given, tmp_path))[1].turns[0].utterance.text == (
        "[Noor sends a picture: a photo of trees]"
    )


def test_evidence_is_cleaned_and_what_names_no_turn_is_counted(tmp_path: Path) -> None:
    sample = read_locomo(written(locomo(), tmp_path))[0]
    assert [one.evidence for one in sample.questions] == [
        ("D1:1",),
        ("D1:4", "D2:1"),
        ("D2:2",),
        ("D1:2",),
        ("D1:1",),
    ]
    assert sample.questions[1].sessions == ("D1", "D2")
    assert sample.unresolved == 2


def test_a_question_that_cannot_be_answered_has_no_answer(tmp_path: Path) -> None:
    questions = read_locomo(written(locomo(), tmp_path))[0].questions
    assert [one.answerable for one in questions] == [True, True, True, True, False]
    assert [one.answer for one in questions] == ["a red kayak", "Magda", "2023", "Bergen", ""]


def test_corrected_evidence_stands_beside_the_given_one(tmp_path: Path) -> None:
    audit = [{"sample": 0, "qa": 0, "question": "What did Greta buy at the market?", "correct_evidence": ["D1:3"]}]
    samples = read_locomo(written(locomo(), tmp_path), label_errors=written(audit, tmp_path, "audit.json"))
    first, second = samples[0].questions[:2]
    assert (first.evidence, first.corrected) == (("D1:1",), ("D1:3",))
    assert second.corrected == second.evidence


def damaged(change: Callable[[list[Any]], object]) -> list[Any]:
    given = locomo()
    change(given)
    return given


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda g: g[0].pop("sample_id"), "conversation 0: sample_id is missing"),
        (lambda g: g[1].update(sample_id="talk-Greta"), "conversation 1: sample_id is that of an earlier conversation"),
        (lambda g: g.append("odd"), "conversation 2: this must be an object, not text"),
        (lambda g: g[0].update(conversation=[]), "conversation 0: this must be an object, not a list"),
        (lambda g: g[0].update(conversation={}), "conversation 0: there are no turns"),
        (lambda g: g[0].update(qa={}), "conversation 0: qa must be a list, not an object"),
        (
            lambda g: g[0]["conversation"].update(session_1_date_time="May 8"),
            "session 1: the time 'May 8' cannot be read; it should be like '1:56 pm on 8 May, 2023'",
        ),
        (lambda g: g[0]["conversation"].pop("session_2_date_time"), "session 2: session_2_date_time is missing"),
        (lambda g: g[0]["conversation"]["session_1"][0].update(dia_id="x"), "session 1: dia_id 'x' is not like D3:12"),
        (lambda g: g[0]["conversation"]["session_1"][1].update(dia_id="D1:01"), "two turns have the same dia_id"),
        (lambda g: g[0]["conversation"]["session_1"][0].pop("speaker"), "session 1: speaker is missing"),
        (lambda g: g[0]["conversation"]["session_1"][0].update(text=" "), "session 1: text is empty"),
        (lambda g: g[0]["qa"][2].update(category=6), "question 2: category 6 is not one of 1, 2, 3, 4, 5"),
        (lambda g: g[0]["qa"][2].update(category="two"), "question 2: category must be a whole number, not text"),
        (lambda g: g[0]["qa"][2].update(category=True), "question 2: category must be a whole number, not true"),
        (lambda g: g[0]["qa"][2].pop("answer"), "question 2: answer is missing"),
        (lambda g: g[0]["qa"][2].update(question=7), "question 2: question must be text, not a number"),
        (lambda g: g[0]["qa"][2].update(evidence=[1]), "question 2: evidence must be a list of texts"),
        (lambda g: g.clear(), "the list is empty: there is nothing to ask"),
    ],
)
def test_damage_is_named_with_its_place(tmp_path: Path, change: Callable[[list[Any]], object], told: str) -> None:
    with pytest.raises(BadInput) as refused:
        read_locomo(written(damaged(change), tmp_path))
    assert str(refused.value).startswith("data.json")
    assert told in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"{'a'}", "not JSON: "),
        (b'[{"sample_id": ', "not JSON: "),
        (b'{"sample_id": 1}', "this must be a list, not an object"),
        (b"\xff\xfe[]", "not usable as JSON"),
        (b"[" * 100_000, "not usable as JSON"),
        (b"", "not JSON: "),
        (b"[]", "the list is empty"),
        (b"null", "this must be a list, not null"),
    ],
)
def test_a_file_that_is_no_data_set_is_refused(tmp_path: Path, content: bytes, told: str) -> None:
    path = tmp_path / "data.json"
    path.write_bytes(content)
    with pytest.raises(BadInput, match=r"data\.json") as refused:
        read_locomo(path)
    assert told in str(refused.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"nowhere\.json cannot be read: No such file"):
        read_locomo(tmp_path / "nowhere.json")


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ({"sample": 9, "qa": 0, "question": "x", "correct_evidence": []}, "there is no question 0 in a conversation 9"),
        ({"sample": 0, "qa": 1, "question": "x", "correct_evidence": []}, "it is about another question"),
        ({"sample": 0, "qa": 1, "question": "x"}, "correct_evidence is missing"),
        ({"qa": 1}, "sample is missing"),
    ],
)
def test_an_audit_of_another_file_is_refused(tmp_path: Path, entry: dict[str, Any], told: str) -> None:
    audit = written([entry], tmp_path, "audit.json")
    with pytest.raises(BadInput, match=r"audit\.json, entry 0") as refused:
        read_locomo(written(locomo(), tmp_path), label_errors=audit)
    assert told in str(refused.value)
