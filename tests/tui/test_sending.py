"""What goes with a message, what comes back to be sent anew, and what is done from the line where one writes."""

import contextlib
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot

from storage.records import Source
from tests.doubles import ScriptedModel
from tests.tui.support import FolderDoor, ListeningApp, answers, plain, run, say, texts, unlocked, until
from tui.attachments import LARGEST_BYTES
from tui.screens.chat import ChatScreen
from tui.screens.choose import ChooseScreen, FileScreen
from tui.screens.forget import ForgetScreen
from tui.widgets.answer import code_blocks
from tui.widgets.composer import PASTE_BYTES

Scene = Callable[[Pilot[Any], ChatScreen, ListeningApp], Awaitable[None]]
TWO_BLOCKS = "One:\n\n```sh\necho a\n```\n\nTwo:\n\n~~~python\nprint(1)\n\nprint(2)\n~~~\n"


class EditingApp(ListeningApp):
    """Has a terminal to give away, as far as it is asked."""

    @contextlib.contextmanager
    def suspend(self) -> Iterator[None]:
        yield


def play(
    folder: Path, scene: Scene, *, model: ScriptedModel | None = None, app_class: type[ListeningApp] = ListeningApp
) -> None:
    async def show() -> None:
        app = app_class(FolderDoor(folder, model or ScriptedModel(["One.", "Two.", "Three."])))
        async with app.run_test() as pilot:
            chat = await unlocked(pilot)
            await scene(pilot, chat, app)

    run(show())


async def order(pilot: Pilot[Any], chat: ChatScreen, line: str) -> None:
    """Write a command where one writes, and send it."""
    chat.composer.fill(line)
    await pilot.press("enter")


def test_a_long_paste_is_a_chip_that_is_read_with_one_message_and_not_remembered(tmp_path: Path) -> None:
    model = ScriptedModel(["One.", "Two."])

    async def scene(pilot: Pilot[Any], chat: ChatScreen, app: ListeningApp) -> None:
        pasted = "heron " * (PASTE_BYTES // 6 + 1)
        app.post_message(events.Paste(pasted))
        await until(pilot, lambda: chat.chips.attachments)
        assert chat.composer.text == ""
        assert plain(chat, "Chip") == "pasted text 16.0 KB ×"
        await say(pilot, "What is it about?")
        assert "heron heron" in str(model.requests[0])
        assert chat.chips.attachments == []
        assert plain(chat, ".question .memory-head") == "with pasted text 16.0 KB"
        assert "heron" not in " ".join(texts(chat.assistant.vault.turns.listing()))
        await say(pilot, "And now something else.")
        assert len(answers(chat)) == 2

    play(tmp_path, scene, model=model)


def test_a_paste_up_to_that_length_stays_text(tmp_path: Path) -> None:
    async def scene(pilot: Pilot[Any], chat: ChatScreen, app: ListeningApp) -> None:
        app.post_message(events.Paste("x" * PASTE_BYTES))
        await until(pilot, lambda: chat.composer.text)
        assert chat.chips.attachments == []

    play(tmp_path, scene)


def test_files_are_attached_and_taken_away_again(tmp_path: Path) -> None:
    note = tmp_path / "my notes.txt"
    note.write_text("The heron eats at dawn.", encoding="utf-8")

    async def scene(pilot: Pilot[Any], chat: ChatScreen, app: ListeningApp) -> None:
        def attached(number: int) -> bool:
            return len(chat.chips.attachments) == number

        for number in (1, 2):
            await order(pilot, chat, f"/attach {note}")
            await until(pilot, partial(attached, number))
        assert [each.name for each in chat.chips.attachments] == ["my notes.txt"] * 2
        assert not chat.busy
        await pilot.press("backspace")
        await until(pilot, lambda: len(chat.chips.attachments) == 1)
        await pilot.click("Chip")
        await until(pilot, lambda: not chat.chips.attachments)
        await order(pilot, chat, "/attach")
        await until(pilot, lambda: chat.composer.text == "/attach ")

    play(tmp_path, scene)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "is no file"),
        (b"\xff\xfe\x00", "no text in UTF-8"),
        (b" \n", "holds no text"),
        (b"x" * (LARGEST_BYTES + 1), "too large"),
    ],
)
def test_what_cannot_be_attached_is_told_in_one_line(tmp_path: Path, content: bytes | None, reason: str) -> None:
    file = tmp_path / "file.bin"
    if content is not None:
        file.write_bytes(content)

    async def scene(pilot: Pilot[Any], chat: ChatScreen, app: ListeningApp) -> None:
        await order(pilot, chat, f"/attach {file}")
        await until(pilot, lambda: app.told)
        assert reason in app.told[-1]
        assert chat.chips.attachments == []

    play(tmp_path, scene)


def test_e_brings_the_chosen_question_back_and_it_is_no_command_even_if_it_looks_like_one(tmp_path: Path) -> None:
    async def scene(pilot: Pilot[Any], chat: ChatScreen, app: ListeningApp) -> None:
        await say(pilot, "First?")
        await say(pilot, "Second?")
        await pilot.press("shift+tab", "g", "e")
        await until(pilot, lambda: chat.composer.text == "First?")
        assert chat.composer.has_focus
        chat.composer.fill("")
        await order(pilot, chat, "/edit")
        await until(pilot, lambda: chat.composer.text == "Second?")
        await pilot.press("!", "enter")
        await until(pilot, lambda: plain(chat, ".question .words") == "First?\nSecond?!")

    play(tmp_path, scene)


