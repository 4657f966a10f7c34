"""The loader of LongMemEval."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from assistant.bench.longmemeval import read_longmemeval
from assistant.errors import BadInput
from storage.records import Role
from tests.assistant.bench.invented import longmemeval, written


def test_a_history_is_read_in_the_order_of_its_dates(tmp_path: Path) -> None:
    sample = read_longmemeval(written(longmemeval(), tmp_path))[0]
    assert [turn.utterance.external_id for turn in sample.turns] == [
        "filler_1:0",
        "filler_1:1",
        "answer_1:0",
        "answer_1:1",
    ]
    assert [turn.utterance.role for turn in sample.turns[:2]] == [Role.USER, Role.ASSISTANT]
    assert sample.turns[1].utterance.time == datetime(2023, 5, 20, 2, 21, 1, tzinfo=UTC)
    assert {turn.conversation for turn in sample.turns} == {"filler_1", "answer_1"}
    assert sample.now == datetime(2023, 5, 30, 23, 40, tzinfo=UTC)


def test_the_marked_turns_are_the_evidence(tmp_path: Path) -> None:
    (question,) = read_longmemeval(written(longmemeval(), tmp_path))[0].questions
    assert (question.evidence, question.sessions) == (("answer_1:0",), ("answer_1",))
    assert (question.category, question.answerable) == ("single-session-user", True)


def test_what_was_never_said_is_a_category_of_its_own(tmp_path: Path) -> None:
    (question,) = read_longmemeval(written(longmemeval(), tmp_path))[1].questions
    assert (question.category, question.answerable) == ("single-session-user_abs", False)


def test_a_session_that_stands_twice_in_a_haystack_is_kept_twice(tmp_path: Path) -> None:
    given = longmemeval()
    for name in ("haystack_dates", "haystack_session_ids", "haystack_sessions"):
        given[0][name].append(given[0][name][0])
    sample = read_longmemeval(written(given, tmp_path))[0]
    assert {turn.conversation for turn in sample.turns} == {"filler_1", "answer_1", "answer_1 (2)"}
    assert sample.session_of["answer_1 (2):0"] == "answer_1"


def test_a_session_with_the_answer_that_is_not_there_is_counted(tmp_path: Path) -> None:
    given = longmemeval()
    given[0]["answer_session_ids"].append("lost_1")
    assert read_longmemeval(written(given, tmp_path))[0].unresolved == 1


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda g: g[0].pop("question_id"), "question 0: question_id is missing"),
        (lambda g: g[1].update(question_id="q1"), "question 1: question_id is that of an earlier question"),
        (lambda g: g[0].update(question_date="soon"), "question 0: the time 'soon' cannot be read; it should be like"),
        (lambda g: g[0]["haystack_dates"].pop(), "are not of one length: 2, 1 and 2"),
        (lambda g: g[0]["haystack_dates"].__setitem__(0, "x"), "session 0: the time 'x' cannot be read"),
        (lambda g: g[0]["haystack_sessions"].__setitem__(0, {}), "session 0: a session needs"),
        (lambda g: g[0]["haystack_sessions"][0][0].update(role="tool"), "session 0: role 'tool' is not one of"),
        (lambda g: g[0]["haystack_sessions"][0][0].pop("content"), "session 0: content is missing"),
        (lambda g: g[0].update(haystack_sessions=[[], []]), "question 0: haystack_sessions holds no turn"),
        (lambda g: g[0].pop("answer"), "question 0: answer is missing"),
        (lambda g: g[0].update(answer_session_ids=[1]), "question 0: answer_session_ids must be a list of texts"),
        (lambda g: g.insert(0, []), "question 0: this must be an object, not a list"),
    ],
)
def test_damage_is_named_with_its_place(tmp_path: Path, change: Callable[[list[Any]], object], told: str) -> None:
    given = longmemeval()
    change(given)
    with pytest.raises(BadInput) as refused:
        read_longmemeval(written(given, tmp_path))
    assert told in str(refused.value)
