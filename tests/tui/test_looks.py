"""The colours that the user chose, kept for the next time."""

from functools import partial
from pathlib import Path

from assistant.config import Config, load_config
from assistant.themes import TERMINAL_THEMES, THEMES
from storage.keys import FLOOR_COST
from storage.records import Role
from storage.vault import Vault
from tests.conftest import PASSPHRASE
from tests.tui.support import FolderDoor, ListeningApp, converse, plain, run, unlocked, until
from tui.looks import VARIABLE, Looks, chosen_looks, keep_theme
from tui.screens.memory import MemoryScreen


def test_the_themes_that_can_be_set_are_those_that_can_be_chosen(tmp_path: Path) -> None:
    assert sorted(THEMES) == sorted(ListeningApp(FolderDoor(tmp_path)).available_themes)


def test_a_theme_that_is_chosen_is_in_the_settings_the_next_time_and_what_else_stands_there_stays(
    tmp_path: Path,
) -> None:
    Vault.create(tmp_path / "vault", PASSPHRASE, cost=FLOOR_COST).close()
    file = tmp_path / "config.toml"
    file.write_text('# mine\nuser_name = "Mara"\n[keys]\nlock = "f9"\n')

    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path), looks=chosen_looks(Config(), file))
        async with app.run_test() as pilot:
            await unlocked(pilot)
            await pilot.press("ctrl+p", *"Theme", "enter")
            await until(pilot, lambda: plain(app.screen, "SearchIcon") and app.screen.query("CommandInput"))
            app.theme = "nord"
            await until(pilot, lambda: "nord" in file.read_text())
            assert app.told == []

    run(scene())
    loaded = load_config(file, {})
    assert (loaded.config.theme, loaded.config.user_name, loaded.config.keys) == ("nord", "Mara", {"lock": "f9"})
    assert file.read_text().startswith("# mine\n")
    assert chosen_looks(loaded.config, file).theme == "nord"


def test_a_theme_that_cannot_be_kept_is_told_in_one_line_and_shown_all_the_same(tmp_path: Path) -> None:
    Vault.create(tmp_path / "vault", PASSPHRASE, cost=FLOOR_COST).close()
    broken = tmp_path / "config.toml"
    broken.write_text("no toml")

    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path), looks=Looks(keep_theme=partial(keep_theme, broken, {})))
        async with app.run_test() as pilot:
            await unlocked(pilot)
            app.theme = "dracula"
            await until(pilot, lambda: app.told)
            assert "is not valid TOML" in app.told[0]
            assert app.current_theme.name == "dracula"

    run(scene())


def test_a_variable_that_is_stronger_than_the_settings_is_named(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    assert keep_theme(file, {VARIABLE: "nord"}, "dracula").startswith("ASSISTANT_THEME is set")
    assert keep_theme(file, {}, "gruvbox") == ""
    assert load_config(file, {VARIABLE: "nord"}).config.theme == "nord"
    assert load_config(file, {}).config.theme == "gruvbox"


def test_the_terminals_own_colours_are_all_that_is_used_when_they_are_chosen(tmp_path: Path) -> None:
    with Vault.create(tmp_path / "vault", PASSPHRASE, cost=FLOOR_COST) as vault:
        converse(vault, (Role.USER, "Anna lives in Graz."))

    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path), looks=Looks(theme=TERMINAL_THEMES[0]))
        async with app.run_test(size=(100, 30)) as pilot:
            await unlocked(pilot)
            await pilot.press("f4")
            await until(pilot, lambda: isinstance(app.screen, MemoryScreen) and app.screen.chosen)
            await pilot.press("down", "d")
            await until(pilot, lambda: app.screen.query("#keep"))
            for theme in TERMINAL_THEMES:
                app.theme = theme
                await pilot.pause()
                assert app.native_ansi_color
                grounds = [widget.styles.background for widget in app.screen.query("*")]
                assert None not in {ground.ansi for ground in grounds if ground.a}

    run(scene())
