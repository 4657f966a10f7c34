"""From the smallest terminal to a wall."""

from pathlib import Path

import pytest

from storage.records import Role
from tests.doubles import ScriptedModel
from tests.tui.support import (
    FolderDoor,
    ListeningApp,
    answers,
    converse,
    plain,
    run,
    say,
    settled,
    unlocked,
    until,
)
from tui.attachments import Attachment
from tui.screens.unlock import UnlockScreen

LONG = " ".join(f"word{number}" for number in range(120))


@pytest.mark.parametrize("size", [(12, 4), (40, 12), (80, 24), (250, 80)])
def test_every_screen_works_at_any_size(tmp_path: Path, size: tuple[int, int]) -> None:
    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path, ScriptedModel(["# Title\n\n| a | b |\n|---|---|\n| 猫 | 2 |\n"])))
        async with app.run_test(size=size, notifications=True) as pilot:
            chat = await unlocked(pilot)
            assert app.assistant is not None
            converse(app.assistant.vault, (Role.USER, "日本語テキスト 👩‍👩‍👧 " * 20))
            await say(pilot, "Draw a table, please, with cats 猫 in it.")
            await pilot.press("f3", "escape", "shift+tab", "enter", "w", "escape", "escape")
            for keys in (
                "f2 down r escape",
                "f4 down e escape space d Y t t u escape",
                "f1 escape",
                "ctrl+p escape",
                "ctrl+t",
                "slash t",
            ):
                await pilot.press(*keys.split())
                await pilot.pause()
            while app.screen is not chat:
                await pilot.press("escape")
            chat.composer.fill("")
            chat.chips.add(Attachment(name="日本語\x1b[2J\u202e.txt", text="x"))
            await pilot.press("slash")
            await until(pilot, lambda: chat.query_one("#offers").display)
            await pilot.pause()
            assert not set(plain(chat, "Chip")) & set("\x1b\u202e")
            assert chat.composer.region.height >= 1
            assert chat.composer.region.bottom <= size[1]
            chat.composer.fill("")
            await pilot.press("ctrl+l")
            await until(pilot, lambda: isinstance(app.screen, UnlockScreen))
            await pilot.pause()
            assert app.screen.query_one("#passphrase").region.height >= 1

    run(scene())


def test_a_terminal_may_shrink_and_grow_while_an_answer_comes(tmp_path: Path) -> None:
    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path, ScriptedModel([LONG], delay=0.005)))
        async with app.run_test(size=(100, 30)) as pilot:
            chat = await unlocked(pilot)
            await say(pilot, "Count.", wait=False)
            for size in ((12, 4), (100, 30), (12, 4), (250, 80)):
                await until(pilot, lambda: answers(chat) and answers(chat)[0].text)
                await pilot.resize_terminal(*size)
                await pilot.pause(0.05)
            await until(pilot, lambda: not chat.busy and settled(chat))
            assert plain(chat, "MarkdownParagraph") == LONG
            foot, transcript = chat.query_one(".foot"), chat.transcript
            assert transcript.region.contains_region(foot.region)

    run(scene())


def test_odd_characters_are_shown_inert_and_cut_by_cells_in_every_part_of_an_answer(tmp_path: Path) -> None:
    odd = "猫👩‍👩‍👧e\u0301\u202eאב\x1b[31m\x00\tz"
    table = f"| {odd} | b |\n|---|---|\n| {odd} | 2 |\n"
    blocks = f"# {odd}\n\n{odd} `{odd}`\n\n- {odd}\n\n> {odd}\n\n```\n{odd}\n```\n\n{table}"

    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path, ScriptedModel([blocks])))
        async with app.run_test(size=(30, 60)) as pilot:
            chat = await unlocked(pilot)
            await say(pilot, odd * 5)
            parts = list(chat.transcript.query("*"))
            shown = "".join(str(part.render()) for part in parts if not part.children)
            assert shown.count("猫") >= 12
            assert not set(shown) & set("\x1b\x00\u202e\t")
            assert all(part.region.right <= 30 for part in parts)

    run(scene())
