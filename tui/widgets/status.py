"""The last line: which model on what, whether the vault is open, and whether anything is kept."""

from collections.abc import Iterable

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Static

from assistant.language.model import LanguageModel
from tui.keys import hint
from tui.text import one_line

KEYS = (("show_help", "help"), ("command_palette", "actions"))


class StatusLine(Horizontal):
    """Model, device, lock on the left; the keys that lead on, on the right."""

    def compose(self) -> ComposeResult:
        """Give the parts."""
        yield Static("", id="status-mode", markup=False)
        yield Static("", id="status-facts", markup=False)
        yield Static("", id="status-lock", markup=False)
        yield Static(hint(self.app, *KEYS).replace(" · ", "  "), id="status-keys", markup=False)

    def on_mount(self) -> None:
        """Hide what there is not to tell."""
        self.query_one("#status-mode").display = False
        self.warn("")

    def show(self, model: LanguageModel, *, words: Iterable[str]) -> None:
        """Show the state of things, and the words that say what is not kept."""
        facts = [one_line(model.name)]
        if model.loaded is not None:
            facts.append(device(model.loaded.gpu))
        facts.append("vault open")
        self.query_one("#status-facts", Static).update(" · ".join(facts))
        mode = " · ".join(word for word in words if word)
        self.query_one("#status-mode", Static).update(mode)
        self.query_one("#status-mode").display = bool(mode)

    def warn(self, line: str) -> None:
        """Say that the vault locks soon; nothing when the line is empty."""
        for shown in self.query("#status-lock").results(Static):
            shown.update(line)
            shown.display = bool(line)


def device(gpu: str) -> str:
    """Give `CPU`, or where the layers are."""
    return "CPU" if gpu.startswith("no") else f"GPU {one_line(gpu)}"
