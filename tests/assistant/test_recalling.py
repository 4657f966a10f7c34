"""Whoever says stop while memory recalls does not wait for it."""

from pathlib import Path

from assistant import events
from assistant.language.speed import ReadingSpeed
from assistant.memory.associative import AssociativeMemory
from assistant.session import Session, SessionSettings
from storage.vault import Vault
from tests.conftest import NOON
from tests.held import NEXT, QUESTION, Gate, HeldModel, held_encoder


def test_a_reply_is_stopped_while_memory_recalls_and_ends_when_that_is_done(vault: Vault, tmp_path: Path) -> None:
    def stop() -> None:
        session.stop()

    gate = Gate(stop)
    model = HeldModel("recall", gate)
    session = Session(
        memory=AssociativeMemory(vault, held_encoder("recall", gate)),
        model=model,
        speed=ReadingSpeed(tmp_path / "speed.json"),
        settings=SessionSettings(user_name="Mara", temperature=0.0, max_tokens=200, memory_tokens=400),
        now=lambda: NOON,
    )
    reply = session.reply(QUESTION)
    assert isinstance(next(reply), events.TurnKept)
    stopped = next(reply)
    assert isinstance(stopped, events.ReplyStopped)
    assert (stopped.text, stopped.turn, model.requests) == ("", None, [])
    assert gate.reached.is_set()
    assert not gate.open.is_set()
    gate.open.set()
    assert list(reply) == []
    *_, end = session.reply("And now?")
    assert isinstance(end, events.ReplyFinished)
    assert end.text == NEXT
