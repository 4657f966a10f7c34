"""Keys as the user maps them: in the app, on its screens, and in all that says what keys do."""

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from textual.app import SystemCommand
from textual.binding import Binding
from textual.command import CommandPalette
from textual.dom import DOMNode
from textual.pilot import Pilot
from textual.widgets import Footer, Input, OptionList, TextArea

import tui
from assistant.keys import DEFAULT_KEYS, sent_everywhere, shown_key
from storage.keys import FLOOR_COST
from storage.records import Role
from storage.vault import Vault
from tests.conftest import PASSPHRASE
from tests.tui.support import FolderDoor, ListeningApp, converse, plain, run, unlocked, until
from tui.commands import COMMANDS, PALETTE
from tui.helping import PARTS
from tui.keys import own_bindings
from tui.looks import Looks
from tui.screens.beside import BesideChat
from tui.screens.browse import BrowseList
from tui.screens.chat import ChatScreen
from tui.screens.conversations import ConversationsScreen
from tui.screens.forget import ForgetScreen
from tui.screens.insights import InsightsScreen
from tui.screens.memory import MemoryScreen
from tui.screens.modals import HelpScreen

SCREEN_KEYS = ("f2", "f3", "f4", "f5", "f6", "f7", "f8")


def make_vault(folder: Path) -> None:
    with Vault.create(folder / "vault", PASSPHRASE, cost=FLOOR_COST) as vault:
        converse(vault, (Role.USER, "Anna lives in Graz."), (Role.ASSISTANT, "So she does."))


def mapped(folder: Path, keys: Mapping[str, str]) -> ListeningApp:
    make_vault(folder)
    with Vault.open(folder / "vault", PASSPHRASE) as vault:
        conversation = vault.conversations.listing()[0].id
    return ListeningApp(FolderDoor(folder), conversation=conversation, looks=Looks(keys=keys))


def classes() -> Iterator[type[DOMNode]]:
    """Give every screen and widget of the app."""
    for module in pkgutil.walk_packages(tui.__path__, "tui."):
        for found in vars(importlib.import_module(module.name)).values():
            if isinstance(found, type) and issubclass(found, DOMNode) and found.__module__ == module.name:
                yield found


def bindings() -> Iterator[tuple[str, Binding]]:
    for found in classes():
        for binding in found.__dict__.get("BINDINGS", ()):
            assert isinstance(binding, Binding), found
            yield found.__name__, binding


async def palette(app: ListeningApp) -> dict[str, SystemCommand]:
    return {command.title: command for command in app.get_system_commands(app.screen)}


def test_every_key_of_every_screen_has_a_name_by_which_it_is_mapped_and_every_name_a_key() -> None:
    unnamed = [(where, binding.key) for where, binding in bindings() if binding.id not in DEFAULT_KEYS]
    assert unnamed == []
    used = {binding.id for _, binding in bindings()}
    assert DEFAULT_KEYS.keys() - used == set()


def test_no_action_hangs_on_a_key_that_only_some_terminals_send() -> None:
    keys: dict[str, set[str]] = {}
    for _, binding in bindings():
        keys.setdefault(binding.id or "", set()).update(key for key in binding.key.split(",") if key[0] != "<")
    assert [action for action, found in keys.items() if found and not any(map(sent_everywhere, found))] == []


def test_each_key_says_what_it_does_in_words() -> None:
    assert [(where, binding.key) for where, binding in bindings() if not binding.description.strip()] == []


def test_a_mapped_key_acts_from_where_one_writes_also_when_one_edits_with_it_and_the_old_one_does_nothing(
    tmp_path: Path,
) -> None:
    app = mapped(tmp_path, {"show_memory": "ctrl+k", "show_insights": "f9,alt+i", "quit": "ctrl+x"})

    async def scene() -> None:
        async with app.run_test(size=(100, 30)) as pilot:
            chat = await unlocked(pilot)
            chat.composer.fill("a draft")
            await pilot.press("f4", "f6", "ctrl+q")
            await pilot.pause()
            assert app.screen is chat
            await pilot.press("home", "ctrl+k")
            await until(pilot, lambda: isinstance(app.screen, MemoryScreen))
            assert chat.composer.text == "a draft"
            await pilot.press(*"an", "alt+i")
            await until(pilot, lambda: isinstance(app.screen, InsightsScreen))
            await pilot.press("ctrl+k")
            await until(pilot, lambda: isinstance(app.screen, MemoryScreen))
            await pilot.press("ctrl+x")
            await until(pilot, lambda: not app.is_running)

    run(scene())


