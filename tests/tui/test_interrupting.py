"""An answer is stopped in whatever it is about to do, without waiting for that; the next question is answered."""

import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.bootstrap import Assistant
from assistant.errors import ModelFailed
from assistant.language.model import Done, LoadedModel, Message, Piece, Progress, Reading, Sampling, Text
from assistant.memory.associative import AssociativeMemory
from storage.records import Role, TurnState
from storage.vault import Vault
from tests.doubles import HashEncoder, ScriptedModel
from tests.tui.support import FolderDoor, ListeningApp, answers, plain, run, say, settled, unlocked, until
from tui.screens.chat import ChatScreen

FIVE = [f"word{number} " for number in range(1, 6)]
LONGEST_SECONDS = 30


class Gate:
    """Holds still what comes to it until it is opened."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.open = threading.Event()

    def wait(self, leave: threading.Event | None = None) -> None:
        """Wait until it is opened, or only until what is given is set; an error when that does not come."""
        self.reached.set()
        if not (leave or self.open).wait(LONGEST_SECONDS):
            raise ModelFailed("nobody stopped it")


class HeldModel(ScriptedModel):
    """Holds still while it loads, while it reads, or after five words; what it does then is left when it is cancelled.

    Loading cannot be left.
    """

    def __init__(self, stage: str, gate: Gate) -> None:
        super().__init__(["And here is the next answer."])
        self._stage, self._gate = stage, gate

    def load(self, progress: Progress | None = None) -> LoadedModel:
        if self._stage == "load":
            self._gate.wait()
        return super().load(progress)

    def stream(self, messages: Sequence[Message], *, sampling: Sampling, cancel: threading.Event) -> Iterator[Piece]:
        if sampling.max_tokens == 0 or self._stage not in {"read", "write"} or self._gate.open.is_set():
            yield from super().stream(messages, sampling=sampling, cancel=cancel)
            return
        yield Reading(done=1, total=9)
        written = FIVE if self._stage == "write" else []
        yield from (Text(text=word) for word in written)
        self._gate.wait(cancel)
        yield Done(
            finish="cancelled",
            prompt_tokens=9,
            reused_tokens=0,
            completion_tokens=len(written),
            read_seconds=1.0,
            write_seconds=1.0,
        )


class HeldEncoder(HashEncoder):
    """Holds still while it reads a question, which cannot be left."""

    def __init__(self, gate: Gate) -> None:
        super().__init__()
        self._gate = gate

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if any("Count" in text for text in texts):
            self._gate.wait()
        return super().encode(texts)


class HeldDoor(FolderDoor):
    """Opens on a memory and a model of which one holds still."""

    def __init__(self, folder: Path, stage: str, gate: Gate) -> None:
        super().__init__(folder, HeldModel(stage, gate))
        self._encoder = HeldEncoder(gate) if stage == "recall" else HashEncoder()

    def _assemble(self, vault: Vault) -> Assistant:
        memory = AssociativeMemory(vault, self._encoder)
        return Assistant(config=self.settings, paths=self.paths, vault=vault, memory=memory, model=self.model)


def kept(chat: ChatScreen) -> list[tuple[Role, str, TurnState]]:
    return [(turn.role, turn.text, turn.state) for turn in reversed(chat.assistant.vault.turns.listing())]


def stood_still(chat: ChatScreen, stage: str, gate: Gate) -> Callable[[], bool]:
    """Give whether the answer came as far as it shall, and is shown as far as it came."""
    words = "".join(FIVE) if stage == "write" else ""
    return lambda: gate.reached.is_set() and bool(answers(chat)) and answers(chat)[0].text == words


@pytest.mark.parametrize("key", ["escape", "ctrl+c"])
@pytest.mark.parametrize("stage", ["recall", "load", "read", "write"])
def test_a_key_stops_an_answer_at_any_stage_and_the_next_question_is_answered(
    tmp_path: Path, stage: str, key: str
) -> None:
    gate = Gate()

    async def scene() -> None:
        app = ListeningApp(HeldDoor(tmp_path, stage, gate))
        async with app.run_test() as pilot:
            chat = await unlocked(pilot)
            await say(pilot, "Count.", wait=False)
            await until(pilot, stood_still(chat, stage, gate))
            await pilot.press(key)
            await until(pilot, lambda: not chat.busy and settled(chat), "it stopped without waiting")
            assert not gate.open.is_set()
            assert plain(chat, ".foot") == "stopped"
            part = [(Role.ASSISTANT, "".join(FIVE).strip(), TurnState.STOPPED)] if stage == "write" else []
            assert kept(chat) == [(Role.USER, "Count.", TurnState.COMPLETE), *part]
            gate.open.set()
            await say(pilot, "And now?")
            assert answers(chat)[-1].text == "And here is the next answer."
            assert kept(chat)[-1] == (Role.ASSISTANT, "And here is the next answer.", TurnState.COMPLETE)

    try:
        run(scene())
    finally:
        gate.open.set()
