"""The app: one screen above another, one place for actions, one clean end."""

import asyncio
import errno
import os
import signal
from datetime import timedelta
from pathlib import Path, PurePath
from typing import Any, ClassVar

from textual import events, work
from textual.binding import BindingType

from assistant.bootstrap import Assistant, now
from assistant.config import Config
from assistant.memory.upkeep import keep_up
from assistant.paths import Paths
from storage.keys import Secret
from tui.commands import COMMANDS
from tui.configuring import Configuring
from tui.door import Door, VaultDoor
from tui.failures import EXPECTED, reason, told
from tui.forgetting import take_back
from tui.locking import LOOK_SECONDS, WARNING_SECONDS, AutoLock, Clock, ElapsedClock, drop_remembered
from tui.looks import Looks, chosen_looks
from tui.messages import VaultChanged
from tui.modes import KEPT, MEMORYLESS, TEMPORARY, Mode
from tui.screens.beside import BesideChat
from tui.screens.chat import ChatScreen
from tui.screens.unlock import LockingScreen, UnlockScreen
from tui.terminal import EndingSignals, read_alt_enter
from tui.text import one_line
from tui.themes import THEMES
from tui.widgets.status import StatusLine
from tui.widgets.warning import LockWarning

HEIGHTS = [(0, "-tiny"), (10, "-short"), (18, "-tall")]
"""Rows from which a screen has a class, for `app.tcss`."""
UPKEEP_SECONDS = 3600.0
"""Between two looks at what has had its time; the first comes after unlocking."""
TOLD_SECONDS = 8
"""What was done by itself can be read for longer."""
WIDTHS = [(0, "-narrow"), (60, "-medium"), (110, "-wide")]
"""Columns from which a screen has a class."""
UNLOCKED_ONLY = frozenset(command.action for command in COMMANDS if not command.locked)


