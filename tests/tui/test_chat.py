"""The conversation on the screen."""

from pathlib import Path

from tests.doubles import ScriptedModel
from tests.tui.support import FolderDoor, ListeningApp, answers, plain, run, say, unlocked


def test_an_answer_is_drawn_with_one_line_about_what_it_cost(tmp_path: Path) -> None:
    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path, ScriptedModel(["It is **blue** today."])))
        async with app.run_test() as pilot:
            chat = await unlocked(pilot)
            await say(pilot, "What colour is the sky?")
            assert plain(chat, ".question .words") == "What colour is the sky?"
            assert plain(chat, "MarkdownParagraph") == "It is blue today."
            assert "tokens/s" in plain(chat, ".foot")
            assert answers(chat)[0].text == "It is **blue** today."

    run(scene())
