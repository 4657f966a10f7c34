"""What is remembered: search it, read it, correct it, accept what was held back, forget it and take that back."""

import asyncio
from datetime import timedelta
from functools import partial
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import OptionList, Static

from assistant.bootstrap import Assistant, now
from assistant.memory.quarantine import accept
from tui.failures import told
from tui.forgetting import forgotten_line, take_back
from tui.screens.browse import BrowseList, BrowseScreen, Found
from tui.screens.forget import ForgetScreen
from tui.screens.modals import EditScreen
from tui.screens.views import EVERYTHING, VIEWS, WAITING, View, tabs
from tui.text import count

TOLD_SECONDS = 8
"""What came of something that cannot be seen in the list."""


class MemoryScreen(BrowseScreen):
    """A table of memories with the chosen one beside it."""

    TITLE_LINE = "Memory"
    PLACEHOLDER = "Search what was said · down goes into the list"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("e", "edit", "Edit"),
        Binding("a", "accept", "Accept"),
        Binding("space", "mark", "Mark"),
        Binding("d,delete", "forget", "Forget", key_display="d"),
        Binding("u", "undo", "Undo"),
        Binding("t", "next_view", "Tab"),
        Binding("escape", "leave", "Chat"),
    ]

    def __init__(self, assistant: Assistant, *, view: View = EVERYTHING) -> None:
        super().__init__(assistant)
        self.view = view
        self._marked: set[str] = set()
        """Identifiers of the lines that the next action is for."""
        self._counts = (0, 0)
        """How much is held back, and how much waits to be forgotten."""

    def compose_head(self) -> ComposeResult:
        """Give the names of the views."""
        yield Static("", id="tabs")

    def compose_beside(self) -> ComposeResult:
        """Give the pane of the chosen memory."""
        with VerticalScroll(id="detail", can_focus=False):
            yield Static("", id="detail-text", markup=False)
            yield Static("", id="detail-facts", markup=False)

    def fetch(self, wanted: str) -> Found:
        """Give what the view has."""
        vault = self.assistant.vault
        self._counts = (vault.quarantine.count(), len(vault.forgettings()))
        return self.view.fetch(vault, wanted, narrow=self.narrow, marked=frozenset(self._marked))

    def shown(self) -> None:
        """Show the chosen memory, and what else there is."""
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

    @work(exclusive=True, group="detail")
    async def show_detail(self) -> None:
        """Read the chosen memory and what is known of it."""
        with told(self):
            text, facts = "", ""
            if self.chosen is not None:
                text, facts = await asyncio.to_thread(self.view.detail, self.assistant.vault, self.chosen)
            self.query_one("#detail-text", Static).update(text)
            self.query_one("#detail-facts", Static).update(facts)

    @work(exclusive=True, group="change")
    async def action_edit(self) -> None:
        """Ask for new words and put them in the place of the old ones."""
        chosen = self.chosen
        if chosen is None:
            return
        with told(self):
            turn = await asyncio.to_thread(self.assistant.vault.turns.get, chosen)
            text = await self.app.push_screen_wait(EditScreen(turn.text))
            if text is not None:
                await asyncio.to_thread(self.assistant.memory.revise, turn.id, text)
                self.app.notify("Corrected. The old words are gone.")
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
        memory, settings = self.assistant.memory, self.assistant.config
        marked, self._marked = self._marked, set()
        with told(self):
            plan = await asyncio.to_thread(memory.plan_forgetting, meant)
            backups = await asyncio.to_thread(self.assistant.vault.backups.listing)
            grace = timedelta(hours=settings.grace_hours)
            chosen = await self.app.push_screen_wait(ForgetScreen(plan, grace=grace, now=now(), backups=len(backups)))
            if chosen is None:
                self._marked = marked
            else:
                gone = await asyncio.to_thread(partial(memory.forget, plan, now=now(), grace=chosen))
                self.app.notify(forgotten_line(gone), timeout=TOLD_SECONDS)
        self.reload()

    @work(exclusive=True, group="change")
    async def action_undo(self) -> None:
        """Take back what was forgotten last, or in the list of it the highlighted one."""
        named = self.chosen or "" if self.view is WAITING else ""
        with told(self):
            self.app.notify(await asyncio.to_thread(take_back, self.assistant.memory, named))
        self.reload()

    def _accept(self, ids: list[str]) -> int:
        vault = self.assistant.vault
        return len(accept(vault, [vault.turns.get(one).node for one in ids]))
