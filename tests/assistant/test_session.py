import hashlib
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant import events
from assistant.errors import BadInput, ModelFailed, ModelMissing
from assistant.events import Event
from assistant.language.model import LoadedModel, Progress
from assistant.memory.associative import AssociativeMemory
from assistant.memory.recollection import TOLD_EARLIER
from storage.records import Role, TurnState
from tests.assistant.conftest import Start
from tests.conftest import NOON
from tests.doubles import DIED, ScriptedModel


def ending(happened: list[Event]) -> events.ReplyEnd:
    end = happened[-1]
    assert isinstance(end, events.ReplyEnd)
    return end


def test_a_reply_tells_its_steps_in_order(start: Start) -> None:
    happened = list(start(ScriptedModel(["Hello Mara."])).reply("Good morning."))
    kinds = [type(event) for event in happened]
    assert kinds == [
        events.TurnKept,
        events.Recalled,
        events.Loading,
        events.Loading,
        events.Reading,
        events.Token,
        events.Token,
        events.ReplyFinished,
    ]
    assert ending(happened).text == "Hello Mara."


def test_both_turns_are_kept_with_who_said_them_and_when(start: Start, memory: AssociativeMemory) -> None:
    session = start(ScriptedModel(["Hello Mara."]))
    list(session.reply("Good morning."))
    assert session.conversation is not None
    turns = memory.vault.turns.in_conversation(session.conversation.id)
    assert [(turn.role, turn.speaker, turn.text, turn.state) for turn in turns] == [
        (Role.USER, "Mara", "Good morning.", TurnState.COMPLETE),
        (Role.ASSISTANT, "Assistant", "Hello Mara.", TurnState.COMPLETE),
    ]
    assert turns[0].time < turns[1].time


def test_what_was_said_is_on_disk_before_the_model_is_asked(start: Start, memory: AssociativeMemory) -> None:
    model = ScriptedModel(["Hello."])
    reply = start(model).reply("Remember the milk.")
    assert isinstance(next(reply), events.TurnKept)
    assert model.requests == []
    assert [turn.text for turn in memory.vault.turns.listing()] == ["Remember the milk."]


def test_a_fact_of_one_conversation_is_told_to_the_model_in_another(start: Start) -> None:
    list(start(ScriptedModel(["Noted."])).reply("My sister Lena is allergic to hazelnuts."))
    model = ScriptedModel(["No hazelnuts for Lena, she is allergic."])
    happened = list(start(model).reply("What is my sister allergic to?"))
    asked = model.requests[0][-1].content
    assert '12 May 2026 (Tuesday), the user said: "My sister Lena is allergic to hazelnuts."' in asked
    assert asked.endswith("What is my sister allergic to?")
    end = ending(happened)
    assert len(end.injected) == 1
    assert end.used == end.injected


def test_what_the_assistant_said_is_not_told_as_a_memory(start: Start) -> None:
    list(start(ScriptedModel(["You own a yacht called Gull."])).reply("What do I own?"))
    model = ScriptedModel(["I do not know."])
    list(start(model).reply("Do I own a yacht called Gull?"))
    assert "yacht called Gull." not in model.requests[0][-1].content


def test_memories_of_an_answer_are_recorded_as_recalled_told_and_used(start: Start, memory: AssociativeMemory) -> None:
    list(start(ScriptedModel(["Noted."])).reply("My boat is called Gull and leaks."))
    end = ending(list(start(ScriptedModel(["Gull leaks."])).reply("What is wrong with my boat?")))
    assert end.turn is not None
    record = memory.vault.recollections.of_answer(end.turn.id)
    told = [line.turn.text for line in record if line.injected]
    assert told == ["My boat is called Gull and leaks."]
    assert [line.turn.text for line in record if line.used] == told
    assert len(record) > len(told)


def test_the_history_is_sent_again_to_the_letter(start: Start) -> None:
    list(start(ScriptedModel(["Noted."])).reply("My boat is called Gull."))
    model = ScriptedModel(["Gull.", "Blue."])
    session = start(model)
    list(session.reply("What is my boat called?"))
    list(session.reply("And which colour?"))
    first, second = model.requests
    assert second[: len(first)] == first
    assert second[len(first)].content == "Gull."


