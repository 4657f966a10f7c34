"""Talking: what the user sends goes to a session in a thread, and what the session tells is drawn."""

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on, work
from textual.binding import BindingType

from assistant import events
from assistant.session import Session
from tui import replies
from tui.attachments import Attachment, read_together
from tui.commands import Command, slash_command, slash_matches
from tui.failures import told
from tui.keys import bound, hint
from tui.messages import (
    Drafted,
    EmptyDeleted,
    ForgetWanted,
    PastedMuch,
    ReplyBroke,
    ReplyTold,
    SendAgain,
    Submitted,
)
from tui.modes import KEPT
from tui.screens.anew import EXCHANGE, AnewScreen
from tui.text import count
from tui.widgets.answer import Answer
from tui.widgets.said import Answered, Asked

if TYPE_CHECKING:
    from storage.records import Turn

TWICE_SECONDS = 1.0
"""Two ctrl+c within this quit."""


class ChatScreen(AnewScreen):
    """Where one talks."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bound("chat.step_back", "step_back", "Stop the answer, or back to the composer", show=False),
        bound(
            "chat.interrupt",
            "interrupt",
            "Copy a selection, else stop, else clear; twice quits",
            show=False,
            priority=True,
        ),
    ]

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._interrupted = 0.0
        self._question = ""
        """What was sent last, until it is known whether it is kept."""
        self._asked_now: Asked | None = None
        """What is being answered."""
        self._said: Turn | None = None
        """Where that is kept."""

    # Sending and answering

    @on(Submitted)
    def _submitted(self, event: Submitted) -> None:
        event.stop()
        found = slash_command(event.text) if event.typed else None
        if found is not None:
            command, argument = found
            self.composer.accept(remember=not argument)
            call = f"app.{command.action}({argument!r})" if argument else f"app.{command.action}"
            self.app.run_worker(self.app.run_action(call), name=command.action)
        else:
            self._send_written(event.text)

    @on(PastedMuch)
    def _pasted_much(self, event: PastedMuch) -> None:
        event.stop()
        self.chips.add(Attachment(name="pasted text", text=event.text))
        self.app.notify("That is sent with your message; backspace in the empty line takes it away.", timeout=4)

    @on(EmptyDeleted)
    def _empty_deleted(self, event: EmptyDeleted) -> None:
        event.stop()
        self.chips.drop_last()

    @on(SendAgain)
    def _send_again(self, event: SendAgain) -> None:
        event.stop()
        asked = event.question
        questions = [said for said in self.transcript.said if isinstance(said, Asked) and said.kept]
        if not asked.kept:
            self.send(asked.text)  # it is kept nowhere, so there is nothing whose place it could take
        elif asked is questions[-1]:
            self.send(asked.text, instead=asked, again=True)
        else:
            self.send(asked.text, instead=asked)

    def send(self, text: str, *, instead: Asked | None = None, again: bool = False) -> None:
        """Send something that does not stand in the composer.

        Parameters
        ----------
        text
            What is asked.
        instead
            The question whose place it takes.
        again
            Whether it is that question itself, for another answer.
        """
        if self._may_send():
            if again and instead is not None:
                self._begin(instead, Answer(running=True), context="", instead=instead)
            else:
                self._begin(Asked(text=text), Answer(running=True), context="", instead=instead)

    def _send_written(self, text: str) -> None:
        """Send what stands in the composer, with what is attached to it."""
        if self._may_send():
            instead = self._editing
            self.leave_edit(sent=True)
            self.composer.accept()
            attached = self.chips.take()
            asked = Asked(text=text, attached=[each.label for each in attached])
            self._begin(asked, Answer(running=True), context=read_together(attached), instead=instead)

    def _may_send(self) -> bool:
        if self.busy:
            self.app.notify(f"An answer is being written: {hint(self.app, ('chat.step_back', 'stops it'))}", timeout=3)
        return not self.busy

    def _begin(self, asked: Asked, answer: Answer, *, context: str, instead: Asked | None) -> None:
        """Ask something, which may be the question itself whose place it takes."""
        if not self.mode.keeps:
            self._unkept.add(asked.text)
        self._number += 1
        self._question, self._said, self._answer = asked.text, None, answer
        self._asked_now, self._going = asked, None
        self._ask(asked, answer, self._number, context, instead)

    @work(group="send")
    async def _ask(self, asked: Asked, answer: Answer, number: int, context: str, instead: Asked | None) -> None:
        with told(self):
            await self._open_now.wait()
            again = asked is instead
            self.settle_fates()
            if again:
                await self.transcript.answer_again(answer)
            else:
                await self.transcript.ask(asked, answer)
            if instead is not None:
                self.begin_instead(instead, answer.said if again else asked, again=again)
            session = self.session
            if session is not None and number == self._number:
                replaced = "" if instead is None else instead.kept
                ask = partial(session.reply, asked.text, context=context, instead_of=replaced)
                self._reply(session, number, session.retry if again else ask)

    # No thread workers: a thread that waits for more work would remember its last one, and all that hangs on that.

    @work(group="reply")
    async def _reply(self, session: Session, number: int, ask: Callable[[], Iterator[events.Event]]) -> None:
        await self.threads.run("reply", partial(replies.answer, session, ask, number=number, post=self.post_message))

    @work(group="ahead")
    async def _read_ahead(self, session: Session) -> None:
        await self.threads.run("ahead", partial(replies.read_ahead, session))
        with told(self):
            self._show_state()

    @on(ReplyTold)
    def _told(self, message: ReplyTold) -> None:
        message.stop()
        answer = self._answer
        if message.number != self._number or answer is None:
            return
        if self._stopping == message.number and self.session is not None:
            self.session.stop()  # the user was faster than the thread: the reply had not begun
        answer.take(message.event)
        self.take_place(message.event)
        match message.event:
            case events.TurnKept(turn=turn):
                self._kept.append((turn.id, turn.text))
                self._said, self._question = turn, ""
                if self._asked_now is not None:
                    self._asked_now.kept = turn.id
                self._show_title()
            case events.ForgetProposed() as proposed:
                self.post_message(ForgetWanted(proposed))
            case events.ReplyEnd() as end:
                self._end(end, answer)

    def _end(self, end: events.ReplyEnd, answer: Answer) -> None:
        if end.turn is not None:
            self._kept.append((end.turn.id, end.turn.text))
        if end.asked and self._asked_now is not None:
            self._asked_now.kept = end.asked
        elif self.mode.keeps and self._question:
            self.composer.forget({self._question})  # an order to the memory, with what shall be forgotten
        if end.asked:
            self.undoable = EXCHANGE
        if end.asked and self.mode.keeps and isinstance(end, events.ReplyFinished):
            self.tell_fate(answer, self._said)
        self._ended()

    @on(ReplyBroke)
    def _broke(self, message: ReplyBroke) -> None:
        message.stop()
        if message.number == self._number and self._answer is not None:
            self._answer.finish(f"failed: {message.reason}", failed=True)
            if self.has_no_place:
                self.app.notify(f"{message.reason} Your words are in the line again.", markup=False)
                self.composer.fill(self._question, typed=False)
                self.open(self.place[0])
            self._ended()

    def _ended(self) -> None:
        self._answer = self._asked_now = self._said = self._going = None
        self._question = ""
        self._show_state()

    @work(exclusive=True, group="keep")
    async def keep(self) -> None:
        """Make a temporary chat a kept one."""
        session = self.session
        if self.busy or session is None:
            self.app.notify(f"An answer is being written: {hint(self.app, ('chat.step_back', 'stops it'))}", timeout=3)
            return
        with told(self):
            turns = await asyncio.to_thread(session.keep)
            if session is not self.session or self._asked is KEPT:
                self.app.notify("This chat is kept already.")
                return
            self._asked = KEPT
            self._unkept.clear()
            if session.conversation is not None:
                kept = await asyncio.to_thread(self.assistant.vault.turns.whole, session.conversation.id)
                self._kept = [(turn.id, turn.text) for turn in kept]
            self._show_state()
            self._show_title()
            self.app.notify(f"This chat is kept: {count(turns, 'turn')} so far.")

    # What the user does

    def stop_reply(self) -> bool:
        """Stop the answer, if one is being written."""
        if self._answer is None:
            return False
        self._stopping = self._number
        if self.session is not None:
            self.session.stop()
        self._answer.doing("stopping")
        return True

    def action_step_back(self) -> None:
        """Stop the answer, or else leave a question that is edited as it was, or go to the composer. Never quits."""
        if not self.stop_reply():
            self.leave_edit()
            self.composer.focus()

    def action_interrupt(self) -> None:
        """Copy what is selected, else stop, else clear; the second time within a second quit."""
        selected = self.composer.selected_text if self.composer.has_focus else ""
        selected = selected or self.get_selected_text() or ""
        if selected:
            self.app.copy_to_clipboard(selected)
            self.app.notify("Copied", timeout=2)
            return
        now = time.monotonic()
        if now - self._interrupted < TWICE_SECONDS:
            self.app.run_worker(self.app.run_action("app.quit"), name="quit")
            return
        self._interrupted = now
        if self.stop_reply():
            return
        if self.leave_edit():
            return
        if self.composer.text:
            self.composer.fill("")
        else:
            self.app.notify(hint(self.app, ("chat.interrupt", "once more quits")), timeout=TWICE_SECONDS)

    def action_scroll_transcript(self, pages: int) -> None:
        """Scroll the conversation, wherever the focus is."""
        self.transcript.page(pages)

    def chosen_answer(self) -> Answered | None:
        """Give the focused answer, or else the last, whether it is drawn or not."""
        return self.transcript.chosen_answer()

    @on(Drafted)
    def _drafted(self, event: Drafted) -> None:
        event.stop()
        matches = slash_matches(event.text) if event.typed else ()
        if event.text and self.session is not None and self._ahead is not self.session:
            self._ahead = self.session
            self._read_ahead(self.session)
        self.offer("\n".join(self._offers(matches)))

    def _offers(self, matches: Sequence[Command]) -> list[str]:
        """Give a line for each command, as far as there is room; the last one says how many more there are."""
        lines = [f"/{command.slash:<11} {command.title}" for command in matches]
        limit = self.query_one("#offers").styles.max_height
        rows = len(lines) if limit is None else int(limit.resolve(self.size, self.size))
        if len(lines) <= rows:
            return lines
        return [*lines[: rows - 1], f"… {len(lines) - rows + 1} more: go on typing"]
