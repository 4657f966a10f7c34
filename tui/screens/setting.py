"""One setting to change."""

import asyncio
from pathlib import Path
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from assistant.settings import Setting, change
from tui.failures import EXPECTED, reason
from tui.keys import bound, hint
from tui.text import one_line


class SettingScreen(ModalScreen[str | None]):
    """A line with its value; answers with the one that was written into the file.

    It stays as long as what is typed cannot be.
    """

    DEFAULT_CSS = "SettingScreen { align: center middle; background: $background 60%; }"
    BINDINGS: ClassVar[list[BindingType]] = [bound("dialog.cancel", "cancel", "Leave")]

    def __init__(self, setting: Setting, *, value: str, path: Path) -> None:
        super().__init__()
        self._setting, self._value, self._path = setting, value, path

    def compose(self) -> ComposeResult:
        """Give what it does, and the line."""
        with Vertical(classes="dialog -small"):
            yield Static(one_line(self._setting.key), classes="dialog-title", markup=False)
            yield Static(one_line(self._setting.help), classes="dialog-line", markup=False)
            yield Input(one_line(self._value), id="value", compact=True)
            yield Static("", id="wrong", markup=False)
            keys = hint(self.app, ("enter", "saves"), ("dialog.cancel", "leaves it"))
            yield Static(keys, classes="dialog-keys", markup=False)

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self.query_one("#wrong", Static).update("")

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if event.value == one_line(self._value):
            self.dismiss(None)
        else:
            self._save(event.value)

    @work(exclusive=True, group="save")
    async def _save(self, text: str) -> None:
        """Write the value, or say what is wrong with it."""
        try:
            await asyncio.to_thread(change, self._path, self._setting.key, text)
        except EXPECTED as error:
            self.query_one("#wrong", Static).update(reason(error))
        else:
            self.dismiss(text)

    def action_cancel(self) -> None:
        """Leave it."""
        self.dismiss(None)
