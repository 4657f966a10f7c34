"""The actions that show something beside the chat: conversations, memories, reasons, ties, figures."""

from collections.abc import Callable
from functools import partial

from assistant.bootstrap import Assistant
from tui.chat_actions import ChatActions
from tui.screens.beside import BesideChat
from tui.screens.conversations import ConversationsScreen
from tui.screens.graph import GraphScreen
from tui.screens.insights import InsightsScreen
from tui.screens.memory import MemoryScreen
from tui.screens.shelves import CONCEPTS
from tui.screens.views import EVERYTHING, QUARANTINED, WAITING, View
from tui.screens.why import WhyScreen


class Browsing(ChatActions):
    """The part of the app that shows what the vault holds."""

    def action_show_conversations(self) -> None:
        """Show all conversations."""
        if not isinstance(self.screen, ConversationsScreen):
            self._browse(ConversationsScreen)

    def action_show_memory(self) -> None:
        """Show what is remembered."""
        self._show_memory(EVERYTHING)

    def action_show_quarantine(self) -> None:
        """Show what is held back, and why."""
        self._show_memory(QUARANTINED)

    def action_show_forgotten(self) -> None:
        """Show what was forgotten and can be taken back."""
        self._show_memory(WAITING)

    def action_look_at(self, chosen: str) -> None:
        """Show one memory in the list of all."""
        self._browse(partial(MemoryScreen, wanted=chosen))

    def action_look_at_concept(self, chosen: str) -> None:
        """Show one concept in the list of all."""
        self._browse(partial(MemoryScreen, view=CONCEPTS, wanted=chosen))

    def action_show_why(self) -> None:
        """Show why the chosen answer, or else the last, says what it says."""
        answer = None if self.chat is None else self.chat.chosen_answer()
        if answer is None or not (answer.kept or answer.account):
            self.notify("There is no answer yet.")
        else:
            self._browse(partial(WhyScreen, answer=answer.kept, account=answer.account))

    def action_show_graph(self) -> None:
        """Show what the memory that is looked at is tied to, or else the one that was kept last."""
        centre = self.screen.subject if isinstance(self.screen, BesideChat) else ""
        if not isinstance(self.screen, GraphScreen):
            self._browse(partial(GraphScreen, centre=centre))

    def action_show_insights(self) -> None:
        """Show how the memory stands."""
        if not isinstance(self.screen, InsightsScreen):
            self._browse(InsightsScreen)

    def _show_memory(self, view: View) -> None:
        if isinstance(self.screen, MemoryScreen):
            self.screen.show_view(view)
        else:
            self._browse(partial(MemoryScreen, view=view))

    def _browse(self, make: Callable[[Assistant], BesideChat]) -> None:
        if self.assistant is None:
            return
        if isinstance(self.screen, BesideChat):
            self.switch_screen(make(self.assistant))
        else:
            self.push_screen(make(self.assistant))