class AssistantApp(Configuring):
    """Holds the open assistant, and the screens that show it."""

    TITLE = "assistant"
    CSS_PATH: ClassVar[str | PurePath | list[str | PurePath] | None] = Path(__file__).with_name("app.tcss")
    BINDINGS: ClassVar[list[BindingType]] = [command.binding for command in COMMANDS]
    VERTICAL_BREAKPOINTS = HEIGHTS
    HORIZONTAL_BREAKPOINTS = WIDTHS

    def __init__(
        self,
        door: Door,
        *,
        passphrase: Secret | None = None,
        conversation: str | None = None,
        temporary: bool = False,
        clock: Clock | None = None,
        looks: Looks | None = None,
    ) -> None:
        super().__init__(ansi_color="NO_COLOR" in os.environ or None)  # else greys would stand for colours
        read_alt_enter()
        self._door = door
        self._passphrase = passphrase
        self._wanted: tuple[str | None, Mode] = (conversation, TEMPORARY if temporary else KEPT)
        """The conversation that is shown when the vault is open."""
        self._clock = clock or ElapsedClock()
        self._warned = False
        """Whether it is said on a screen that the vault locks soon."""
        self._signals = EndingSignals()
        for theme in THEMES:
            self.register_theme(theme)
        self.take_on(looks or Looks())

    def on_mount(self) -> None:
        """Catch what ends a process, and ask for the passphrase."""
        self._signals.catch(self._end_by)
        given, self._passphrase = self._passphrase, None
        self.set_interval(LOOK_SECONDS, self.look_at_clock)
        self.set_interval(UPKEEP_SECONDS, self.keep_up)
        self.theme_changed_signal.subscribe(self, self.keep_theme)
        self._ask(UnlockScreen(self._door, secret=given, ask_agent=True))

    def on_unmount(self) -> None:
        """Give the signals back."""
        self._signals.release()

    def close_assistant(self) -> None:
        """Drop the key and end the model's process."""
        assistant, self.assistant = self.assistant, None
        if assistant is not None:
            assistant.close()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Allow nothing that needs the memories while they are locked."""
        return self._auto_lock is not None or action not in UNLOCKED_ONLY

    # Actions, named as in `commands`

    def action_new_chat(self) -> None:
        """Begin another conversation."""
        self._open_chat(None)

    def action_temporary_chat(self) -> None:
        """Begin a conversation of which nothing is kept."""
        self._open_chat(None, TEMPORARY)

    def action_memoryless_chat(self) -> None:
        """Begin a conversation for which nothing is recalled, and of which nothing is kept."""
        self._open_chat(None, MEMORYLESS)

    def action_pause_learning(self) -> None:
        """Keep nothing of what is said, in any chat, until this is asked for again."""
        if self.assistant is None:
            return
        self._learning = not self.assistant.config.learning
        self.assistant = self._as_paused(self.assistant)
        if self.chat is not None:
            self.chat.go_on_with(self.assistant)
        self.notify("Learning goes on." if self._learning else "Learning is paused: nothing you say is kept.")

    def action_open_conversation(self, conversation: str) -> None:
        """Go on with a conversation."""
        self._open_chat(conversation)

    @work(exclusive=True, group="undo")
    async def action_undo_forgetting(self) -> None:
        """Take back what was forgotten last."""
        if self.assistant is not None:
            with told(self.screen):
                self.notify(await asyncio.to_thread(take_back, self.assistant.memory))

    def action_lock(self) -> None:
        """Close the vault, and leave nothing of it on any screen."""
        self._lock()

    async def action_quit(self) -> None:
        """Stop what is being written, and leave."""
        if self.chat is not None and self.assistant is not None:
            await self.chat.quiet()
            await asyncio.to_thread(self.assistant.model.close)  # ends what it may be reading ahead
        self.exit()

    # Below

    def exit(self, result: None = None, return_code: int = 0, message: Any = None) -> None:
        """End the app; what still runs for a screen must not meet a screen that is taken down."""
        super().exit(result, return_code, message)
        self.workers.cancel_all()

    def look_at_clock(self) -> None:
        """Lock when it is time, and say so a minute before."""
        if self._auto_lock is None:
            return
        if self._auto_lock.seconds_left() > 0 and self.chat is not None and self.chat.busy:
            self._auto_lock.use()  # whoever waits for an answer is there
        left = self._auto_lock.seconds_left()
        if left <= 0:
            self._lock()
        else:
            self._warn("locks in 1 min" if left <= WARNING_SECONDS else "")

    def _warn(self, line: str) -> None:
        """Say on the screen that is shown that the vault locks soon; nothing on any when the line is empty."""
        if not line and not self._warned:
            return  # looking through all that is shown, each second, takes more than all else that is done meanwhile
        self._warned = bool(line)
        for screen in self.screen_stack:
            for status in screen.query(StatusLine):
                status.warn(line)
            if not line:
                screen.query(LockWarning).remove()
        if line and not isinstance(self.screen, ChatScreen) and not self.screen.query(LockWarning):
            self.screen.mount(LockWarning(line))

    @work(exclusive=True, group="upkeep")
    async def keep_up(self) -> None:
        """Erase what waited for long enough, put aside what is past its time, and say so."""
        assistant = self.assistant
        if assistant is None:
            return
        with told(self.screen):
            lines = await asyncio.to_thread(_keep_up, assistant)
            if self.assistant is not None:
                for line in lines:
                    self.notify(one_line(line), timeout=TOLD_SECONDS, markup=False)

    async def on_event(self, event: events.Event) -> None:
        """Note that somebody is there; whoever comes back after it was time to lock finds it locked."""
        if self._auto_lock is not None and isinstance(event, events.InputEvent | events.Paste):
            if self._auto_lock.seconds_left() <= 0:
                self._lock()
                return
            self._auto_lock.use()
        await super().on_event(event)

    def on_vault_changed(self, message: VaultChanged) -> None:
        """Ask for the passphrase again when another process gave the vault a new key."""
        self._lock(message.reason)

    def _lock(self, why: str = "") -> None:
        """Cover the words at once, and lock, unless that is done or being done."""
        if self._auto_lock is not None:
            self._auto_lock = None
            self.push_screen(LockingScreen())
            self._close_up(why)

    @work(group="lock")
    async def _close_up(self, why: str) -> None:
        """Stop and keep the answer, close the vault, and drop every word that any part of the app holds."""
        chat, assistant = self.chat, self.assistant
        if chat is not None and assistant is not None:
            await chat.quiet()
            self._wanted = chat.place
            await asyncio.to_thread(assistant.model.close)
            await chat.threads.settle("ahead")  # which ends with the model, and could begin it anew until then
        del chat, assistant
        trouble = await asyncio.to_thread(self._close_for_all)
        self.clear_notifications()
        self._clipboard = ""
        self.mouse_over = self._mouse_down_widget = None
        screens = self.screen_stack[1:]
        with self.batch_update():
            while len(self.screen_stack) > 1:
                await self.pop_screen()
        self._forget_watchers()
        drop_remembered(screens)
        self._ask(UnlockScreen(self._door, line=why or trouble))

    def _forget_watchers(self) -> None:
        """Drop what watched this app and is there no more."""
        watchers = getattr(self, "__watchers", {})
        for name, watching in watchers.items():
            watchers[name] = [watcher for watcher in watching if watcher[0].is_attached]

    def _close_for_all(self) -> str:
        """Close the vault, and lock it for all commands; gives what went wrong with the second."""
        self.close_assistant()
        try:
            self._door.forget_key()
        except EXPECTED as error:
            return reason(error)
        return ""

    def _ask(self, screen: UnlockScreen) -> None:
        self.push_screen(screen, self._entered)

    def _entered(self, assistant: Assistant | None) -> None:
        if assistant is None:
            return
        self.assistant = self._as_paused(assistant)
        self._auto_lock = AutoLock(assistant.config, self._clock)
        conversation, mode = self._wanted
        chat = ChatScreen(self.assistant, missing_model=self._missing_model, conversation=conversation, mode=mode)
        self.push_screen(chat)
        self.keep_up()

    def _missing_model(self) -> str:
        """Why the model that is chosen by then cannot answer."""
        return self._door.missing_model()

    def _open_chat(self, conversation: str | None, mode: Mode = KEPT) -> None:
        if isinstance(self.screen, BesideChat):
            self.screen.dismiss(None)
        if self.chat is not None:
            self.chat.go_to(conversation, mode=mode)

    def _fatal_error(self) -> None:
        """Show a fault without the values of variables: they hold what was said, and perhaps a passphrase."""
        from rich.traceback import Traceback

        self.panic(Traceback(show_locals=False))

    def _end_by(self, number: int) -> None:
        """Keep what is written of an answer, and leave the terminal as it was found."""
        if self.chat is not None:
            self.chat.stop_reply()
        self.exit(return_code=128 + number)


def _keep_up(assistant: Assistant) -> tuple[str, ...]:
    config = assistant.config
    grace = timedelta(hours=config.grace_hours)
    return keep_up(assistant.vault, rules=config.retention, now=now(), grace=grace, undo="/undo takes it back")


def run(
    config: Config,
    paths: Paths,
    *,
    passphrase: Secret | None = None,
    conversation: str | None = None,
    temporary: bool = False,
) -> int:
    """Show the app until the user leaves; gives the exit code: 0, 1 after a fault, 129 or 143 after a signal."""
    app = AssistantApp(
        VaultDoor(config=config, paths=paths),
        passphrase=passphrase,
        conversation=conversation,
        temporary=temporary,
        looks=chosen_looks(config, paths.config_file),
    )
    try:
        app.run()
    except OSError as error:
        if error.errno != errno.EIO:
            raise
        return 128 + signal.SIGHUP  # the terminal went away under the app
    finally:
        app.close_assistant()
    return app.return_code or 0