def test_a_mapped_key_of_a_screen_acts_there_and_one_that_was_taken_away_is_shown_nowhere(tmp_path: Path) -> None:
    app = mapped(tmp_path, {"memory.forget": "x", "memory.pin": "", "list.down": "n", "screen.leave": "q,escape"})

    async def scene() -> None:
        async with app.run_test(size=(120, 30)) as pilot:
            await unlocked(pilot)
            await pilot.press("f4")
            await until(pilot, lambda: app.screen.query(BrowseList) and app.screen.query_one(BrowseList).option_count)
            await pilot.press("down")
            await until(pilot, lambda: "x Forget" in footer(app))
            assert "Pin" not in footer(app)
            assert "q Chat" in footer(app)
            await pilot.press("d", "p", "j")
            await pilot.pause()
            assert isinstance(app.screen, MemoryScreen)
            assert app.screen.query_one(BrowseList).highlighted == 0
            await pilot.press("n")
            assert app.screen.query_one(BrowseList).highlighted == 1
            await pilot.press("x")
            await until(pilot, lambda: isinstance(app.screen, ForgetScreen))
            await pilot.press("n")
            await until(pilot, lambda: isinstance(app.screen, MemoryScreen))
            await pilot.press("q")
            await until(pilot, lambda: isinstance(app.screen, ChatScreen))

    run(scene())


def footer(app: ListeningApp) -> str:
    keys = app.screen.query_one(Footer).query("FooterKey")
    return "  ".join(f"{key.key_display} {key.description}" for key in keys)  # type: ignore[attr-defined]


def test_hints_help_and_palette_name_the_keys_as_they_are_mapped(tmp_path: Path) -> None:
    app = mapped(
        tmp_path,
        {"show_memory": "f9", "temporary_chat": "", "show_help": "f10", PALETTE: "ctrl+o", "forget.keep": "b,escape"},
    )

    async def scene() -> None:
        async with app.run_test(size=(120, 50)) as pilot:
            chat = await unlocked(pilot)
            assert plain(chat, "#status-keys") == "F10 help  ctrl+o actions"
            await app.run_action("new_chat")
            await until(pilot, lambda: chat.query(".welcome-keys"))
            assert plain(chat, ".welcome-keys") == "F9 shows and forgets memories · ctrl+o lists everything else"
            await pilot.press("f10")
            await until(pilot, lambda: isinstance(app.screen, HelpScreen))
            await until(pilot, lambda: help_lines(app))
            assert ["F9", "/memory", "Memory"] in help_lines(app)
            assert ["/temp", "Temporary", "chat"] in help_lines(app)
            assert ["b,", "esc", "Keep", "·", "Nothing", "happens"] in help_lines(app)
            await pilot.press("f10")
            await until(pilot, lambda: app.screen is chat)
            commands = await palette(app)
            assert commands["Memory"].help.endswith(" · F9")
            assert commands["Temporary chat"].help == "Talk without a trace: nothing of it is kept"
            await pilot.press("ctrl+o")
            await until(pilot, lambda: isinstance(app.screen, CommandPalette))

    run(scene())


