"""What stands in an empty conversation: what one can do, and what is missing."""

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from tui.keys import hint
from tui.modes import Mode
from tui.text import inert

KEYS = (
    ("show_memory", "shows and forgets memories"),
    ("temporary_chat", "talks without a trace"),
    ("command_palette", "lists everything else"),
)
NO_MODEL = "There is no model to answer yet."
KEPT_ALL_THE_SAME = "Memory works all the same: what you write is kept and can be searched."


class Welcome(Vertical):
    """The hint in an empty conversation."""

    def __init__(self, mode: Mode) -> None:
        super().__init__()
        self._mode = mode

    def compose(self) -> ComposeResult:
        """Give the lines."""
        yield Static(self._mode.title, classes="welcome-title")
        for line in self._mode.hints:
            yield Static(line, classes="welcome-line")
        yield Static(hint(self.app, *KEYS), classes="welcome-keys", markup=False)
        yield Static("", classes="welcome-problem", markup=False)

    def on_mount(self) -> None:
        """Hide what is not there."""
        self.query_one(".welcome-problem").display = False

    def missing_model(self, problem: str) -> None:
        """Say that no model is there, and what to do; nothing when the line is empty."""
        line = self.query_one(".welcome-problem", Static)
        what = f"{NO_MODEL} {KEPT_ALL_THE_SAME}" if self._mode.keeps else NO_MODEL
        line.update(f"{what}\n{inert(problem)}")
        line.display = bool(problem)
