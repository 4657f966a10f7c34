from datetime import timedelta

import pytest

from assistant import events
from assistant.events import Event
from assistant.memory.associative import AssociativeMemory
from assistant.requested import ID_CHARACTERS
from storage.grace import Forgetting
from storage.records import Category, Maker, Role, Source, Utterance
from tests.assistant.conftest import Start
from tests.conftest import NOON
from tests.doubles import ScriptedModel
from tests.storage.old_vaults import dump

NUMBER = "0171 2345678"


def told(happened: list[Event]) -> str:
    end = happened[-1]
    assert isinstance(end, events.ReplyFinished)
    return end.text


def proposal(happened: list[Event]) -> events.ForgetProposed:
    (proposed,) = [event for event in happened if isinstance(event, events.ForgetProposed)]
    return proposed


def sent(model: ScriptedModel) -> str:
    return "\n".join(message.content for request in model.requests for message in request)


def tables(memory: AssociativeMemory) -> str:
    return repr(dump(memory.vault._database))


def test_what_is_remembered_is_answered_from_the_vault_with_ids(start: Start, memory: AssociativeMemory) -> None:
    list(start(ScriptedModel(["Noted: a fine name."])).reply("My boat is called Gull."))
    list(start(ScriptedModel(["Fine."])).reply("How are you?"))
    said = memory.vault.turns.listing(roles=[Role.USER])[-1]
    model = ScriptedModel([])
    happened = list(start(model).reply("What do you remember about me?"))
    assert model.requests == []
    assert f"- {said.id[:ID_CHARACTERS]}  2026-05-12  Mara: My boat is called Gull." in told(happened)
    assert "How are you?" not in told(happened)
    assert "a fine name" not in told(happened)
    assert [type(event) for event in happened] == [events.Token, events.ReplyFinished]


def test_the_answer_that_lists_memories_is_kept_nowhere(start: Start, memory: AssociativeMemory) -> None:
    list(start(ScriptedModel(["Noted."])).reply("My boat is called Gull."))
    before = memory.vault.digest()
    model = ScriptedModel(["Hello."])
    session = start(model)
    list(session.reply("What do you remember about me?"))
    assert session.conversation is None
    assert memory.vault.digest() == before
    list(session.reply("Good morning."))
    assert "This is what I remember" not in sent(model)


def test_of_many_memories_the_latest_are_shown_with_a_count_of_the_rest(
    start: Start, memory: AssociativeMemory
) -> None:
    for number in range(25):
        memory.remember(f"Bird {number} is a heron.", time=NOON, speaker="Mara")
    text = told(list(start(ScriptedModel([])).reply("Was weißt du über mich?")))
    assert text.startswith("Das habe ich behalten:")
    assert text.count("is a heron") == 20
    assert "Bird 24 is" in text
    assert "und 5 weitere; alle zeigt: assistant memory list" in text


def test_concepts_are_shown_too(start: Start, memory: AssociativeMemory) -> None:
    note = memory.remember("Gull leaks.", time=NOON, speaker="Mara")
    concept = memory.vault.concepts.add(
        text="Gull", terms="gull", maker=Maker.SALIENT, category=Category.IDENTITY, confidence=1.0, support=[note.node]
    )
    assert concept.id[:ID_CHARACTERS] in told(list(start(ScriptedModel([])).reply("What do you remember about Gull?")))


def test_what_is_remembered_of_somebody_is_what_names_them_or_they_said(
    start: Start, memory: AssociativeMemory
) -> None:
    conversation = memory.vault.conversations.create(source=Source.IMPORTED)
    heard = Utterance(role=Role.OTHER, speaker="Ada", text="I sail on Friday.", time=NOON, source=Source.IMPORTED)
    memory.hear(conversation.id, heard)
    memory.remember("Ada has the spare key.", time=NOON, speaker="Mara")
    memory.remember("The mower is broken.", time=NOON, speaker="Mara")
    model = ScriptedModel(["A country."])
    text = told(list(start(model).reply("What do you know about Ada?")))
    assert "I sail on Friday." in text
    assert "spare key" in text
    assert "mower" not in text
    list(start(model).reply("What do you know about France?"))
    assert len(model.requests) == 1


def test_without_memory_nothing_of_it_is_shown(start: Start) -> None:
    list(start(ScriptedModel(["Noted."])).reply("My boat is called Gull."))
    text = told(list(start(ScriptedModel([]), temporary=True, use_memory=False).reply("What do you remember?")))
    assert "Gull" not in text
    assert "does without memory" in text


