"""The vault locks by itself, and no word of it stays behind."""

import gc
import secrets
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

from textual import events
from textual.pilot import Pilot
from textual.widgets import Input, OptionList

from assistant.config import Config
from assistant.errors import AgentFailed, ModelFailed
from assistant.language.model import LoadedModel, Progress
from storage.keys import FLOOR_COST, DataKey
from storage.records import Role, TurnState
from storage.rekeying import rekey
from storage.unlocking import read_data_key
from storage.vault import Vault
from tests.conftest import PASSPHRASE
from tests.doubles import ScriptedModel
from tests.tui.support import (
    FolderDoor,
    HandClock,
    ListeningApp,
    answers,
    converse,
    everything_shown,
    plain,
    run,
    say,
    texts,
    unlocked,
    until,
)
from tui.attachments import Attachment
from tui.locking import AutoLock, ElapsedClock
from tui.modes import PAUSED, TEMPORARY
from tui.screens.beside import BesideChat
from tui.screens.chat import ChatScreen
from tui.screens.conversations import ConversationsScreen
from tui.screens.forget import ForgetScreen
from tui.screens.memory import MemoryScreen
from tui.screens.modals import HelpScreen
from tui.screens.unlock import UnlockScreen
from tui.screens.why import WhyScreen
from tui.widgets.composer import PASTE_BYTES

LONG = " ".join(f"word{number}" for number in range(400))
HALF_AN_HOUR = 30 * 60.0


def make_vault(folder: Path) -> None:
    Vault.create(folder / "vault", PASSPHRASE, cost=FLOOR_COST).close()


async def locked(pilot: Pilot[Any]) -> UnlockScreen:
    app = pilot.app
    await until(pilot, lambda: isinstance(app.screen, UnlockScreen) and app.screen.is_mounted, "the vault is locked")
    screen = app.screen
    assert isinstance(screen, UnlockScreen)
    return screen


async def unlock(pilot: Pilot[Any]) -> None:
    (await locked(pilot)).query_one("#passphrase", Input).value = PASSPHRASE
    await pilot.press("enter")


def holders(backwards: str) -> Iterator[object]:
    """Give every object of this process that holds a text with a word in it, which is told backwards: not a holder."""
    gc.collect()
    for held in gc.get_objects():
        if type(held) is not FrameType and any(  # isinstance asks some objects, which warn
            type(text) is str and backwards in text[::-1] for text in gc.get_referents(held)
        ):
            yield held


def test_a_clock_goes_on_while_the_machine_is_suspended_and_when_the_time_of_day_is_set_back() -> None:
    boot, wall = HandClock(), HandClock()
    clock = ElapsedClock(boot=boot, wall=wall)
    boot.seconds += 5
    wall.seconds += 5
    assert clock() == 5
    wall.seconds += 3600  # a virtual machine was suspended: its own clock stood still
    assert clock() == 3605
    wall.seconds -= 7200
    boot.seconds += 10
    assert clock() == 3615
    assert ElapsedClock()() >= 0


def test_time_runs_out_from_the_last_use_and_from_unlocking_and_never_when_it_is_nought() -> None:
    clock = HandClock()
    lock = AutoLock(Config(lock_after_minutes=30, lock_at_most_hours=1.0), clock)
    clock.seconds += 1700
    assert lock.seconds_left() == 100
    lock.use()
    assert lock.seconds_left() == 1800
    clock.seconds += 1700
    lock.use()
    assert lock.seconds_left() == 200
    never = AutoLock(Config(lock_after_minutes=0, lock_at_most_hours=0.0), clock)
    clock.seconds += 10**9
    assert never.seconds_left() == float("inf")


def test_it_warns_a_minute_before_and_whoever_comes_later_finds_it_locked(tmp_path: Path) -> None:
    make_vault(tmp_path)

    async def scene() -> None:
        clock = HandClock()
        app = ListeningApp(FolderDoor(tmp_path), clock=clock)
        async with app.run_test() as pilot:
            chat = await unlocked(pilot)
            clock.seconds += HALF_AN_HOUR - 59
            await until(pilot, lambda: chat.query_one("#status-lock").display)
            assert plain(chat, "#status-lock") == "locks in 1 min"
            await pilot.press("a")
            await until(pilot, lambda: not chat.query_one("#status-lock").display)
            clock.seconds += HALF_AN_HOUR - 59
            app.post_message(mouse_move())
            await pilot.pause()
            clock.seconds += HALF_AN_HOUR - 59
            app.look_at_clock()
            await pilot.pause()
            assert app.assistant is not None
            composer = chat.composer
            clock.seconds += 60
            await pilot.press("x")  # wakes the machine, and gets no further
            assert composer.text == "a"
            await locked(pilot)
            assert app.assistant is None

    run(scene())


