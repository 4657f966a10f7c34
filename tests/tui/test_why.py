"""Why an answer said what it said."""

from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from assistant.memory.associative import AssociativeMemory
from assistant.memory.recollection import TOLD_EARLIER
from storage.keys import FLOOR_COST
from storage.records import RecalledLine, Role, Verdict
from storage.vault import Vault
from tests.conftest import PASSPHRASE
from tests.doubles import HashEncoder, ScriptedModel
from tests.tui.support import FolderDoor, ListeningApp, converse, everything_shown, plain, run, say, unlocked, until
from tui.reasons import EARLIER, account_of, way
from tui.screens.forget import ForgetScreen
from tui.screens.graph import GraphScreen
from tui.screens.memory import MemoryScreen
from tui.screens.unlock import UnlockScreen
from tui.screens.why import ReasonList, WhyScreen

HERON = "The heron's name is Quillfeather."
POND = "Quillfeather stands at the pond."
DOG = "The dog sleeps."


def make_answer(folder: Path) -> str:
    """Keep an answer with three memories behind it; give its conversation."""
    with Vault.create(folder / "vault", PASSPHRASE, cost=FLOOR_COST) as vault:
        told = converse(vault, (Role.USER, HERON), (Role.USER, POND), (Role.USER, DOG), title="Birds")
        asked = converse(vault, (Role.USER, "What is its name?"), (Role.ASSISTANT, "Quillfeather."))
        heron, pond, dog = vault.turns.in_conversation(told)
        answer = vault.turns.in_conversation(asked)[1]
        lines = [
            RecalledLine(node=heron.node, score=2.5, injected=True, used=True, parts={"cosine": 0.75, "energy": 1.25}),
            RecalledLine(node=pond.node, score=1.5, injected=True, used=False, path=((heron.node, "temporal", 0.25),)),
            RecalledLine(node=dog.node, score=0.5, injected=False, used=False),
        ]
        verdict = Verdict(outcome="known", probability=0.9, reasons=("a name was told",))
        vault.recollections.put(answer.id, lines, verdict)
    return asked


async def opened(pilot: Pilot[Any]) -> WhyScreen:
    await unlocked(pilot)
    await pilot.press("f3")
    await until(pilot, lambda: isinstance(pilot.app.screen, WhyScreen) and pilot.app.screen.subject)
    await until(pilot, lambda: "score" in plain(pilot.app.screen, "#detail-facts"))
    assert isinstance(pilot.app.screen, WhyScreen)
    return pilot.app.screen


def lines(app: ListeningApp) -> list[str]:
    return [str(option.prompt).strip() for option in app.screen.query_one(ReasonList).options]


def test_memories_stand_in_three_groups_with_score_parts_way_verdict_and_source(tmp_path: Path) -> None:
    conversation = make_answer(tmp_path)

    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path), conversation=conversation)
        async with app.run_test(size=(120, 40)) as pilot:
            screen = await opened(pilot)
            assert lines(app) == [
                "used 1",
                f"2.50  2026-05-12  {HERON}",
                "told to the model 1",
                f"1.50  2026-05-12  {POND}",
                "only recalled 1",
                f"0.50  2026-05-12  {DOG}",
            ]
            assert plain(screen, "#caption") == "recalled 3, told the model 2, used 1"
            assert plain(screen, "#verdict") == "known (0.90): a name was told"
            facts = plain(screen, "#detail-facts")
            for fact in ("Birds", "2026-05-12 12:00:00", "trust     user", "cosine   0.75", "question itself led"):
                assert fact in facts
            await pilot.press("j")
            await until(pilot, lambda: "temporal 0.25" in plain(screen, "#detail-facts"))
            assert plain(screen, "#detail-text") == POND
            assert HERON in plain(screen, "#detail-facts")

    run(scene())


def test_a_memory_is_pinned_looked_up_and_its_graph_shown_from_there(tmp_path: Path) -> None:
    conversation = make_answer(tmp_path)

    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path), conversation=conversation)
        async with app.run_test(size=(120, 40)) as pilot:
            screen = await opened(pilot)
            heron = screen.subject
            vault = screen.assistant.vault
            await pilot.press("p")
            await until(pilot, lambda: app.told == ["Pinned: 1 memory."])
            assert vault.traces.of()[vault.turns.get(heron).node].pinned
            await pilot.press("g")
            await until(pilot, lambda: isinstance(app.screen, GraphScreen) and app.screen.shown.id == heron)
            await pilot.press("escape", "f3")
            await until(pilot, lambda: isinstance(app.screen, WhyScreen) and app.screen.subject == heron)
            await pilot.press("enter")
            await until(pilot, lambda: isinstance(app.screen, MemoryScreen) and app.screen.chosen == heron)
            await until(pilot, lambda: plain(app.screen, "#detail-text") == HERON)

    run(scene())


