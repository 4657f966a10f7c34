"""A screen that lies over the chat, looks into the vault, and follows what is written into it."""

from abc import abstractmethod
from typing import ClassVar

from textual import work
from textual.binding import ActiveBinding, BindingType
from textual.screen import Screen

from assistant.bootstrap import Assistant
from tui.failures import told
from tui.keys import bound, is_unbound, mapped_bindings
from tui.watch import POLL_SECONDS, VaultWatch

DETAIL = "#detail"
"""The pane that tells of what is highlighted."""


class BesideChat(Screen[None]):
    """Shows something of the vault; escape leaves it for the chat."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bound("screen.leave", "leave", "Chat", tooltip="Back to the chat"),
        bound("screen.detail_down", "scroll_detail(1)", "Scroll what is known of it down", show=False),
        bound("screen.detail_up", "scroll_detail(-1)", "Scroll what is known of it up", show=False),
    ]

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
        """What keys do here, for the last line: what a list does by enter has its name from the screen.

        Actions that have no key are left out.
        """
        found = {key: active for key, active in super().active_bindings.items() if not is_unbound(key)}
        for key, binding in mapped_bindings(self.app, type(self)):
            hidden = found.get(key)
            if binding.show and hidden is not None and hidden.binding.id is None:
                found[key] = ActiveBinding(self, binding.with_key(key), enabled=True, tooltip=binding.tooltip)
        return found

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

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to scroll the pane only where there is one."""
        if action == "scroll_detail" and not self.query(DETAIL):
            return False
        return super().check_action(action, parameters)

    def action_scroll_detail(self, direction: int) -> None:
        """Show what stands further down or up in the pane; the highlight stays where it is."""
        pane = self.query_one(DETAIL)
        pane.scroll_relative(y=direction * max(1, pane.size.height // 2), animate=False)

    def action_leave(self) -> None:
        """Go back to the chat."""
        self.dismiss(None)
