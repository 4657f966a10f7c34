"""The list of conversations."""

from pathlib import Path
from typing import Any

from textual.pilot import Pilot
from textual.widgets import Input

from storage.keys import FLOOR_COST
from storage.records import Role
from storage.vault import Vault
from tests.conftest import PASSPHRASE
from tests.doubles import ScriptedModel
from tests.tui.support import FolderDoor, ListeningApp, answers, converse, plain, run, say, unlocked, until
from tui.screens.browse import BrowseList
from tui.screens.chat import ChatScreen
from tui.screens.conversations import ConversationsScreen


def make_conversations(folder: Path) -> list[str]:
    with Vault.create(folder / "vault", PASSPHRASE, cost=FLOOR_COST) as vault:
        return [
            converse(vault, (Role.USER, f"about {title}"), (Role.ASSISTANT, "Yes."), title=title)
            for title in ("Herons", "Lisbon \x1b[31m\u202etrip", "日本語の話")
        ]


def lines(app: ListeningApp) -> list[str]:
    return [str(option.prompt) for option in app.screen.query_one(BrowseList).options]


async def opened(pilot: Pilot[Any], app: ListeningApp) -> ChatScreen:
    chat = await unlocked(pilot)
    await pilot.press("f2")
    await until(pilot, lambda: isinstance(app.screen, ConversationsScreen) and lines(app))
    return chat


def test_conversations_are_listed_with_time_and_length_and_nothing_in_them_acts(tmp_path: Path) -> None:
    make_conversations(tmp_path)

    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path))
        async with app.run_test() as pilot:
            await opened(pilot, app)
            shown = lines(app)
            assert len(shown) == 3
            assert all("2026-05-12 12:01" in line and "2 turns" in line for line in shown)
            assert any("日本語の話" in line for line in shown)
            assert not set("".join(shown)) & set("\x1b\u202e")
            assert plain(app.screen, "#caption") == "3 conversations"

    run(scene())


def test_one_that_continues_from_another_is_marked(tmp_path: Path) -> None:
    herons = make_conversations(tmp_path)[0]
    with Vault.open(tmp_path / "vault", PASSPHRASE) as vault:
        branch = converse(vault, (Role.USER, "about swans"))
        vault.branches.put(branch, vault.branches.point_of(vault.turns.in_conversation(herons)[1]))

    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path))
        async with app.run_test() as pilot:
            await opened(pilot, app)
            assert ["↳" in line for line in lines(app)] == ["about swans" in line for line in lines(app)]
            assert sum("↳ about swans" in line for line in lines(app)) == 1

    run(scene())


def test_the_list_follows_what_is_typed_and_enter_goes_on_with_the_conversation(tmp_path: Path) -> None:
    herons = make_conversations(tmp_path)[0]

    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path, ScriptedModel(["At dawn."])))
        async with app.run_test() as pilot:
            chat = await opened(pilot, app)
            await pilot.press(*"hero")
            await until(pilot, lambda: len(lines(app)) == 1)
            await pilot.press("enter")
            await until(pilot, lambda: app.screen is chat and chat.ready and len(answers(chat)) == 1)
            assert plain(chat, "#title") == "Herons"
            await say(pilot, "When do they eat?")
            assert len(chat.assistant.vault.turns.in_conversation(herons)) == 4

    run(scene())


def test_r_renames(tmp_path: Path) -> None:
    herons = make_conversations(tmp_path)[0]

    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path))
        async with app.run_test() as pilot:
            chat = await opened(pilot, app)
            await pilot.press(*"hero")
            await until(pilot, lambda: len(lines(app)) == 1)
            await pilot.press("down", "r")
            await until(pilot, lambda: bool(app.screen.query("#rename")))
            app.screen.query_one("#rename", Input).value = "Birds"
            await pilot.press("enter")
            await until(pilot, lambda: chat.assistant.vault.conversations.get(herons).title == "Birds")
            app.screen.query_one("#search", Input).value = "bird"
            await until(pilot, lambda: "Birds" in "".join(lines(app)))

    run(scene())


def test_an_empty_list_says_what_will_be_there(tmp_path: Path) -> None:
    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path))
        async with app.run_test() as pilot:
            await unlocked(pilot)
            await pilot.press("f2")
            await until(pilot, lambda: "Nothing yet" in plain(app.screen, "#empty"))
            await pilot.press("escape")
            await until(pilot, lambda: isinstance(app.screen, ChatScreen))

    run(scene())


def test_keys_lead_from_one_list_to_the_other_and_to_a_new_chat(tmp_path: Path) -> None:
    make_conversations(tmp_path)

    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path))
        async with app.run_test() as pilot:
            chat = await opened(pilot, app)
            await pilot.press("f4", "f2", "f4", "f4")
            await until(pilot, lambda: type(app.screen).__name__ == "MemoryScreen")
            assert len(app.screen_stack) == 3
            await pilot.press("ctrl+n")
            await until(pilot, lambda: app.screen is chat and chat.ready)

    run(scene())
