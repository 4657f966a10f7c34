"""An earlier question is asked in other words, and what followed it stays where it was."""

from datetime import timedelta

import pytest

from assistant import events
from assistant.errors import ModelMissing
from assistant.events import Event
from assistant.language.model import LoadedModel, Progress
from assistant.memory.associative import AssociativeMemory
from assistant.session import Session
from storage.errors import DiskFull, NotFound
from storage.records import Role, Source, Turn, Utterance
from tests.assistant.conftest import Start
from tests.assistant.test_session import ending, files_of
from tests.conftest import NOON
from tests.doubles import DIED, ScriptedModel

ANSWERS = ["One.", "Two.", "Three.", "Four.", "Five."]


class _MissingModel(ScriptedModel):
    """Is not there."""

    def load(self, progress: Progress | None = None) -> LoadedModel:
        raise ModelMissing("the model is not installed")


def conversation_of(session: Session) -> str:
    assert session.conversation is not None
    return session.conversation.id


def told(memory: AssociativeMemory, conversation: str) -> list[str]:
    return [turn.text for turn in memory.vault.turns.whole(conversation)]


def asked(happened: list[Event]) -> str:
    return ending(happened).asked


def sent(model: ScriptedModel) -> str:
    return "\n".join(message.content for message in model.requests[-1])


def test_an_earlier_question_in_other_words_makes_a_branch_and_the_old_one_stays(
    start: Start, memory: AssociativeMemory
) -> None:
    model = ScriptedModel(ANSWERS)
    session = start(model)
    list(session.reply("I have a boat."))
    second = asked(list(session.reply("It is blue.")))
    (list(session.reply("It leaks.")),)
    old = conversation_of(session)

    happened = list(session.reply("It is red.", instead_of=second))

    assert isinstance(happened[0], events.TurnKept)
    branch = conversation_of(session)
    assert branch == happened[0].turn.conversation != old
    assert told(memory, branch) == ["I have a boat.", "One.", "It is red.", "Four."]
    assert told(memory, old) == ["I have a boat.", "One.", "It is blue.", "Two.", "It leaks.", "Three."]
    assert memory.vault.turns.count() == 8
    assert model.requests[-1][:-1] == model.requests[1][:-1], "the model had read what stands before it already"
    assert "blue" not in sent(model)
    assert "leaks" not in model.requests[-1][1].content

    list(session.reply("And so on."))
    assert told(memory, branch)[-2:] == ["And so on.", "Five."]
    assert conversation_of(session) == branch


def test_the_question_whose_place_is_taken_is_not_told_as_a_memory(start: Start) -> None:
    model = ScriptedModel(ANSWERS)
    session = start(model)
    question = asked(list(session.reply("My boat lies in Lisbon, near the bridge.")))
    (list(session.reply("Something else.")),)
    list(session.reply("My boat lies in Lisbon, near the tower.", instead_of=question))
    assert "bridge" not in sent(model)


def test_a_branch_is_gone_on_with_as_it_is_told(start: Start, memory: AssociativeMemory) -> None:
    session = start(ScriptedModel(ANSWERS))
    list(session.reply("I have a boat."))
    second = asked(list(session.reply("It is blue.")))
    list(session.reply("It is red.", instead_of=second))

    model = ScriptedModel(["Fine."])
    again = start(model, conversation=memory.vault.conversations.get(conversation_of(session)))
    list(again.reply("Which colour is it?"))

    assert [message.content for message in model.requests[0][1:5]] == ["I have a boat.", "One.", "It is red.", "Three."]
    assert told(memory, conversation_of(again))[-2:] == ["Which colour is it?", "Fine."]


def test_what_the_old_one_says_is_forgotten_in_the_branch_too(start: Start, memory: AssociativeMemory) -> None:
    model = ScriptedModel(ANSWERS)
    session = start(model, grace=timedelta(0))
    first = ending(list(session.reply("My pin is 4821.")))
    second = asked(list(session.reply("My boat is blue.")))
    list(session.reply("My boat is red.", instead_of=second))
    assert "4821" in sent(model)

    session.forget(memory.plan_forgetting([first.asked], with_answers=True))
    list(session.reply("Hello."))

    assert "4821" not in sent(model)
    assert "My pin is 4821." not in told(memory, conversation_of(session))


