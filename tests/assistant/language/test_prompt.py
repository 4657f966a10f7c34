from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.errors import BadInput
from assistant.language.model import Message
from assistant.language.prompt import (
    LONGEST_MEMORY,
    NO_NOTES,
    SYSTEM_PROMPT,
    Prompt,
    Question,
    Room,
    build,
    quote_memories,
    user_message,
)
from storage.records import Role, Source, Turn

TODAY = date(2026, 5, 10)


def memory(number: int, text: str, *, speaker: str = "", days_ago: int = 0) -> Turn:
    return Turn(
        id=f"{number:032x}",
        node=number,
        conversation="c" * 32,
        position=number,
        role=Role.OTHER if speaker else Role.USER,
        speaker=speaker or "Maria",
        text=text,
        time=datetime(2026, 5, 9, 12, tzinfo=UTC) - timedelta(days=days_ago),
        source=Source.CHAT,
    )


def count(messages: Sequence[Message]) -> int:
    """A word is a token, and a message costs three more."""
    return sum(3 + len(message.content.split()) for message in messages)


def asked(text: str = "What now?", *memories: Turn) -> Question:
    return Question(text=text, today=TODAY, memories=memories)


def room(context: int = 2000, *, answer: int = 100, memories: int = 400) -> Room:
    return Room(context=context, answer=answer, memories=memories)


def history(turns: int, words: int = 20) -> list[Message]:
    return [
        Message(role=role, content=f"{role}{turn} " + "word " * (words - 1))
        for turn in range(turns)
        for role in ("user", "assistant")
    ]


def test_a_prompt_is_the_system_prompt_the_history_and_the_question() -> None:
    before = history(2)
    prompt = build(asked("What now?"), history=before, room=room(), count=count)
    assert prompt.messages[0] == Message(role="system", content=SYSTEM_PROMPT)
    assert list(prompt.messages[1:-1]) == before
    assert prompt.question == prompt.messages[-1]
    assert prompt.question.content.endswith("What now?")
    assert "10 May 2026 (Sunday)" in prompt.question.content
    assert (prompt.dropped_messages, prompt.notices, prompt.memories) == (0, (), ())
    assert prompt.tokens == count(prompt.messages)


def test_nothing_before_the_question_depends_on_the_day_or_the_memories() -> None:
    today = build(asked("Q?", memory(1, "one")), history=history(2), room=room(), count=count)
    later = Question(text="R?", today=TODAY + timedelta(days=1), memories=(memory(2, "two"),))
    assert build(later, history=history(2), room=room(), count=count).messages[:-1] == today.messages[:-1]


def test_memories_are_quoted_oldest_first_with_day_and_speaker() -> None:
    quoted = quote_memories(
        [memory(2, "Lena\nis  here"), memory(1, 'She said "hi"', speaker="Ann\nBo", days_ago=40)], asked()
    )
    lines = quoted.splitlines()
    assert len(lines) == 3
    assert "30 March 2026 (Monday)" in lines[1]
    assert "Ann Bo said: " in lines[1]
    assert "\"She said 'hi'\"" in lines[1]
    assert "9 May 2026 (Saturday)" in lines[2]
    assert 'the user said: "Lena is here"' in lines[2]


def test_of_a_long_memory_the_stretch_is_quoted_that_bears_on_the_question() -> None:
    text = "The weather was fine. " * 60 + "The bicycle lock has the code 4711. " + "Then we went home. " * 60
    quoted = quote_memories([memory(1, text)], asked("What was the code of my bicycle lock?"))
    assert "4711" in quoted
    assert len(quoted) < LONGEST_MEMORY + 100
    assert quoted.count("…") == 2
    assert "weather" in quote_memories([memory(1, text)], asked(""))


def test_memories_stand_before_the_question_in_the_last_message_alone() -> None:
    prompt = build(asked("Cake?", memory(1, "no hazelnuts")), history=history(1), room=room(), count=count)
    assert "no hazelnuts" in prompt.question.content
    assert prompt.question.content.index("no hazelnuts") < prompt.question.content.index("Cake?")
    assert not any("no hazelnuts" in message.content for message in prompt.messages[:-1])
    assert prompt.memories == (memory(1, "no hazelnuts"),)


