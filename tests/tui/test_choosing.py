"""Another model answers while the conversation goes on, and afterwards."""

from pathlib import Path

import pytest
from textual.widgets import Input

from storage.records import TurnState
from tests.conftest import PASSPHRASE
from tests.tui.model_homes import Home, go_to, line_of, shown, status, told
from tests.tui.support import answers, plain, run, say, unlocked, until
from tui.screens.models import ModelsScreen
from tui.screens.unlock import UnlockScreen


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.delenv("ASSISTANT_MODEL", raising=False)
    return Home(tmp_path)


@pytest.mark.parametrize("key", ["ctrl+n", "ctrl+t"])
def test_the_conversation_goes_on_with_the_model_that_is_chosen(home: Home, key: str) -> None:
    first, second = home.models.values()

    async def scene() -> None:
        async with home.app.run_test(size=(80, 24)) as pilot:
            chat = await unlocked(pilot)
            await pilot.press(key)
            await until(pilot, lambda: chat.ready)
            await say(pilot, "My boat is called Heron.")
            assert status(home.app).startswith("first · CPU")
            screen = await shown(pilot)
            assert line_of(screen, "first").rstrip().endswith("loaded")
            await go_to(pilot, screen, "second")
            assert "all on the CPU (CPU build)" in plain(screen, "#detail-facts")  # as the first was told
            await pilot.press("enter")
            await until(pilot, told(home.app, "second answers from now on"))
            await until(pilot, lambda: line_of(screen, "second").startswith("* "), "the choice is marked")
            assert line_of(screen, "first").startswith("  ")
            assert (first.retired, first.loaded) == (True, None)
            assert home.saved == f'model = "{home.second}"\n'
            assert status(home.app).startswith("second · vault open")
            await pilot.press("escape")
            await say(pilot, "What is it called?")
            assert [answer.text for answer in answers(chat)] == ["From the first.", "From the second."]
            (request,) = second.requests
            assert "My boat is called Heron." in request[1].content
            assert status(home.app).startswith("second · CPU")
            assert home.app.assistant is not None
            kept = home.app.assistant.vault.turns.count()
            assert kept == (4 if key == "ctrl+n" else 0)

    run(scene())


def test_what_is_typed_after_the_choice_is_read_ahead_by_the_new_model(home: Home) -> None:
    first, second = home.models.values()

    async def scene() -> None:
        async with home.app.run_test(size=(80, 24)) as pilot:
            chat = await unlocked(pilot)
            await pilot.press("a")
            await until(pilot, lambda: first.read_ahead)
            await say(pilot, "/model second")
            await until(pilot, told(home.app, "second answers from now on"))
            await until(pilot, lambda: chat.ready)
            await pilot.press("b")
            await until(pilot, lambda: second.read_ahead)
            await until(pilot, lambda: status(home.app).startswith("second · CPU"), "where it is, is told")
            assert len(first.read_ahead) == 1

    run(scene())


def test_a_model_is_chosen_by_its_name_from_where_one_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = Home(tmp_path, missing_model="there is no model: install one")
    monkeypatch.setenv("ASSISTANT_MODEL", "another")
    home.door.paths.config_file.write_text("# mine\ncontext = 512\n")

    async def scene() -> None:
        async with home.app.run_test(size=(80, 24)) as pilot:
            problem = (await unlocked(pilot)).query_one(".welcome-problem")
            await until(pilot, lambda: problem.display)
            await say(pilot, "/model no-such-model", wait=False)
            await until(pilot, told(home.app, "there is no model 'no-such-model'"))
            await say(pilot, "/model second", wait=False)
            await until(pilot, told(home.app, "ASSISTANT_MODEL is set and beats this choice"))
            await until(pilot, lambda: not problem.display)
            assert home.saved == f'# mine\ncontext = 512\nmodel = "{home.second}"\n'
            assert home.app.assistant is not None
            assert home.app.assistant.model is home.models[str(home.second)]
            await say(pilot, "/model", wait=False)
            await until(pilot, lambda: isinstance(home.app.screen, ModelsScreen))

    run(scene())


def test_nothing_is_chosen_while_an_answer_is_being_written(tmp_path: Path) -> None:
    home = Home(tmp_path, delay=0.02)
    home.models[str(home.first)]._answers = [" ".join(["word"] * 2000)]

    async def scene() -> None:
        async with home.app.run_test(size=(80, 24)) as pilot:
            chat = await unlocked(pilot)
            await say(pilot, "Tell a long story.", wait=False)
            await until(pilot, lambda: answers(chat) and answers(chat)[0].text)
            screen = await shown(pilot)
            await go_to(pilot, screen, "second")
            await pilot.press("enter")
            await until(pilot, told(home.app, "An answer is being written: choose when it is there"))
            assert home.saved == ""
            assert home.models[str(home.first)].retired is False
            await pilot.press("escape", "escape")
            await until(pilot, lambda: not chat.busy)
            assert home.app.assistant is not None
            assert home.app.assistant.vault.turns.listing(limit=1)[0].state is TurnState.STOPPED

    run(scene())


def test_the_choice_holds_when_the_vault_was_locked_and_opened_again(home: Home) -> None:
    async def scene() -> None:
        async with home.app.run_test(size=(80, 24)) as pilot:
            await unlocked(pilot)
            await say(pilot, "/model second", wait=False)
            await until(pilot, told(home.app, "second answers from now on"))
            await pilot.press("f7")
            await until(pilot, lambda: isinstance(home.app.screen, ModelsScreen))
            await pilot.press("ctrl+l")
            await until(pilot, lambda: isinstance(home.app.screen, UnlockScreen) and home.app.screen.is_mounted)
            assert len(home.app.screen_stack) == 2
            await pilot.press("f7")
            assert isinstance(home.app.screen, UnlockScreen)
            home.app.screen.query_one("#passphrase", Input).value = PASSPHRASE
            await pilot.press("enter")
            await unlocked(pilot)
            await say(pilot, "Who are you?")
            assert status(home.app).startswith("second")

    run(scene())
