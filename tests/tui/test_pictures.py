"""One picture of each screen, with all that moves held still."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from storage.keys import FLOOR_COST
from storage.records import RecalledLine, Role, Source, Utterance
from storage.vault import Vault
from tests.conftest import NOON, PASSPHRASE
from tests.tui.support import (
    FolderDoor,
    ListeningApp,
    converse,
    last_line_drawn,
    minutes_past_noon,
    settled,
    unlocked,
    until,
)
from tui.screens.conversations import ConversationsScreen
from tui.screens.forget import ForgetScreen
from tui.screens.memory import MemoryScreen
from tui.screens.unlock import UnlockScreen

Compare = Callable[..., bool]
Before = Callable[[Pilot[Any]], Awaitable[None]]

ANSWER = """You planned it on **3 May**: a week in Lisbon, by train.

1. Vienna to Paris over night
2. Paris to Irun, then on to *Lisbon*

```python
def nights(stops: list[str]) -> int:
    return len(stops) - 1
```
"""


def make_vault(folder: Path) -> str:
    """Keep two conversations; give the id of the one with memories under its answer."""
    with Vault.create(folder / "vault", PASSPHRASE, cost=FLOOR_COST) as vault:
        told = converse(
            vault,
            (Role.USER, "We go to Lisbon on 3 May, by train, since I don't like to fly."),
            (Role.ASSISTANT, "Noted. I wish you a quiet ride."),
            title="Trip to Lisbon",
        )
        asked = converse(
            vault,
            (Role.USER, "When do we go to Lisbon, and how?"),
            (Role.ASSISTANT, ANSWER),
            title="When do we go?",
        )
        memory, answer = vault.turns.in_conversation(told)[0], vault.turns.in_conversation(asked)[1]
        line = RecalledLine(node=memory.node, score=2.41, injected=True, used=True)
        vault.recollections.put(answer.id, [line])
    return asked


def still(app: ListeningApp) -> None:
    """Stop what blinks."""
    for screen in app.screen_stack:
        for field in screen.query(TextArea):
            field.cursor_blink = False
        for line in screen.query(Input):
            line.cursor_blink = False


def picture(app: ListeningApp, before: Before) -> Before:
    async def run_before(pilot: Pilot[Any]) -> None:
        await before(pilot)
        await until(pilot, lambda: last_line_drawn(app))
        still(app)
        await pilot.pause()

    return run_before


def test_the_first_run(tmp_path: Path, snap_compare: Compare) -> None:
    app = ListeningApp(FolderDoor(tmp_path), passphrase=None)

    async def before(pilot: Pilot[Any]) -> None:
        await until(pilot, lambda: isinstance(app.screen, UnlockScreen))

    assert snap_compare(app, run_before=picture(app, before))


def test_an_empty_chat(tmp_path: Path, snap_compare: Compare) -> None:
    make_vault(tmp_path)
    app = ListeningApp(FolderDoor(tmp_path, missing_model="no model is installed: `pip install assistant[model]`"))

    async def before(pilot: Pilot[Any]) -> None:
        chat = await unlocked(pilot)
        await until(pilot, lambda: chat.query_one(".welcome-problem").display)

    assert snap_compare(app, run_before=picture(app, before))


@pytest.mark.parametrize("theme", ["assistant-dark", "assistant-light"])
def test_a_conversation(tmp_path: Path, snap_compare: Compare, theme: str) -> None:
    app = ListeningApp(FolderDoor(tmp_path), conversation=make_vault(tmp_path))

    async def before(pilot: Pilot[Any]) -> None:
        app.theme = theme
        chat = await unlocked(pilot)
        await app.run_action("toggle_why")
        await until(pilot, lambda: settled(chat) and len(chat.query(".memory-head")) == 1)

    assert snap_compare(app, terminal_size=(100, 30), run_before=picture(app, before))


def test_a_temporary_chat(tmp_path: Path, snap_compare: Compare) -> None:
    make_vault(tmp_path)
    app = ListeningApp(FolderDoor(tmp_path), temporary=True)

    async def before(pilot: Pilot[Any]) -> None:
        await unlocked(pilot)
        await pilot.press("slash")

    assert snap_compare(app, run_before=picture(app, before))


def test_the_list_of_conversations(tmp_path: Path, snap_compare: Compare) -> None:
    make_vault(tmp_path)
    app = ListeningApp(FolderDoor(tmp_path))

    async def before(pilot: Pilot[Any]) -> None:
        await unlocked(pilot)
        await pilot.press("f2")
        await until(pilot, lambda: isinstance(app.screen, ConversationsScreen) and app.screen.chosen)
        await pilot.press("down")

    assert snap_compare(app, run_before=picture(app, before))


@pytest.mark.parametrize("size", [(120, 30), (40, 12)])
def test_the_table_of_memories(tmp_path: Path, snap_compare: Compare, size: tuple[int, int]) -> None:
    with Vault.create(tmp_path / "vault", PASSPHRASE, cost=FLOOR_COST) as vault:
        conversation = vault.conversations.create(id="c" * 32, title="Birds", source=Source.CHAT)
        for place, text in enumerate(("The heron eats at dawn.", "猫が好き 🐈", "odd \x1b[31m\u202e words")):
            utterance = Utterance(
                role=Role.USER, speaker="User", text=text, time=minutes_past_noon(place), source=Source.CHAT
            )
            vault.turns.append(conversation.id, utterance, terms="", id=f"{place}" * 32)
    app = ListeningApp(FolderDoor(tmp_path))

    async def before(pilot: Pilot[Any]) -> None:
        await unlocked(pilot)
        await pilot.press("f4")
        await until(pilot, lambda: isinstance(app.screen, MemoryScreen) and app.screen.chosen)
        await pilot.press("down", "G")
        await until(pilot, lambda: "dawn" in str(app.screen.query_one("#detail-text").render()))

    assert snap_compare(app, terminal_size=size, run_before=picture(app, before))


def test_the_question_before_forgetting(tmp_path: Path, snap_compare: Compare) -> None:
    make_vault(tmp_path)
    app = ListeningApp(FolderDoor(tmp_path))

    async def before(pilot: Pilot[Any]) -> None:
        await unlocked(pilot)
        await pilot.press("f4")
        await until(pilot, lambda: isinstance(app.screen, MemoryScreen) and app.screen.chosen)
        await pilot.press(*"since", "down", "G")
        assert app.assistant is not None
        assert isinstance(app.screen, MemoryScreen)
        plan = app.assistant.memory.plan_forgetting([app.screen.chosen or ""])
        app.push_screen(ForgetScreen(plan, grace=timedelta(days=1), now=NOON, backups=1))
        await until(pilot, lambda: isinstance(app.screen, ForgetScreen))
        app.screen_stack[-2].query_one("#detail").display = False  # shows a random id

    assert snap_compare(app, run_before=picture(app, before))


def test_the_help(tmp_path: Path, snap_compare: Compare) -> None:
    make_vault(tmp_path)
    app = ListeningApp(FolderDoor(tmp_path))

    async def before(pilot: Pilot[Any]) -> None:
        await unlocked(pilot)
        await pilot.press("f1")

    assert snap_compare(app, terminal_size=(100, 40), run_before=picture(app, before))
