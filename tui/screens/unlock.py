"""The door: the passphrase opens the vault, and the first one makes it."""

import asyncio
from collections.abc import Callable

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.screen import Screen
from textual.widgets import Input, Static

from assistant.bootstrap import Assistant
from tui.door import Door
from tui.failures import EXPECTED, left, reason

WELCOME = "Your memories will live in one encrypted file on this machine. Choose the passphrase that opens it."
HONEST = "If you lose it, the memories are lost. There is no recovery, not by anyone."
LOCKED = "Your memories are locked."


class UnlockScreen(Screen[Assistant]):
    """Asks for the passphrase and answers with the open assistant."""

    def __init__(self, door: Door, *, passphrase: str | None = None) -> None:
        super().__init__()
        self._door = door
        self._given = passphrase
        self._first = not door.exists()

    def compose(self) -> ComposeResult:
        """Give the card."""
        with VerticalScroll(id="door", can_focus=False), Vertical(id="card"):
            yield Static("assistant", id="door-title")
            yield Static(WELCOME if self._first else LOCKED, id="door-intro")
            yield Input(password=True, placeholder="Passphrase", id="passphrase")
            if self._first:
                yield Input(password=True, placeholder="The same once more", id="again")
                yield Static(HONEST, id="door-honest")
            yield Static("", id="door-line", markup=False)
            yield Static("enter opens · ctrl+q quits", id="door-keys")

    def on_mount(self) -> None:
        """Open at once when the passphrase is known already."""
        self.query_one("#passphrase").focus()
        if self._given is not None:
            given, self._given = self._given, None
            self._enter(given)

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

    def _enter(self, passphrase: str) -> None:
        for field in self.query(Input):
            field.disabled = True
        self._say("Making the vault…" if self._first else "Opening…", waits=True)
        self._open(self._door.create if self._first else self._door.unlock, passphrase)

    @work(exclusive=True)
    async def _open(self, enter: Callable[[str], Assistant], passphrase: str) -> None:
        """Derive the key and open in a thread: it takes a second by design, and the screen stays alive."""
        try:
            assistant = await asyncio.to_thread(enter, passphrase)
        except EXPECTED as error:
            if left(self):
                return
            for field in self.query(Input):
                field.disabled = False
            self._clear("#again" if self._first else "#passphrase")
            self._say(reason(error))
        else:
            self.dismiss(assistant)

    def _clear(self, selector: str) -> None:
        for field in self.query(selector).results(Input):
            with self.prevent(Input.Changed):
                field.value = ""
            field.focus()

    def _say(self, line: str, *, waits: bool = False) -> None:
        shown = self.query_one("#door-line", Static)
        shown.update(line)
        shown.set_class(waits, "-waits")
