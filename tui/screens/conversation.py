"""One conversation that is open: begun, shown, gone back in, and followed when another process changes the vault."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from textual import work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.screen import Screen
from textual.widgets import Static

from assistant.bootstrap import Assistant
from storage.records import Fork, RecalledTurn, Turn
from storage.vault import Vault
from tui import replies
from tui.failures import told
from tui.modes import KEPT, PAUSED, Mode
from tui.reasons import as_it_stands
from tui.text import one_line
from tui.watch import POLL_SECONDS, VaultWatch
from tui.widgets.chips import Chips
from tui.widgets.composer import Composer
from tui.widgets.said import Answered, said
from tui.widgets.status import StatusLine
from tui.widgets.transcript import Transcript
from tui.widgets.welcome import Welcome

if TYPE_CHECKING:
    from assistant.session import Session
    from tui.widgets.answer import Answer


class ConversationScreen(Screen[None]):
    """Transcript, composer, status, and the session that belongs to them."""

    def __init__(
        self,
        assistant: Assistant,
        *,
        missing_model: Callable[[], str],
        conversation: str | None = None,
        mode: Mode = KEPT,
    ) -> None:
        super().__init__()
        self.assistant = assistant
        self._missing_model = missing_model
        self.session: Session | None = None
        self._first = conversation
        self._asked = mode
        """The mode that the user chose; while learning is paused, the ordinary one keeps nothing either."""
        self._open_now = asyncio.Event()
        """Set while there is a session to send to."""
        self._number = 0
        """Of the reply that is listened to."""
        self._stopping = 0
        """Number of the reply that the user stopped."""
        self._answer: Answer | None = None
        """The answer being written."""
        self._unkept: set[str] = set()
        """What was asked in a chat that keeps nothing; afterwards not even the arrow keys remember it."""
        self._kept: list[tuple[str, str]] = []
        """Id and words of each turn of this conversation, as they were read or written here."""
        self._ahead: Session | None = None
        """The session whose model reads ahead, or has done so."""
        self._watch = VaultWatch(assistant.vault)
        self.threads = replies.Threads()
        """Those in which sessions of this chat run."""

    def compose(self) -> ComposeResult:
        """Give the parts from top to bottom."""
        yield Static("", id="banner", markup=False)
        yield Static("", id="title", markup=False)
        yield Transcript(self._recalled)
        with Vertical(id="bottom"):
            yield Static("", id="offers", markup=False)
            yield Chips()
            yield Composer()
            yield StatusLine()

    def on_mount(self) -> None:
        """Begin with the conversation that was asked for."""
        self.open(self._first, mode=self._asked)
        self.set_interval(POLL_SECONDS, self._look_again)

    @property
    def busy(self) -> bool:
        """Whether an answer is being written."""
        return self._answer is not None

    @property
    def ready(self) -> bool:
        """Whether the conversation is open, and what is sent is answered at once."""
        return self._open_now.is_set()

    @property
    def mode(self) -> Mode:
        """What becomes of what is said here."""
        return PAUSED if self._asked is KEPT and not self.assistant.config.learning else self._asked

    @property
    def place(self) -> tuple[str | None, Mode]:
        """The conversation that is open, None for one of which nothing was kept yet, and the mode it was opened in."""
        kept = None if self.session is None else self.session.conversation
        return (None if kept is None else kept.id), self._asked

    @property
    def transcript(self) -> Transcript:
        """The turns."""
        return self.query_one(Transcript)

    @property
    def composer(self) -> Composer:
        """Where one writes."""
        return self.query_one(Composer)

    @property
    def chips(self) -> Chips:
        """What is sent with the next message."""
        return self.query_one(Chips)

    # Opening and leaving a conversation

    @work(exclusive=True, group="open")
    async def open(self, conversation: str | None = None, *, mode: Mode = KEPT, node: int | None = None) -> None:
        """Leave the conversation shown, and begin a new one or go on with one that was kept, and go to a turn of it."""
        self._leave_reply()
        self._open_now.clear()
        self._asked = mode
        with told(self):
            self.composer.forget(self._unkept)
            self._unkept.clear()
            self.composer.focus()
            turns = await self._begin_session(conversation)
            await self._show_conversation(turns)
            self._open_now.set()
            place = next((place for place, turn in enumerate(turns) if turn.node == node), None)
            if place is not None:
                self.transcript.action_walk_to(place)

    def go_on_with(self, assistant: Assistant) -> None:
        """Take an assistant whose learning was paused or goes on; what was said meanwhile and not kept goes.

        A temporary chat stays what it is.
        """
        self.assistant = assistant
        if self._asked is KEPT:
            self.open(self.place[0])
        else:
            self._show_state()

    @asynccontextmanager
    async def held(self) -> AsyncIterator[None]:
        """Let what is sent wait until the end of the block."""
        await self._open_now.wait()
        self._open_now.clear()
        try:
            yield
        finally:
            self._open_now.set()

    async def answer_by(self, assistant: Assistant) -> None:
        """Go on with the open conversation, answered by another model; come back when the one before has ended."""
        before, self.assistant = self.assistant.model, assistant
        if self.session is not None:
            self.session.answer_by(assistant.model)
        self._show_state()
        self._look_for_model()
        self._ahead = self.session  # two models at once may not fit into the memory
        await asyncio.to_thread(before.retire)
        self._ahead = None

    async def _begin_session(self, conversation: str | None) -> list[Turn]:
        """Make the session, and give the turns that were kept of it; a new one when there is no such conversation."""
        turns: list[Turn] = []
        self.session = await asyncio.to_thread(self._asked.session, self.assistant)
        with told(self):
            await self._watch.changed()
            if conversation is not None:
                self.session = await asyncio.to_thread(self._asked.session, self.assistant, conversation)
            if self.session.conversation is not None:
                turns = await asyncio.to_thread(self.assistant.vault.turns.whole, self.session.conversation.id)
        return turns

    async def _show_conversation(self, turns: list[Turn]) -> None:
        self._kept = [(turn.id, turn.text) for turn in turns]
        await self.transcript.clear(hint=None if turns else Welcome(self.mode))
        self._show_state()
        self._show_title()
        if turns:
            await self.transcript.show([said(turn) for turn in turns])
        else:
            self._look_for_model()

    async def _recalled(self, answers: Sequence[str]) -> Mapping[str, Sequence[RecalledTurn]]:
        recalled: dict[str, Sequence[RecalledTurn]] = {}
        with told(self):
            recalled |= await asyncio.to_thread(self._recalled_for, answers)
        return recalled

    def _recalled_for(self, answers: Sequence[str]) -> dict[str, list[RecalledTurn]]:
        return {answer: self.assistant.vault.recollections.of_answer(answer) for answer in answers}

    @work(exclusive=True, group="watch")
    async def _look_again(self) -> None:
        """Show no longer what was forgotten or corrected elsewhere, and show what was added."""
        vault, session, number = self.assistant.vault, self.session, self._number
        if self.busy or not self.ready or session is None:
            return
        with told(self):
            if not await self._watch.changed():
                return
            answers = [turn for turn in self.transcript.said if isinstance(turn, Answered)]
            nodes = sorted({line.turn.node for answer in answers for line in answer.memories})
            remembered = await asyncio.to_thread(vault.turns.by_nodes, nodes)
            self.transcript.forget({turn.node: turn.text for turn in remembered})
            for answer in answers:
                if answer.account is not None:
                    answer.account = await asyncio.to_thread(as_it_stands, vault, answer.account)
            if session.conversation is None:
                return
            turns = await asyncio.to_thread(vault.turns.whole, session.conversation.id)
            kept = [(turn.id, turn.text) for turn in turns]
            if self._number != number:
                return  # something was sent, or another conversation opened, meanwhile
            if kept != self._kept:
                self.composer.forget({text for _, text in self._kept} - {text for _, text in kept})
                self.open(session.conversation.id if kept else session.parent, mode=self._asked)
            else:
                self._show_title()

    @work(exclusive=True, group="model")
    async def _look_for_model(self) -> None:
        """Say in the empty chat that there is no model, before the user finds out by asking."""
        with told(self):
            problem = await asyncio.to_thread(self._missing_model)
            for hint in self.query(Welcome):
                hint.missing_model(problem)

    def _leave_reply(self) -> None:
        """Stop what is being written and listen to it no more; what was written is kept."""
        if self._answer is not None:
            self._stopping = self._number
        if self.session is not None:
            self.session.stop()  # it may be reading ahead
        self._number += 1
        self._answer = None

    async def quiet(self) -> None:
        """Stop the reply, and come back when its thread is done with model and vault."""
        self._leave_reply()
        await self.threads.settle("reply")

    @work(exclusive=True, group="title")
    async def _show_title(self) -> None:
        """Show the title, which the vault makes of the first turn, and where there are other versions."""
        conversation = None if self.session is None else self.session.conversation
        with told(self):
            title, forks = "", dict[str, Fork]()
            if conversation is not None:
                title, forks = await asyncio.to_thread(_title_and_forks, self.assistant.vault, conversation.id)
            self.query_one("#title", Static).update(one_line(title))
            self.transcript.mark(forks)

    def _show_state(self) -> None:
        banner = self.query_one("#banner", Static)
        banner.update(self.mode.banner)
        banner.display = not self.mode.keeps
        self.set_class(not self.mode.keeps, "-unkept")
        paused = () if self.assistant.config.learning else (PAUSED.word,)
        self.query_one(StatusLine).show(self.assistant.model, words=dict.fromkeys([self.mode.word, *paused]))


def _title_and_forks(vault: Vault, conversation: str) -> tuple[str, dict[str, Fork]]:
    """Give what a conversation is called, and its places with several versions by the turns that stand there."""
    forks = {fork.node: fork for fork in vault.branches.forks(conversation)}
    there = {turn.id: forks[turn.node] for turn in vault.turns.by_nodes(list(forks))}
    return vault.conversations.get(conversation).title, there
