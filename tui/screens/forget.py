"""The question before forgetting: all that would go, and until when it could be had back."""

from datetime import datetime, timedelta
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Static

from assistant.memory.forgetting import ForgettingPlan
from storage.records import Turn
from tui.forgetting import MOST_SHOWN, UNDO, consequences
from tui.keys import bound, shown_keys
from tui.text import count, day, excerpt, minute, one_line

SHOWN_CHARACTERS = 200
AT_ONCE = timedelta()
FOR_GOOD = "Words, vectors and index entries are overwritten in the file. This can't be undone."


class ForgetScreen(ModalScreen[timedelta | None]):
    """Shows all that would go, and asks; answers with how long it shall wait, or with None when it stays."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bound("forget.keep", "keep", "Keep", tooltip="Nothing happens"),
        bound("forget.forget", "forget", "Forget", tooltip="It can be taken back for a while"),
        bound("forget.forget_now", "forget_now", "For good", tooltip="At once, and nothing takes it back"),
        bound("forget.next", "app.focus_next", "Another button", show=False),
        bound("forget.up", "scroll_lines(-1)", "Up", show=False),
        bound("forget.down", "scroll_lines(1)", "Down", show=False),
        bound("forget.page_up", "scroll_lines(-10)", "A page up", show=False),
        bound("forget.page_down", "scroll_lines(10)", "A page down", show=False),
    ]

    def __init__(
        self,
        plan: ForgettingPlan,
        *,
        grace: timedelta,
        now: datetime,
        backups: int = 0,
        undo: str = UNDO,
        word: str = "",
    ) -> None:
        super().__init__()
        self._plan = plan
        self._grace = grace
        self._until = now + grace
        self._backups = backups
        self._undo = undo
        """The key or command that takes it back."""
        self._word = word
        """What has to be typed for it to be forgotten; empty where a key is enough."""

    def compose(self) -> ComposeResult:
        """Give the plan and the buttons; the harmless one has the focus."""
        with Vertical(classes="dialog"):
            yield Static(self._title(), classes="dialog-title", markup=False)
            with VerticalScroll(classes="dialog-body", can_focus=False):
                yield Static(Content("\n").join(quote(turn) for turn in self._plan.turns[:MOST_SHOWN]))
                more = len(self._plan.turns) - MOST_SHOWN
                lines = [f"and {more:,} more"] if more > 0 else []
                lines += consequences(self._plan, backups=self._backups)
                yield Static("\n".join(lines), classes="dialog-line", markup=False)
                yield Static(self._how(), classes="dialog-last", markup=False)
            if self._word:
                yield Input(placeholder=f"Type {self._word} to forget it", id="forget-word", compact=True)
            with Horizontal(classes="dialog-buttons"):
                yield Button(self._label("Keep", "forget.keep"), id="keep", compact=True)
                label = self._label("Forget", "forget.forget")
                yield Button(label, id="forget", variant="warning" if self._grace else "error", compact=True)
                if self._grace:
                    label = self._label("For good", "forget.forget_now")
                    yield Button(label, id="forget-now", variant="error", compact=True)

    def on_mount(self) -> None:
        """Let enter do no harm."""
        self.query_one("#forget-word" if self._word else "#keep").focus()

    @on(Input.Submitted)
    def _typed(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_forget()

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        match event.button.id:
            case "forget":
                self.action_forget()
            case "forget-now":
                self.action_forget_now()
            case _:
                self.action_keep()

    def action_keep(self) -> None:
        """Let nothing happen."""
        self.dismiss(None)

    def action_forget(self) -> None:
        """Let it wait as long as the settings say."""
        self._forget(self._grace)

    def action_forget_now(self) -> None:
        """Let it not wait."""
        self._forget(AT_ONCE)

    def action_scroll_lines(self, lines: int) -> None:
        """Show what stands further up or down."""
        self.query_one(".dialog-body").scroll_relative(y=lines, animate=False)

    def _forget(self, grace: timedelta) -> None:
        """Answer, if the word was typed that is wanted; else ask for it."""
        if self._word and self.query_one("#forget-word", Input).value.strip().casefold() != self._word:
            self.query_one("#forget-word").focus()
            self.app.notify(f"Type {self._word} first: nothing was forgotten.")
        else:
            self.dismiss(grace)

    def _label(self, word: str, action: str) -> Content:
        """Give what stands on a button, with its key."""
        return Content(" ".join([word, *(f"({key})" for key in shown_keys(self.app, action)[-1:])]))

    def _title(self) -> str:
        turns, concepts = len(self._plan.turns), len(self._plan.concepts)
        what = count(turns, "memory", "memories") if turns or not concepts else count(concepts, "concept")
        return f"Forget {what}?" if self._grace else f"Forget {what} for good?"

    def _how(self) -> str:
        if not self._grace:
            return FOR_GOOD
        return (
            f"It is out of the memory at once, and you can take it back with {self._undo} until {minute(self._until)}."
            " Then its words, vectors and index entries are overwritten in the file."
        )


def quote(turn: Turn) -> Content:
    """Give who said it, when, and its words as far as they are shown."""
    head = f"{day(turn.time)}  {one_line(turn.speaker)}"
    return Content.assemble((head, "$secondary"), "\n", excerpt(turn.text, SHOWN_CHARACTERS), "\n")
