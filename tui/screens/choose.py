"""Small questions: which of several, and into which file."""

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static

from tui.keys import bound, hint
from tui.text import excerpt, one_line

SHOWN_CHARACTERS = 60


class ChooseScreen(ModalScreen[int | None]):
    """Which of several texts; answers with its place."""

    DEFAULT_CSS = "ChooseScreen { align: center middle; background: $background 60%; }"
    BINDINGS: ClassVar[list[BindingType]] = [bound("dialog.cancel", "dismiss(None)", "Leave it as it is")]

    def __init__(self, title: str, choices: Sequence[str]) -> None:
        super().__init__()
        self._title = title
        self._choices = choices

    def compose(self) -> ComposeResult:
        """Give the beginnings of the texts."""
        with Vertical(classes="dialog -small"):
            yield Static(self._title, classes="dialog-title", markup=False)
            yield OptionList(*(excerpt(one_line(each), SHOWN_CHARACTERS) for each in self._choices), markup=False)
            keys = hint(self.app, ("enter", "chooses"), ("dialog.cancel", "leaves it"))
            yield Static(keys, classes="dialog-keys", markup=False)

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(event.option_index)


class FileScreen(ModalScreen[str | None]):
    """The path of a file that will be written; answers with it."""

    DEFAULT_CSS = "FileScreen { align: center middle; background: $background 60%; }"
    BINDINGS: ClassVar[list[BindingType]] = [bound("dialog.cancel", "dismiss(None)", "Leave it as it is")]

    def __init__(self, *, title: str, warning: str, path: str) -> None:
        super().__init__()
        self._title, self._warning, self._path = title, warning, path

    def compose(self) -> ComposeResult:
        """Give the line."""
        with Vertical(classes="dialog -small"):
            yield Static(self._title, classes="dialog-title", markup=False)
            yield Static(self._warning, classes="dialog-line", markup=False)
            yield Input(self._path, id="path", compact=True)
            keys = hint(self.app, ("enter", "writes"), ("dialog.cancel", "leaves it"))
            yield Static(keys, classes="dialog-keys", markup=False)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.dismiss(event.value.strip() or None)
