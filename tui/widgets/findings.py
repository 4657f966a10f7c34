"""What a checkup found: a line for each check, and below it what to do."""

from collections.abc import Collection

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Static

from assistant.checkup_places import Finding
from tui.text import one_line

MARKS = {"ok": "✓", "failure": "✗", "warning": "!", "unknown": "–"}
"""Told apart without colours, too."""
RUNNING = "…"
MARK_CELLS = 3


class FindingLine(Horizontal):
    """One check: its mark, its name, what was found, and what to do."""

    def __init__(self, *, name: str, mark: str, level: str, what: str = "", fix: str = "") -> None:
        super().__init__(classes=f"finding -{level}")
        self.check = name
        self._parts = (mark, name, one_line(what), one_line(fix))

    def compose(self) -> ComposeResult:
        """Give its parts."""
        mark, name, what, fix = self._parts
        yield Static(f"{mark:{MARK_CELLS}}{name}", classes="finding-name", markup=False)
        with Vertical(classes="finding-words"):
            yield Static(what, classes="finding-what", markup=False)
            if fix:
                yield Static(fix, classes="finding-fix", markup=False)


class Findings(VerticalScroll):
    """All of them in order, the one that is looked at last."""

    async def begin(self, *, keep: Collection[str] = ()) -> None:
        """Forget what was found before, other than by these checks."""
        await self.remove_children([line for line in self.query(FindingLine) if line.check not in keep])

    async def looking(self, name: str) -> None:
        """Show which check is being made."""
        await self.mount(FindingLine(name=name, mark=RUNNING, level="running"))

    def tell(self, what: str) -> None:
        """Show how far the check is that is being made."""
        for line in self.query(".-running .finding-what").results(Static):
            line.update(one_line(what))

    async def found(self, finding: Finding) -> None:
        """Show what came of it."""
        await self.query(".finding.-running").remove()
        line = FindingLine(
            name=finding.name, mark=MARKS[finding.level], level=finding.level, what=finding.what, fix=finding.fix
        )
        await self.mount(line)
        self.call_after_refresh(self.scroll_end, animate=False)
