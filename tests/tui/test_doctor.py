"""What is wrong on this machine, and the settings: found, shown, and changed."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from textual.pilot import Pilot
from textual.widgets import Input

from assistant.checkup_places import Finding
from assistant.config import Config, load_config
from assistant.errors import ModelFailed
from assistant.language.model import LoadedModel, Progress
from assistant.settings import find_setting
from storage.errors import VaultReadOnly
from storage.keys import FLOOR_COST
from storage.vault import Vault
from tests.conftest import PASSPHRASE
from tests.doubles import ScriptedModel
from tests.tui.support import FolderDoor, HandClock, ListeningApp, answers, plain, run, say, unlocked, until
from tests.tui.test_pictures import picture
from tui.locking import AutoLock
from tui.screens.browse import BrowseList
from tui.screens.doctor import DoctorScreen, verdict
from tui.screens.setting import SettingScreen
from tui.screens.setting_lines import holds, matching, read_all, setting_facts, setting_line
from tui.widgets.findings import Findings

MINE = '# mine\nuser_name = "Mara"  # me\nmodel = "no-such-model"\nencoder = "not/tried"\n'
HALF_A_MINUTE = 30.0


class SlowModel(ScriptedModel):
    """A model that is loaded until it is closed."""

    def __init__(self) -> None:
        super().__init__([])
        self.closed = threading.Event()

    def load(self, progress: Progress | None = None) -> LoadedModel:
        if progress is not None:
            progress("loading scripted", 0.25)
        if not self.closed.wait(HALF_A_MINUTE):
            return super().load(progress)
        raise ModelFailed("the model process was ended while it loaded")

    def close(self) -> None:
        self.closed.set()


def make_home(folder: Path, settings: str = MINE) -> Path:
    """Make a vault, and settings whose file it gives."""
    Vault.create(folder / "vault", PASSPHRASE, cost=FLOOR_COST).close()
    (folder / "config.toml").write_text(settings)
    return folder / "config.toml"


def shown_findings(app: ListeningApp) -> list[str]:
    return [" ".join(plain(line, "Static").split()) for line in app.screen.query(".finding")]


async def looked(pilot: Pilot[Any]) -> DoctorScreen:
    """Wait for the end of the checkup."""
    app = pilot.app
    await until(
        pilot,
        lambda: isinstance(app.screen, DoctorScreen) and "looking" not in (plain(app.screen, "#caption") or "looking"),
    )
    assert isinstance(app.screen, DoctorScreen)
    return app.screen


async def settings_listed(pilot: Pilot[Any]) -> None:
    """Show the settings, and wait for all of them."""
    app = pilot.app
    if not isinstance(app.screen, DoctorScreen):
        await app.run_action("show_settings")
    await until(pilot, lambda: any(each.option_count > 20 for each in app.screen.query(BrowseList)))


async def listed(pilot: Pilot[Any], search: str) -> None:
    """Search the settings, and wait for what is found."""
    app = pilot.app
    await settings_listed(pilot)
    app.screen.query_one("#search", Input).value = search
    await until(pilot, lambda: app.screen.query_one(BrowseList).option_count in range(1, 20))
    await until(pilot, lambda: plain(app.screen, "#detail-facts"))


def test_each_finding_is_shown_with_what_to_do_and_the_loading_of_the_model_can_be_stopped(
    tmp_path: Path,
) -> None:
    make_home(tmp_path)

    async def scene() -> None:
        model = SlowModel()
        app = ListeningApp(FolderDoor(tmp_path, model))
        async with app.run_test(size=(120, 40)) as pilot:
            chat = await unlocked(pilot)
            await pilot.press("f8")
            await until(pilot, lambda: any(line.startswith("✓ python") for line in shown_findings(app)))
            screen = await looked(pilot)
            lines = shown_findings(app)
            assert "1 failure" in plain(screen, "#caption")
            (failing,) = [line for line in lines if line.startswith("✗")]
            assert failing.startswith("✗ model there is no model")
            assert failing.endswith("choose one that is here: assistant model list")
            assert lines[-1].startswith("– gpu not known")

            await pilot.press("l")
            await until(pilot, lambda: any("25%" in line and "esc stops it" in line for line in shown_findings(app)))
            assert len(shown_findings(app)) == len(lines)  # what was found before is not looked at again
            await pilot.press("escape")
            await until(pilot, lambda: "– loading stopped before it was loaded" in shown_findings(app))
            assert model.closed.is_set()
            assert app.screen is screen

            model.closed.clear()
            await pilot.press("l")
            await until(pilot, lambda: any("25%" in line for line in shown_findings(app)))
            await pilot.press("f2")
            await until(pilot, lambda: app.screen is not screen)
            await until(pilot, model.closed.is_set, "leaving ends what is being loaded")
            await pilot.press("escape")
            await until(pilot, lambda: app.screen is chat)

    run(scene())


def test_a_setting_is_found_refused_when_it_cannot_be_and_holds_at_once(tmp_path: Path) -> None:
    file = make_home(tmp_path)

    async def scene() -> None:
        clock = HandClock()
        app = ListeningApp(FolderDoor(tmp_path), clock=clock)
        async with app.run_test(size=(120, 40)) as pilot:
            await unlocked(pilot)
            await listed(pilot, "lock after minutes")
            assert "holds     at once" in plain(app.screen, "#detail-facts")
            await pilot.press("enter")
            await until(pilot, lambda: isinstance(app.screen, SettingScreen))
            line = app.screen.query_one("#value", Input)
            assert line.value == "30"
            for typed, wrong in (
                ("soon", "must be a whole number, not 'soon'"),
                ("-1", "must be from 0 to 52,596,000"),
            ):
                line.value = typed
                await pilot.press("enter")
                await until(pilot, lambda wrong=wrong: wrong in plain(app.screen, "#wrong"))  # type: ignore[misc]
            assert file.read_text() == MINE
            line.value = "2"
            await until(pilot, lambda: plain(app.screen, "#wrong") == "")
            await pilot.press("enter")
            await until(pilot, lambda: "lock_after_minutes is changed: it holds at once." in app.told)
            assert file.read_text() == f"{MINE}lock_after_minutes = 2\n"
            assert app.assistant is not None
            assert app.assistant.config.lock_after_minutes == 2
            await until(pilot, lambda: "config.toml:5" in plain(app.screen, "#detail-facts"))
            clock.seconds += 121
            app.look_at_clock()
            await until(pilot, lambda: app.assistant is None)

    run(scene())


def test_what_is_changed_holds_for_the_open_chat_and_after_a_lock(tmp_path: Path) -> None:
    file = make_home(tmp_path)

    async def scene() -> None:
        door = FolderDoor(tmp_path, settings=Config(learning=False))
        app = ListeningApp(door)
        async with app.run_test(size=(100, 30)) as pilot:
            chat = await unlocked(pilot)
            assert not chat.mode.keeps
            file.write_text(f'{MINE}learning = true\ntheme = "nord"\n[keys]\nnew_chat = "f9"\n')
            for key in ("learning", "theme", "keys.new_chat"):
                await app.run_action(f"take_setting({key!r})")
                await until(pilot, lambda key=key: any(line.startswith(f"{key} is changed") for line in app.told))  # type: ignore[misc]
            await until(pilot, lambda: chat.ready and chat.mode.keeps)
            assert (app.theme, app.chosen_keys) == ("nord", {"new_chat": "f9"})
            assert (door.settings.learning, door.settings.theme) == (True, "nord")

            before, door.model = door.model, ScriptedModel(["Hello."])
            file.write_text(f"{MINE}context = 2048\ntemperature = 0.1\n")
            await app.run_action("take_setting('context')")
            await until(pilot, lambda: app.assistant is not None and app.assistant.model is door.model)
            assert isinstance(before, ScriptedModel)
            await until(pilot, lambda: before.retired)
            await say(pilot, "Hello?")
            assert [answer.text for answer in answers(chat)] == ["Hello."]

            await app.run_action("temporary_chat")
            await until(pilot, lambda: chat.ready and not chat.mode.keeps)
            await say(pilot, "Nobody shall know this.")
            await app.run_action("take_setting('temperature')")
            await until(pilot, lambda: "temperature is changed: it holds from the next chat on." in app.told)
            assert len(answers(chat)) == 1  # it is still there

    run(scene())


def test_settings_that_cannot_be_read_are_told_and_shown_when_they_can(tmp_path: Path) -> None:
    file = make_home(tmp_path, "threads = \n")

    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path))
        async with app.run_test(size=(100, 30)) as pilot:
            chat = await unlocked(pilot)
            await app.run_action("show_settings")
            await until(pilot, lambda: "is not valid TOML" in plain(app.screen, "#empty"))
            assert "assistant config edit" in plain(app.screen, "#empty")
            file.write_text(MINE)
            await listed(pilot, "user name")
            for size in ((12, 4), (250, 80), (80, 24)):
                await pilot.resize_terminal(*size)
                await pilot.pause()
                assert app.screen.query_one(BrowseList).region.height >= 1
            await pilot.press("down", "enter")
            await until(pilot, lambda: app.screen.query("#value"))
            assert isinstance(app.screen, SettingScreen)
            await pilot.resize_terminal(12, 4)
            await until(pilot, lambda: app.screen.query_one("#value").region.bottom in range(1, 5))
            await pilot.press("escape", "escape")
            await until(pilot, lambda: app.screen is chat)

    run(scene())


def test_a_variable_that_beats_the_file_is_named(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("threads = 2\n")
    environment = {"ASSISTANT_THREADS": "3"}
    seen = read_all(file, environment)
    facts = setting_facts(seen.settings["threads"], seen, environment)
    assert facts["beaten"] == "ASSISTANT_THREADS is set and beats the file, which says 2"
    assert facts["from"] == "ASSISTANT_THREADS"
    assert facts["default"] == "0"
    plainly = read_all(file, {})
    facts = setting_facts(plainly.settings["threads"], plainly, {})
    assert (facts["from"], "beaten" in facts) == (f"{file}:1", False)


def test_every_setting_is_listed_with_its_numbers_and_keys_and_says_when_it_holds(tmp_path: Path) -> None:
    seen = read_all(tmp_path / "none", {})
    assert next(iter(seen.settings)) == "user_name"
    assert {"memory.synapse.inhibition", "keys.show_doctor", "retention", "passphrase_command"} <= seen.settings.keys()
    assert [setting.key for setting in matching(seen.settings.values(), "LOCK minutes")] == ["lock_after_minutes"]
    assert not seen.settings["retention"].changeable
    for setting in seen.settings.values():
        if setting.changeable:
            assert holds(setting.key)
        for width in (0, 12, 74, 200):
            assert setting.key in setting_line(setting, width=width).prompt.plain  # type: ignore[union-attr]
    assert "unlocked again" in holds("engine") == holds("memory.synapse.inhibition")
    assert find_setting(load_config(tmp_path / "none", {}), "keys.show_doctor").value == "f8"


def test_a_name_from_the_file_acts_on_no_terminal(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('[memory]\n"\\u001b[2J" = 3\n')
    odd = next(setting for setting in read_all(file, {}).settings.values() if setting.value == 3 and "J" in setting.key)
    for width in (10, 200):
        assert "\x1b" not in setting_line(odd, width=width).prompt.plain  # type: ignore[union-attr]


def test_a_changed_limit_counts_the_time_that_has_passed() -> None:
    clock = HandClock()
    lock = AutoLock(Config(lock_after_minutes=30, lock_at_most_hours=0.0), clock)
    clock.seconds += 60
    lock.limit(Config(lock_after_minutes=2, lock_at_most_hours=0.0))
    assert lock.seconds_left() == 60


def test_the_verdict_counts_what_is_wrong() -> None:
    found = [Finding(name=level, ok=ok, stops=stops, what="") for level, ok, stops in SOME]
    assert verdict(found) == "2 failures · 1 warning"
    assert verdict(found[:1]) == "all is well"


SOME = (("a", True, True), ("b", False, True), ("c", False, True), ("d", False, False), ("e", None, True))

INVENTED = (
    Finding(name="python", ok=True, what="3.12.1, /usr/bin/python3"),
    Finding(name="config", ok=True, what="/home/mara/.config/assistant/config.toml"),
    Finding(
        name="vault",
        ok=False,
        what="/home/mara/.local/share/assistant/default cannot be read and written",
        fix="ls -l /home/mara/.local/share/assistant/default shows whose it is",
        error=VaultReadOnly,
    ),
    Finding(
        name="rights",
        ok=False,
        stops=False,
        what="others may enter or read /home/mara/.config/assistant (755)",
        fix="chmod 700 /home/mara/.config/assistant",
    ),
    Finding(name="keyring", ok=None, what="no vault opens by it: assistant vault keyring"),
    Finding(name="storage", ok=True, what="SQLite 3.54.0, chacha20, sqlite-vec 0.1.9"),
)


def test_the_doctor(tmp_path: Path, snap_compare: Callable[..., bool]) -> None:
    make_home(tmp_path)
    app = ListeningApp(FolderDoor(tmp_path))

    async def before(pilot: Pilot[Any]) -> None:
        await unlocked(pilot)
        await pilot.press("f8")
        screen = await looked(pilot)
        findings = screen.query_one(Findings)
        await findings.begin()
        for finding in INVENTED:  # what is really found is another on each machine
            await findings.found(finding)
        await findings.looking("encoder")
        await until(pilot, lambda: len(screen.query(".finding")) == len(INVENTED) + 1)

    assert snap_compare(app, terminal_size=(80, 24), run_before=picture(app, before))


def test_the_settings(tmp_path: Path, snap_compare: Callable[..., bool]) -> None:
    make_home(tmp_path)
    app = ListeningApp(FolderDoor(tmp_path))

    async def before(pilot: Pilot[Any]) -> None:
        await unlocked(pilot)
        await settings_listed(pilot)
        await pilot.press("down", "down", "down")  # to one whose origin is no path
        await until(pilot, lambda: "Tokens of context wanted" in plain(app.screen, "#detail-text"))
        app.screen.query_one("#caption").display = False  # there are more of them with every release

    assert snap_compare(app, terminal_size=(80, 24), run_before=picture(app, before))