def test_the_warning_is_on_whichever_screen_is_shown_until_a_key_is_pressed(tmp_path: Path) -> None:
    make_vault(tmp_path)

    async def scene() -> None:
        clock = HandClock()
        app = ListeningApp(FolderDoor(tmp_path), clock=clock)
        async with app.run_test() as pilot:
            chat = await unlocked(pilot)
            for key, kind in (("f4", BesideChat), ("f1", HelpScreen)):
                await pilot.press(key)
                await until(pilot, lambda kind=kind: isinstance(app.screen, kind))  # type: ignore[misc]
                clock.seconds += HALF_AN_HOUR - 59
                await until(pilot, lambda: plain(app.screen, "LockWarning") == "locks in 1 min")
            await pilot.press("shift")
            await until(pilot, lambda: not any(screen.query("LockWarning") for screen in app.screen_stack))
            assert app.assistant is chat.assistant

    run(scene())


def mouse_move() -> events.MouseMove:
    return events.MouseMove(None, 1, 1, 0, 0, 0, shift=False, meta=False, ctrl=False)


def test_a_running_reply_counts_as_use_and_is_stopped_and_kept_at_the_limit(tmp_path: Path) -> None:
    make_vault(tmp_path)

    async def scene() -> None:
        clock, door = HandClock(), FolderDoor(tmp_path, ScriptedModel([LONG], stands_after=9))
        app = ListeningApp(door, clock=clock)
        async with app.run_test() as pilot:
            chat = await unlocked(pilot)
            await say(pilot, "Count.", wait=False)
            await until(pilot, lambda: answers(chat) and "word2" in answers(chat)[0].text)
            for _ in range(23):  # half an hour each: to half an hour before the limit of twelve hours
                clock.seconds += HALF_AN_HOUR - 1
                app.look_at_clock()
            assert app.screen is chat
            clock.seconds += HALF_AN_HOUR + 60
            await locked(pilot)
            assert door.model.loaded is None

    run(scene())
    with Vault.open(tmp_path / "vault", PASSPHRASE) as vault:
        kept = vault.turns.listing()
        assert [turn.role for turn in kept] == [Role.ASSISTANT, Role.USER]
        assert kept[0].state is TurnState.STOPPED
        assert "word2" in kept[0].text


def test_after_a_lock_nothing_in_the_process_holds_a_word_and_unlocking_brings_the_conversation_back(
    tmp_path: Path,
) -> None:
    backwards = f"canary{secrets.token_hex(6)}"
    make_vault(tmp_path)
    clock, model = HandClock(), ScriptedModel([f"Noted: {backwards[::-1]}.\n\n`{backwards[::-1]}`"])
    app = ListeningApp(FolderDoor(tmp_path, model), clock=clock)

    async def show_it_everywhere(pilot: Pilot[Any]) -> None:
        chat = await unlocked(pilot)
        await say(pilot, f"The word is {backwards[::-1]}.")
        chat.chips.add(Attachment(name=f"{backwards[::-1]}.txt", text=backwards[::-1]))
        app.post_message(events.Paste(backwards[::-1] * PASTE_BYTES))
        await until(pilot, lambda: len(chat.chips.attachments) == 2)
        await pilot.press("ctrl+y")
        await look_around(pilot, chat, backwards)
        app.notify(backwards[::-1])
        chat.composer.fill(f"a draft with {backwards[::-1]}")
        await pilot.press("shift+tab", "e")
        await until(pilot, lambda: chat.composer.text == f"The word is {backwards[::-1]}.")
        await pilot.press("f4")
        await until(pilot, lambda: backwards[::-1] in plain(app.screen, "#detail-text"))
        await pilot.press("down", "d")
        await until(pilot, lambda: isinstance(app.screen, ForgetScreen))
        assert backwards[::-1] in everything_shown(app)

    async def scene() -> None:
        async with app.run_test(size=(110, 40), notifications=True) as pilot:
            await show_it_everywhere(pilot)
            assert any(holders(backwards))
            model.requests.clear()  # what the double and the listening app keep for tests
            app.told.clear()
            clock.seconds += HALF_AN_HOUR
            await locked(pilot)
            await pilot.pause()
            assert app.clipboard == ""
            assert [type(held) for held in holders(backwards)] == []
            await unlock(pilot)
            chat = await unlocked(pilot)
            assert f"The word is {backwards[::-1]}." in plain(chat, ".question .words")
            assert chat.composer.text == ""
            await pilot.press("up")
            assert chat.composer.text == ""

    run(scene())


async def look_around(pilot: Pilot[Any], chat: ChatScreen, backwards: str) -> None:
    """Give the word to commands, and see it on each screen that lies over the chat."""
    app = pilot.app
    assert isinstance(app, ListeningApp)
    chat.composer.fill(f"/remember {backwards[::-1]} is kept")
    await pilot.press("enter")
    await until(pilot, lambda: any(line.startswith("Remembered") for line in app.told))
    chat.composer.fill(f"/forget {backwards[::-1]}")
    await pilot.press("enter")
    await until(pilot, lambda: isinstance(app.screen, ForgetScreen))
    await pilot.press("escape", "f2")
    await until(pilot, lambda: isinstance(app.screen, ConversationsScreen) and backwards[::-1] in listed(app))
    await pilot.press("down", "r")
    await until(pilot, lambda: app.screen.query("#rename"))
    await pilot.press("escape", "f3")
    await until(pilot, lambda: isinstance(app.screen, WhyScreen))
    await pilot.press("f5")
    await until(pilot, lambda: backwards[::-1] in plain(app.screen, "#graph-title"))
    await pilot.press("f6", "f1")
    await until(pilot, lambda: isinstance(app.screen, HelpScreen))
    await pilot.press("escape", "f4")
    await until(pilot, lambda: isinstance(app.screen, MemoryScreen) and backwards[::-1] in listed(app))
    await pilot.press(*"tttttt", "escape")
    await until(pilot, lambda: app.screen is chat)


