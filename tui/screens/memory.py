"""What is remembered: search it, read it, correct it, accept what was held back, forget it and take that back."""

import asyncio
from dataclasses import replace
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from assistant.bootstrap import Assistant
from assistant.memory.naming import find_node
from assistant.memory.quarantine import accept
from storage.errors import NotFound
from storage.records import Concept
from tui.failures import told
from tui.forgetting import UNDO, take_back
from tui.keys import bound, shown_keys
from tui.screens import changes
from tui.screens.browse import BrowseList, BrowseScreen, Found
from tui.screens.shelves import VIEWS, concept_line, tabs
from tui.screens.views import EVERYTHING, WAITING, View, memory_line
from tui.text import count

READING = "-reading"
"""Class of the screen while the chosen memory is shown alone; it changes nothing where there is room for both."""


class MemoryScreen(BrowseScreen):
    """A table of memories with the chosen one beside it."""

    TITLE_LINE = "Memory"
    PLACEHOLDER = "Search what was said · down goes into the list"
    BINDINGS: ClassVar[list[BindingType]] = [
        bound(
            "memory.read", "read", "Read", show=False, tooltip="All that is known of it, where there is no room beside"
        ),
        bound("memory.edit", "edit", "Edit", tooltip="Put other words in the place of these"),
        bound("memory.accept", "accept", "Accept", tooltip="Hold it back no longer"),
        bound("memory.pin", "pin", "Pin", tooltip="Keep it at hand for good, or no longer"),
        bound("memory.rest", "rest", "Archive", tooltip="Put it away, or bring it back from the archive"),
        bound("memory.mark", "mark", "Mark", tooltip="For what is done next, or unmark it"),
        bound("memory.forget", "forget", "Forget", tooltip="Shows all that goes with it, and asks"),
        bound("memory.undo", "undo", "Undo", tooltip="Take back what was forgotten"),
        bound("memory.next_view", "next_view", "Tab", tooltip="Concepts, pinned, fading, archived and so on"),
    ]

    def __init__(self, assistant: Assistant, *, view: View = EVERYTHING, wanted: str = "") -> None:
        super().__init__(assistant)
        self.view = view
        self._asked = self._wanted = wanted
        """Identifier of the line that is asked for; wanted until it is highlighted."""
        self._marked: set[str] = set()
        """Identifiers of the lines that the next action is for."""
        self._counts = (0, 0)
        """How much is held back, and how much waits to be forgotten."""

    def compose_above(self) -> ComposeResult:
        """Give the names of the views."""
        yield Static("", id="tabs")

    def compose_beside(self) -> ComposeResult:
        """Give the pane of the chosen memory."""
        with VerticalScroll(id="detail", can_focus=False):
            yield Static("", id="detail-text", markup=False)
            yield Static("", id="detail-facts", markup=False)

    @property
    def subject(self) -> str:
        """Identifier of the memory or concept that is highlighted."""
        return "" if self.view is WAITING else self.chosen or ""

    def fetch(self, wanted: str) -> Found:
        """Give what the view has."""
        vault = self.assistant.vault
        self._counts = (vault.quarantine.count(), len(vault.forgettings()))
        found = self.view.fetch(self.assistant, wanted, narrow=self.narrow, marked=frozenset(self._marked))
        if not self._asked or wanted or any(line.id == self._asked for line in found.lines):
            return found
        try:
            return replace(found, lines=[*found.lines, self._line_of(self._asked)])  # too old to be among the newest
        except NotFound:  # it was forgotten since
            self._asked = self._wanted = ""
            return found

    def _line_of(self, asked: str) -> Option:
        one = find_node(self.assistant.vault, asked)
        marked = one.id in self._marked
        if isinstance(one, Concept):
            return concept_line(one, narrow=self.narrow, marked=marked)
        return memory_line(one, narrow=self.narrow, marked=marked)

    @property
    def chosen(self) -> str | None:
        """Identifier of the highlighted line, or of the one that shall be."""
        return self._wanted or super().chosen

    def shown(self) -> None:
        """Show the chosen memory, and what else there is."""
        if self._wanted and super().chosen == self._wanted:
            self._wanted = ""
            self.query_one(BrowseList).focus()
        self.query_one("#tabs", Static).update(tabs(self.view, self._counts))
        if self.focused is None:  # an empty list was hidden, and keys went nowhere
            self.query_one(BrowseList).focus()
        self.show_detail()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer what can be done with the lines of this view."""
        every = {name for view in VIEWS for name in view.actions if view is not self.view} - {"undo"}
        if action in every - self.view.actions:
            return False
        return super().check_action(action, parameters)

    def show_view(self, view: View) -> None:
        """List something else."""
        self.view = view
        self._asked = self._wanted = ""
        self._marked.clear()
        self.refresh_bindings()
        self.reload()

    def action_next_view(self) -> None:
        """List what the next view has."""
        self.show_view(VIEWS[(VIEWS.index(self.view) + 1) % len(VIEWS)])

    def action_mark(self) -> None:
        """Mark the line for what is done next, or unmark it, and go on to the next."""
        if self.chosen is not None:
            self._marked ^= {self.chosen}
            self.query_one(BrowseList).action_cursor_down()
            self.reload()

    @property
    def meant(self) -> list[str]:
        """The marked lines, or else the highlighted one."""
        chosen = self.chosen
        return sorted(self._marked) or ([] if chosen is None else [chosen])

    @on(OptionList.OptionHighlighted)
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self.show_detail()

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_read()

    def action_read(self) -> None:
        """Show the chosen memory alone where there is no room for it beside the list, or the list again."""
        self.toggle_class(READING)
        self.call_after_refresh(self._focus_list)

    def action_leave(self) -> None:
        """Go back to the list, or else to the chat."""
        if self.has_class(READING) and not self.query_one(BrowseList).display:
            self.action_read()
        else:
            super().action_leave()

    def _focus_list(self) -> None:
        if self.query_one(BrowseList).display:
            self.query_one(BrowseList).focus()

    @work(exclusive=True, group="detail")
    async def show_detail(self) -> None:
        """Read the chosen memory and what is known of it."""
        with told(self):
            text, facts = "", ""
            if self.chosen is not None:
                text, facts = await asyncio.to_thread(self.view.detail, self.assistant, self.chosen)
            self.query_one("#detail-text", Static).update(text)
            self.query_one("#detail-facts", Static).update(facts)

    @work(exclusive=True, group="change")
    async def action_edit(self) -> None:
        """Ask for new words and put them in the place of the old ones."""
        if self.chosen is not None:
            await changes.edit(self, self.assistant, self.chosen)
            self.reload()

    @work(exclusive=True, group="change")
    async def action_pin(self) -> None:
        """Keep the marked memories at hand for good, or no longer."""
        await changes.pin(self, self.assistant, self.meant)
        self._marked.clear()
        self.reload()

    @work(exclusive=True, group="change")
    async def action_rest(self) -> None:
        """Put the marked memories away, or bring them back."""
        await changes.rest(self, self.assistant, self.meant)
        self._marked.clear()
        self.reload()

    @work(exclusive=True, group="change")
    async def action_accept(self) -> None:
        """Hold the marked memories back no longer."""
        with told(self):
            taken = await asyncio.to_thread(self._accept, self.meant)
            self._marked.clear()
            self.app.notify(f"Accepted: {count(taken, 'memory', 'memories')}.")
        self.reload()

    @work(exclusive=True, group="change")
    async def action_forget(self) -> None:
        """Show all that would go, ask, and forget it."""
        meant = self.meant
        if not meant:
            return
        marked, self._marked = self._marked, set()
        if await changes.forget(self, self.assistant, meant, undo=self._undo_key):
            self._asked = ""
        else:
            self._marked = marked
        self.reload()

    @work(exclusive=True, group="change")
    async def action_undo(self) -> None:
        """Take back what was forgotten last, or in the list of it the highlighted one."""
        named = self.chosen or "" if self.view is WAITING else ""
        with told(self):
            self.app.notify(await asyncio.to_thread(take_back, self.assistant.memory, named))
        self.reload()

    @property
    def _undo_key(self) -> str:
        return next(iter(shown_keys(self.app, "memory.undo")), UNDO)

    def _accept(self, ids: list[str]) -> int:
        vault = self.assistant.vault
        return len(accept(vault, [vault.turns.get(one).node for one in ids]))
