"""A screen that lies over the chat, looks into the vault, and follows what is written into it."""

from abc import abstractmethod
from typing import ClassVar

from textual import work
from textual.binding import ActiveBinding, BindingType
from textual.screen import Screen

from assistant.bootstrap import Assistant
from tui.failures import told
from tui.keys import bound, is_unbound
from tui.watch import POLL_SECONDS, VaultWatch


class BesideChat(Screen[None]):
    """Shows something of the vault; escape leaves it for the chat."""

    BINDINGS: ClassVar[list[BindingType]] = [bound("screen.leave", "leave", "Chat", tooltip="Back to the chat")]

    def __init__(self, assistant: Assistant) -> None:
        super().__init__()
        self.assistant = assistant
        self._watch = VaultWatch(assistant.vault)

    @property
    def subject(self) -> str:
        """Identifier of the memory or concept that is looked at; empty when it is none."""
        return ""

    @property
    def active_bindings(self) -> dict[str, ActiveBinding]:
        """What keys do here, for the last line; actions that have no key are left out."""
        return {key: active for key, active in super().active_bindings.items() if not is_unbound(key)}

    def on_mount(self) -> None:
        """Show all, and look again about each second."""
        self.reload()
        self.set_interval(POLL_SECONDS, self._poll)

    @work(exclusive=True, group="reload")
    async def reload(self) -> None:
        """Read what is shown anew."""
        with told(self):
            await self._watch.changed()
            await self.read()

    @abstractmethod
    async def read(self) -> None:
        """Read what is shown, in a thread, and show it."""

    @work(exclusive=True, group="poll")
    async def _poll(self) -> None:
        with told(self):
            if await self._watch.changed():
                self.reload()

    def action_leave(self) -> None:
        """Go back to the chat."""
        self.dismiss(None)