def test_a_memory_that_the_model_has_before_it_is_not_told_twice(start: Start) -> None:
    list(start(ScriptedModel(["Noted."])).reply("My boat is called Gull."))
    model = ScriptedModel(["Gull.", "Gull, as I said."])
    session = start(model)
    list(session.reply("What is my boat called?"))
    list(session.reply("What is my boat called, again?"))
    assert model.requests[0][-1].content.count("My boat is called Gull.") == 1
    assert "My boat is called Gull." not in model.requests[1][-1].content


def test_an_answer_that_drew_on_a_memory_told_earlier_has_it_on_record_and_goes_along_with_it(
    start: Start, memory: AssociativeMemory
) -> None:
    list(start(ScriptedModel(["Noted."])).reply("My boat is called Gull."))
    session = start(ScriptedModel(["Gull.", "Gull, as I said.", "Fine."]))
    list(session.reply("What is my boat called?"))
    again = ending(list(session.reply("Say the name once more.")))
    other = ending(list(session.reply("How are you?")))
    assert again.turn is not None
    assert other.turn is not None

    (line,) = [line for line in memory.vault.recollections.of_answer(again.turn.id) if line.used]
    assert (line.turn.text, line.injected, dict(line.parts)) == ("My boat is called Gull.", True, {TOLD_EARLIER: 1.0})
    plan = memory.plan_forgetting([line.turn.id], with_answers=True)
    assert again.turn in plan.turns
    assert other.turn not in plan.turns


def test_a_forgotten_memory_leaves_the_running_conversation_too(start: Start, memory: AssociativeMemory) -> None:
    list(start(ScriptedModel(["Noted."])).reply("My pin is 4821."))
    pin = memory.vault.turns.listing()[-1]
    model = ScriptedModel(["4821.", "I do not know."])
    session = start(model)
    list(session.reply("What is my pin?"))
    assert "4821" in model.requests[0][-1].content
    memory.erase(memory.plan_forgetting([pin.id]))
    list(session.reply("Are you sure?"))
    assert "4821" not in "".join(message.content for message in model.requests[1])


def test_a_conversation_forgotten_as_a_whole_is_begun_anew(start: Start, memory: AssociativeMemory) -> None:
    session = start(ScriptedModel(["Noted.", "Hello."]))
    list(session.reply("My pin is 4821."))
    memory.erase(memory.plan_forgetting([turn.id for turn in memory.vault.turns.listing()]))
    list(session.reply("Hello?"))
    assert [turn.text for turn in memory.vault.turns.listing()] == ["Hello.", "Hello?"]


def test_an_answer_is_kept_with_the_model_and_the_seed_that_made_it(start: Start, memory: AssociativeMemory) -> None:
    list(start(ScriptedModel(["Hello."])).reply("Hello?"))
    answer, question = memory.vault.turns.listing()
    assert (answer.model, answer.seed) == ("scripted", 7)
    assert (question.model, question.seed) == ("", None)


def test_answers_that_had_a_memory_in_mind_are_named_and_go_along_on_request(
    start: Start, memory: AssociativeMemory
) -> None:
    list(start(ScriptedModel(["Noted."])).reply("My pin is 4821."))
    pin = memory.vault.turns.listing()[-1]
    list(start(ScriptedModel(["Your pin is 4821."])).reply("What is my pin?"))
    plan = memory.plan_forgetting([pin.id])
    assert [turn.text for turn in plan.answers] == ["Your pin is 4821."]
    along = memory.plan_forgetting([pin.id], with_answers=True)
    assert along.answers == ()
    assert memory.erase(along).turns == 2
    assert not any("4821" in turn.text for turn in memory.vault.turns.listing())


def test_a_conversation_goes_on_where_it_was(start: Start, memory: AssociativeMemory) -> None:
    first = start(ScriptedModel(["Noted.", "Fine."]))
    list(first.reply("I am learning the oboe."))
    list(first.reply("It is hard."))
    model = ScriptedModel(["Keep going."])
    list(start(model, conversation=first.conversation).reply("Any advice?"))
    contents = [message.content for message in model.requests[0][1:-1]]
    assert contents == ["I am learning the oboe.", "Noted.", "It is hard.", "Fine."]


