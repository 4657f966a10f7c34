from assistant.history import History
from storage.records import Role, Source, Turn, TurnState
from tests.conftest import NOON


def turn(node: int, role: Role, text: str, state: TurnState = TurnState.COMPLETE) -> Turn:
    return Turn(
        id=f"{node:032x}",
        node=node,
        conversation="c",
        position=node,
        role=role,
        speaker={Role.USER: "Mara", Role.OTHER: "Ann", Role.ASSISTANT: "Assistant"}[role],
        text=text,
        time=NOON,
        source=Source.CHAT,
        state=state,
    )


def contents(*turns: Turn) -> list[str]:
    return [message.content for message in History.of_conversation(turns).messages]


def test_questions_and_answers_alternate() -> None:
    history = History.of_conversation([turn(1, Role.USER, "a"), turn(2, Role.ASSISTANT, "b")])
    assert [message.role for message in history.messages] == ["user", "assistant"]
    assert history.nodes == {1, 2}


def test_a_question_without_an_answer_goes_with_the_next_one() -> None:
    assert contents(turn(1, Role.USER, "a"), turn(2, Role.USER, "b"), turn(3, Role.ASSISTANT, "c")) == ["a\n\nb", "c"]


def test_a_last_question_without_an_answer_is_left_out() -> None:
    assert contents(turn(1, Role.USER, "a"), turn(2, Role.ASSISTANT, "b"), turn(3, Role.USER, "c")) == ["a", "b"]


def test_an_answer_that_nobody_asked_for_is_left_out() -> None:
    assert contents(turn(1, Role.ASSISTANT, "Welcome."), turn(2, Role.USER, "a"), turn(3, Role.ASSISTANT, "b")) == [
        "a",
        "b",
    ]


def test_other_people_are_named() -> None:
    assert contents(turn(1, Role.OTHER, "Hi."), turn(2, Role.ASSISTANT, "b"))[0] == "Ann: Hi."


def test_an_answer_that_broke_off_says_so() -> None:
    assert contents(turn(1, Role.USER, "a"), turn(2, Role.ASSISTANT, "b", TurnState.STOPPED))[1] == "b [...]"


def test_dropping_takes_whole_exchanges() -> None:
    history = History.of_conversation([turn(i, Role.USER if i % 2 else Role.ASSISTANT, str(i)) for i in range(1, 7)])
    history.drop_oldest(2)
    assert [message.content for message in history.messages] == ["3", "4", "5", "6"]
    history.drop_oldest(4)
    assert history.messages == []