def test_the_first_exchange_of_a_branch_is_taken_back_and_the_branch_begins_there_again(
    start: Start, memory: AssociativeMemory
) -> None:
    session = start(ScriptedModel(ANSWERS))
    list(session.reply("I have a boat."))
    second = asked(list(session.reply("It is blue.")))
    old = conversation_of(session)
    list(session.reply("It is red.", instead_of=second))

    session.undo_last()
    assert [one.id for one in memory.vault.conversations.listing()] == [old]
    assert len(told(memory, old)) == 4

    list(session.reply("It is green."))
    assert told(memory, conversation_of(session)) == ["I have a boat.", "One.", "It is green.", "Four."]


def test_a_branch_of_what_was_forgotten_meanwhile_begins_by_itself(start: Start, memory: AssociativeMemory) -> None:
    session = start(ScriptedModel(ANSWERS))
    list(session.reply("I have a boat."))
    second = asked(list(session.reply("It is blue.")))
    list(session.reply("It is red.", instead_of=second))
    memory.erase(memory.plan_forgetting([turn.id for turn in memory.vault.turns.listing()]))

    list(session.reply("It is green."))

    assert told(memory, conversation_of(session)) == ["It is green.", "Four."]
    assert memory.vault.check() == []


def test_a_question_that_is_gone_has_no_place_to_take(start: Start, memory: AssociativeMemory) -> None:
    model = ScriptedModel(ANSWERS)
    session = start(model)
    list(session.reply("I have a boat."))
    second = asked(list(session.reply("It is blue.")))
    before = conversation_of(session)
    memory.erase(memory.plan_forgetting([second]))

    with pytest.raises(NotFound, match="not in this chat"):
        list(session.reply("It is red.", instead_of=second))

    assert conversation_of(session) == before
    assert len(model.requests) == 2


