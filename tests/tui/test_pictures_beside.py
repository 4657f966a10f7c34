"""One picture of each screen that looks into the memory, with all that moves held still."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from storage.keys import FLOOR_COST
from storage.records import Category, Maker, RecalledLine, Role, Source, Turn, Utterance, Verdict
from storage.vault import Vault
from tests.conftest import NOON, PASSPHRASE
from tests.tui.support import FolderDoor, ListeningApp, last_line_drawn, plain, unlocked, until
from tui.screens.graph import GraphScreen
from tui.screens.insights import InsightsScreen
from tui.screens.why import WhyScreen

Compare = Callable[..., bool]
SAID = ("The heron eats at dawn.", "猫が好き 🐈", "It stands at the pond until noon, and then it sleeps.", "A heron.")


def make_vault(folder: Path) -> str:
    """Keep four turns with ties of each kind, the last of which is an answer; give the conversation."""
    with Vault.create(folder / "vault", PASSPHRASE, cost=FLOOR_COST) as vault:
        conversation = vault.conversations.create(id="c" * 32, title="Birds", source=Source.CHAT)
        turns = [keep(vault, place, text) for place, text in enumerate(SAID)]
        nodes = [turn.node for turn in turns]
        lines = [
            RecalledLine(node=nodes[0], score=2.41, injected=True, used=True, parts={"cosine": 0.71, "bm25": 1.2}),
            RecalledLine(node=nodes[2], score=1.1, injected=True, used=False, path=((nodes[0], "temporal", 0.5),)),
            RecalledLine(node=nodes[1], score=0.2, injected=False, used=False),
        ]
        verdict = Verdict(outcome="known", probability=0.93, reasons=("most words were found",))
        vault.recollections.put(turns[3].id, lines, verdict)
        vault.associations.put_cosines([(nodes[2], nodes[0], 0.63)])
        vault.concepts.add(
            text="heron", terms="heron", maker=Maker.SALIENT, category=Category.TERM, confidence=1.0, support=nodes[2:3]
        )
    return conversation.id


def keep(vault: Vault, place: int, text: str) -> Turn:
    role = Role.ASSISTANT if place == len(SAID) - 1 else Role.USER
    time = NOON + timedelta(days=place)
    said = Utterance(role=role, speaker=role.value.title(), text=text, time=time, source=Source.CHAT)
    return vault.turns.append("c" * 32, said, terms="", id=f"{place}" * 32)


def showing(app: ListeningApp, key: str, ready: Callable[[], object]) -> Callable[[Pilot[Any]], Awaitable[None]]:
    async def before(pilot: Pilot[Any]) -> None:
        await unlocked(pilot)
        await pilot.press(key)
        await until(pilot, ready)
        await until(pilot, lambda: last_line_drawn(app))
        await pilot.pause()

    return before


@pytest.mark.parametrize("size", [(120, 30), (40, 12)])
def test_why_an_answer_says_what_it_says(tmp_path: Path, snap_compare: Compare, size: tuple[int, int]) -> None:
    app = ListeningApp(FolderDoor(tmp_path), conversation=make_vault(tmp_path))

    def ready() -> bool:
        return isinstance(app.screen, WhyScreen) and "score" in plain(app.screen, "#detail-facts")

    assert snap_compare(app, terminal_size=size, run_before=showing(app, "f3", ready))


@pytest.mark.parametrize("size", [(100, 24), (40, 12)])
def test_a_memory_and_its_ties(tmp_path: Path, snap_compare: Compare, size: tuple[int, int]) -> None:
    make_vault(tmp_path)
    app = ListeningApp(FolderDoor(tmp_path))

    async def before(pilot: Pilot[Any]) -> None:
        await unlocked(pilot)
        app.push_screen(GraphScreen(app.assistant, centre="2" * 32))  # type: ignore[arg-type]  # it is unlocked
        await until(pilot, lambda: isinstance(app.screen, GraphScreen) and app.screen.shown.tied)
        await until(
            pilot, lambda: app.screen.query_one("#graph").size.height or app.screen.query_one("#list").size.height
        )
        await until(pilot, lambda: plain(app.screen, "#graph").strip() or app.screen.query_one("#list").has_focus)
        await pilot.press("down")
        await until(pilot, lambda: last_line_drawn(app))
        await pilot.pause()

    assert snap_compare(app, terminal_size=size, run_before=before)


def test_figures_and_bars(tmp_path: Path, snap_compare: Compare) -> None:
    make_vault(tmp_path)
    app = ListeningApp(FolderDoor(tmp_path))

    async def before(pilot: Pilot[Any]) -> None:
        await unlocked(pilot)
        app.push_screen(InsightsScreen(app.assistant, clock=lambda: NOON + timedelta(days=60)))  # type: ignore[arg-type]
        await until(pilot, lambda: isinstance(app.screen, InsightsScreen) and "memories" in plain(app.screen, "#plots"))
        await until(pilot, lambda: last_line_drawn(app))
        await pilot.pause()

    assert snap_compare(app, terminal_size=(80, 50), run_before=before)
