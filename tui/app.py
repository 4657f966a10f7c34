"""The app: one screen above another, one place for actions, one clean end."""

import asyncio
import errno
import os
import signal
import threading
from collections.abc import Iterable
from pathlib import Path, PurePath
from types import FrameType
from typing import Any, ClassVar

from textual import work
from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual.app import App, SystemCommand
from textual.binding import BindingType
from textual.keys import Keys
from textual.screen import Screen

from assistant.bootstrap import Assistant
from assistant.config import Config
from assistant.paths import Paths
from tui.commands import COMMANDS
from tui.door import Door, VaultDoor
from tui.screens.browse import BrowseScreen
from tui.screens.chat import ChatScreen
from tui.screens.conversations import ConversationsScreen
from tui.screens.memory import MemoryScreen
from tui.screens.modals import HelpScreen
from tui.screens.unlock import UnlockScreen
from tui.themes import DARK, THEMES
from tui.widgets.transcript import Transcript

ENDING_SIGNALS = (signal.SIGTERM, signal.SIGHUP)
ENDING_SECONDS = 5.0
"""From such a signal to the end at the latest."""
HEIGHTS = [(0, "-tiny"), (10, "-short"), (18, "-tall")]
"""Rows from which a screen has a class, for `app.tcss`."""
WIDTHS = [(0, "-narrow"), (60, "-medium"), (110, "-wide")]
"""Columns from which a screen has a class."""
UNLOCKED_ONLY = frozenset(command.action for command in COMMANDS if not command.locked)