def test_the_help_has_every_key_of_every_screen_and_begins_with_those_of_the_one_that_is_shown(tmp_path: Path) -> None:
    app = mapped(tmp_path, {})
    helped = {binding.id for part in PARTS for kind in part.kinds for binding in own_bindings(kind)}
    helped |= {command.action for command in COMMANDS}
    assert {binding.id for _, binding in bindings()} - helped == set()

    async def scene() -> None:
        async with app.run_test(size=(120, 50)) as pilot:
            await unlocked(pilot)
            await pilot.press("f1")
            await until(pilot, lambda: isinstance(app.screen, HelpScreen))
            heads = plain(app.screen, ".help-head").splitlines()
            assert heads[:3] == ["Where you write", "In the conversation", "Everywhere"]
            assert len(heads) == len(set(heads)) == len(PARTS) + 1
            await until(pilot, lambda: help_lines(app))
            for binding in own_bindings(MemoryScreen):
                keys = ", ".join(map(shown_key, binding.key.split(",")))
                assert [*keys.split(), *binding.description.split()] in [
                    line[: len(keys.split()) + len(binding.description.split())] for line in help_lines(app)
                ]
            await pilot.press("q", "f4")
            await until(pilot, lambda: isinstance(app.screen, MemoryScreen))
            await pilot.press("f1")
            await until(pilot, lambda: isinstance(app.screen, HelpScreen))
            assert plain(app.screen, ".help-head").splitlines()[:2] == ["Memory", "Everywhere"]

    run(scene())


def test_every_action_is_in_the_palette_those_of_a_screen_while_it_is_shown(tmp_path: Path) -> None:
    app = mapped(tmp_path, {})

    async def scene() -> None:
        async with app.run_test(size=(120, 40)) as pilot:
            chat = await unlocked(pilot)
            await pilot.press("shift+tab")
            await until(pilot, lambda: chat.focused is not None and not isinstance(chat.focused, TextArea))
            await offers_all(pilot, app)
            for key in SCREEN_KEYS:
                await pilot.press(key)
                await until(pilot, lambda: isinstance(app.screen, BesideChat) and app.screen.is_mounted)
                await pilot.pause()
                await offers_all(pilot, app)
                await pilot.press("escape")
                await until(pilot, lambda: app.screen is chat)
            commands = await palette(app)
            assert "Accept" not in commands

    run(scene())


def help_lines(app: ListeningApp) -> list[list[str]]:
    return [line.split() for line in plain(app.screen, ".help-lines").splitlines() if line]


async def offers_all(pilot: Pilot[Any], app: ListeningApp) -> None:
    """See that all that can be done here is in the palette, in words."""
    commands = await palette(app)
    for command in COMMANDS:
        assert command.action == PALETTE or command.title in commands
    for node in [app.screen, *app.screen.query("*")]:
        for binding in own_bindings(type(node)):
            if (
                binding.id
                and "." in binding.id
                and node.check_action(binding.action.partition("(")[0], ()) is not False
            ):
                assert binding.description in commands, (app.screen, binding)
                assert commands[binding.description].help.strip()


def test_what_is_chosen_in_the_palette_is_done_on_the_screen_below(tmp_path: Path) -> None:
    app = mapped(tmp_path, {})

    async def scene() -> None:
        async with app.run_test(size=(120, 40)) as pilot:
            await unlocked(pilot)
            await pilot.press("f2")
            await until(pilot, lambda: isinstance(app.screen, ConversationsScreen))
            await until(pilot, lambda: app.screen.query_one(BrowseList).option_count)
            await pilot.press("ctrl+p")
            await until(pilot, lambda: isinstance(app.screen, CommandPalette))
            await pilot.press(*"Rename")
            await until(pilot, lambda: any(each.option_count for each in app.screen.query(OptionList)))
            await pilot.press("enter")
            await until(pilot, lambda: app.screen.query("#rename"))
            assert app.screen.query_one("#rename", Input).value == "Anna lives in Graz."

    run(scene())


@pytest.mark.parametrize("key", ["ctrl+g", "ctrl+y", "f6", "f7"])
def test_keys_of_the_app_come_before_what_a_text_field_would_do_with_them(key: str) -> None:
    from tui.screens.browse import Search
    from tui.widgets.composer import Composer

    action = next(action for action, keys in DEFAULT_KEYS.items() if key in keys.split(","))
    for kind in (Composer, Search):
        assert action in {binding.id for binding in own_bindings(kind)}
