import threading

import pytest

from assistant.language.model import Done, Message, Sampling, Text, WorkerModel
from assistant.language.prompt import Prompt, Room, build
from tests.assistant.language.test_prompt import asked, memory

pytestmark = pytest.mark.model

ROOM = Room(context=4096, answer=256, memories=300)
SAMPLING = Sampling(seed=1, temperature=0.0, max_tokens=40)


def answer(model: WorkerModel, prompt: Prompt) -> tuple[str, Done]:
    pieces = list(model.stream(prompt.messages, sampling=SAMPLING, cancel=threading.Event()))
    done = pieces[-1]
    assert isinstance(done, Done)
    return "".join(piece.text for piece in pieces if isinstance(piece, Text)), done


def test_a_memory_reaches_the_answer_and_the_next_turn_reads_only_what_is_new(worker: WorkerModel) -> None:
    told = memory(1, "I live in Lisbon, near the river.", days_ago=60)
    first = build(asked("Where do I live?", told), history=[], room=ROOM, count=worker.count)
    assert first.memories == (told,)
    text, done = answer(worker, first)
    assert "lisbon" in text.lower()
    assert done.prompt_tokens == first.tokens
    history = [*first.messages[1:], Message(role="assistant", content=text)]
    other = memory(2, "I take my coffee black, no sugar.", days_ago=3)
    second = build(asked("How do I take my coffee?", other), history=history, room=ROOM, count=worker.count)
    _, done = answer(worker, second)
    assert done.reused_tokens >= first.tokens


def test_reading_the_system_prompt_ahead_is_kept_for_the_first_question(worker: WorkerModel) -> None:
    prompt = build(asked("Hello!"), history=[], room=ROOM, count=worker.count)
    ahead = list(worker.stream(prompt.messages[:1], sampling=Sampling(seed=1, max_tokens=0), cancel=threading.Event()))
    assert isinstance(ahead[-1], Done)
    _, done = answer(worker, prompt)
    assert done.reused_tokens > 0.9 * ahead[-1].prompt_tokens
