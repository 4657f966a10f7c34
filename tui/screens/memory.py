"""What is remembered: search it, read it, correct it, forget it."""

import asyncio
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from assistant.memory.terms import terms
from storage.records import Conversation, Receipt, Turn, TurnState
from tui.failures import told
from tui.screens.browse import BrowseScreen, Found
from tui.screens.modals import EditScreen, ForgetScreen
from tui.text import count, day, fitted, inert, minute, moment, one_line

NEWEST = 500
"""Memories listed at once; a search finds the others."""
SPEAKER_CELLS = 10
SHOWN_ID = 8
"""Digits of an identifier: enough to be unique among millions."""


class MemoryScreen(BrowseScreen):
    """A table of memories with the chosen one beside it."""

    TITLE_LINE = "Memory"
    PLACEHOLDER = "Search what was said · down goes into the list"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("e", "edit", "Edit"),
        Binding("d,delete", "forget", "Forget", key_display="d"),
        Binding("escape", "leave", "Chat"),
    ]

    def compose_beside(self) -> ComposeResult:
        """Give the pane of the chosen memory."""
        with VerticalScroll(id="detail", can_focus=False):
            yield Static("", id="detail-text", markup=False)
            yield Static("", id="detail-facts", markup=False)

    def fetch(self, wanted: str) -> Found:
        """Give the newest memories, or the newest that hold all the words."""
        turns = self.assistant.vault.turns
        found = turns.listing(limit=NEWEST, match_terms=terms(wanted))
        total = len(found) if wanted.strip() else turns.count()
        caption = count(total, "memory", "memories")
        if len(found) == NEWEST:
            caption = f"newest {NEWEST:,} that fit" if wanted.strip() else f"newest {NEWEST:,} of {total:,}"
        line = short_line if self.narrow else memory_line
        nothing = "Nothing that was said holds these words." if wanted.strip() else "Nothing is remembered yet."
        return Found(lines=[line(turn) for turn in found], caption=caption, nothing=nothing)

    def shown(self) -> None:
        """Show the chosen memory."""
        self.show_detail()

    @on(OptionList.OptionHighlighted)
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self.show_detail()

    @work(exclusive=True, group="detail")
    async def show_detail(self) -> None:
        """Read the chosen memory and its conversation."""
        with told(self):
            chosen, text, facts = self.chosen, "", ""
            if chosen is not None:
                vault = self.assistant.vault
                turn = await asyncio.to_thread(vault.turns.get, chosen)
                conversation = await asyncio.to_thread(vault.conversations.get, turn.conversation)
                text, facts = inert(turn.text), facts_of(turn, conversation)
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
    async def action_forget(self) -> None:
        """Show all that would go, ask, and forget it."""
        chosen = self.chosen
        if chosen is None:
            return
        memory = self.assistant.memory
        with told(self):
            plan = await asyncio.to_thread(memory.plan_forgetting, [chosen])
            if await self.app.push_screen_wait(ForgetScreen(plan)):
                self.app.notify(receipt_line(await asyncio.to_thread(memory.forget, plan)), timeout=8)
        self.reload()


def short_line(turn: Turn) -> Option:
    """Give the day and the words, for a narrow terminal."""
    return Option(Content.assemble((day(turn.time)[5:], "$secondary"), " ", one_line(turn.text)), id=turn.id)


def memory_line(turn: Turn) -> Option:
    """Give the line of a memory: when, who, and the words as far as they fit."""
    prompt = Content.assemble(
        (minute(turn.time), "$secondary"),
        "  ",
        (fitted(turn.speaker, SPEAKER_CELLS), "$text-accent"),
        "  ",
        one_line(turn.text),
    )
    return Option(prompt, id=turn.id)


def facts_of(turn: Turn, conversation: Conversation) -> str:
    """Give what is known of a memory beside its words, a line each."""
    facts = {
        "said by": one_line(turn.speaker),
        "when": moment(turn.time),
        "in": one_line(conversation.title),
        "place": f"turn {turn.position + 1}",
        "source": " · ".join(part for part in (turn.source.value, one_line(turn.origin)) if part),
        "state": "" if turn.state is TurnState.COMPLETE else turn.state.value,
        "id": turn.id[:SHOWN_ID],
    }
    return "\n".join(f"{name:<9}{value}" for name, value in facts.items() if value)


def receipt_line(receipt: Receipt) -> str:
    """Give the proof of an erasure in one line."""
    gone = f"Forgotten: {count(receipt.turns, 'memory', 'memories')}"
    scanned = f"{count(receipt.pages_scanned, 'page')} scanned"
    if receipt.pending:
        return f"{gone}. Another process holds the file: the last traces go when it lets go."
    return f"{gone}. {scanned}, {count(receipt.residue, 'trace')} left."
