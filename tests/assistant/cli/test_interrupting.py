"""Ctrl+c, or a signal, stops an answer in whatever it is about to do, without waiting for that."""

import signal
from collections.abc import Iterator

import pytest

from assistant.bootstrap import Assistant
from assistant.config import Config
from assistant.memory.associative import AssociativeMemory
from assistant.paths import Paths
from storage.keys import Secret
from storage.records import Role, TurnState
from storage.vault import Vault
from tests.assistant.cli.support import Here, Ran
from tests.held import NEXT, QUESTION, WRITTEN, Gate, HeldModel, held_encoder


class Standing:
    """Commands whose first answer stands still at a stage, and gets a signal there."""

    def __init__(self, here: Here, stage: str, number: signal.Signals) -> None:
        self.gate = Gate(lambda: signal.raise_signal(number))
        self._here = here
        self._stage = stage
        self._model = HeldModel(stage, self.gate)

    def run(self, *arguments: str, stdin: str = "") -> Ran:
        return self._here.run(*arguments, stdin=stdin, unlock=self._unlock)

    def kept(self) -> list[tuple[Role, str, TurnState]]:
        with self._here.home.opened() as memory:
            return [(turn.role, turn.text, turn.state) for turn in reversed(memory.vault.turns.listing())][3:]

    def _unlock(self, config: Config, paths: Paths, secret: Secret) -> Assistant:
        vault = Vault.open(paths.data, secret)
        memory = AssociativeMemory(vault, held_encoder(self._stage, self.gate))
        return Assistant(config=config, paths=paths, vault=vault, memory=memory, model=self._model)


@pytest.fixture
def gates() -> Iterator[list[Gate]]:
    """Gates that are opened at the end, whatever comes."""
    made: list[Gate] = []
    yield made
    for gate in made:
        gate.open.set()


def part(stage: str) -> list[tuple[Role, str, TurnState]]:
    """Give what is kept of the answer that was stopped."""
    return [(Role.ASSISTANT, WRITTEN.strip(), TurnState.STOPPED)] if stage == "write" else []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("stage", ["load", "read", "write"])
def test_a_signal_stops_an_answer_at_any_stage_and_the_next_question_is_answered(
    here: Here, gates: list[Gate], stage: str, number: signal.Signals
) -> None:
    standing = Standing(here, stage, number)
    gates.append(standing.gate)
    ran = standing.run("ask", QUESTION)
    assert (ran.code, ran.out.strip()) == (128 + number, WRITTEN.strip() if stage == "write" else "")
    assert ran.err.splitlines()[-1] == ("stopped; what was written is kept" if stage == "write" else "stopped")
    assert standing.kept() == [(Role.USER, QUESTION, TurnState.COMPLETE), *part(stage)]
    standing.gate.open.set()
    assert standing.run("ask", "-c", "And now?").out == f"{NEXT}\n"


@pytest.mark.parametrize("stage", ["load", "read", "write"])
def test_in_a_chat_of_lines_the_next_question_is_answered_after_ctrl_c(
    here: Here, gates: list[Gate], stage: str
) -> None:
    standing = Standing(here, stage, signal.SIGINT)
    gates.append(standing.gate)
    ran = standing.run("chat", "--plain", stdin=f"{QUESTION}\n/new\n")
    assert ran.code == 0
    assert "stopped" in ran.err
    standing.gate.open.set()
    assert standing.run("chat", "--plain", stdin="And now?\n").out == f"{NEXT}\n"