def test_code_is_copied_as_it_was_written_and_which_is_asked(tmp_path: Path) -> None:
    assert code_blocks(TWO_BLOCKS) == ["echo a", "print(1)\n\nprint(2)"]

    async def scene(pilot: Pilot[Any], chat: ChatScreen, app: ListeningApp) -> None:
        await say(pilot, "Code?")
        await pilot.press("shift+tab", "c")
        await until(pilot, lambda: isinstance(app.screen, ChooseScreen) and app.screen.is_mounted)
        await pilot.press("down", "enter")
        await until(pilot, lambda: app.clipboard == "print(1)\n\nprint(2)")
        await pilot.press("escape")
        await say(pilot, "None?")
        await order(pilot, chat, "/code")
        await until(pilot, lambda: "no code" in app.told[-1])

    play(tmp_path, scene, model=ScriptedModel([TWO_BLOCKS, "None."]))


def test_a_note_is_remembered_and_forgotten_from_the_composer_and_the_arrow_keys_keep_no_word_of_it(
    tmp_path: Path,
) -> None:
    async def scene(pilot: Pilot[Any], chat: ChatScreen, app: ListeningApp) -> None:
        vault = chat.assistant.vault
        await order(pilot, chat, "/remember The spare key is with Ada.")
        await until(pilot, lambda: app.told)
        assert app.told == ["Remembered: The spare key is with Ada."]
        assert [(turn.text, turn.source) for turn in vault.turns.listing()] == [
            ("The spare key is with Ada.", Source.NOTE)
        ]
        await pilot.press("up")
        assert chat.composer.text == ""
        await order(pilot, chat, "/forget spare key")
        await until(pilot, lambda: isinstance(app.screen, ForgetScreen))
        assert len(vault.turns.listing()) == 1
        await pilot.press("y")
        await until(pilot, lambda: not vault.turns.listing())
        await until(pilot, lambda: "/undo takes it back" in app.told[-1])
        await order(pilot, chat, "/forget spare key")
        await until(pilot, lambda: "Nothing that is remembered" in app.told[-1])

    play(tmp_path, scene)


def test_what_is_said_to_be_forgotten_is_asked_about_and_then_in_reach_of_nothing(tmp_path: Path) -> None:
    model = ScriptedModel([])

    async def scene(pilot: Pilot[Any], chat: ChatScreen, app: ListeningApp) -> None:
        vault = chat.assistant.vault
        await order(pilot, chat, "/remember My phone number is 555 0199.")
        await until(pilot, vault.turns.listing)
        chat.composer.fill("forget my phone number")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ForgetScreen))
        assert "555 0199" in plain(app.screen, ".dialog-body Static")
        await pilot.press("y")
        await until(pilot, lambda: not vault.turns.listing())
        await until(pilot, lambda: app.screen is chat and not chat.busy)
        await pilot.press("up")
        assert chat.composer.text == ""
        assert model.requests == []

    play(tmp_path, scene, model=model)


def test_a_chat_is_written_as_markdown_for_its_owner_alone_and_never_over_a_file(tmp_path: Path) -> None:
    target = tmp_path / "out.md"

    async def scene(pilot: Pilot[Any], chat: ChatScreen, app: ListeningApp) -> None:
        def told_more(told: int) -> bool:
            return len(app.told) > told

        await order(pilot, chat, "/export")
        await until(pilot, lambda: app.told)
        assert "nothing to export" in app.told[0]
        await say(pilot, "What colour is it?")
        for _ in range(2):
            await order(pilot, chat, "/export")
            await until(pilot, lambda: isinstance(app.screen, FileScreen) and app.screen.is_mounted)
            assert "plain text" in plain(app.screen, ".dialog-line")
            app.screen.query_one("#path").value = str(target)  # type: ignore[attr-defined]
            told = len(app.told)
            await pilot.press("enter")
            await until(pilot, partial(told_more, told))
        assert "cannot be written: File exists" in app.told[-1]
        assert "What colour is it?" in target.read_text(encoding="utf-8")
        assert target.stat().st_mode & 0o777 == 0o600

    play(tmp_path, scene)


def test_the_editor_has_the_draft_and_what_it_leaves_is_no_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\ncp "$1" "$0.seen"\nprintf "/quit\\n" > "$1"\n', encoding="utf-8")
    editor.chmod(0o700)
    monkeypatch.setenv("VISUAL", str(editor))

    async def scene(pilot: Pilot[Any], chat: ChatScreen, app: ListeningApp) -> None:
        chat.composer.fill("a draft\nof two lines")
        await pilot.press("ctrl+g")
        await until(pilot, lambda: chat.composer.text == "/quit")
        assert (tmp_path / "editor.seen").read_text(encoding="utf-8") == "a draft\nof two lines\n"
        await pilot.press("enter")
        await until(pilot, lambda: answers(chat))
        assert app.is_running

    play(tmp_path, scene, app_class=EditingApp)


def test_without_an_editor_or_a_terminal_the_draft_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)

    async def scene(pilot: Pilot[Any], chat: ChatScreen, app: ListeningApp) -> None:
        chat.composer.fill("a draft")
        await pilot.press("ctrl+g")
        await until(pilot, lambda: app.told)
        assert "neither $VISUAL nor $EDITOR" in app.told[-1]
        monkeypatch.setenv("VISUAL", "true")
        await pilot.press("ctrl+g")
        await until(pilot, lambda: len(app.told) == 2)
        assert "a terminal of its own" in app.told[-1]
        assert chat.composer.text == "a draft"

    play(tmp_path, scene)
