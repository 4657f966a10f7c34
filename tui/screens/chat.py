"""Talking: what the user sends goes to a session in a thread, and what the session tells is drawn."""

import asyncio
import time
from functools import partial
from typing import Any, ClassVar

from textual import on, work
from textual.binding import BindingType
from textual.widgets import Static

from assistant import events
from assistant.session import Session
from tui import replies
from tui.attachments import Attachment, read_together
from tui.commands import slash_command, slash_matches
from tui.failures import told
from tui.keys import bound
from tui.messages import (
    Drafted,
    EditWanted,
    EmptyDeleted,
    ForgetWanted,
    PastedMuch,
    ReplyBroke,
    ReplyTold,
    SendAgain,
    Submitted,
)
from tui.modes import KEPT
from tui.screens.conversation import ConversationScreen
from tui.text import count
from tui.widgets.answer import Answer

TWICE_SECONDS = 1.0
"""Two ctrl+c within this quit."""


class ChatScreen(ConversationScreen):
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
            self._send(event.text, from_composer=True)

    @on(SendAgain)
    def _send_again(self, event: SendAgain) -> None:
        event.stop()
        self._send(event.text, from_composer=False)

    @on(EditWanted)
    def _edit_wanted(self, event: EditWanted) -> None:
        event.stop()
        self.composer.fill(event.text, typed=False)
        self.composer.focus()

    @on(PastedMuch)
    def _pasted_much(self, event: PastedMuch) -> None:
        event.stop()
        self.chips.add(Attachment(name="pasted text", text=event.text))
        self.app.notify("That is sent with your message; backspace in the empty line takes it away.", timeout=4)

    @on(EmptyDeleted)
    def _empty_deleted(self, event: EmptyDeleted) -> None:
        event.stop()
        self.chips.drop_last()

    def _send(self, text: str, *, from_composer: bool) -> None:
        if self.busy:
            self.app.notify("An answer is being written: esc stops it.", timeout=3)
            return
        attached: list[Attachment] = []
        if from_composer:
            self.composer.accept()
            attached = self.chips.take()
        if not self.mode.keeps:
            self._unkept.add(text)
        self._number += 1
        self._question = text
        self._answer = answer = Answer(running=True)
        self._begin(text, answer, self._number, attached)

    @work(group="send")
    async def _begin(self, text: str, answer: Answer, number: int, attached: list[Attachment]) -> None:
        with told(self):
            await self._open_now.wait()
            await self.transcript.ask(text, answer, attached=[each.label for each in attached])
            if self.session is not None and number == self._number:
                self._reply(self.session, number, text, read_together(attached))

    # No thread workers: a thread that waits for more work would remember its last one, and all that hangs on that.

    @work(group="reply")
    async def _reply(self, session: Session, number: int, text: str, context: str) -> None:
        run = partial(replies.answer, session, text, context=context, number=number, post=self.post_message)
        await self.threads.run("reply", run)

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
        match message.event:
            case events.TurnKept(turn=turn):
                self._kept.append((turn.id, turn.text))
                self._show_title()
                self._question = ""
            case events.ForgetProposed() as proposed:
                self.post_message(ForgetWanted(proposed))
            case events.ReplyEnd(turn=turn):
                self._kept += [(turn.id, turn.text)] if turn is not None else []
                if self.mode.keeps and self._question:
                    self.composer.forget({self._question})  # an order to the memory, with what shall be forgotten
                self._ended()

    @on(ReplyBroke)
    def _broke(self, message: ReplyBroke) -> None:
        message.stop()
        if message.number == self._number and self._answer is not None:
            self._answer.finish(f"failed: {message.reason}", failed=True)
            self._ended()

    def _ended(self) -> None:
        self._answer = None
        self._question = ""
        self._show_state()

    @work(exclusive=True, group="keep")
    async def keep(self) -> None:
        """Make a temporary chat a kept one."""
        session = self.session
        if self.busy or session is None:
            self.app.notify("An answer is being written: esc stops it.", timeout=3)
            return
        with told(self):
            turns = await asyncio.to_thread(session.keep)
            if session is not self.session or self._asked is KEPT:
                self.app.notify("This chat is kept already.")
                return
            self._asked = KEPT
            self._unkept.clear()
            if session.conversation is not None:
                kept = await asyncio.to_thread(self.assistant.vault.turns.in_conversation, session.conversation.id)
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
        """Stop the answer, or else go to the composer. Never quits."""
        if not self.stop_reply():
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
        if self.composer.text:
            self.composer.fill("")
        else:
            self.app.notify("ctrl+c once more quits", timeout=TWICE_SECONDS)

    def action_scroll_transcript(self, pages: int) -> None:
        """Scroll the conversation, wherever the focus is."""
        self.transcript.page(pages)

    def chosen_answer(self) -> Answer | None:
        """Give the focused answer, or else the last."""
        answers = [turn for turn in self.transcript.turns if isinstance(turn, Answer)]
        if isinstance(self.focused, Answer):
            return self.focused
        return answers[-1] if answers else None

    @on(Drafted)
    def _drafted(self, event: Drafted) -> None:
        event.stop()
        matches = slash_matches(event.text) if event.typed else ()
        if event.text and self.session is not None and self._ahead is not self.session:
            self._ahead = self.session
            self._read_ahead(self.session)
        offers = self.query_one("#offers", Static)
        offers.update("\n".join(f"/{command.slash:<11} {command.title}" for command in matches))
        offers.display = bool(matches)
