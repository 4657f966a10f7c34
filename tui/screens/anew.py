"""Asking anew: a question in other words, another answer, other versions, and what was said last taken back."""

import asyncio
from dataclasses import dataclass
from typing import Any

from textual import on, work
from textual.widgets import Static

from assistant import events
from assistant.memory.evidence import only_asks
from storage.grace import Forgetting
from storage.records import Turn
from tui.failures import told
from tui.forgetting import counted
from tui.keys import hint
from tui.messages import EditWanted, VersionWanted
from tui.modes import KEPT, Mode
from tui.screens.conversation import ConversationScreen
from tui.widgets.answer import Answer
from tui.widgets.said import Answered, Asked, Said

EDITING = "editing an earlier question"
EXCHANGE = "exchange"
"""What was done last: something was said, and answered."""
TOLD_SECONDS = 8
"""What can be taken back can be read for longer."""
_ANSWERING = (events.TurnKept, events.Recalled, events.Loading, events.Notice, events.Reading)
"""What is told only of a reply that the model gives, and of no order to the memory."""


@dataclass(slots=True)
class Going:
    """What a reply takes the place of, and what is shown no longer when it does."""

    first: Said
    until: Said
    """The first that stays, after it."""
    is_retry: bool


class AnewScreen(ConversationScreen):
    """The part of the chat that goes back behind what was said."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.undoable: Turn | Forgetting | str | None = None
        """What `/undo` takes back: a note, a forgetting, or what was said last."""
        self._editing: Asked | None = None
        """The question that is being said in other words."""
        self._draft = ""
        """What was being written before that."""
        self._going: Going | None = None

    @on(EditWanted)
    def _edit_wanted(self, event: EditWanted) -> None:
        event.stop()
        draft = self.composer.text if self._editing is None else self._draft
        self._editing = event.question if event.question.kept else None
        self._draft = "" if self._editing is None else draft
        self.composer.fill(event.question.text, typed=False)
        self.composer.focus()
        self.offer()

    @on(VersionWanted)
    def _version_wanted(self, event: VersionWanted) -> None:
        event.stop()
        self.go_to(event.conversation, node=event.node)

    def go_to(self, conversation: str | None, *, mode: Mode = KEPT, node: int | None = None) -> None:
        """Show another conversation, or a new one; what was begun or done in this one is no more in hand."""
        self.leave_edit()
        self.undoable = None
        self.open(conversation, mode=mode, node=node)

    def leave_edit(self, *, sent: bool = False) -> bool:
        """Leave the question as it was and go back to what was being written; gives whether one was edited."""
        editing, self._editing = self._editing, None
        if editing is not None:
            if not sent:
                self.composer.fill(self._draft)
            self._draft = ""
            self.offer()
        return editing is not None

    def offer(self, lines: str = "") -> None:
        """Say something above the composer; where there is nothing else, that a question is edited, if one is."""
        told_there = lines
        if not lines and self._editing is not None:
            told_there = f"{EDITING} · {hint(self.app, ('chat.step_back', 'leaves it as it was'))}"
        line = self.query_one("#offers", Static)
        if told_there != line.content:  # what is laid out anew costs as much as all that is drawn
            line.update(told_there)
            line.display = bool(told_there)

    # What a reply takes the place of

    def begin_instead(self, instead: Asked, new: Said, *, again: bool) -> None:
        """Note what goes when the reply that begins takes its place."""
        turns = list(self.transcript.said)
        there = (place for place, said in enumerate(turns) if isinstance(said, Asked) and said.kept == instead.kept)
        first = next(there, len(turns)) + again
        self._going = Going(turns[first], new, is_retry=again) if turns[first:] and turns[first] is not new else None

    @property
    def has_no_place(self) -> bool:
        """Whether a reply that failed was to take a place in a kept conversation, and did not."""
        return self.mode.keeps and self._going is not None and not self._going.is_retry

    def take_place(self, event: events.Event) -> None:
        """Show no longer what a reply takes the place of, as soon as it is sure that it does."""
        going, answered = self._going, isinstance(event, events.ReplyEnd) and bool(event.asked)
        if going is None:
            return
        if going.is_retry:
            gone = answered and isinstance(event, events.ReplyEnd) and (event.turn is not None or not self.mode.keeps)
        else:
            gone = answered or isinstance(event, _ANSWERING)
        if gone or isinstance(event, events.ReplyEnd):
            self._going = None
        if gone:
            turns = list(self.transcript.said)
            places = [next(p for p, said in enumerate(turns) if said is one) for one in (going.first, going.until)]
            left = {said.kept for said in turns[places[0] : places[1]]}
            self._kept = [(kept, text) for kept, text in self._kept if kept not in left]
            self.run_worker(self.transcript.take_out(going.first, going.until), group="turns")

    # What was said last

    def tell_fate(self, answer: Answer, said: Turn | None) -> None:
        """Say under an answer that what was said is kept, and what takes it back."""
        word = "remembered" if said is not None and not only_asks(said) else "kept"
        answer.end_with(f"{word} · /undo takes it back")

    def settle_fates(self) -> None:
        """Say of no answer any more that what was said can be taken back: something else comes after it."""
        for turn in self.transcript.said:
            if isinstance(turn, Answered):
                turn.fate = turn.fate.partition(" · ")[0]
        for drawn in self.transcript.turns:
            if isinstance(drawn, Answer) and not drawn.running:
                drawn.end_with(drawn.said.fate)

    @work(exclusive=True, group="undo")
    async def take_back_said(self) -> None:
        """Forget what was said last in this chat, with the answers to it."""
        session, questions = self.session, [said for said in self.transcript.said if isinstance(said, Asked)]
        if self.busy or session is None:
            return
        if not questions or not questions[-1].kept:
            self.app.notify("Nothing is kept of what was said last: there is nothing to take back.")
            return
        with told(self):
            done = await asyncio.to_thread(session.undo_last)
            self.undoable = done if isinstance(done, Forgetting) else None
            if session.conversation is None and not session.temporary:
                self.open(session.parent)
            else:
                first = next(place for place, said in enumerate(self.transcript.said) if said is questions[-1])
                left = {said.kept for said in self.transcript.said[first:]}
                self._kept = [(kept, text) for kept, text in self._kept if kept not in left]
                await self.transcript.take_out(questions[-1], None)
            self.composer.forget({questions[-1].text})
            self.app.notify(_taken_back(done), timeout=TOLD_SECONDS)


def _taken_back(done: object) -> str:
    """Give what came of taking back what was said last."""
    if isinstance(done, Forgetting):
        return f"Taken back, and forgotten: {counted(done)}. /undo has it again."
    if done is None:
        return "Taken back: it was kept nowhere."
    return "Taken back, and erased."