def test_stopping_keeps_what_was_written_and_the_next_question_works(start: Start, memory: AssociativeMemory) -> None:
    session = start(ScriptedModel(["one two three four five six", "Yes."], delay=0.01))
    happened: list[Event] = []
    for event in session.reply("Count."):
        happened.append(event)
        if isinstance(event, events.Token) and event.text == "two ":
            session.stop()
    end = happened[-1]
    assert isinstance(end, events.ReplyStopped)
    assert end.text == "one two"
    assert end.turn is not None
    assert end.turn.state is TurnState.STOPPED
    assert isinstance(list(session.reply("Still there?"))[-1], events.ReplyFinished)


def test_stopping_before_the_first_word_keeps_no_answer(start: Start, memory: AssociativeMemory) -> None:
    session = start(ScriptedModel(["one two"]))
    for event in session.reply("Count."):
        if isinstance(event, events.Recalled):
            session.stop()
    assert isinstance(event, events.ReplyStopped)
    assert event.turn is None
    assert [turn.role for turn in memory.vault.turns.listing()] == [Role.USER]


class _SlowModel(ScriptedModel):
    """Loads until it is let go."""

    def __init__(self) -> None:
        super().__init__(["Late."])
        self.may_load = threading.Event()

    def load(self, progress: Progress | None = None) -> LoadedModel:
        if not self.may_load.wait(timeout=20):
            raise ModelFailed("nobody let it load")
        return super().load(progress)


def test_stopping_does_not_wait_for_the_model_to_load(start: Start) -> None:
    model = _SlowModel()
    session = start(model)
    reply = session.reply("Hello.")
    assert isinstance(next(reply), events.TurnKept)
    assert isinstance(next(reply), events.Recalled)
    assert isinstance(next(reply), events.Loading)
    session.stop()
    assert isinstance(next(reply), events.ReplyStopped)
    model.may_load.set()
    assert isinstance(list(session.reply("Hello?"))[-1], events.ReplyFinished)


def test_the_model_reads_ahead_what_stands_before_the_first_question(start: Start) -> None:
    first = start(ScriptedModel(["Noted."]))
    list(first.reply("I am learning the oboe."))
    model = ScriptedModel(["Keep going."])
    session = start(model, conversation=first.conversation)
    session.read_ahead()
    list(session.reply("Any advice?"))
    (ahead,), (asked,) = model.read_ahead, model.requests
    assert ahead == asked[: len(ahead)]
    assert [message.role for message in ahead] == ["system", "user", "assistant"]


def test_nothing_is_read_ahead_once_a_reply_has_begun(start: Start) -> None:
    model = ScriptedModel(["Hello."])
    session = start(model)
    list(session.reply("Hello."))
    session.read_ahead()
    assert model.read_ahead == []


@pytest.mark.parametrize("temporary", [False, True])
def test_a_conversation_goes_on_with_another_model(start: Start, memory: AssociativeMemory, temporary: bool) -> None:
    first, second = ScriptedModel(["Nice.", "Never asked."]), ScriptedModel(["Keep going."])
    session = start(first, temporary=temporary)
    list(session.reply("I am learning the oboe."))
    session.answer_by(second)
    session.read_ahead()
    assert ending(list(session.reply("Any advice?"))).text == "Keep going."
    (ahead,), (asked,) = second.read_ahead, second.requests
    assert ahead == asked[: len(ahead)]
    assert [message.content.splitlines()[-1] for message in asked[1:3]] == ["I am learning the oboe.", "Nice."]
    assert (len(first.requests), first.read_ahead) == (1, [])
    assert len(memory.vault.turns.listing()) == (0 if temporary else 4)


def test_a_listener_that_goes_away_leaves_what_was_written(start: Start, memory: AssociativeMemory) -> None:
    reply = start(ScriptedModel(["one two three"])).reply("Count.")
    for event in reply:
        if isinstance(event, events.Token):
            break
    reply.close()  # type: ignore[attr-defined]  # an Iterator to its users; here the generator itself is meant
    answer = memory.vault.turns.listing()[0]
    assert (answer.text, answer.state) == ("one", TurnState.STOPPED)


def test_a_model_that_dies_leaves_the_part_and_the_next_question_works(start: Start, memory: AssociativeMemory) -> None:
    session = start(ScriptedModel([("The capital is", DIED), "Vienna."]))
    happened = list(session.reply("What is the capital of Austria?"))
    end = happened[-1]
    assert isinstance(end, events.ReplyFailed)
    assert "ended" in end.message
    assert end.turn is not None
    assert (end.turn.text, end.turn.state) == ("The capital is", TurnState.FAILED)
    assert ending(list(session.reply("Again, please."))).text == "Vienna."
    assert len(memory.vault.turns.listing()) == 4


