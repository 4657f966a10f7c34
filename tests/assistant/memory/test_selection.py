from dataclasses import replace

import pytest

from assistant.memory.recollection import Hit, ScoreParts
from assistant.memory.selection import worth_telling
from assistant.memory.usage import drew_on
from storage.records import Role, Source, Turn, TurnState
from tests.conftest import NOON


def hit(text: str, *, score: float = 3.0, cosine: float = 0.6, coverage: float = 0.0, role: Role = Role.USER) -> Hit:
    turn = Turn(
        id=f"{abs(hash(text)):032x}"[:32],
        node=abs(hash(text)) % 10_000,
        conversation="c",
        position=0,
        role=role,
        speaker="User",
        text=text,
        time=NOON,
        source=Source.CHAT,
        state=TurnState.COMPLETE,
    )
    parts = ScoreParts(cosine=cosine, bm25=0.0, coverage=coverage, energy=score, received=0.0)
    return Hit(turn=turn, rank=1, score=score, parts=parts, path=())


def told(*hits: Hit) -> list[str]:
    return [chosen.turn.text for chosen in worth_telling(hits)]


def test_what_the_assistant_said_is_never_evidence() -> None:
    assert told(hit("You own a yacht.", role=Role.ASSISTANT), hit("I own a canoe.")) == ["I own a canoe."]


@pytest.mark.parametrize("question", ["What is my name?", "what do I own？", "Who?  "])
def test_a_mere_question_to_the_assistant_tells_nothing(question: str) -> None:
    assert told(hit(question), hit("I own a canoe.")) == ["I own a canoe."]


def test_a_question_that_also_tells_is_told() -> None:
    assert told(hit("I moved to Porto. Any good cafés?")) == ["I moved to Porto. Any good cafés?"]


def test_a_question_in_an_imported_dialogue_belongs_to_its_context() -> None:
    asked = hit("Did you see the aviary?")
    assert told(replace(asked, turn=replace(asked.turn, source=Source.IMPORTED))) == ["Did you see the aviary?"]


def test_nothing_is_told_when_nothing_stands_out() -> None:
    assert told(hit("I own a canoe.", cosine=0.1, coverage=0.1)) == []


def test_one_memory_that_stands_out_brings_those_that_came_with_it() -> None:
    assert told(hit("Best.", score=4), hit("Came with it.", score=2, cosine=0.0)) == ["Best.", "Came with it."]


def test_what_is_far_below_the_best_is_left_out() -> None:
    assert told(hit("Best.", score=10), hit("Weak.", score=1)) == ["Best."]


def test_the_same_words_of_the_same_person_are_told_once() -> None:
    twice = [hit("I own a canoe."), hit("I own a canoe!")]
    assert told(*twice) == ["I own a canoe."]


def test_an_answer_drew_on_what_it_repeats_of_the_memory_alone() -> None:
    memory, question = ["lena", "moved", "porto"], ["where", "lena"]
    assert drew_on(memory, ["she", "porto"], question, idf=lambda _: 1.0)
    assert not drew_on(memory, ["lena", "who"], question, idf=lambda _: 1.0)
    assert drew_on(["lena", *"abcdefgh"], ["a"], question, idf=lambda _: 1.0)
    assert not drew_on(["lena", *"abcdefgh"], ["a", "x", "y", "z"], question, idf=lambda _: 1.0)
    assert not drew_on(["lena"], ["lena"], question, idf=lambda _: 1.0)
