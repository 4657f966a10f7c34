"""The conversation as one reads it. Only turns near where one reads are widgets; of the others only words are kept."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widget import Widget
from textual.widgets import Button

from storage.records import Fork, RecalledTurn
from tui.keys import bound
from tui.messages import EditWanted, SendAgain, VersionWanted
from tui.text import count
from tui.widgets.answer import Answer
from tui.widgets.question import Question
from tui.widgets.reading import ReadingPlace
from tui.widgets.said import Answered, Asked, Said

FIRST_TURNS = 30
"""Drawn when a conversation is opened, or one jumps in it; more where a screen is not full."""
STEP_TURNS = 10
"""Drawn at once when one comes near the first or the last of those drawn."""
MOST_TURNS = 60
"""Drawn at most, unless so many lines are seen at once: each costs time with every key."""

Recall = Callable[[Sequence[str]], Awaitable[Mapping[str, Sequence[RecalledTurn]]]]
"""Gives what the vault has on record about the memories behind answers, by their identifiers."""


class Transcript(ReadingPlace, can_focus=False):
    """Scrolls, follows what is written as long as the user does not scroll away, and walks from turn to turn."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bound("turns.next", "walk(1)", "Next turn", show=False),
        bound("turns.previous", "walk(-1)", "Turn before", show=False),
        bound("turns.first", "walk_to(0)", "First turn", show=False),
        bound("turns.last", "walk_to(-1)", "Last turn", show=False),
        bound(
            "turns.send_again",
            "send_again",
            "Another answer",
            show=False,
            tooltip="An earlier question gets it in a branch",
        ),
        bound("turns.edit", "edit_again", "Edit and send again", show=False, tooltip="In a branch: the old one stays"),
        bound(
            "turns.version_before", "version(-1)", "Version before", show=False, tooltip="Where a question has several"
        ),
        bound("turns.version_after", "version(1)", "Next version", show=False),
        bound(
            "turns.undo", "app.take_back_said", "Take back", show=False, tooltip="What was said last, and the answer"
        ),
    ]

    def __init__(self, recall: Recall) -> None:
        super().__init__(id="transcript")
        self._recall = recall
        self._said: list[Said] = []
        """All turns of the conversation, oldest first."""
        self._drawn: dict[int, Question | Answer] = {}
        """The widgets of those that are drawn, by their place in the conversation."""
        self._range = range(0)
        """Places of those drawn one after the other; an answer that is written below is drawn beside these."""
        self._drawing = asyncio.Lock()
        self._moving = False

    def compose(self) -> ComposeResult:
        """Give the buttons that stand where turns are not drawn."""
        yield Button("", id="older", compact=True)
        yield Button("", id="newer", compact=True)

    def on_mount(self) -> None:
        """Follow the end; a short conversation stands at the bottom, near the composer."""
        self._count_hidden()
        self.watch(self, "scroll_y", self._scrolled, init=False)
        self.anchor()

    @property
    def turns(self) -> list[Question | Answer]:
        """The turns drawn, oldest first."""
        return [self._drawn[place] for place in sorted(self._drawn)]

    @property
    def said(self) -> Sequence[Said]:
        """All turns of the conversation, oldest first."""
        return self._said

    @property
    def hidden(self) -> tuple[int, int]:
        """How many turns are not drawn that are older than those where one reads, and how many that are newer."""
        beside = sum(place >= self._range.stop for place in self._drawn)
        return self._range.start, len(self._said) - self._range.stop - beside

    @property
    def is_moving(self) -> bool:
        """Whether other turns are about to be drawn."""
        return self._moving

    async def clear(self, *, hint: Widget | None = None) -> None:
        """Show nothing of a conversation, or a hint in its place."""
        async with self._drawing:
            self._said, self._drawn, self._range = [], {}, range(0)
            await self.query_children("Question, Answer, Welcome").remove()
            self._count_hidden()
            if hint is not None:
                await self.mount(hint)

    async def show(self, turns: Sequence[Said]) -> None:
        """Show the end of a conversation."""
        async with self._drawing:
            self._said = list(turns)
            await self._draw(self._around(len(turns)))
        self.anchor()
        self.call_after_refresh(self._fill)

    async def ask(self, asked: Asked, answer: Answer) -> None:
        """Add a question and the answer that is to come, and go there."""
        async with self._drawing:
            await self.query_children("Welcome").remove()
            end = len(self._said)
            await self._draw(self._range if self._range.stop == end else self._around(end))
            self._said += [asked, answer.said]
            self._drawn |= {end: Question(asked), end + 1: answer}
            self._range = range(self._range.start, end + 2)
            await self.mount_all([self._drawn[end], answer])
            self.anchor()
            await self._draw(self._range[-MOST_TURNS:])
        self.call_after_refresh(self._fill)

    async def answer_again(self, answer: Answer) -> None:
        """Add another answer to the last question, and go there."""
        async with self._drawing:
            end = len(self._said)
            await self._draw(self._range if self._range.stop == end else self._around(end))
            self._said.append(answer.said)
            self._drawn[end] = answer
            self._range = range(self._range.start, end + 1)
            await self.mount(answer)
            self.anchor()

    async def take_out(self, first: Said, until: Said | None) -> None:
        """Show no longer what was said from something on, up to something else or to the end."""
        async with self._drawing:
            start = _place(self._said, first)
            stop = len(self._said) if until is None else _place(self._said, until)
            if not 0 <= start < stop:
                return
            gone = [turn for place, turn in self._drawn.items() if start <= place < stop]
            number, had_focus = stop - start, self.screen.focused in gone
            self._said[start:stop] = []
            self._drawn = {
                place - number if place >= stop else place: turn
                for place, turn in self._drawn.items()
                if turn not in gone
            }
            first_drawn, end = min(self._range.start, start), max(self._range.stop - number, start)
            self._range = range(first_drawn, end)
            self._count_hidden()
            nearest = self._drawn.get(start) or self._drawn.get(start - 1)
            if had_focus and nearest is not None:
                nearest.focus(scroll_visible=False)
            await self.remove_children(gone)
        self.call_after_refresh(self._fill)

    def mark(self, forks: Mapping[str, Fork]) -> None:
        """Say of the questions with these identifiers which version each is, and of others that there is but one."""
        for place, said in enumerate(self._said):
            if isinstance(said, Asked) and said.fork != forks.get(said.kept):
                said.fork = forks.get(said.kept)
                drawn = self._drawn.get(place)
                if isinstance(drawn, Question) and drawn.is_mounted:
                    drawn.show_version()

    def forget(self, kept: Mapping[int, str]) -> None:
        """Keep, of the memories behind all answers, only those that still have these words."""
        for place, said in enumerate(self._said):
            drawn = self._drawn.get(place)
            if isinstance(drawn, Answer):
                drawn.forget(kept)
            elif isinstance(said, Answered):
                said.forget(kept)

    def action_walk(self, step: int) -> None:
        """Focus the next turn, or the one before."""
        focused = self._focused()
        place = (len(self._said) if focused is None else focused) + step
        if 0 <= place < len(self._said):
            self._go(place)

    def action_walk_to(self, place: int) -> None:
        """Focus the first or the last turn."""
        if self._said:
            self._go(place % len(self._said))

    def action_send_again(self) -> None:
        """Ask the chosen question once more."""
        question = self.chosen_question()
        if question is not None:
            self.post_message(SendAgain(question))

    def action_edit_again(self) -> None:
        """Put the chosen question where one writes."""
        question = self.chosen_question()
        if question is not None:
            self.post_message(EditWanted(question))

    def action_version(self, step: int) -> None:
        """Show another version of the chosen question, or else of the last that has several."""
        question = self.chosen_question()
        if question is not None and question.fork is None and self._focused() is None:
            question = next((said for said in reversed(self._said) if isinstance(said, Asked) and said.fork), None)
        fork = None if question is None else question.fork
        if fork is None:
            self.app.notify("This question has one version only.", timeout=3)
            return
        place = (fork.shown + step) % len(fork.versions)
        self.post_message(VersionWanted(fork.versions[place], fork.nodes[place]))

    def chosen_question(self) -> Asked | None:
        """Give the focused question, or the one that the focused answer answers, or else the last."""
        focused = self._focused()
        stop = len(self._said) if focused is None else focused + 1
        return next((said for said in reversed(self._said[:stop]) if isinstance(said, Asked)), None)

    def chosen_answer(self) -> Answered | None:
        """Give the focused answer, or else the last."""
        focused = self.screen.focused
        if isinstance(focused, Answer):
            return focused.said
        return next((said for said in reversed(self._said) if isinstance(said, Answered)), None)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Show the turns before, or go to the last."""
        event.stop()
        if event.button.id == "older":
            self._go_on(-1)
        else:
            self.action_walk_to(-1)

    def on_resize(self) -> None:
        """Draw more turns when there is room for them."""
        self.call_after_refresh(self._fill)

    # Where one goes

    def _focused(self) -> int | None:
        return next((place for place, turn in self._drawn.items() if turn is self.screen.focused), None)

    def _go(self, place: int) -> None:
        """Focus a turn, which is drawn first when it is not."""
        if place in self._range or (place in self._drawn and not self.hidden[1]):
            self._focus(place)
        elif not self._moving:
            self._moving = True
            self.run_worker(self._jump(place), group="turns")

    async def _jump(self, place: int) -> None:
        self.screen.clear_selection()
        beside = {self._range.start - 1: -1, self._range.stop: 1}.get(place)
        await self._move(partial(self._around, place) if beside is None else partial(self._further, beside))
        self._focus(place)

    def _focus(self, place: int) -> None:
        turn = self._drawn.get(place)
        if turn is not None:
            turn.focus(scroll_visible=False)
            self.call_after_refresh(self.scroll_to_widget, turn, animate=False)

    def _scrolled(self, before: float, after: float) -> None:
        """Draw more where one scrolls to; what is not drawn yet is no end that is followed."""
        if self.hidden[1]:
            self.release_anchor()
        self._go_on(-1 if after < before else 1, near=True)

    def _fill(self) -> None:
        """Draw more where a screen is not full."""
        if self.max_scroll_y <= 0:
            self._go_on(-1)

    def _go_on(self, direction: int, *, near: bool = False) -> None:
        """Draw the next turns above or below, or do so only when they are near."""
        if self._moving or not self._range or not self.hidden[0 if direction < 0 else 1]:
            return
        rows, height = self.rows_of(self._drawn[self._range[0 if direction < 0 else -1]]), self.size.height
        if not near or (rows.start > -height if direction < 0 else rows.stop < 2 * height):
            self._moving = True
            self.run_worker(self._move(partial(self._further, direction)), group="turns")

    async def _move(self, choose: Callable[[], range]) -> None:
        """Draw other turns than before, chosen when nothing else is being changed."""
        try:
            async with self._drawing:
                await self._draw(choose())
        finally:
            self._moving = False

    # What is drawn

    def _around(self, place: int) -> range:
        """Give the places of turns to draw where one jumps to."""
        start = max(0, min(place - FIRST_TURNS // 2, len(self._said) - FIRST_TURNS))
        return range(start, min(start + FIRST_TURNS, len(self._said)))

    def _further(self, direction: int) -> range:
        """Give the places of those drawn and the next ones, without those that one leaves far behind."""
        if direction < 0:
            start, stop = max(0, self._range.start - STEP_TURNS), self._range.stop
        else:
            start, stop = self._range.start, min(self._range.stop + STEP_TURNS, len(self._said))
        spare = stop - start - (2 * MOST_TURNS if self.screen.selections else MOST_TURNS)
        while spare > 0 and self._is_far(self._drawn[stop - 1 if direction < 0 else start]):
            start, stop, spare = (start, stop - 1, spare - 1) if direction < 0 else (start + 1, stop, spare - 1)
        return range(start, stop)

    def _is_far(self, turn: Question | Answer) -> bool:
        rows, height = self.rows_of(turn), self.size.height
        return rows.stop < -height or rows.start > 2 * height

    async def _draw(self, wanted: range) -> None:
        """Have these turns drawn and no others; one that is being written stays, with its question."""
        stay = {place for turn in self._drawn if self._drawn[turn].running for place in (turn - 1, turn)}
        gone = [place for place in self._drawn if place not in wanted and place not in stay]
        missing = [place for place in wanted if place not in self._drawn]
        await self._remember([said for said in map(self._said.__getitem__, missing) if isinstance(said, Answered)])
        with self.app.batch_update():
            for _, together in groupby(enumerate(missing), lambda numbered: numbered[1] - numbered[0]):
                await self._mount_turns([place for _, place in together])
            self._range = wanted
            self._count_hidden()
            self._move_focus({self._drawn[place] for place in gone})
            await self.remove_children([self._drawn.pop(place) for place in gone])
        for said in map(self._said.__getitem__, gone):
            if isinstance(said, Answered):
                said.rest()

    async def _remember(self, answers: Sequence[Answered]) -> None:
        """Read which memories were behind answers."""
        kept = [said for said in answers if said.kept]
        found = await self._recall([said.kept for said in kept]) if kept else {}
        for said in kept:
            said.recalled(found.get(said.kept, ()))

    async def _mount_turns(self, places: Sequence[int]) -> None:
        """Put turns, which follow each other, before the next one that is drawn."""
        after = min((place for place in self._drawn if place > places[-1]), default=None)
        turns = [turn_widget(self._said[place]) for place in places]
        await self.mount_all(turns, before=None if after is None else self._drawn[after])
        self._drawn.update(zip(places, turns, strict=True))

    def _move_focus(self, gone: Collection[Question | Answer]) -> None:
        """Let the turn that is nearest have the focus of one that is taken away."""
        focused = self._focused()
        if focused is not None and self._drawn[focused] in gone and self._range:
            nearest = max(self._range.start, min(focused, self._range.stop - 1))
            self._drawn[nearest].focus(scroll_visible=False)

    def _count_hidden(self) -> None:
        """Say how many turns are not drawn, above and below those that are."""
        older, newer = self.query_one("#older", Button), self.query_one("#newer", Button)
        above, below = self.hidden
        older.label, older.display = f"↑ {count(above, 'older turn')}", above > 0
        newer.label, newer.display = f"↓ {count(below, 'newer turn')}", below > 0
        if below and self._range:
            self.move_child(newer, after=self._drawn[self._range[-1]])


def _place(turns: Sequence[Said], wanted: Said) -> int:
    """Give where something stands, itself and not what is equal to it; -1 where it does not."""
    return next((place for place, said in enumerate(turns) if said is wanted), -1)


def turn_widget(said: Said) -> Question | Answer:
    """Give the widget of a turn."""
    return Answer(said) if isinstance(said, Answered) else Question(said)