def test_what_is_forgotten_from_there_is_shown_no_more(tmp_path: Path) -> None:
    conversation = make_answer(tmp_path)

    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path), conversation=conversation)
        async with app.run_test(size=(120, 40)) as pilot:
            await opened(pilot)
            await pilot.press("d")
            await until(pilot, lambda: isinstance(app.screen, ForgetScreen))
            await pilot.press("Y")
            await until(pilot, lambda: isinstance(app.screen, WhyScreen) and len(lines(app)) == 4)
            await until(pilot, lambda: HERON not in everything_shown(app))
            await until(pilot, lambda: "question itself led" in plain(app.screen, "#detail-facts"))

    run(scene())


def test_a_temporary_answer_is_explained_too_until_its_memory_is_forgotten(tmp_path: Path) -> None:
    make_answer(tmp_path)

    async def scene() -> None:
        door = FolderDoor(tmp_path, ScriptedModel(["It is Quillfeather, the heron."]))
        app = ListeningApp(door, temporary=True)
        async with app.run_test(size=(120, 40)) as pilot:
            chat = await unlocked(pilot)
            await say(pilot, "What is the heron's name?")
            screen = await opened(pilot)
            assert any(HERON in line for line in lines(app))
            assert "cosine" in plain(screen, "#detail-facts")
            vault = screen.assistant.vault
            vault.erase([turn.node for turn in vault.turns.listing() if turn.text == HERON])
            await until(pilot, lambda: HERON not in "".join(lines(app)))
            await pilot.press("escape")
            answer = chat.chosen_answer()
            assert answer is not None
            await until(pilot, lambda: HERON not in str(answer.account))

    run(scene())


def test_no_answer_yet_is_said_in_one_line(tmp_path: Path) -> None:
    Vault.create(tmp_path / "vault", PASSPHRASE, cost=FLOOR_COST).close()

    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path))
        async with app.run_test() as pilot:
            await unlocked(pilot)
            await pilot.press("f3")
            assert app.told == ["There is no answer yet."]

    run(scene())


@pytest.mark.parametrize("size", [(12, 4), (40, 12), (80, 24), (250, 80)])
def test_the_screens_beside_the_chat_work_at_any_size_and_leave_no_word_behind_a_lock(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    conversation = make_answer(tmp_path)
    with Vault.open(tmp_path / "vault", PASSPHRASE) as vault:
        AssociativeMemory(vault, HashEncoder()).consolidate(now=vault.turns.listing()[0].time)

    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path), conversation=conversation)
        async with app.run_test(size=size) as pilot:
            await unlocked(pilot)
            for keys in ("f3 down j g l down enter", "f5 down right l down left l enter backspace m", "f6 pagedown"):
                await pilot.press(*keys.split())
                await pilot.pause(0.05)
            await pilot.press("f4", "down", *"tttt", "f5")
            await pilot.pause()
            await pilot.resize_terminal(12, 4)
            await pilot.resize_terminal(100, 30)
            await pilot.press("ctrl+l")
            await until(pilot, lambda: isinstance(app.screen, UnlockScreen))
            assert "Quillfeather" not in everything_shown(app)

    run(scene())


def test_a_memory_that_was_told_earlier_is_said_to_be_so(tmp_path: Path) -> None:
    make_answer(tmp_path)
    with Vault.open(tmp_path / "vault", PASSPHRASE) as vault:
        heron = vault.turns.listing()[-1]
        answer = vault.turns.listing(roles=[Role.ASSISTANT])[0]
        line = RecalledLine(node=heron.node, score=0.0, injected=True, used=True, parts={TOLD_EARLIER: 1.0})
        vault.recollections.put(answer.id, [line])
        (reason,) = account_of(vault, answer.id).reasons

    assert (reason.group, way(reason), reason.parts) == ("used", EARLIER, {})
