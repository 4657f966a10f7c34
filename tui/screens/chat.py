"""Talking: what the user sends goes to a session in a thread, and what the session tells is drawn."""

import time
from functools import partial
from typing import Any, ClassVar

from textual import on, work
from textual.binding import Binding, BindingType
from textual.widgets import Static

from assistant import events
from assistant.session import Session
from tui import replies
from tui.commands import slash_command, slash_matches
from tui.failures import told
from tui.messages import Drafted, ReplyBroke, ReplyTold, SendAgain, Submitted
from tui.screens.conversation import ConversationScreen
from tui.widgets.answer import Answer

TWICE_SECONDS = 1.0
"""Two ctrl+c within this quit."""


class ChatScreen(ConversationScreen):
    """Where one talks."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "step_back", "Stop, or back to the composer", show=False),
        Binding("ctrl+c", "interrupt", "Copy, stop, clear; twice quits", show=False, priority=True),
    ]

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._interrupted = 0.0
        self._ahead: Session | None = None
        """The session whose model reads ahead, or has done so."""

    # Sending and answering

    @on(Submitted)
    def _submitted(self, event: Submitted) -> None:
        event.stop()
        command = slash_command(event.text) if event.typed else None
        if command is not None:
            self.composer.accept()
            self.app.run_worker(self.app.run_action(f"app.{command.action}"), name=command.action)
        else:
            self._send(event.text, from_composer=True)

    @on(SendAgain)
    def _send_again(self, event: SendAgain) -> None:
        event.stop()
        self._send(event.text, from_composer=False)

    def _send(self, text: str, *, from_composer: bool) -> None:
        if self.busy:
            self.app.notify("An answer is being written: esc stops it.", timeout=3)
            return
        if from_composer:
            self.composer.accept()
        if not self.mode.keeps:
            self._unkept.add(text)
        self._number += 1
        self._answer = answer = Answer(running=True)
        self._begin(text, answer, self._number)

    @work(group="send")
    async def _begin(self, text: str, answer: Answer, number: int) -> None:
        with told(self):
            await self._open_now.wait()
            await self.transcript.ask(text, answer)
            if self.session is not None and number == self._number:
                self._reply(self.session, number, text)

    # No thread workers: a thread that waits for more work would remember its last one, and all that hangs on that.

    @work(group="reply")
    async def _reply(self, session: Session, number: int, text: str) -> None:
        await self.threads.run("reply", partial(replies.answer, session, text, number=number, post=self.post_message))

    @work(group="ahead")
    async def _read_ahead(self, session: Session) -> None:
        await self.threads.run("ahead", partial(replies.read_ahead, session))

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
            case events.ReplyEnd(turn=turn):
                self._kept += [(turn.id, turn.text)] if turn is not None else []
                self._ended()

    @on(ReplyBroke)
    def _broke(self, message: ReplyBroke) -> None:
        message.stop()
        if message.number == self._number and self._answer is not None:
            self._answer.finish(f"failed: {message.reason}", failed=True)
            self._ended()

    def _ended(self) -> None:
        self._answer = None
        self._show_state()

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
