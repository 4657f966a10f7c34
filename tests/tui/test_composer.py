"""Writing a message."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual._xterm_parser import XTermParser
from textual.pilot import Pilot

from tests.doubles import ScriptedModel
from tests.tui.support import FolderDoor, ListeningApp, answers, plain, run, say, unlocked, until
from tui.commands import slash_matches
from tui.screens.chat import ChatScreen
from tui.screens.memory import MemoryScreen
from tui.terminal import read_alt_enter

Scene = Callable[[Pilot[Any], ChatScreen, ListeningApp], Awaitable[None]]


def play(folder: Path, scene: Scene) -> None:
    async def show() -> None:
        app = ListeningApp(FolderDoor(folder, ScriptedModel(["One.", "Two.", "Three."])))
        async with app.run_test() as pilot:
            chat = await unlocked(pilot)
            await scene(pilot, chat, app)

    run(show())


def test_enter_sends_and_other_enters_make_a_line(tmp_path: Path) -> None:
    async def scene(pilot: Pilot[Any], chat: ChatScreen, app: ListeningApp) -> None:
        await pilot.press("a", "shift+enter", "b", "alt+enter", "c", "ctrl+j", "d")
        assert chat.composer.text == "a\nb\nc\nd"
        await pilot.press("enter")
        await until(pilot, lambda: answers(chat))
        assert chat.composer.text == ""
        assert plain(chat, ".question .words") == "a\nb\nc\nd"

    play(tmp_path, scene)


def test_alt_enter_of_an_older_terminal_is_a_new_line() -> None:
    read_alt_enter()
    keys = [event.key for event in XTermParser(debug=False).feed("\x1b\r") if isinstance(event, events.Key)]
    assert keys == ["ctrl+j"]


def test_letters_right_behind_a_new_line_stand_behind_it(tmp_path: Path) -> None:
    async def scene(pilot: Pilot[Any], chat: ChatScreen, app: ListeningApp) -> None:
        for key in ("a", "ctrl+j", "b"):
            app.post_message(events.Key(key, key if len(key) == 1 else None))
        await until(pilot, lambda: len(chat.composer.text) == 3)
        assert chat.composer.text == "a\nb"

    play(tmp_path, scene)


def test_it_grows_to_ten_lines_and_no_further(tmp_path: Path) -> None:
    async def scene(pilot: Pilot[Any], chat: ChatScreen, app: ListeningApp) -> None:
        heights = []
        for lines in (1, 3, 10, 30):
            chat.composer.fill("\n".join("line" for _ in range(lines)))
            await pilot.pause()
            heights.append(chat.composer.content_size.height)
        assert heights == [1, 3, 10, 10]

    play(tmp_path, scene)


def test_blank_text_is_not_sent(tmp_path: Path) -> None:
    async def scene(pilot: Pilot[Any], chat: ChatScreen, app: ListeningApp) -> None:
        await pilot.press("space", "ctrl+j", "enter")
        assert not chat.busy
        assert chat.composer.text == " \n"

    play(tmp_path, scene)


def test_a_paste_of_thirty_lines_is_one_edit_and_sends_nothing(tmp_path: Path) -> None:
    async def scene(pilot: Pilot[Any], chat: ChatScreen, app: ListeningApp) -> None:
        await pilot.press("x")
        pasted = "\r".join(f"line {number}" for number in range(30))
        app.post_message(events.Paste(pasted))
        await until(pilot, lambda: "line 29" in chat.composer.text)
        assert chat.composer.text == "x" + pasted.replace("\r", "\n")
        assert not chat.busy
        await pilot.press("y", "ctrl+z")
        assert chat.composer.text == "x" + pasted.replace("\r", "\n")
        await pilot.press("ctrl+z")
        assert chat.composer.text == "x"

    play(tmp_path, scene)


@pytest.mark.parametrize("pasted", ["/quit", "/quit\r", "one\r/quit\rtwo"])
def test_a_command_inside_a_paste_does_nothing(tmp_path: Path, pasted: str) -> None:
    async def scene(pilot: Pilot[Any], chat: ChatScreen, app: ListeningApp) -> None:
        app.post_message(events.Paste(pasted))
        await until(pilot, lambda: chat.composer.text)
        assert not chat.query_one("#offers").display
        await pilot.press("enter")
        await until(pilot, lambda: answers(chat))
        assert "/quit" in plain(chat, ".question .words")
        assert app.is_running

    play(tmp_path, scene)


def test_control_characters_in_a_paste_become_visible(tmp_path: Path) -> None:
    async def scene(pilot: Pilot[Any], chat: ChatScreen, app: ListeningApp) -> None:
        app.post_message(events.Paste("a\x1b[31mb\u202ec"))
        await until(pilot, lambda: chat.composer.text)
        assert not set(chat.composer.text) & set("\x1b\u202e")

    play(tmp_path, scene)


def test_up_and_down_walk_through_what_was_asked_and_back_to_the_draft(tmp_path: Path) -> None:
    async def scene(pilot: Pilot[Any], chat: ChatScreen, app: ListeningApp) -> None:
        await say(pilot, "first")
        await say(pilot, "second\nwith two lines")
        chat.composer.fill("a draft")
        await pilot.press("up")
        assert chat.composer.text == "second\nwith two lines"
        await pilot.press("up")
        assert chat.composer.text == "second\nwith two lines"
        await pilot.press("up")
        assert chat.composer.text == "first"
        await pilot.press("up")
        assert chat.composer.text == "first"
        await pilot.press("down", "down", "down")
        assert chat.composer.text == "a draft"

    play(tmp_path, scene)


def test_typed_commands_are_offered_completed_and_run(tmp_path: Path) -> None:
    async def scene(pilot: Pilot[Any], chat: ChatScreen, app: ListeningApp) -> None:
        await pilot.press("slash", "m")
        assert "/memory" in plain(chat, "#offers")
        await pilot.press("backspace")  # more than there is room for
        shown = plain(chat, "#offers").splitlines()
        assert len(shown) == chat.query_one("#offers").size.height
        assert shown[-1] == f"… {len(slash_matches('/')) - len(shown) + 1} more: go on typing"
        await pilot.press("m")
        await pilot.press("right")
        assert chat.composer.text == "/memory"
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, MemoryScreen))
        assert chat.composer.text == ""
        assert not answers(chat)
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is chat)
        await pilot.press(*"/temp", "enter")
        await until(pilot, lambda: chat.query_one("#banner").display)

    play(tmp_path, scene)


def test_ctrl_d_deletes_and_on_an_empty_composer_quits(tmp_path: Path) -> None:
    async def scene(pilot: Pilot[Any], chat: ChatScreen, app: ListeningApp) -> None:
        chat.composer.fill("ab")
        await pilot.press("home", "ctrl+d")
        assert chat.composer.text == "b"
        await pilot.press("ctrl+d")
        assert app.is_running
        await pilot.press("ctrl+d")
        await until(pilot, lambda: not app.is_running)

    play(tmp_path, scene)


def test_quit_typed_as_the_whole_line_quits(tmp_path: Path) -> None:
    async def scene(pilot: Pilot[Any], chat: ChatScreen, app: ListeningApp) -> None:
        await pilot.press(*"/quit", "enter")
        await until(pilot, lambda: not app.is_running)

    play(tmp_path, scene)
