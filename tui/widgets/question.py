"""What was asked, as it stands in the conversation."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Static

from tui.keys import bound, hint
from tui.text import inert
from tui.widgets.said import Asked


class Question(Vertical, can_focus=True):
    """What the user said."""

    FOCUS_ON_CLICK = False

    BINDINGS: ClassVar[list[BindingType]] = [
        bound("turns.copy", "copy", "Copy", tooltip="The words of this turn, to the clipboard")
    ]

    def __init__(self, said: Asked) -> None:
        super().__init__(classes="question")
        self.said = said
        """What is drawn here, and stays when this is taken down."""

    @property
    def text(self) -> str:
        """The words."""
        return self.said.text

    @property
    def running(self) -> bool:
        """Whether it is being written; what was asked never is."""
        return False

    def compose(self) -> ComposeResult:
        """Give the words, under the name of whoever is neither the user nor the assistant."""
        if self.said.speaker:
            yield Static(inert(self.said.speaker), classes="speaker", markup=False)
        yield Static(inert(self.text), classes="words", markup=False)
        if self.said.attached:
            yield Static(f"with {', '.join(self.said.attached)}", classes="memory-head", markup=False)
        yield Static("", classes="version", markup=False)

    def on_mount(self) -> None:
        """Say which version it is."""
        self.show_version()

    def show_version(self) -> None:
        """Say which version it is, where there are several, and which keys show the others."""
        line = self.query_one(".version", Static)
        keys = hint(self.app, ("turns.version_before", "and"), ("turns.version_after", "show the others"))
        line.update(f"{self.said.version}  {keys.replace(' · ', ' ')}")
        line.display = bool(self.said.version)

    def action_copy(self) -> None:
        """Copy the words."""
        self.app.copy_to_clipboard(self.text)
        self.app.notify("Copied")
