"""All conversations, latest first: search, open, rename."""

import asyncio
from typing import ClassVar

from textual import on, work
from textual.binding import BindingType
from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from storage.records import Conversation
from tui.failures import told
from tui.keys import bound
from tui.screens.browse import BrowseScreen, Found
from tui.screens.modals import RenameScreen
from tui.text import count, day, minute, one_line

UNTITLED = "Untitled"
BRANCH = "↳ "
"""Stands before what continues from another conversation."""


class ConversationsScreen(BrowseScreen):
    """A list of conversations; the chosen one is opened in the chat."""

    TITLE_LINE = "Conversations"
    PLACEHOLDER = "Search titles · down goes into the list · enter opens"
    BINDINGS: ClassVar[list[BindingType]] = [
        bound("conversations.open", "open", "Open", tooltip="Go on with it in the chat"),
        bound("conversations.rename", "rename", "Rename", tooltip="Give it another title"),
    ]

    def fetch(self, wanted: str) -> Found:
        """Give the conversations whose title holds the words."""
        found = self.assistant.vault.conversations.listing(match=wanted)
        nothing = "No title holds these words." if wanted else "Nothing yet. What you talk about will be listed here."
        line = short_line if self.narrow else conversation_line
        lines = [line(each) for each in found]
        return Found(lines=lines, caption=count(len(found), "conversation"), nothing=nothing)

    @on(OptionList.OptionSelected)
    async def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        await self.action_open()

    async def action_open(self) -> None:
        """Go on with the conversation in the chat."""
        if self.chosen is not None:
            await self.app.run_action(f"app.open_conversation({self.chosen!r})")

    @work(exclusive=True, group="change")
    async def action_rename(self) -> None:
        """Ask for a title and keep it."""
        chosen = self.chosen
        if chosen is None:
            return
        conversations = self.assistant.vault.conversations
        with told(self):
            conversation = await asyncio.to_thread(conversations.get, chosen)
            title = await self.app.push_screen_wait(RenameScreen(conversation.title))
            if title is not None:
                await asyncio.to_thread(conversations.rename, chosen, title)
        self.reload()


def short_line(conversation: Conversation) -> Option:
    """Give the day and the title, for a narrow terminal."""
    when = day(conversation.last) if conversation.last else ""
    prompt = Content.assemble((when[5:], "$secondary"), " ", *_title(conversation))
    return Option(prompt, id=conversation.id)


def conversation_line(conversation: Conversation) -> Option:
    """Give the line of a conversation: when it was last gone on with, how long it is, its title and origin.

    Of one that continues from another, its own turns are counted.
    """
    when = minute(conversation.last) if conversation.last else ""
    prompt = Content.assemble(
        (f"{when:16}", "$secondary"),
        (f"{count(conversation.turns, 'turn'):>11}", "$secondary"),
        "  ",
        *_title(conversation),
        (f"  {one_line(conversation.origin)}", "$secondary"),
    )
    return Option(prompt, id=conversation.id)


def _title(conversation: Conversation) -> list[str | tuple[str, str]]:
    """Give the title, behind a mark when it continues from another conversation."""
    marks = [] if conversation.parent is None else [(BRANCH, "$secondary")]
    return [*marks, one_line(conversation.title) or UNTITLED]