def test_the_next_prompt_begins_with_this_one() -> None:
    first = build(asked("One?", memory(1, "first")), history=[], room=room(), count=count)
    before = [*first.messages[1:], Message(role="assistant", content="Answer.")]
    second = build(asked("Two?", memory(2, "second")), history=before, room=room(), count=count)
    assert second.messages[: len(first.messages)] == first.messages


def test_a_text_given_with_the_question_is_told_apart() -> None:
    message = user_message(Question(text="Summarise.", today=TODAY, context="  a file\n"))
    assert "Text given with the message:\na file\n\n" in message.content


def test_as_many_memories_go_in_as_their_budget_allows_best_first() -> None:
    memories = tuple(memory(number, "word " * 20, days_ago=number) for number in range(10))
    prompt = build(asked("Q?", *memories), history=[], room=room(memories=82), count=count)
    assert prompt.memories == memories[:3]
    assert prompt.notices == ()  # a budget is no loss that needs telling


def test_the_oldest_turns_go_first_and_it_is_said() -> None:
    before = history(30)
    most = count([Message(role="system", content=SYSTEM_PROMPT)]) + 500
    prompt = build(asked("Q?", memory(1, "kept")), history=before, room=room(most + 100), count=count)
    assert prompt.tokens <= most
    assert prompt.memories == (memory(1, "kept"),)
    assert list(prompt.messages[1:-1]) == before[prompt.dropped_messages :]
    assert prompt.messages[1].role == "user"
    [notice] = prompt.notices
    assert notice.endswith(f"its oldest {prompt.dropped_messages} messages were left out")


def test_what_is_left_out_stays_the_same_for_several_questions() -> None:
    most = count([Message(role="system", content=SYSTEM_PROMPT)]) + 600
    dropped = []
    for turns in range(20, 40):
        prompt = build(asked("Q?"), history=history(turns), room=room(most + 100), count=count)
        assert prompt.tokens <= most
        dropped.append(prompt.dropped_messages)
    assert dropped == sorted(dropped)
    assert len(set(dropped)) <= 6


def test_memories_go_when_no_turn_is_left_to_drop() -> None:
    bare = build(asked("Q?"), history=[], room=room(), count=count).tokens
    memories = tuple(memory(number, "word " * 20) for number in range(3))
    prompt = build(asked("Q?", *memories), history=history(3), room=room(bare + 100 + 40), count=count)
    assert prompt.memories == memories[:1]
    assert prompt.dropped_messages == 6
    assert prompt.notices[1] == "there was no room for 2 of the memories"


def test_a_question_that_is_too_long_alone_is_refused_in_one_line() -> None:
    with pytest.raises(BadInput, match=r"the text is too long: .* tokens, and 1,900 fit") as caught:
        build(asked("word " * 3000), history=history(3), room=room(), count=count)
    assert "\n" not in str(caught.value)


@given(
    st.integers(0, 30), st.integers(1, 200), st.lists(st.integers(1, 100), max_size=12), st.integers(0, 600),
    st.integers(0, 2000),
)  # fmt: skip
def test_a_prompt_always_fits(turns: int, words: int, lengths: list[int], budget: int, spare: int) -> None:
    bare = build(asked("Q?"), history=[], room=room(1 << 20), count=count).tokens
    memories = [memory(number, "word " * length, days_ago=number) for number, length in enumerate(lengths)]
    space = Room(context=bare + 100 + spare, answer=100, memories=budget)
    prompt: Prompt = build(asked("Q?", *memories), history=history(turns, words), room=space, count=count)
    assert prompt.tokens <= space.context - space.answer
    assert len(prompt.messages) == 2 + 2 * turns - prompt.dropped_messages
    assert prompt.memories == tuple(memories[: len(prompt.memories)])


def test_a_question_without_memories_is_told_so_and_a_statement_is_not() -> None:
    assert NO_NOTES in user_message(Question(text="Where do I live?", today=TODAY)).content
    assert NO_NOTES in user_message(Question(text="我住在哪里？", today=TODAY)).content
    assert NO_NOTES not in user_message(Question(text="I live in Lisbon.", today=TODAY)).content
