"""The conversation as one reads it, from the oldest shown turn down to the newest."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical, VerticalScroll
from textual.widget import Widget
from textual.widgets import Button, Static

from storage.records import RecalledTurn, Role, Turn
from tui.keys import bound
from tui.messages import EditWanted, OlderWanted, SendAgain
from tui.text import count, inert
from tui.widgets.answer import Answer


class Question(Vertical, can_focus=True):
    """What the user said."""

    FOCUS_ON_CLICK = False

    BINDINGS: ClassVar[list[BindingType]] = [
        bound("turns.copy", "copy", "Copy", tooltip="The words of this turn, to the clipboard")
    ]

    def __init__(self, text: str, *, speaker: str = "", attached: Sequence[str] = ()) -> None:
        super().__init__(classes="question")
        self.text = text
        self._speaker = speaker
        self._attached = attached

    def compose(self) -> ComposeResult:
        """Give the words, under the name of whoever is neither the user nor the assistant."""
        if self._speaker:
            yield Static(inert(self._speaker), classes="speaker", markup=False)
        yield Static(inert(self.text), classes="words", markup=False)
        if self._attached:
            yield Static(f"with {', '.join(self._attached)}", classes="memory-head", markup=False)

    def action_copy(self) -> None:
        """Copy the words."""
        self.app.copy_to_clipboard(self.text)
        self.app.notify("Copied")


class Transcript(VerticalScroll, can_focus=False):
    """Scrolls, follows what is written as long as the user does not scroll away, and walks from turn to turn."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bound("turns.next", "walk(1)", "Next turn", show=False),
        bound("turns.previous", "walk(-1)", "Turn before", show=False),
        bound("turns.first", "walk_to(0)", "First turn", show=False),
        bound("turns.last", "walk_to(-1)", "Last turn", show=False),
        bound("turns.send_again", "send_again", "Send again", show=False),
        bound("turns.edit", "edit_again", "Edit and send again", show=False),
    ]

    def __init__(self) -> None:
        super().__init__(id="transcript")
        self.hidden = 0
        """Turns of this conversation that are older than what is shown."""

    def compose(self) -> ComposeResult:
        """Give the button that stands above when something older is there."""
        yield Button("", id="older", compact=True)

    def on_mount(self) -> None:
        """Follow the end; a short conversation stands at the bottom, near the composer."""
        self.query_one("#older").display = False
        self.anchor()

    @property
    def turns(self) -> list[Question | Answer]:
        """The turns shown, oldest first."""
        return [child for child in self.children if isinstance(child, Question | Answer)]

    async def clear(self, *, hint: Widget | None = None) -> None:
        """Show nothing of a conversation, or a hint in its place."""
        await self.query_children("Question, Answer, Welcome").remove()
        self.set_hidden(0)
        if hint is not None:
            await self.mount(hint)

    async def ask(self, text: str, answer: Answer, *, attached: Sequence[str] = ()) -> None:
        """Add a question and the answer that is to come."""
        await self.query_children("Welcome").remove()
        await self.mount_all([Question(text, attached=attached), answer])
        self.anchor()

    async def show(self, turns: Sequence[Turn], recalled: Mapping[str, Sequence[RecalledTurn]], *, hidden: int) -> None:
        """Put older turns above those shown, and stay where one reads."""
        before = self.virtual_size.height
        first = not self.turns
        widgets = [turn_widget(turn, recalled.get(turn.id, ())) for turn in turns]
        await self.mount_all(widgets, after="#older")
        self.set_hidden(hidden)
        if first:
            self.anchor()
        else:
            self.call_after_refresh(self._keep_place, before)

    def set_hidden(self, hidden: int) -> None:
        """Say how many older turns there are."""
        self.hidden = hidden
        button = self.query_one("#older", Button)
        button.label = f"↑ {count(hidden, 'older turn')}"
        button.display = hidden > 0

    def page(self, direction: int) -> None:
        """Scroll by a page."""
        if self.max_scroll_y <= 0:
            return
        if direction < 0:
            self.scroll_page_up(animate=False)
            self._reached_top()
        else:
            self.scroll_page_down(animate=False)

    def action_walk(self, step: int) -> None:
        """Focus the next turn, or the one before."""
        turns = self.turns
        focused = self.screen.focused
        place = turns.index(focused) if isinstance(focused, Question | Answer) and focused in turns else len(turns)
        if 0 <= place + step < len(turns):
            turns[place + step].focus()
        elif step < 0:
            self._reached_top()

    def action_walk_to(self, place: int) -> None:
        """Focus the first or the last turn."""
        if self.turns:
            self.turns[place].focus()

    def action_send_again(self) -> None:
        """Ask the chosen question once more."""
        question = self.chosen_question()
        if question is not None:
            self.post_message(SendAgain(question.text))

    def action_edit_again(self) -> None:
        """Put the chosen question where one writes."""
        question = self.chosen_question()
        if question is not None:
            self.post_message(EditWanted(question.text))

    def chosen_question(self) -> Question | None:
        """Give the focused question, or the one that the focused answer answers, or else the last."""
        turns = self.turns
        focused = self.screen.focused
        stop = turns.index(focused) + 1 if isinstance(focused, Question | Answer) and focused in turns else len(turns)
        return next((turn for turn in reversed(turns[:stop]) if isinstance(turn, Question)), None)

    def on_mouse_scroll_up(self, _event: events.MouseScrollUp) -> None:
        """Ask for older turns at the top."""
        self._reached_top()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Ask for older turns."""
        event.stop()
        self.post_message(OlderWanted())

    def _reached_top(self) -> None:
        if self.hidden and self.scroll_y <= 0:
            self.post_message(OlderWanted())

    def _keep_place(self, before: int) -> None:
        grown = self.virtual_size.height - before
        self.scroll_to(y=self.scroll_y + grown, animate=False)


def turn_widget(turn: Turn, recalled: Sequence[RecalledTurn]) -> Question | Answer:
    """Give the widget of a turn that a conversation kept."""
    match turn.role:
        case Role.ASSISTANT:
            return Answer.of_turn(turn, recalled)
        case Role.USER:
            return Question(turn.text)
        case Role.OTHER:
            return Question(turn.text, speaker=turn.speaker)
