"""What stands in an empty conversation: what one can do, and what is missing."""

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from tui.text import inert

HINTS = (
    "Tell me something worth remembering, or ask about something you told me before.",
    "Everything stays on this machine. What you say is remembered, and comes back when it matters.",
)
KEYS = "F4 shows and forgets memories · ctrl+t talks without a trace · ctrl+p lists everything else"
TEMPORARY_HINTS = (
    "This chat leaves no trace: it is kept nowhere, and gone when you leave it.",
    "I still remember what you told me in other conversations.",
)
NO_MODEL = "There is no model to answer yet. Memory works all the same: what you write is kept and can be searched."


class Welcome(Vertical):
    """The hint in an empty conversation."""

    def __init__(self, *, temporary: bool) -> None:
        super().__init__()
        self._temporary = temporary

    def compose(self) -> ComposeResult:
        """Give the lines."""
        yield Static("Temporary chat" if self._temporary else "What is on your mind?", classes="welcome-title")
        for line in TEMPORARY_HINTS if self._temporary else HINTS:
            yield Static(line, classes="welcome-line")
        yield Static(KEYS, classes="welcome-keys")
        yield Static("", classes="welcome-problem", markup=False)

    def on_mount(self) -> None:
        """Hide what is not there."""
        self.query_one(".welcome-problem").display = False

    def missing_model(self, problem: str) -> None:
        """Say that no model is there, and what to do."""
        line = self.query_one(".welcome-problem", Static)
        line.update(f"{NO_MODEL}\n{inert(problem)}")
        line.display = True
