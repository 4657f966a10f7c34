"""What will be sent with the next message, each on a chip above the composer."""

from textual import events
from textual.containers import Horizontal
from textual.widgets import Static

from tui.attachments import Attachment


class Chip(Static):
    """One attachment; a click takes it away."""

    ALLOW_SELECT = False

    def __init__(self, attachment: Attachment) -> None:
        super().__init__(f"{attachment.label} ×", markup=False)
        self.attachment = attachment

    async def on_click(self, event: events.Click) -> None:
        """Send it not."""
        event.stop()
        await self.remove()


class Chips(Horizontal):
    """All of them, first to last."""

    DEFAULT_CSS = """
    Chips { width: 100%; max-width: 96; height: auto; max-height: 1; overflow: hidden; }
    Chip { width: auto; max-width: 40; height: 1; padding: 0 1; margin-right: 1; background: $panel;
        color: $text-accent; text-wrap: nowrap; text-overflow: ellipsis; }
    """

    @property
    def attachments(self) -> list[Attachment]:
        """What is on them."""
        return [chip.attachment for chip in self.query_children(Chip)]

    def add(self, attachment: Attachment) -> None:
        """Put one more."""
        self.mount(Chip(attachment))

    def drop_last(self) -> None:
        """Take the last away."""
        chips = list(self.query_children(Chip))
        if chips:
            chips[-1].remove()

    def take(self) -> list[Attachment]:
        """Give all, and leave none."""
        taken = self.attachments
        self.query_children(Chip).remove()
        return taken
