from datetime import timedelta

import pytest

from assistant import events
from assistant.errors import BadInput
from assistant.memory.associative import AssociativeMemory
from storage.errors import DiskFull
from storage.grace import Forgetting
from storage.records import Receipt, Role, TurnState
from tests.assistant.conftest import Start
from tests.assistant.test_session import ending, files_of
from tests.conftest import NOON
from tests.doubles import DIED, ScriptedModel


def texts(memory: AssociativeMemory) -> list[str]:
    return [turn.text for turn in reversed(memory.vault.turns.listing())]


def test_a_temporary_chat_that_is_kept_is_written_with_its_own_times_in_order(
    start: Start, memory: AssociativeMemory
) -> None:
    list(start(ScriptedModel(["Noted."])).reply("My boat is called Gull."))
    memory.embed_pending()
    before = dict(files_of(memory.vault.folder))
    session = start(ScriptedModel(["Gull it is.", ("Half", DIED), "Blue."]), temporary=True)
    list(session.reply("What is my boat called?"))
    list(session.reply("And the dog?"))
    assert dict(files_of(memory.vault.folder)) == before
    assert session.keep() == 4
    assert not session.temporary
    assert session.conversation is not None
    turns = memory.vault.turns.in_conversation(session.conversation.id)
    assert [(turn.text, turn.role, turn.state) for turn in turns] == [
        ("What is my boat called?", Role.USER, TurnState.COMPLETE),
        ("Gull it is.", Role.ASSISTANT, TurnState.COMPLETE),
        ("And the dog?", Role.USER, TurnState.COMPLETE),
        ("Half", Role.ASSISTANT, TurnState.FAILED),
    ]
    assert [turn.time for turn in turns] == sorted(turn.time for turn in turns)
    assert turns[0].time < NOON + timedelta(seconds=10)
    assert (turns[1].model, turns[1].seed) == ("scripted", 7)
    assert [line.turn.text for line in memory.vault.recollections.of_answer(turns[1].id) if line.used] == [
        "My boat is called Gull."
    ]
    happened = list(session.reply("Which colour?"))
    assert isinstance(happened[0], events.TurnKept)
    assert happened[0].turn.conversation == session.conversation.id


def test_what_was_kept_later_leaves_the_running_chat_when_it_is_forgotten(
    start: Start, memory: AssociativeMemory
) -> None:
    model = ScriptedModel(["Noted.", "I do not know."])
    session = start(model, temporary=True)
    list(session.reply("My pin is 4821."))
    session.keep()
    memory.erase(memory.plan_forgetting([turn.id for turn in memory.vault.turns.listing()]))
    list(session.reply("What is my pin?"))
    assert "4821" not in "".join(message.content for message in model.requests[-1])


def test_what_a_kept_answer_had_recalled_may_be_forgotten_meanwhile(start: Start, memory: AssociativeMemory) -> None:
    list(start(ScriptedModel(["Noted."])).reply("My boat is called Gull."))
    session = start(ScriptedModel(["Gull."]), temporary=True)
    list(session.reply("What is my boat called?"))
    memory.erase(memory.plan_forgetting([memory.vault.turns.listing()[-1].id]))
    session.keep()
    assert texts(memory) == ["Noted.", "What is my boat called?", "Gull."]


def test_a_chat_that_cannot_be_kept_stays_temporary_and_whole(
    start: Start, memory: AssociativeMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = start(ScriptedModel(["One."]), temporary=True)
    list(session.reply("First."))

    def full(*_: object, **__: object) -> None:
        raise DiskFull("no room")

    with monkeypatch.context() as patch:
        patch.setattr(type(memory.vault.recollections), "put", full)
        with pytest.raises(DiskFull):
            session.keep()
    assert session.temporary
    assert session.conversation is None
    assert texts(memory) == []
    assert session.keep() == 2
    assert texts(memory) == ["First.", "One."]


def test_nothing_is_kept_without_memory_or_while_learning_is_paused(start: Start, memory: AssociativeMemory) -> None:
    for given in ({"use_memory": False}, {"may_keep": False}):
        session = start(ScriptedModel(["One."]), temporary=True, **given)
        list(session.reply("First."))
        with pytest.raises(BadInput):
            session.keep()
    assert texts(memory) == []


def test_a_chat_that_is_kept_already_has_nothing_to_keep(start: Start) -> None:
    session = start(ScriptedModel(["One."]))
    list(session.reply("First."))
    assert session.keep() == 0


def test_the_last_exchange_is_taken_back_and_can_be_had_again(start: Start, memory: AssociativeMemory) -> None:
    model = ScriptedModel(["One.", "Two.", "Three."])
    session = start(model)
    list(session.reply("My boat is called Gull."))
    list(session.reply("My pin is 4821."))
    done = session.undo_last()
    assert isinstance(done, Forgetting)
    assert texts(memory) == ["My boat is called Gull.", "One."]
    list(session.reply("Hello."))
    assert "4821" not in "".join(message.content for message in model.requests[-1])
    memory.undo(done.id)
    assert "My pin is 4821." in texts(memory)


def test_without_a_grace_the_last_exchange_is_erased_at_once(start: Start, memory: AssociativeMemory) -> None:
    session = start(ScriptedModel(["One."]), grace=timedelta(0))
    list(session.reply("My pin is 4821."))
    assert isinstance(session.undo_last(), Receipt)
    with pytest.raises(BadInput, match="nothing"):
        session.undo_last()


def test_in_a_temporary_chat_the_last_exchange_is_dropped(start: Start, memory: AssociativeMemory) -> None:
    session = start(ScriptedModel(["One.", "Two."]), temporary=True)
    list(session.reply("First."))
    list(session.reply("Second."))
    assert session.undo_last() is None
    session.keep()
    assert texts(memory) == ["First.", "One."]


def test_another_answer_takes_the_place_of_the_last_one(start: Start, memory: AssociativeMemory) -> None:
    model = ScriptedModel(["Wrong.", "Right."])
    session = start(model)
    list(session.reply("What is it?"))
    happened = list(session.retry())
    assert ending(happened).text == "Right."
    assert not any(isinstance(event, events.TurnKept) for event in happened)
    assert texts(memory) == ["What is it?", "Right."]
    assert model.requests[1] == model.requests[0]
    answer = memory.vault.turns.listing(limit=1)[0]
    assert answer.seed != 7


def test_the_answer_stays_when_no_other_comes(start: Start, memory: AssociativeMemory) -> None:
    session = start(ScriptedModel(["Wrong.", DIED]))
    list(session.reply("What is it?"))
    list(session.retry())
    assert texts(memory) == ["What is it?", "Wrong."]


def test_a_question_that_got_no_answer_is_answered_anew(start: Start, memory: AssociativeMemory) -> None:
    session = start(ScriptedModel([DIED, "Vienna."]))
    list(session.reply("What is the capital of Austria?"))
    list(session.retry())
    assert texts(memory) == ["What is the capital of Austria?", "Vienna."]


def test_a_temporary_chat_gives_another_answer_and_writes_nothing(start: Start, memory: AssociativeMemory) -> None:
    session = start(ScriptedModel(["Wrong.", "Right."]), temporary=True)
    list(session.reply("What is it?", system="Be brief."))
    before = dict(files_of(memory.vault.folder))
    list(session.retry())
    assert dict(files_of(memory.vault.folder)) == before
    session.keep()
    assert texts(memory) == ["What is it?", "Right."]


def test_where_nothing_was_asked_there_is_nothing_to_answer_again(start: Start) -> None:
    with pytest.raises(BadInput, match="no question"):
        list(start(ScriptedModel([])).retry())
