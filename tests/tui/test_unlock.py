"""The door."""

from pathlib import Path

import pytest
from textual.widgets import Input

from assistant.bootstrap import Assistant
from storage.keys import FLOOR_COST
from storage.vault import Vault
from tests.conftest import PASSPHRASE
from tests.tui.support import FolderDoor, ListeningApp, everything_shown, plain, run, say, unlocked, until
from tui.screens.unlock import HONEST, UnlockScreen


def field(app: ListeningApp, name: str) -> Input:
    return app.screen.query_one(f"#{name}", Input)


def test_the_first_passphrase_is_asked_twice_and_makes_the_vault(tmp_path: Path) -> None:
    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path), passphrase=None)
        async with app.run_test() as pilot:
            await until(pilot, lambda: isinstance(app.screen, UnlockScreen))
            assert HONEST in everything_shown(app)
            await pilot.press("enter")
            assert "passphrase first" in plain(app.screen, "#door-line")
            await pilot.press(*"abc", "enter")
            assert field(app, "again").has_focus
            await pilot.press(*"xyz", "enter")
            assert "not the same" in plain(app.screen, "#door-line")
            assert not Vault.exists(tmp_path / "vault")
            await pilot.press(*"abc", "enter")
            await unlocked(pilot)
            assert Vault.exists(tmp_path / "vault")

    run(scene())


def test_a_wrong_passphrase_is_one_line_and_one_tries_again(tmp_path: Path) -> None:
    Vault.create(tmp_path / "vault", "good", cost=FLOOR_COST).close()

    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path), passphrase=None)
        async with app.run_test() as pilot:
            await until(pilot, lambda: isinstance(app.screen, UnlockScreen))
            assert HONEST not in everything_shown(app)
            await pilot.press(*"bad", "enter")
            await until(pilot, lambda: field(app, "passphrase").has_focus and plain(app.screen, "#door-line"))
            line = plain(app.screen, "#door-line")
            assert "passphrase" in line
            assert "\n" not in line
            assert field(app, "passphrase").value == ""
            await pilot.press(*"good", "enter")
            await unlocked(pilot)

    run(scene())


def test_a_damaged_vault_is_one_line(tmp_path: Path) -> None:
    Vault.create(tmp_path / "vault", "good", cost=FLOOR_COST).close()
    (tmp_path / "vault" / "keys.json").write_text("{")

    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path), passphrase=None)
        async with app.run_test() as pilot:
            await until(pilot, lambda: isinstance(app.screen, UnlockScreen))
            await pilot.press(*"good", "enter")
            await until(pilot, lambda: not field(app, "passphrase").disabled)
            assert "keys.json" in plain(app.screen, "#door-line")
            assert isinstance(app.screen, UnlockScreen)

    run(scene())


def test_a_passphrase_known_already_opens_without_being_asked(tmp_path: Path) -> None:
    Vault.create(tmp_path / "vault", PASSPHRASE, cost=FLOOR_COST).close()

    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path))
        async with app.run_test() as pilot:
            await unlocked(pilot)

    run(scene())


def test_locking_leaves_no_word_on_any_screen_and_opens_again(tmp_path: Path) -> None:
    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path))
        async with app.run_test(notifications=True) as pilot:
            await unlocked(pilot)
            await say(pilot, "the heron eats at dawn")
            await pilot.press("f4")
            await until(pilot, lambda: "heron" in everything_shown(app))
            opened = app.assistant
            assert opened is not None
            await pilot.press("ctrl+l")
            await until(pilot, lambda: isinstance(app.screen, UnlockScreen))
            assert app.assistant is None
            assert len(app.screen_stack) == 2
            assert "heron" not in everything_shown(app)
            await pilot.press(*PASSPHRASE.replace(" ", "_"), "enter")
            await until(pilot, lambda: not field(app, "passphrase").disabled)
            field(app, "passphrase").value = PASSPHRASE
            await pilot.press("enter")
            chat = await unlocked(pilot)
            assert "heron" not in plain(chat, "#transcript *")

    run(scene())


def test_nothing_can_be_done_behind_a_locked_door(tmp_path: Path) -> None:
    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path), passphrase=None)
        async with app.run_test() as pilot:
            await until(pilot, lambda: isinstance(app.screen, UnlockScreen))
            await pilot.press("f2", "f4", "ctrl+n", "ctrl+t", "ctrl+l", "f3")
            assert isinstance(app.screen, UnlockScreen)
            assert {command.title for command in app.get_system_commands(app.screen)} == {"Theme", "Help", "Quit"}

    run(scene())


class BrokenDoor(FolderDoor):
    """Has a fault."""

    def exists(self) -> bool:
        return True

    def unlock(self, passphrase: str) -> Assistant:
        raise RuntimeError("a fault of the program")


def test_a_fault_of_the_program_is_told_without_the_values_of_variables(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    app = ListeningApp(BrokenDoor(tmp_path))
    app.run(headless=True)
    shown = "".join(capfd.readouterr())
    assert app.return_code == 1
    assert "a fault of the program" in shown
    assert PASSPHRASE not in shown