def test_an_empty_answer_is_told_and_nothing_is_kept_of_it(start: Start, memory: AssociativeMemory) -> None:
    end = list(start(ScriptedModel([""])).reply("Hello?"))[-1]
    assert isinstance(end, events.ReplyFailed)
    assert "empty answer" in end.message
    assert [turn.role for turn in memory.vault.turns.listing()] == [Role.USER]


class _NoModel(ScriptedModel):
    def load(self, progress: Progress | None = None) -> LoadedModel:
        raise ModelMissing("the model is not installed")


def test_without_a_model_what_was_said_is_kept_and_the_cause_is_told(start: Start, memory: AssociativeMemory) -> None:
    with pytest.raises(ModelMissing):
        list(start(_NoModel([])).reply("Hello?"))
    assert [turn.text for turn in memory.vault.turns.listing()] == ["Hello?"]


def test_an_empty_question_is_refused_and_not_kept(start: Start, memory: AssociativeMemory) -> None:
    with pytest.raises(BadInput, match="say something"):
        list(start(ScriptedModel([])).reply("  \n "))
    assert memory.vault.turns.count() == 0


def test_a_question_longer_than_the_context_is_refused_but_kept(start: Start, memory: AssociativeMemory) -> None:
    model = ScriptedModel([])
    model.context = 300
    with pytest.raises(BadInput, match="fit"):
        list(start(model).reply("word " * 400))
    assert memory.vault.turns.count() == 1


def test_the_oldest_messages_go_when_the_context_is_full(start: Start) -> None:
    model = ScriptedModel([f"Answer {i} " + "blah " * 60 for i in range(6)])
    model.context = 600
    session = start(model)
    notices: list[str] = []
    for i in range(6):
        happened = list(session.reply(f"Question {i}?"))
        notices += [event.text for event in happened if isinstance(event, events.Notice)]
    assert any("oldest" in notice for notice in notices)
    assert model.requests[-1][0].role == "system"
    assert "Question 0?" not in "".join(message.content for message in model.requests[-1])
    assert all(model.count(request) < 600 for request in model.requests)


def test_memories_keep_to_their_share_of_the_prompt(start: Start, memory: AssociativeMemory) -> None:
    for i in range(30):
        memory.remember(f"Bird {i}: the heron number {i} was seen at the river at dawn.", time=NOON, speaker="Mara")
    model = ScriptedModel(["Many."])
    list(start(model, memory_tokens=60).reply("Which heron was seen at the river?"))
    assert 1 <= model.requests[0][-1].content.count("heron number") <= 5


def files_of(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.name.endswith("-shm"):
            yield path.name, hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_temporary_chat_writes_not_one_byte(start: Start, memory: AssociativeMemory) -> None:
    list(start(ScriptedModel(["Noted."])).reply("My boat is called Gull."))
    memory.embed_pending()
    before = dict(files_of(memory.vault.folder))
    model = ScriptedModel(["Gull.", "Blue."])
    session = start(model, temporary=True)
    happened = list(session.reply("What is my boat called?"))
    list(session.reply("My secret colour is teal."))
    assert not any(isinstance(event, events.TurnKept) for event in happened)
    assert ending(happened).turn is None
    assert "Gull" in model.requests[0][-1].content
    assert dict(files_of(memory.vault.folder)) == before


def test_without_memory_nothing_is_recalled(start: Start) -> None:
    list(start(ScriptedModel(["Noted."])).reply("My boat is called Gull."))
    model = ScriptedModel(["I do not know."])
    happened = list(start(model, use_memory=False).reply("What is my boat called?"))
    assert not any(isinstance(event, events.Recalled) for event in happened)
    assert "Gull" not in model.requests[0][-1].content


def test_context_and_instructions_are_read_but_not_remembered(start: Start, memory: AssociativeMemory) -> None:
    model = ScriptedModel(["A list of herbs."])
    list(start(model).reply("What is this?", context="sage, thyme, dill", system="Answer in one line."))
    assert model.requests[0][0].content.endswith("Answer in one line.")
    assert "sage, thyme, dill" in model.requests[0][-1].content
    assert [turn.text for turn in memory.vault.turns.listing()] == ["A list of herbs.", "What is this?"]