@pytest.mark.parametrize("order", ["Forget my phone number", f"Please forget my phone number {NUMBER}."])
def test_what_is_to_be_forgotten_goes_to_no_model_and_leaves_no_trace_once_it_is_confirmed(
    start: Start, memory: AssociativeMemory, order: str
) -> None:
    model = ScriptedModel([f"Noted, {NUMBER}.", "Hello.", "I do not know."])
    session = start(model, grace=timedelta(0))
    list(session.reply(f"My phone number is {NUMBER}."))
    list(session.reply("I like tea."))
    list(start(ScriptedModel([f"It is {NUMBER}."])).reply("How can Jo reach me on the phone?"))
    memory.remember(f"Jo calls me at {NUMBER}, every Friday.", time=NOON, speaker="Mara")
    before, count = len(model.requests), memory.vault.turns.count()
    happened = list(session.reply(order))
    assert len(model.requests) == before
    assert memory.vault.turns.count() == count
    assert not any(isinstance(event, events.TurnKept | events.Recalled) for event in happened)
    plan = proposal(happened).plan
    assert {turn.id[:ID_CHARACTERS] for turn in plan.turns} <= set(told(happened).replace("-", " ").split())
    assert NUMBER in tables(memory)
    session.forget(plan)
    assert NUMBER not in tables(memory)
    assert "2345678" not in tables(memory)
    list(session.reply("What now?"))
    assert NUMBER not in "".join(message.content for message in model.requests[-1])
    assert "I like tea." in "".join(message.content for message in model.requests[-1])


def test_what_was_forgotten_on_request_can_be_brought_back(start: Start, memory: AssociativeMemory) -> None:
    session = start(ScriptedModel(["Noted."]))
    list(session.reply("Ada has the spare key."))
    done = session.forget(proposal(list(session.reply("Delete everything about Ada"))).plan)
    assert isinstance(done, Forgetting)
    assert memory.vault.turns.count() == 0
    memory.undo(done.id)
    assert [turn.text for turn in memory.vault.turns.listing()] == ["Noted.", "Ada has the spare key."]


def test_a_name_that_only_looks_alike_is_not_meant(start: Start, memory: AssociativeMemory) -> None:
    for text in ("Ann sails.", "Anna paints.", "Joanna sings."):
        memory.remember(text, time=NOON, speaker="Mara")
    plan = proposal(list(start(ScriptedModel([])).reply("Forget Ann"))).plan
    assert [turn.text for turn in plan.turns] == ["Ann sails."]


def test_where_nothing_has_the_words_what_comes_nearest_is_shown(start: Start, memory: AssociativeMemory) -> None:
    list(start(ScriptedModel(["Noted."])).reply("My phone is +49 171 2345678."))
    model = ScriptedModel([])
    happened = list(start(model).reply("Forget my phone number"))
    assert model.requests == []
    assert not any(isinstance(event, events.ForgetProposed) for event in happened)
    assert 'Nothing that I remember has "phone number" in it.' in told(happened)
    assert "My phone is +49 171 2345678." in told(happened)


def test_forget_that_means_the_last_exchange_of_this_chat(start: Start) -> None:
    session = start(ScriptedModel(["One.", "Two."]))
    list(session.reply("My boat is called Gull."))
    list(session.reply("My dog is called Rex."))
    list(start(ScriptedModel(["Three."])).reply("Rain again today."))
    plan = proposal(list(session.reply("Forget that."))).plan
    assert [turn.text for turn in plan.turns] == ["My dog is called Rex.", "Two."]


def test_an_answer_of_a_temporary_chat_that_drew_on_what_is_forgotten_is_not_kept_later(
    start: Start, memory: AssociativeMemory
) -> None:
    memory.remember("My pin is 4821.", time=NOON, speaker="Mara")
    session = start(ScriptedModel(["It is 4821."]), temporary=True)
    (*_, end) = session.reply("What is my code?")
    assert isinstance(end, events.ReplyFinished)
    assert len(end.injected) == 1
    session.forget(proposal(list(session.reply("Forget my pin"))).plan)
    assert session.keep() == 0
    assert memory.vault.turns.count() == 0


def test_what_is_meant_is_not_looked_up_one_by_one(start: Start, memory: AssociativeMemory) -> None:
    for number in range(60):
        memory.remember(f"My phone number is {number}.", time=NOON, speaker="Mara")
    asked: list[str] = []

    def note(_cursor: object, statement: str, _bindings: object) -> bool:
        asked.append(statement)
        return True

    connection = memory.vault._database._connection
    assert connection is not None
    connection.exec_trace = note

    plan = proposal(list(start(ScriptedModel([])).reply("Forget my phone number"))).plan

    assert len(plan.turns) == 60
    assert len(asked) < 60


def test_everything_is_proposed_as_such(start: Start, memory: AssociativeMemory) -> None:
    memory.remember("Ada has the spare key.", time=NOON, speaker="Mara")
    proposed = proposal(list(start(ScriptedModel([])).reply("Forget everything you know about me.")))
    assert proposed.request.everything
    assert len(proposed.plan.turns) == 1
    assert memory.vault.turns.count() == 1


def test_in_a_temporary_chat_what_is_meant_leaves_the_chat_at_once(start: Start, memory: AssociativeMemory) -> None:
    model = ScriptedModel(["Noted.", "Fine.", "I do not know."])
    session = start(model, temporary=True)
    list(session.reply("My pin is 4821-77."))
    list(session.reply("I like tea."))
    assert "out of it" in told(list(session.reply("Forget my pin")))
    list(session.reply("What did I say?"))
    last = "".join(message.content for message in model.requests[-1])
    assert "4821" not in last
    assert "I like tea." in last
    assert session.keep() == 4
    assert "4821-77" not in tables(memory)
