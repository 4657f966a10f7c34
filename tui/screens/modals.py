"""Small dialogs. Each answers by being dismissed: with what the user chose, or with None when nothing shall happen."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static, TextArea

from tui.keys import bound, hint
from tui.text import inert, one_line

KEYS_CELLS = 34
"""Room for the keys of an action in the help."""
NARROW_HELP = 60
"""Below this, what keys do stands under them."""


class EditScreen(ModalScreen[str | None]):
    """A text to correct; answers with the new one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bound("dialog.cancel", "cancel", "Leave it as it is"),
        bound("edit.save", "save", "Save", priority=True, tooltip="The old words go for good"),
    ]

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def compose(self) -> ComposeResult:
        """Give the editor."""
        with Vertical(classes="dialog"):
            yield Static("Correct this memory", classes="dialog-title")
            yield TextArea(inert(self._text), id="edit", compact=True)
            keys = hint(self.app, ("edit.save", "saves, the old words go for good"), ("dialog.cancel", "leaves it"))
            yield Static(keys, classes="dialog-keys", markup=False)

    def action_save(self) -> None:
        """Answer with the new text, unless nothing changed."""
        text = self.query_one("#edit", TextArea).text
        self.dismiss(text if text.strip() and text != inert(self._text) else None)

    def action_cancel(self) -> None:
        """Leave it."""
        self.dismiss(None)


class RenameScreen(ModalScreen[str | None]):
    """A title to change; answers with the new one."""

    BINDINGS: ClassVar[list[BindingType]] = [bound("dialog.cancel", "cancel", "Leave it as it is")]

    def __init__(self, title: str) -> None:
        super().__init__()
        self._title = title

    def compose(self) -> ComposeResult:
        """Give the line."""
        with Vertical(classes="dialog -small"):
            yield Static("Rename this conversation", classes="dialog-title")
            yield Input(one_line(self._title), id="rename", compact=True)
            keys = hint(self.app, ("enter", "saves"), ("dialog.cancel", "leaves it"))
            yield Static(keys, classes="dialog-keys", markup=False)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        title = event.value.strip()
        self.dismiss(title if title and title != one_line(self._title) else None)

    def action_cancel(self) -> None:
        """Leave it."""
        self.dismiss(None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Some lines of the help under a heading."""

    title: str
    lines: tuple[tuple[str, str], ...]
    """Keys and commands, and what they do."""


class HelpScreen(ModalScreen[None]):
    """All keys and commands."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bound("help.close", "dismiss", "Close"),
        bound("show_help", "dismiss", "Close", show=False),
    ]

    def __init__(self, sections: Sequence[Section]) -> None:
        super().__init__()
        self._sections = sections

    def compose(self) -> ComposeResult:
        """Give one list under the other."""
        with Vertical(classes="dialog"):
            yield Static("Help", classes="dialog-title")
            with VerticalScroll(classes="dialog-body"):
                for section in self._sections:
                    yield Static(section.title, classes="help-head", markup=False)
                    yield HelpLines(section.lines)
            yield Static(hint(self.app, ("help.close", "closes")), classes="dialog-keys", markup=False)


class HelpLines(Static):
    """Keys and what they do, beside each other where there is room. One widget: a screen of hundreds opens slowly."""

    def __init__(self, lines: Sequence[tuple[str, str]]) -> None:
        super().__init__("", classes="help-lines", markup=False)
        self._lines = lines

    def on_resize(self, event: events.Resize) -> None:
        """Wrap the lines anew."""
        self.update(help_text(self._lines, width=event.size.width))


def help_text(lines: Sequence[tuple[str, str]], *, width: int) -> Content:
    """Give the lines of the help as wide as there is room for."""
    beside = width >= NARROW_HELP
    indent = " " * (KEYS_CELLS if beside else 2)
    shown = []
    for keys, meaning in lines:
        told = textwrap.fill(meaning, max(1, width), initial_indent=indent, subsequent_indent=indent)
        head = f"{keys:{KEYS_CELLS}}" if beside else f"{keys}\n"
        shown.append(Content.assemble((head, "$primary"), told[KEYS_CELLS if beside else 0 :]))
    return Content("\n").join(shown)