class AssistantApp(App[None]):
    """Holds the open assistant, and the screens that show it."""

    TITLE = "assistant"
    CSS_PATH: ClassVar[str | PurePath | list[str | PurePath] | None] = Path(__file__).with_name("app.tcss")
    BINDINGS: ClassVar[list[BindingType]] = [command.binding for command in COMMANDS if command.keys]
    VERTICAL_BREAKPOINTS = HEIGHTS
    HORIZONTAL_BREAKPOINTS = WIDTHS

    def __init__(
        self,
        door: Door,
        *,
        passphrase: str | None = None,
        conversation: str | None = None,
        temporary: bool = False,
    ) -> None:
        super().__init__()
        read_alt_enter()
        self.assistant: Assistant | None = None
        self._door = door
        self._passphrase = passphrase
        self._wanted = (conversation, temporary)
        self._handlers: dict[signal.Signals, Any] = {}
        """What the signals did before."""
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = DARK.name

    def on_mount(self) -> None:
        """Catch what ends a process, and ask for the passphrase."""
        loop = asyncio.get_running_loop()

        def caught(number: int, _frame: FrameType | None) -> None:
            signal.signal(number, signal.SIG_DFL)  # a second one ends at once
            # A terminal that is gone can block whoever writes to it; then there is nothing left to clean.
            watchdog = threading.Timer(ENDING_SECONDS, os._exit, [128 + number])
            watchdog.daemon = True
            watchdog.start()
            loop.call_soon_threadsafe(self._end_by, number)

        self._handlers = {number: signal.signal(number, caught) for number in ENDING_SIGNALS}
        given, self._passphrase = self._passphrase, None
        self._ask(given)

    def on_unmount(self) -> None:
        """Give the signals back."""
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        self._handlers = {}

    def close_assistant(self) -> None:
        """Drop the key and end the model's process."""
        assistant, self.assistant = self.assistant, None
        if assistant is not None:
            assistant.close()

    @property
    def chat(self) -> ChatScreen | None:
        """The chat, which lies under all other screens; None while the vault is locked."""
        return next((screen for screen in self.screen_stack if isinstance(screen, ChatScreen)), None)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Allow nothing that needs the memories while they are locked."""
        return self.assistant is not None or action not in UNLOCKED_ONLY

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:  # noqa: ARG002
        """Give every action to the palette."""
        for command in COMMANDS:
            if self.check_action(command.action, ()):
                key = command.keys.split(",")[0]
                meaning = f"{command.help} · {key}" if key else command.help
                yield SystemCommand(command.title, meaning, getattr(self, f"action_{command.action}"))

    # Actions, named as in `commands`

    def action_new_chat(self) -> None:
        """Begin another conversation."""
        self._open_chat(None)

    def action_temporary_chat(self) -> None:
        """Begin a conversation of which nothing is kept."""
        self._open_chat(None, temporary=True)

    def action_open_conversation(self, conversation: str) -> None:
        """Go on with a conversation."""
        self._open_chat(conversation)

    def action_show_conversations(self) -> None:
        """Show all conversations."""
        self._browse(ConversationsScreen)

    def action_show_memory(self) -> None:
        """Show what is remembered."""
        self._browse(MemoryScreen)

    def action_stop_reply(self) -> None:
        """Stop the answer."""
        if self.chat is not None:
            self.chat.stop_reply()

    def action_send_again(self) -> None:
        """Ask the last question once more."""
        if self.chat is not None:
            self.chat.query_one(Transcript).action_send_again()

    def action_copy_answer(self) -> None:
        """Copy the chosen answer, or else the last."""
        answer = None if self.chat is None else self.chat.chosen_answer()
        if answer is None:
            self.notify("There is no answer to copy yet.")
        else:
            answer.action_copy()

    def action_toggle_why(self) -> None:
        """Show what was recalled for the chosen answer, or else the last."""
        answer = None if self.chat is None else self.chat.chosen_answer()
        if answer is not None:
            answer.action_toggle_why()

    def action_show_help(self) -> None:
        """Show keys and commands."""
        if not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen())

    @work(exclusive=True, group="lock")
    async def action_lock(self) -> None:
        """Close the vault, and leave nothing of it on any screen."""
        if self.chat is not None:
            await self.chat.quiet()
        await asyncio.to_thread(self.close_assistant)
        self._wanted = (None, False)
        self.clear_notifications()
        while len(self.screen_stack) > 1:
            await self.pop_screen()
        self._ask(None)

    async def action_quit(self) -> None:
        """Stop what is being written, and leave."""
        if self.chat is not None:
            await self.chat.quiet()
        self.exit()

    # Below

    def exit(self, result: None = None, return_code: int = 0, message: Any = None) -> None:
        """End the app; what still runs for a screen must not meet a screen that is taken down."""
        super().exit(result, return_code, message)
        self.workers.cancel_all()

    def _ask(self, passphrase: str | None) -> None:
        self.push_screen(UnlockScreen(self._door, passphrase=passphrase), self._entered)

    def _entered(self, assistant: Assistant | None) -> None:
        self.assistant = assistant
        if assistant is not None:
            conversation, temporary = self._wanted
            missing_model = self._door.missing_model
            self.push_screen(
                ChatScreen(assistant, missing_model=missing_model, conversation=conversation, temporary=temporary)
            )

    def _open_chat(self, conversation: str | None, *, temporary: bool = False) -> None:
        if isinstance(self.screen, BrowseScreen):
            self.screen.dismiss(None)
        if self.chat is not None:
            self.chat.open(conversation, temporary=temporary)

    def _browse(self, kind: type[BrowseScreen]) -> None:
        if self.assistant is None or isinstance(self.screen, kind):
            return
        if isinstance(self.screen, BrowseScreen):
            self.switch_screen(kind(self.assistant))
        else:
            self.push_screen(kind(self.assistant))

    def _fatal_error(self) -> None:
        """Show a fault without the values of variables: they hold what was said, and perhaps a passphrase."""
        from rich.traceback import Traceback

        self.panic(Traceback(show_locals=False))

    def _end_by(self, number: int) -> None:
        """Keep what is written of an answer, and leave the terminal as it was found."""
        if self.chat is not None:
            self.chat.stop_reply()
        self.exit(return_code=128 + number)


def read_alt_enter() -> None:
    """Read Alt+Enter of a terminal without the Kitty protocol, escape and return, as a new line, not as enter."""
    if isinstance(ANSI_SEQUENCES_KEYS, dict):
        ANSI_SEQUENCES_KEYS.setdefault("\x1b\r", (Keys.ControlJ,))


def run(
    config: Config,
    paths: Paths,
    *,
    passphrase: str | None = None,
    conversation: str | None = None,
    temporary: bool = False,
) -> int:
    """Show the app until the user leaves; gives the exit code: 0, 1 after a fault, 129 or 143 after a signal."""
    app = AssistantApp(
        VaultDoor(config=config, paths=paths), passphrase=passphrase, conversation=conversation, temporary=temporary
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
