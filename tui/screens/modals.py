"""Small dialogs. Each answers by being dismissed: with what the user chose, or with None when nothing shall happen."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Static, TextArea

from assistant.memory.forgetting import ForgettingPlan
from tui.commands import COMMANDS, EDITING_KEYS
from tui.text import count, day, excerpt, inert, one_line

SHOWN_TURNS = 5
"""Memories quoted before forgetting; more are counted."""
SHOWN_CHARACTERS = 200
FOR_GOOD = "Words, vectors and index entries are overwritten in the file. This can't be undone."


class ForgetScreen(ModalScreen[bool]):
    """Shows all that would go, and asks."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,n", "answer(False)", "Keep"),
        Binding("y", "answer(True)", "Forget"),
        Binding("left,right", "app.focus_next", show=False),
    ]

    def __init__(self, plan: ForgettingPlan) -> None:
        super().__init__()
        self._plan = plan

    def compose(self) -> ComposeResult:
        """Give the plan and two buttons; the harmless one has the focus."""
        with Vertical(classes="dialog"):
            title = f"Forget {count(len(self._plan.turns), 'memory', 'memories')} for good?"
            yield Static(title, classes="dialog-title")
            with VerticalScroll(classes="dialog-body", can_focus=False):
                for turn in self._plan.turns[:SHOWN_TURNS]:
                    head = f"{day(turn.time)}  {one_line(turn.speaker)}"
                    yield Static(head, classes="memory-head", markup=False)
                    yield Static(excerpt(turn.text, SHOWN_CHARACTERS), classes="memory-text", markup=False)
                for line in consequences(self._plan):
                    yield Static(line, classes="dialog-line", markup=False)
                yield Static(FOR_GOOD, classes="dialog-last", markup=False)
            with Horizontal(classes="dialog-buttons"):
                yield Button("Keep (n)", id="keep", compact=True)
                yield Button("Forget (y)", id="forget", variant="error", compact=True)

    def on_mount(self) -> None:
        """Let enter do no harm."""
        self.query_one("#keep").focus()

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        self.dismiss(event.button.id == "forget")

    def action_answer(self, forget: bool) -> None:  # noqa: FBT001  (an action's argument)
        """Answer by a key."""
        self.dismiss(forget)


def consequences(plan: ForgettingPlan) -> list[str]:
    """Give what else forgetting does, a line each."""
    lines = []
    if len(plan.turns) > SHOWN_TURNS:
        lines.append(f"and {count(len(plan.turns) - SHOWN_TURNS, 'more')}".replace("mores", "more"))
    if plan.answers:
        verb = "stays" if len(plan.answers) == 1 else "stay"
        lines.append(f"{count(len(plan.answers), 'answer')} drew on this and {verb}:")
        lines += [f"  {day(turn.time)}  {excerpt(one_line(turn.text), 60)}" for turn in plan.answers[:SHOWN_TURNS]]
    if plan.concepts:
        lines.append(f"What was made of it goes, too: {count(len(plan.concepts), 'concept')}.")
    lines += [f"Holds again: {excerpt(one_line(turn.text), 60)}" for turn in plan.returning[:SHOWN_TURNS]]
    lines += [f"The conversation “{one_line(each.title)}” is empty then, and goes too." for each in plan.conversations]
    return lines


class EditScreen(ModalScreen[str | None]):
    """A text to correct; answers with the new one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", "Cancel"),
        Binding("ctrl+s", "save", "Save", priority=True),
    ]

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def compose(self) -> ComposeResult:
        """Give the editor."""
        with Vertical(classes="dialog"):
            yield Static("Correct this memory", classes="dialog-title")
            yield TextArea(inert(self._text), id="edit", compact=True)
            yield Static("ctrl+s saves, the old words go for good · esc leaves it", classes="dialog-keys")

    def action_save(self) -> None:
        """Answer with the new text, unless nothing changed."""
        text = self.query_one("#edit", TextArea).text
        self.dismiss(text if text.strip() and text != inert(self._text) else None)

    def action_cancel(self) -> None:
        """Leave it."""
        self.dismiss(None)


class RenameScreen(ModalScreen[str | None]):
    """A title to change; answers with the new one."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "cancel", "Cancel")]

    def __init__(self, title: str) -> None:
        super().__init__()
        self._title = title

    def compose(self) -> ComposeResult:
        """Give the line."""
        with Vertical(classes="dialog -small"):
            yield Static("Rename this conversation", classes="dialog-title")
            yield Input(one_line(self._title), id="rename", compact=True)
            yield Static("enter saves · esc leaves it", classes="dialog-keys")

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        title = event.value.strip()
        self.dismiss(title if title and title != one_line(self._title) else None)

    def action_cancel(self) -> None:
        """Leave it."""
        self.dismiss(None)


class HelpScreen(ModalScreen[None]):
    """All keys and commands."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,f1,q,enter", "dismiss", "Close")]

    def compose(self) -> ComposeResult:
        """Give two lists."""
        with Vertical(classes="dialog"):
            yield Static("Help", classes="dialog-title")
            with VerticalScroll(classes="dialog-body"):
                for keys, meaning in EDITING_KEYS:
                    yield help_line(keys, meaning)
                yield Static("", classes="help-gap")
                for command in COMMANDS:
                    ways = [*command.keys.split(","), f"/{command.slash}" if command.slash else ""]
                    if any(ways):
                        yield help_line("  ".join(way for way in ways if way), command.title)
            yield Static("esc closes", classes="dialog-keys")


def help_line(keys: str, meaning: str) -> Horizontal:
    """Give a line of the help."""
    return Horizontal(
        Static(keys, classes="help-keys", markup=False),
        Static(meaning, classes="help-meaning", markup=False),
        classes="help-line",
    )
