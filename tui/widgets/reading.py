"""A place where one reads: what is added or taken away above leaves the lines that are seen where they are."""

from typing import Any

from textual.containers import VerticalScroll
from textual.geometry import Region, Size
from textual.layout import DockArrangeResult
from textual.widget import Widget
from textual.widgets import Button


class ReadingPlace(VerticalScroll):
    """Scrolls, and holds still what is read.

    The place is moved while the parts are arranged, as Textual itself does it at an anchored end: between two paintings
    nothing jumps.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._arranged: DockArrangeResult | None = None
        self._regions: dict[Widget, Region] = {}
        """Where each part lies, from the top of the first one."""

    def arrange(self, size: Size, optimal: bool = False) -> DockArrangeResult:  # noqa: FBT001, FBT002  (as the base class has it)
        """Arrange the parts, and go along with the first one that is seen."""
        arranged = super().arrange(size, optimal)
        if arranged is not self._arranged:
            before, self._arranged = self._regions, arranged
            self._regions = {placed.widget: placed.region for placed in arranged.placements}
            self._stay(before)
        return arranged

    def page(self, direction: int) -> None:
        """Scroll by a page, at once: a way drawn step by step would end where it was meant to before more came."""
        rows = self.scrollable_content_region.height
        self.scroll_to(y=self.scroll_y + direction * rows, animate=False, immediate=True)

    def action_page_up(self) -> None:
        """Scroll up by a page."""
        self.page(-1)

    def action_page_down(self) -> None:
        """Scroll down by a page."""
        self.page(1)

    def rows_of(self, part: Widget) -> range:
        """Give the rows that a part takes, counted from the first one that is seen."""
        region = self._regions.get(part, Region())
        first = region.y - round(self.scroll_y)
        return range(first, first + region.height)

    def _stay(self, before: dict[Widget, Region]) -> None:
        """Scroll as far as the first part that was seen, and is still there, moved."""
        for part, region in before.items():
            if region.bottom > self.scroll_y and part in self._regions and not isinstance(part, Button):
                moved = self._regions[part].y - region.y
                break
        else:
            return
        if moved:
            there = max(0, self.scroll_y + moved)
            self.set_reactive(Widget.scroll_y, there)
            self.set_reactive(Widget.scroll_target_y, there)
            self.vertical_scrollbar.position = there
