"""A clock that is set back, or that is in another zone, changes neither an order nor what is recalled."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from assistant.language.speed import ReadingSpeed
from assistant.memory.associative import AssociativeMemory
from assistant.session import Session, SessionSettings
from storage.records import Conversation
from tests.conftest import NOON
from tests.doubles import ScriptedModel

BACK = NOON - timedelta(days=3)
Talk = Callable[..., ScriptedModel]


@pytest.fixture
def talk(memory: AssociativeMemory, tmp_path: Path) -> Talk:
    """Hold a conversation whose question and answer are at these times; gives the model."""

    def hold(
        questions: Sequence[str], *, times: Sequence[datetime], conversation: Conversation | None = None
    ) -> ScriptedModel:
        model, clock = ScriptedModel([f"Noted, number {n}." for n in range(len(questions))]), iter(times)
        last = times[-1]
        session = Session(
            memory=memory,
            model=model,
            speed=ReadingSpeed(tmp_path / "speed.json"),
            settings=SessionSettings(user_name="Mara", temperature=0.0, max_tokens=200, memory_tokens=400, seed=7),
            now=lambda: next(clock, last),
            conversation=conversation,
        )
        for question in questions:
            list(session.reply(question))
        return model

    return hold


def test_turns_stay_in_the_order_in_which_they_were_said(talk: Talk, memory: AssociativeMemory) -> None:
    talk(["The heron came early."], times=[NOON])
    conversation = memory.vault.conversations.listing()[0]
    model = talk(["And it left late.", "Then it rained."], times=[BACK], conversation=conversation)

    said = memory.vault.turns.in_conversation(conversation.id)
    assert [turn.position for turn in said] == list(range(6))
    assert [turn.text for turn in said[::2]] == ["The heron came early.", "And it left late.", "Then it rained."]
    assert [turn.text for turn in reversed(memory.vault.turns.listing())] == [turn.text for turn in said]
    sent = [message.content for message in model.requests[-1] if message.role != "system"]
    assert ["heron came early" in sent[0], "it left late" in sent[2], "Then it rained" in sent[-1]] == [True] * 3


def test_what_was_said_in_the_future_is_recalled_as_it_was(memory: AssociativeMemory) -> None:
    memory.remember("The bittern booms at dusk.", time=NOON, speaker="Mara")
    memory.remember("The bittern nests in the reed.", time=NOON + timedelta(hours=1), speaker="Mara")
    before = memory.recall("Where does the bittern nest?", now=NOON + timedelta(hours=2))
    after = memory.recall("Where does the bittern nest?", now=NOON - timedelta(days=400))
    assert [hit.turn.text for hit in before.hits] == ["The bittern nests in the reed.", "The bittern booms at dusk."]
    assert [(hit.turn, hit.score) for hit in after.hits] == [(hit.turn, hit.score) for hit in before.hits]


def test_another_zone_changes_neither_the_moment_nor_the_order(memory: AssociativeMemory) -> None:
    zones = [timezone(timedelta(hours=hours)) for hours in (12, -11, 0)]
    for number, zone in enumerate(zones):
        moment = (NOON + timedelta(minutes=number)).astimezone(zone)
        memory.remember(f"Flight number {number} landed.", time=moment, speaker="Mara")

    said = list(reversed(memory.vault.turns.listing()))
    assert [turn.time for turn in said] == [NOON + timedelta(minutes=number) for number in range(3)]
    assert [turn.time.utcoffset() for turn in said] == [zone.utcoffset(None) for zone in zones]
