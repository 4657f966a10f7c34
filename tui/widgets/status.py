"""The last line: which model on what, whether the vault is open, and whether anything is kept."""

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Static

from assistant.language.model import LanguageModel
from tui.text import one_line


class StatusLine(Horizontal):
    """Model, device, lock on the left; the keys that lead on, on the right."""

    def compose(self) -> ComposeResult:
        """Give the parts."""
        yield Static("TEMPORARY", id="status-temporary")
        yield Static("", id="status-facts", markup=False)
        yield Static("F1 help  ctrl+p actions", id="status-keys")

    def show(self, model: LanguageModel, *, temporary: bool) -> None:
        """Show the state of things."""
        facts = [one_line(model.name)]
        if model.loaded is not None:
            facts.append(device(model.loaded.gpu))
        facts.append("vault open")
        self.query_one("#status-facts", Static).update(" · ".join(facts))
        self.query_one("#status-temporary").display = temporary


def device(gpu: str) -> str:
    """Give `CPU`, or where the layers are."""
    return "CPU" if gpu.startswith("no") else f"GPU {one_line(gpu)}"