def test_a_branch_that_cannot_be_kept_leaves_the_chat_as_it_was(
    start: Start, memory: AssociativeMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = start(ScriptedModel(ANSWERS))
    list(session.reply("I have a boat."))
    second = asked(list(session.reply("It is blue.")))
    old = conversation_of(session)

    def full(*_: object, **__: object) -> None:
        raise DiskFull("no room")

    with monkeypatch.context() as patch:
        patch.setattr(type(memory), "hear", full)
        with pytest.raises(DiskFull):
            list(session.reply("It is red.", instead_of=second))

    assert [one.id for one in memory.vault.conversations.listing()] == [old], "no conversation without turns is left"
    list(session.reply("It leaks."))
    assert told(memory, old)[-2:] == ["It leaks.", "Three."]


def test_without_a_model_a_branch_is_kept_with_its_question(start: Start, memory: AssociativeMemory) -> None:
    session = start(ScriptedModel(["One."]))
    first = asked(list(session.reply("I have a boat.")))
    gone = start(_MissingModel([]), conversation=session.conversation)
    with pytest.raises(ModelMissing):
        list(gone.reply("I have a ship.", instead_of=first))
    assert told(memory, conversation_of(gone)) == ["I have a ship."]


def test_the_same_question_makes_a_branch_with_another_answer(start: Start, memory: AssociativeMemory) -> None:
    model = ScriptedModel(ANSWERS)
    session = start(model)
    first = asked(list(session.reply("I have a boat.")))
    list(session.reply("It is blue."))
    list(session.reply("I have a boat.", instead_of=first))
    assert told(memory, conversation_of(session)) == ["I have a boat.", "Three."]
    assert len(model.requests[-1]) == 2
    assert len(memory.vault.branches.forks(conversation_of(session))[0].versions) == 2


@pytest.mark.parametrize("order", ["Forget my pin 4821.", "What do you remember about me?"])
def test_an_order_in_the_place_of_a_question_goes_to_no_model_and_makes_no_branch(
    order: str, start: Start, memory: AssociativeMemory
) -> None:
    model = ScriptedModel(ANSWERS)
    session = start(model)
    first = asked(list(session.reply("My pin is 4821.")))
    list(session.reply("It is secret."))
    before = memory.vault.digest()

    happened = list(session.reply(order, instead_of=first))

    assert asked(happened) == ""
    assert len(model.requests) == 2
    assert memory.vault.digest() == before


def imported_order(memory: AssociativeMemory) -> Turn:
    conversation = memory.vault.conversations.create(source=Source.IMPORTED)
    said = Utterance(role=Role.USER, speaker="Mara", text="Forget my pin 4821.", time=NOON, source=Source.IMPORTED)
    return memory.hear(conversation.id, said)


def test_an_order_that_was_imported_is_not_told_to_the_model_when_it_is_answered_anew(
    start: Start, memory: AssociativeMemory
) -> None:
    order = imported_order(memory)
    model = ScriptedModel(ANSWERS)
    session = start(model, conversation=memory.vault.conversations.get(order.conversation))

    assert any(isinstance(event, events.ForgetProposed) for event in session.retry())
    assert model.requests == []


def test_in_a_temporary_chat_what_came_after_is_dropped_and_nothing_is_written(
    start: Start, memory: AssociativeMemory
) -> None:
    model = ScriptedModel(ANSWERS)
    session = start(model, temporary=True)
    before = dict(files_of(memory.vault.folder))
    list(session.reply("I have a boat."))
    second = asked(list(session.reply("It is blue.")))
    list(session.reply("It leaks."))
    list(session.reply("It is red.", instead_of=second))
    assert dict(files_of(memory.vault.folder)) == before
    assert "blue" not in sent(model)
    assert "leaks" not in sent(model)
    with pytest.raises(NotFound):
        list(session.reply("It is green.", instead_of=second))

    assert session.keep() == 4
    assert told(memory, conversation_of(session)) == ["I have a boat.", "One.", "It is red.", "Four."]


def test_a_question_of_a_chat_that_was_kept_later_goes_by_the_same_name(
    start: Start, memory: AssociativeMemory
) -> None:
    session = start(ScriptedModel(ANSWERS), temporary=True)
    first = asked(list(session.reply("I have a boat.")))
    list(session.reply("It leaks."))
    session.keep()
    assert memory.vault.turns.get(first).text == "I have a boat."
    list(session.reply("I have a ship.", instead_of=first))
    assert told(memory, conversation_of(session)) == ["I have a ship.", "Three."]


def test_while_learning_is_paused_a_kept_conversation_stays_and_the_model_reads_what_is_shown(
    start: Start, memory: AssociativeMemory
) -> None:
    session = start(ScriptedModel(ANSWERS))
    list(session.reply("I have a boat."))
    second = asked(list(session.reply("It is blue.")))
    before = memory.vault.digest()
    model = ScriptedModel(["Red, then."])
    paused = start(model, conversation=session.conversation, temporary=True)

    list(paused.reply("It is red.", instead_of=second))

    assert memory.vault.digest() == before
    assert [message.content for message in model.requests[0][1:3]] == ["I have a boat.", "One."]
    assert "blue" not in sent(model)


def test_another_answer_reads_what_was_sent_with_the_question(start: Start, memory: AssociativeMemory) -> None:
    model = ScriptedModel(ANSWERS)
    session = start(model)
    list(session.reply("What is it about?", context="A page on herons."))
    list(session.retry())
    assert "herons" in sent(model)
    assert "herons" not in " ".join(turn.text for turn in memory.vault.turns.listing())


def test_an_answer_that_broke_off_can_be_asked_for_in_a_branch(start: Start, memory: AssociativeMemory) -> None:
    session = start(ScriptedModel([("Ha", DIED), "Two."]))
    first = asked(list(session.reply("I have a boat.")))
    list(session.reply("I have a ship.", instead_of=first))
    assert told(memory, conversation_of(session)) == ["I have a ship.", "Two."]
