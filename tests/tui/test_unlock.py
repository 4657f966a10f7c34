"""The door."""

from pathlib import Path

import pytest
from textual.widgets import Input

from assistant.bootstrap import Assistant
from storage.key_changes import add_recovery_key
from storage.keys import FLOOR_COST, Secret
from storage.vault import Vault
from tests.conftest import PASSPHRASE
from tests.tui.support import FolderDoor, ListeningApp, everything_shown, plain, run, unlocked, until
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
            await until(pilot, lambda: "1,000 computers" in plain(app.screen, "#door-strength"))
            assert app.screen.query_one("#door-strength").has_class("-weak")
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


def test_a_recovery_key_is_typed_where_the_passphrase_is(tmp_path: Path) -> None:
    Vault.create(tmp_path / "vault", PASSPHRASE, cost=FLOOR_COST).close()
    recovery = add_recovery_key(tmp_path / "vault", PASSPHRASE)

    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path), passphrase=None)
        async with app.run_test() as pilot:
            await until(pilot, lambda: isinstance(app.screen, UnlockScreen))
            field(app, "passphrase").value = recovery.text[:-1] + ("0" if recovery.text[-1] == "1" else "1")
            await pilot.press("enter")
            await until(pilot, lambda: "recovery key" in plain(app.screen, "#door-line"))
            field(app, "passphrase").value = recovery.text.lower()
            await pilot.press("enter")
            await unlocked(pilot)

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

    def unlock(self, secret: Secret) -> Assistant:
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
