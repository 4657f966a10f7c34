"""The door: the passphrase opens the vault, and the first one makes it."""

import asyncio
from collections.abc import Callable
from functools import partial

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.screen import Screen
from textual.widgets import Input, Static

from assistant.bootstrap import Assistant
from assistant.strength import strength_of
from storage.keys import Secret, cost_for_this_machine
from tui.door import Door
from tui.failures import EXPECTED, left, reason
from tui.keys import hint

WELCOME = "Your memories will live in one encrypted file on this machine. Choose the passphrase that opens it."
HONEST = (
    "If you lose it, only a recovery key opens them: make one with `assistant vault recovery-key`. Without both the"
    " memories are lost, and nobody can bring them back."
)
LOCKED = "Your memories are locked."
KEYS = (("enter", "opens"), ("a recovery key", "opens too"), ("quit", "quits"))
TYPING_SECONDS = 0.2
"""Without a key before the strength is judged: between two letters nobody reads it."""
FIRST_KEYS = (("enter", "goes on"), ("quit", "quits"))


class LockingScreen(Screen[None]):
    """Covers the words while the vault is being closed."""

    def compose(self) -> ComposeResult:
        """Give the line."""
        yield Static("Locking…", id="locking")


class UnlockScreen(Screen[Assistant]):
    """Asks for the passphrase and answers with the open assistant."""

    def __init__(self, door: Door, *, secret: Secret | None = None, ask_agent: bool = False, line: str = "") -> None:
        """Make the screen.

        Parameters
        ----------
        door
            What is opened.
        secret
            What opens it, when it is known already.
        ask_agent
            Whether a key that was unlocked for all commands opens it, too.
        line
            Why one stands before it again.
        """
        super().__init__()
        self._door = door
        self._given = secret
        self._ask_agent = ask_agent
        self._line = line
        self._first = not door.exists()

    def compose(self) -> ComposeResult:
        """Give the card."""
        with VerticalScroll(id="door", can_focus=False), Vertical(id="card"):
            yield Static("assistant", id="door-title")
            yield Static(WELCOME if self._first else LOCKED, id="door-intro")
            first = "-new" if self._first else None
            yield Input(password=True, placeholder="Passphrase", id="passphrase", classes=first)
            if self._first:
                yield Static("", id="door-strength", markup=False)
                yield Input(password=True, placeholder="The same once more", id="again")
                yield Static(HONEST, id="door-honest", markup=False)
            yield Static(self._line, id="door-line", markup=False)
            keys = FIRST_KEYS if self._first else KEYS
            yield Static(hint(self.app, *keys), id="door-keys", markup=False)

    def on_mount(self) -> None:
        """Open at once when what opens it is known already."""
        self.query_one("#passphrase").focus()
        given, self._given = self._given, None
        if given is not None:
            self._enter(given)
        elif self._ask_agent and not self._first:
            self._enter_as_held()

    def on_resize(self) -> None:
        """Keep in sight where one types."""
        if self.focused is not None:
            self.call_after_refresh(self.focused.scroll_visible, animate=False)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        passphrase = self.query_one("#passphrase", Input).value
        if not passphrase:
            self._say("Type a passphrase first.")
        elif not self._first:
            self._enter(passphrase)
        elif event.input.id == "passphrase":
            self.query_one("#again").focus()
        elif self.query_one("#again", Input).value != passphrase:
            self._clear("#again")
            self._say("The two are not the same. Type the second again.")
        else:
            self._enter(passphrase)

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        if event.value:
            self._say("")
        if self._first and event.input.id == "passphrase":
            self._judge(event.value)

    # A worker's description has its arguments in it unless one is given.

    @work(exclusive=True, group="strength", description="judge")
    async def _judge(self, passphrase: str) -> None:
        """Say how long the passphrase being chosen would hold out; in a thread, since a long one takes a while."""
        shown = self.query_one("#door-strength", Static)
        if not passphrase:
            shown.update("")
            return
        await asyncio.sleep(TYPING_SECONDS)
        strength = await asyncio.to_thread(strength_of, passphrase, cost_for_this_machine())
        shown.update(strength.line[:1].upper() + strength.line[1:])
        shown.set_class(strength.weak, "-weak")

    def _enter(self, secret: Secret) -> None:
        if self._first and isinstance(secret, str):
            self._wait("Making the vault…")
            self._open(partial(self._door.create, secret))
        else:
            self._wait("Opening…")
            self._open(partial(self._door.unlock, secret))

    @work(exclusive=True, description="open")
    async def _open(self, enter: Callable[[], Assistant]) -> None:
        """Derive the key and open in a thread: it takes a second by design, and the screen stays alive."""
        try:
            assistant = await asyncio.to_thread(enter)
        except EXPECTED as error:
            self._refuse(reason(error))
        else:
            self.dismiss(assistant)

    @work(exclusive=True)
    async def _enter_as_held(self) -> None:
        """Open with the key of whoever unlocked the vault for all commands, if anybody did."""
        self._wait("Opening…")
        key = await asyncio.to_thread(self._door.held_key)
        if key is None:
            self._refuse(self._line)
        else:
            self._enter(key)

    def _wait(self, line: str) -> None:
        for field in self.query(Input):
            field.disabled = True
        self._say(line, waits=True)

    def _refuse(self, line: str) -> None:
        """Say why it stays shut, and let the user try again."""
        if left(self):
            return
        for field in self.query(Input):
            field.disabled = False
        self._clear("#again" if self._first else "#passphrase")
        self._say(line)

    def _clear(self, selector: str) -> None:
        for field in self.query(selector).results(Input):
            with self.prevent(Input.Changed):
                field.value = ""
            field.focus()

    def _say(self, line: str, *, waits: bool = False) -> None:
        shown = self.query_one("#door-line", Static)
        shown.update(line)
        shown.set_class(waits, "-waits")
