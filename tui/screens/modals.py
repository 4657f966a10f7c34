"""Small dialogs. Each answers by being dismissed: with what the user chose, or with None when nothing shall happen."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Input, Static, TextArea

from tui.commands import COMMANDS, EDITING_KEYS
from tui.text import inert, one_line


class EditScreen(ModalScreen[str | None]):
    """A text to correct; answers with the new one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", "Cancel"),
        Binding("ctrl+s", "save", "Save", priority=True),
    ]

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def compose(self) -> ComposeResult:
        """Give the editor."""
        with Vertical(classes="dialog"):
            yield Static("Correct this memory", classes="dialog-title")
            yield TextArea(inert(self._text), id="edit", compact=True)
            yield Static("ctrl+s saves, the old words go for good · esc leaves it", classes="dialog-keys")

    def action_save(self) -> None:
        """Answer with the new text, unless nothing changed."""
        text = self.query_one("#edit", TextArea).text
        self.dismiss(text if text.strip() and text != inert(self._text) else None)

    def action_cancel(self) -> None:
        """Leave it."""
        self.dismiss(None)


class RenameScreen(ModalScreen[str | None]):
    """A title to change; answers with the new one."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "cancel", "Cancel")]

    def __init__(self, title: str) -> None:
        super().__init__()
        self._title = title

    def compose(self) -> ComposeResult:
        """Give the line."""
        with Vertical(classes="dialog -small"):
            yield Static("Rename this conversation", classes="dialog-title")
            yield Input(one_line(self._title), id="rename", compact=True)
            yield Static("enter saves · esc leaves it", classes="dialog-keys")

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        title = event.value.strip()
        self.dismiss(title if title and title != one_line(self._title) else None)

    def action_cancel(self) -> None:
        """Leave it."""
        self.dismiss(None)


class HelpScreen(ModalScreen[None]):
    """All keys and commands."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,f1,q,enter", "dismiss", "Close")]

    def compose(self) -> ComposeResult:
        """Give two lists."""
        with Vertical(classes="dialog"):
            yield Static("Help", classes="dialog-title")
            with VerticalScroll(classes="dialog-body"):
                for keys, meaning in EDITING_KEYS:
                    yield help_line(keys, meaning)
                yield Static("", classes="help-gap")
                for command in COMMANDS:
                    ways = [*command.keys.split(","), f"/{command.slash}" if command.slash else ""]
                    if any(ways):
                        yield help_line("  ".join(way for way in ways if way), command.title)
            yield Static("esc closes", classes="dialog-keys")


def help_line(keys: str, meaning: str) -> Horizontal:
    """Give a line of the help."""
    return Horizontal(
        Static(keys, classes="help-keys", markup=False),
        Static(meaning, classes="help-meaning", markup=False),
        classes="help-line",
    )
