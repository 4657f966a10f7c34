from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from assistant import events
from assistant.language.prompt import VERIFY
from assistant.language.speed import ReadingSpeed
from assistant.memory.associative import AssociativeMemory
from assistant.memory.gate_parameters import MINILM_GATE
from assistant.memory.parameters import Parameters
from assistant.session import Session, SessionSettings
from storage.vault import Vault
from tests.assistant.memory.told import note
from tests.conftest import NOON
from tests.doubles import HashEncoder, ScriptedModel

NOTES = [f"On day {number} I repaired the {thing} in the shed." for number, thing in enumerate(["mower", "bench"] * 20)]
Ask = Callable[..., tuple[list[events.Event], ScriptedModel]]


@pytest.fixture
def ask(vault: Vault, tmp_path: Path) -> Ask:
    """Ask in a new chat about forty notes, with a gate that refuses below and is sure from these probabilities."""

    def asked(
        text: str, *, refuse_below: float, sure_from: float = 1.0, context: str = ""
    ) -> tuple[list[events.Event], ScriptedModel]:
        gate = replace(
            MINILM_GATE,
            encoder="hash",
            refuse_below=refuse_below,
            sure_from=sure_from,
            personal_refuse_below=refuse_below,
            personal_sure_from=sure_from,
        )
        memory = AssociativeMemory(vault, HashEncoder(), parameters=replace(Parameters(), gate=gate))
        for line in NOTES:
            note(memory, line)
        model = ScriptedModel(["Rex, you said."])
        session = Session(
            memory=memory,
            model=model,
            speed=ReadingSpeed(tmp_path / "speed.json"),
            settings=SessionSettings(user_name="Mara", temperature=0.0, max_tokens=200, memory_tokens=800, seed=7),
            now=lambda: NOON + timedelta(days=100),
        )
        return list(session.reply(text, context=context)), model

    return asked


def text_of(happened: list[events.Event]) -> str:
    end = happened[-1]
    assert isinstance(end, events.ReplyFinished)
    return end.text


def test_what_the_memory_does_not_know_is_said_without_the_model(ask: Ask, vault: Vault) -> None:
    happened, model = ask("What is the name of my dog?", refuse_below=1.0)
    assert text_of(happened) == "I have no memory of that."
    assert model.requests == []
    answer = vault.turns.listing(limit=1)[0]
    assert (answer.text, answer.model) == ("I have no memory of that.", "")
    verdict = vault.recollections.verdict_of(answer.id)
    assert verdict is not None
    assert verdict.outcome == "unknown"


def test_it_is_said_in_german_where_it_was_asked_so(ask: Ask) -> None:
    happened, _ = ask("Wie heißt mein Hund?", refuse_below=1.0)
    assert text_of(happened) == "Daran habe ich keine Erinnerung."


@pytest.mark.parametrize(
    "text", ["What is the capital of France?", "How do I repair my mower?", "My dog is called Rex."]
)
def test_what_does_not_ask_for_a_fact_of_ones_life_goes_to_the_model(ask: Ask, text: str) -> None:
    _, model = ask(text, refuse_below=1.0)
    assert len(model.requests) == 1


def test_a_question_with_a_text_beside_it_goes_to_the_model(ask: Ask) -> None:
    _, model = ask("What is the name of my dog?", refuse_below=1.0, context="Invoice for the dog Rex.")
    assert len(model.requests) == 1


def test_an_unsure_memory_makes_the_model_look_twice(ask: Ask) -> None:
    _, unsure = ask("When did I repair the mower?", refuse_below=0.0, sure_from=1.1)
    _, sure = ask("When did I repair the mower?", refuse_below=0.0, sure_from=0.0)
    assert VERIFY in unsure.requests[0][-1].content
    assert VERIFY not in sure.requests[0][-1].content
