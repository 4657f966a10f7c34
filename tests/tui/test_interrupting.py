"""An answer is stopped in whatever it is about to do, without waiting for that; the next question is answered."""

from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.bootstrap import Assistant
from assistant.memory.associative import AssociativeMemory
from storage.records import Role, TurnState
from storage.vault import Vault
from tests.held import NEXT, QUESTION, STAGES, WRITTEN, Gate, HeldModel, held_encoder
from tests.tui.support import FolderDoor, ListeningApp, answers, plain, run, say, settled, unlocked, until
from tui.screens.chat import ChatScreen


class HeldDoor(FolderDoor):
    """Opens on a memory and a model of which one holds still."""

    def __init__(self, folder: Path, stage: str, gate: Gate) -> None:
        super().__init__(folder, HeldModel(stage, gate))
        self._encoder = held_encoder(stage, gate)

    def _assemble(self, vault: Vault) -> Assistant:
        memory = AssociativeMemory(vault, self._encoder)
        return Assistant(config=self.settings, paths=self.paths, vault=vault, memory=memory, model=self.model)


def kept(chat: ChatScreen) -> list[tuple[Role, str, TurnState]]:
    return [(turn.role, turn.text, turn.state) for turn in reversed(chat.assistant.vault.turns.listing())]


def stands_still(chat: ChatScreen, stage: str, gate: Gate) -> Callable[[], bool]:
    """Give whether the answer came as far as it shall, and is shown as far as it came."""
    words = WRITTEN if stage == "write" else ""
    return lambda: gate.reached.is_set() and bool(answers(chat)) and answers(chat)[0].text == words


@pytest.mark.parametrize("key", ["escape", "ctrl+c"])
@pytest.mark.parametrize("stage", STAGES)
def test_a_key_stops_an_answer_at_any_stage_and_the_next_question_is_answered(
    tmp_path: Path, stage: str, key: str
) -> None:
    gate = Gate()

    async def scene() -> None:
        app = ListeningApp(HeldDoor(tmp_path, stage, gate))
        async with app.run_test() as pilot:
            chat = await unlocked(pilot)
            await say(pilot, QUESTION, wait=False)
            await until(pilot, stands_still(chat, stage, gate))
            await pilot.press(key)
            await until(pilot, lambda: not chat.busy and settled(chat), "it stopped without waiting")
            assert gate.open.is_set() is (stage in {"read", "write"}), "what cannot be left goes on"
            assert plain(chat, ".foot") == "stopped"
            part = [(Role.ASSISTANT, WRITTEN.strip(), TurnState.STOPPED)] if stage == "write" else []
            assert kept(chat) == [(Role.USER, QUESTION, TurnState.COMPLETE), *part]
            gate.open.set()
            await say(pilot, "And now?")
            assert answers(chat)[-1].text == NEXT
            assert kept(chat)[-1] == (Role.ASSISTANT, NEXT, TurnState.COMPLETE)

    try:
        run(scene())
    finally:
        gate.open.set()
