"""Why an answer said what it said: the memories behind it, each with its score and the way by which it came."""

import asyncio
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Footer, OptionList, Static
from textual.widgets.option_list import Option

from assistant.bootstrap import Assistant
from assistant.memory.trust import trust_of
from storage.vault import Vault
from tui.failures import told
from tui.keys import bound
from tui.reasons import GROUPS, Account, Reason, account_of, as_it_stands, way
from tui.screens import changes
from tui.screens.beside import BesideChat
from tui.screens.views import facts_of
from tui.text import day, inert, one_line

NOTHING = "No memory was recalled for this answer."


class ReasonList(OptionList):
    """The memories, under a head for each group."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bound("why.down", "cursor_down", "Down", show=False),
        bound("why.up", "cursor_up", "Up", show=False),
    ]


class WhyScreen(BesideChat):
    """What was recalled for an answer, told to the model, and used."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bound("why.look", "look", "In the memory", tooltip="Show it among all others"),
        bound("why.graph", "app.show_graph", "Graph", tooltip="What it is tied to"),
        bound("why.edit", "edit", "Edit", tooltip="Put other words in the place of these"),
        bound("why.pin", "pin", "Pin", tooltip="Keep it at hand for good, or no longer"),
        bound("why.forget", "forget", "Forget", tooltip="Shows all that goes with it, and asks"),
        bound("turns.why", "leave", "Chat", show=False, tooltip="Back to the chat"),
    ]

    def __init__(self, assistant: Assistant, *, answer: str = "", account: Account | None = None) -> None:
        super().__init__(assistant)
        self._answer = answer
        """Identifier of the answer; empty when it is kept nowhere."""
        self._account = account or Account()

    def compose(self) -> ComposeResult:
        """Give title, verdict, list and detail."""
        with Vertical(classes="browse"):
            with Horizontal(classes="browse-head"):
                yield Static("Why this answer", classes="browse-title")
                yield Static("", id="caption", markup=False)
            yield Static("", id="verdict", markup=False)
            with Horizontal(classes="browse-body"):
                yield ReasonList(id="list", markup=False)
                with VerticalScroll(id="detail", can_focus=False):
                    yield Static("", id="detail-text", markup=False)
                    yield Static("", id="detail-facts", markup=False)
            yield Static(NOTHING, id="empty", markup=False)
        yield Footer(show_command_palette=False, compact=True)

    @property
    def subject(self) -> str:
        """Identifier of the highlighted memory."""
        lines = self.query_one(ReasonList)
        chosen = None if lines.highlighted is None else lines.get_option_at_index(lines.highlighted).id
        return chosen or ""

    async def read(self) -> None:
        """Read what is known of the answer; what was forgotten meanwhile is shown no more."""
        vault = self.assistant.vault
        if self._answer:
            self._account = await asyncio.to_thread(account_of, vault, self._answer)
        else:
            self._account = await asyncio.to_thread(as_it_stands, vault, self._account)
        self._show()

    def _show(self) -> None:
        lines, chosen = self.query_one(ReasonList), self.subject
        options = reason_lines(self._account)
        lines.set_options(options)
        places = [place for place, option in enumerate(options) if option.id]
        lines.highlighted = next((place for place in places if options[place].id == chosen), None)
        if lines.highlighted is None and places:
            lines.highlighted = places[0]
        self.query_one("#caption", Static).update(self._account.summary)
        verdict = self.query_one("#verdict", Static)
        verdict.update(one_line(self._account.judgement))
        verdict.display = bool(self._account.judgement)
        self.query_one("#empty").display = not options
        self.query_one(".browse-body").display = bool(options)
        if options:
            lines.focus()
        self.show_detail()

    @on(OptionList.OptionHighlighted)
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self.show_detail()

    @on(OptionList.OptionSelected)
    async def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        await self.action_look()

    @work(exclusive=True, group="detail")
    async def show_detail(self) -> None:
        """Read the highlighted memory and where it comes from."""
        with told(self):
            chosen = self.subject
            reason = next((one for one in self._account.reasons if one.turn.id == chosen), None)
            text = facts = ""
            if reason is not None:
                text, facts = (
                    inert(reason.turn.text),
                    await asyncio.to_thread(reason_facts, self.assistant.vault, reason),
                )
            self.query_one("#detail-text", Static).update(text)
            self.query_one("#detail-facts", Static).update(facts)

    async def action_look(self) -> None:
        """Show the highlighted memory among all others."""
        if self.subject:
            await self.app.run_action(f"app.look_at({self.subject!r})")

    @work(exclusive=True, group="change")
    async def action_edit(self) -> None:
        """Correct the highlighted memory."""
        if self.subject:
            await changes.edit(self, self.assistant, self.subject)
            self.reload()

    @work(exclusive=True, group="change")
    async def action_pin(self) -> None:
        """Keep the highlighted memory at hand for good, or no longer."""
        if self.subject:
            await changes.pin(self, self.assistant, [self.subject])
            self.reload()

    @work(exclusive=True, group="change")
    async def action_forget(self) -> None:
        """Show all that would go with the highlighted memory, ask, and forget it."""
        if self.subject:
            await changes.forget(self, self.assistant, [self.subject])
            self.reload()


def reason_lines(account: Account) -> list[Option]:
    """Give the memories, best first in each group, under the name of the group."""
    options = []
    for group in GROUPS:
        reasons = [one for one in account.reasons if one.group == group]
        if reasons:
            options.append(Option(Content.styled(f"{group} {len(reasons)}", "$text-accent"), disabled=True))
            options += [reason_line(one) for one in reasons]
    return options


def reason_line(reason: Reason) -> Option:
    """Give the line of a memory: how well it fits, when it was said, and its words."""
    head = (f"{reason.score:6.2f}  {day(reason.turn.time)}  ", "$secondary")
    return Option(Content.assemble(head, one_line(reason.turn.text)), id=reason.turn.id)


def reason_facts(vault: Vault, reason: Reason) -> str:
    """Give what the score of a memory was made of, the way by which it came, and where it comes from."""
    trust = trust_of(reason.turn).words
    parts = "\n".join(f"  {one_line(name):<9}{value:.2f}" for name, value in reason.parts.items())
    score = f"score     {reason.score:.2f}" + (f"\n{parts}" if parts else "")
    return f"{score}\n\nway\n{way(reason)}\n\n{facts_of(vault, reason.turn)}\ntrust     {trust}"
