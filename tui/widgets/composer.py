"""Where one writes: grows with the text, sends on enter, keeps what was asked before within reach of the arrow keys."""

from collections.abc import Callable, Collection
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.widgets import TextArea

from tui.commands import here, slash_matches
from tui.keys import bound
from tui.messages import Drafted, EmptyDeleted, PastedMuch, Submitted
from tui.text import inert

NEW_LINE_KEYS = {"shift+enter", "alt+enter", "ctrl+j", "shift+\r", "alt+\r", "ctrl+\r"}
"""The last three are what some terminals without the Kitty protocol send. No bindings: a binding runs later than the
letters that were typed right behind it."""

PASTE_BYTES = 16_000
"""A longer paste goes with the message as an attachment."""


class Composer(TextArea):
    """A text area of one to ten lines."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *here(),
        bound("chat.delete_or_quit", "delete_or_quit", "Delete, or quit when empty", show=False),
        bound("chat.redo", "redo", "Make the edit again that was taken back", show=False),
        bound("chat.scroll_up", "screen.scroll_transcript(-1)", "Scroll up", show=False),
        bound("chat.scroll_down", "screen.scroll_transcript(1)", "Scroll down", show=False),
    ]

    def __init__(self) -> None:
        super().__init__(
            id="composer",
            placeholder="Write a message",
            highlight_cursor_line=False,
            show_line_numbers=False,
            compact=True,
        )
        self._typed = True
        self._asked: list[str] = []
        self._place = 0
        """Index into what was asked; its length means the draft."""
        self._draft = ""

    def fill(self, text: str, *, typed: bool = True) -> None:
        """Put a text in, with the cursor at its end; one that does not count as typed is never a command."""
        self._typed = typed
        self.text = text
        self.move_cursor(self.document.end)

    def forget(self, texts: Collection[str]) -> None:
        """Keep none of these within reach of the arrow keys."""
        self._asked = [text for text in self._asked if text not in texts]
        self._place = len(self._asked)

    def update_suggestion(self) -> None:
        """Offer the rest of a slash command."""
        matches = slash_matches(self.text) if self._typed else ()
        self.suggestion = matches[0].slash[len(self.text) - 1 :] if matches and len(self.text) > 1 else ""

    def on_text_area_changed(self) -> None:
        """Tell the screen, which shows the commands that fit."""
        if not self.text:
            self._typed = True
        self.post_message(Drafted(self.text, self._typed))

    def undo(self) -> None:
        """Take the last edit back."""
        self._from_the_start(super().undo)

    def redo(self) -> None:
        """Make the edit that was taken back again."""
        self._from_the_start(super().redo)

    def action_delete_left(self) -> None:
        """Delete the character before; where there is nothing, tell so."""
        if self.text:
            super().action_delete_left()
        else:
            self.post_message(EmptyDeleted())

    def action_delete_or_quit(self) -> None:
        """Delete the next character; on an empty composer quit."""
        if self.text:
            self.action_delete_right()
        else:
            self.app.run_worker(self.app.run_action("app.quit"), name="quit")

    def action_cursor_up(self, select: bool = False) -> None:  # noqa: FBT001, FBT002  (as the base class has it)
        """Go up a line, and from the first one to what was asked before."""
        if not select and self.navigator.is_first_wrapped_line(self.cursor_location) and self._place > 0:
            self._go_to(self._place - 1)
        else:
            super().action_cursor_up(select)

    def action_cursor_down(self, select: bool = False) -> None:  # noqa: FBT001, FBT002  (as the base class has it)
        """Go down a line, and from the last one to what was asked after, or the draft."""
        if not select and self.navigator.is_last_wrapped_line(self.cursor_location) and self._place < len(self._asked):
            self._go_to(self._place + 1)
        else:
            super().action_cursor_down(select)

    async def _on_key(self, event: events.Key) -> None:
        if event.key == "enter":
            event.stop()
            event.prevent_default()
            self._submit()
        elif event.key in NEW_LINE_KEYS:
            event.stop()
            event.prevent_default()
            self.replace("\n", *self.selection)
            self.scroll_cursor_visible()

    async def _on_paste(self, event: events.Paste) -> None:
        event.prevent_default()
        event.stop()
        # A terminal sends line ends of a paste as carriage returns; whatever else would act on it is made inert.
        pasted = event.text.replace("\r\n", "\n").replace("\r", "\n")
        if len(pasted.encode(errors="replace")) > PASTE_BYTES:
            self.post_message(PastedMuch(pasted))
            return
        text = inert(pasted)
        self._typed = False
        result = self.replace(text, *self.selection, maintain_selection_offset=False)
        self.history.checkpoint()
        self.move_cursor(result.end_location)
        self.focus()

    def _from_the_start(self, change: Callable[[], None]) -> None:
        """Undo or redo with the cursor where a line is in any case: the size is refreshed before the cursor is set."""
        before, selection = self.text, self.selection
        self.move_cursor((0, 0))
        change()
        if self.text == before:
            self.selection = selection

    def _submit(self) -> None:
        if self.text.strip():
            self.post_message(Submitted(self.text, self._typed))

    def accept(self, *, remember: bool = True) -> None:
        """Empty it after its text was taken, and keep the text within reach of the arrow keys, or do not."""
        text = self.text
        if remember and (not self._asked or self._asked[-1] != text):
            self._asked.append(text)
        self._place = len(self._asked)
        self._draft = ""
        self.fill("")

    def _go_to(self, place: int) -> None:
        if self._place == len(self._asked):
            self._draft = self.text
        self._place = place
        self.fill(self._draft if place == len(self._asked) else self._asked[place])