def listed(app: ListeningApp) -> str:
    return "\n".join(str(option.prompt) for lines in app.screen.query(OptionList) for option in lines.options)


class SlowModel(ScriptedModel):
    """Loads until it is closed."""

    def __init__(self) -> None:
        super().__init__([])
        self.loading = threading.Event()
        self.closed = threading.Event()

    def load(self, progress: Progress | None = None) -> LoadedModel:
        self.loading.set()
        self.closed.wait()
        raise ModelFailed("the model was closed")

    def close(self) -> None:
        self.closed.set()


def test_a_model_that_is_being_loaded_and_a_second_key_do_not_hold_up_a_lock(tmp_path: Path) -> None:
    make_vault(tmp_path)

    async def scene() -> None:
        model = SlowModel()
        app = ListeningApp(FolderDoor(tmp_path, model))
        async with app.run_test() as pilot:
            await unlocked(pilot)
            await pilot.press("a")  # the model begins to read ahead
            await until(pilot, model.loading.is_set)
            await pilot.press("ctrl+n", "ctrl+l", "ctrl+l", "f4")
            await locked(pilot)
            assert len(app.screen_stack) == 2
            await unlock(pilot)
            await unlocked(pilot)

    run(scene())


def test_a_temporary_chat_is_gone_after_a_lock_and_the_next_one_is_temporary_too_and_a_pause_lasts(
    tmp_path: Path,
) -> None:
    make_vault(tmp_path)

    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path, ScriptedModel(["Fine."])), temporary=True)
        async with app.run_test() as pilot:
            await unlocked(pilot)
            await say(pilot, "the heron eats at dawn")
            await app.run_action("pause_learning")
            assert app.told == ["Learning is paused: nothing you say is kept."]
            await pilot.press("ctrl+l")
            await unlock(pilot)
            chat = await unlocked(pilot)
            assert chat.place == (None, TEMPORARY)
            assert answers(chat) == []
            await pilot.press("ctrl+n")
            await until(pilot, lambda: chat.ready and chat.mode is PAUSED)
            assert chat.session is not None
            assert chat.session.temporary

    run(scene())


def test_a_key_that_the_agent_holds_opens_at_the_start_and_is_forgotten_with_a_lock(tmp_path: Path) -> None:
    make_vault(tmp_path)
    door = FolderDoor(tmp_path)
    door.agent_key = read_data_key(tmp_path / "vault", PASSPHRASE)

    async def scene() -> None:
        app = ListeningApp(door, passphrase=None)
        async with app.run_test() as pilot:
            await unlocked(pilot)
            await pilot.press("ctrl+l")
            await locked(pilot)
            assert door.agent_key is None
            door.agent_key = read_data_key(tmp_path / "vault", PASSPHRASE)  # unlocked anew by a command
            await pilot.pause(0.1)
            assert door.asked_agent == 1
            await unlock(pilot)
            await unlocked(pilot)

    run(scene())


class StubbornDoor(FolderDoor):
    """Has an agent that does not answer."""

    def forget_key(self) -> None:
        raise AgentFailed("the agent does not answer")


def test_what_is_wrong_with_an_agent_is_one_line_where_one_types(tmp_path: Path) -> None:
    make_vault(tmp_path)
    door = StubbornDoor(tmp_path)
    door.agent_key = DataKey.random()

    async def scene() -> None:
        app = ListeningApp(door, passphrase=None)
        async with app.run_test() as pilot:
            screen = await locked(pilot)
            await until(pilot, lambda: "new key" in plain(screen, "#door-line"))
            await unlock(pilot)
            await unlocked(pilot)
            await pilot.press("ctrl+l")
            assert plain(await locked(pilot), "#door-line") == "the agent does not answer"
            assert app.assistant is None

    run(scene())


def test_a_vault_that_another_process_encrypted_anew_asks_for_the_passphrase_again(tmp_path: Path) -> None:
    with Vault.create(tmp_path / "vault", PASSPHRASE, cost=FLOOR_COST) as vault:
        conversation = converse(vault, (Role.USER, "the heron eats at dawn"))

    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path), conversation=conversation)
        async with app.run_test() as pilot:
            await unlocked(pilot)
            rekey(tmp_path / "vault", PASSPHRASE)
            screen = await locked(pilot)
            assert "new key" in plain(screen, "#door-line")
            assert "heron" not in everything_shown(app)
            await unlock(pilot)
            chat = await unlocked(pilot)
            assert texts(chat.transcript.turns) == ["the heron eats at dawn"]

    run(scene())
