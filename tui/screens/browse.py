"""A list that one searches as one types, and that follows what other processes write into the vault."""

import asyncio
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Footer, Input, OptionList, Static
from textual.widgets.option_list import Option

from assistant.bootstrap import Assistant
from tui.commands import here
from tui.keys import bound
from tui.screens.beside import BesideChat

NARROW_COLUMNS = 60
"""Below this, lines are short."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a search found."""

    lines: list[Option]
    caption: str
    """How much is shown."""
    nothing: str
    """Said when there are no lines."""


class BrowseList(OptionList):
    """The list; up from its first line goes back to the search."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bound("list.down", "cursor_down", "Down", show=False),
        bound("list.up", "up_or_search", "Up, from the first line to the search", show=False),
        bound("list.first", "first", "First line", show=False),
        bound("list.last", "last", "Last line", show=False),
        bound("list.search", "screen.search", "Search"),
    ]

    def action_up_or_search(self) -> None:
        """Go up a line, from the first one to the search."""
        if self.highlighted:
            self.action_cursor_up()
        else:
            self.screen.query_one(Input).focus()


class Search(Input):
    """Where one types what is looked for; the keys of the app come before those with which one edits."""

    BINDINGS: ClassVar[list[BindingType]] = here()


class BrowseScreen(BesideChat):
    """Search above, list below, one line about how much is shown."""

    TITLE_LINE: ClassVar[str]
    PLACEHOLDER: ClassVar[str]

    def __init__(self, assistant: Assistant) -> None:
        super().__init__(assistant)
        self.narrow = False
        """Whether lines have room for little beside the words."""

    def compose(self) -> ComposeResult:
        """Give title, search, list and footer."""
        with Vertical(classes="browse"):
            with Horizontal(classes="browse-head"):
                yield Static(self.TITLE_LINE, classes="browse-title")
                yield Static("", id="caption", markup=False)
            yield from self.compose_above()
            yield Search(placeholder=self.PLACEHOLDER, id="search", compact=True)
            with Horizontal(classes="browse-body"):
                yield BrowseList(id="list", markup=False)
                yield from self.compose_beside()
            yield Static("", id="empty", markup=False)
        yield Footer(show_command_palette=False, compact=True)

    def compose_above(self) -> ComposeResult:
        """Give what stands under the title."""
        yield from ()

    def compose_beside(self) -> ComposeResult:
        """Give what stands beside the list."""
        yield from ()

    @abstractmethod
    def fetch(self, wanted: str) -> Found:
        """Give what a search finds. Runs in a thread."""

    def on_mount(self) -> None:
        """Show all, and look again about each second."""
        self.query_one("#empty").display = False
        super().on_mount()

    def on_resize(self, event: events.Resize) -> None:
        """Make the lines anew when they become short or long."""
        if self.narrow != (event.size.width < NARROW_COLUMNS):
            self.narrow = not self.narrow
            self.reload()

    @property
    def chosen(self) -> str | None:
        """Identifier of the highlighted line."""
        lines = self.query_one(BrowseList)
        if lines.highlighted is None:
            return None
        return lines.get_option_at_index(lines.highlighted).id

    async def read(self) -> None:
        """Read the list anew; the highlight stays on the same line where it is still there."""
        wanted = self.query_one("#search", Input).value
        self._show(await asyncio.to_thread(self.fetch, wanted))

    def shown(self) -> None:
        """Show what depends on the list; it was read anew."""

    def _show(self, found: Found) -> None:
        lines = self.query_one(BrowseList)
        before, chosen = lines.highlighted or 0, self.chosen
        lines.set_options(found.lines)
        places = {option.id: place for place, option in enumerate(found.lines)}
        lines.highlighted = places.get(chosen, min(before, len(found.lines) - 1)) if found.lines else None
        self.query_one("#caption", Static).update(found.caption)
        empty = self.query_one("#empty", Static)
        empty.update(found.nothing)
        empty.display = not found.lines
        self.query_one(".browse-body").display = bool(found.lines)
        self.shown()

    @on(Input.Changed, "#search")
    def _searched(self, event: Input.Changed) -> None:
        event.stop()
        self.reload()

    @on(Input.Submitted, "#search")
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.query_one(BrowseList).action_select()

    def on_key(self, event: events.Key) -> None:
        """Go down from the search into the list."""
        if event.key == "down" and self.query_one("#search").has_focus:
            event.stop()
            self.query_one(BrowseList).focus()

    def action_search(self) -> None:
        """Go to the search."""
        self.query_one("#search").focus()
