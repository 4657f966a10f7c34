"""An answer: what the model writes, drawn while it comes, and under it one line about the memories behind it."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual import events, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from assistant.events import (
    Event,
    Loading,
    Notice,
    Reading,
    Recalled,
    ReplyEnd,
    ReplyFailed,
    ReplyFigures,
    ReplyFinished,
    Token,
)
from assistant.memory.recollection import Recollection
from storage.records import RecalledTurn
from tui.keys import bound
from tui.reasons import Account, account_from
from tui.text import day, excerpt, inert, one_line
from tui.widgets.answer_text import AnswerText, LinkingParser
from tui.widgets.said import Answered

PAINT_SECONDS = 0.06
"""Between two paintings of an answer that comes: what the eye takes for flowing. Where one takes longer than that, as
much time is left for keys."""
EXCERPT_CHARACTERS = 400
"""Of each memory under an answer; the memory screen shows the whole."""
SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"


def code_blocks(text: str) -> list[str]:
    """Give the code blocks of a text in Markdown, as they were written, without the line end after each."""
    tokens = LinkingParser().parse(text)
    return [token.content.removesuffix("\n") for token in tokens if token.type in {"fence", "code_block"}]


class FootLine(Static):
    """The one dim line under an answer."""

    ALLOW_SELECT = False

    class Pressed(Message):
        """It was clicked."""

    def on_click(self, event: events.Click) -> None:
        """Ask for the memories."""
        event.stop()
        self.post_message(self.Pressed())


class Answer(Vertical, can_focus=True):
    """One answer in the transcript."""

    FOCUS_ON_CLICK = False  # a click selects text; the composer keeps the keys

    BINDINGS: ClassVar[list[BindingType]] = [
        bound("turns.why", "app.show_why", "Why this answer"),
        bound(
            "turns.unfold", "toggle_why", "What was recalled", tooltip="Unfold the memories in the prompt, or fold them"
        ),
        bound("turns.copy", "copy", "Copy", tooltip="The words of this turn, to the clipboard"),
        bound("turns.copy_code", "app.copy_code", "Copy code", tooltip="The code of this answer, to the clipboard"),
    ]

    def __init__(self, said: Answered | None = None, *, running: bool = False) -> None:
        super().__init__(classes="answer")
        self.said = said or Answered()
        """What is drawn here, and stays when this is taken down."""
        self._writing = running
        self._recollection: Recollection | None = None
        self._doing = "recalling"
        self._beat = 0
        self._pending: list[str] = []
        self._fresh = asyncio.Event()

    @property
    def running(self) -> bool:
        """Whether it is being written."""
        return self._writing

    @property
    def text(self) -> str:
        """All that was written so far, as the model wrote it."""
        return self.said.text

    @property
    def memories(self) -> tuple[RecalledTurn, ...]:
        """Those in the prompt, best first."""
        return self.said.memories

    @property
    def kept(self) -> str:
        """Identifier of the turn that keeps it."""
        return self.said.kept

    @property
    def account(self) -> Account | None:
        """Why an answer that is kept nowhere says what it says."""
        return self.said.account

    def compose(self) -> ComposeResult:
        """Give what it is made of."""
        if self._writing:
            yield Static("", classes="activity", markup=False)
        yield AnswerText("" if self._writing else inert(self.text))
        yield Static("", classes="notice", markup=False)
        yield FootLine("", classes="foot", markup=False)
        yield Vertical(classes="memories")

    def on_mount(self) -> None:
        """Begin to draw."""
        self.set_class(self._writing, "-running")
        self.query_one(AnswerText).display = bool(self.text)
        self.set_class(self.said.failed, "-failed")
        self._show_notice()
        self._show_foot()
        if self._writing:
            self._show_activity()
            if self.app.animation_level != "none":
                self.set_interval(0.1, self._show_activity)
            self._draw()

    # What a reply tells

    def take(self, event: Event) -> None:
        """Show what an event of the reply tells."""
        match event:
            case Recalled(recollection=recollection):
                self.recalled(recollection)
            case Loading(what=what, share=share):
                self.doing(one_line(what) + ("…" if share is None else f" {share:.0%}"))
            case Notice(text=text):
                self.notice(text)
            case Reading(done=done, total=total):
                self.doing(f"reading {done:,}/{total:,}")
            case Token(text=text):
                self.write(text)
            case ReplyEnd() as end:
                self.end(end)

    def doing(self, activity: str) -> None:
        """Show what happens before the first word: `reading 230/900`."""
        self._doing = activity
        self._show_activity()

    def recalled(self, recollection: Recollection) -> None:
        """Keep what memory gave; which of it went into the prompt is known at the end."""
        self._recollection = recollection
        self.doing("thinking")

    def notice(self, text: str) -> None:
        """Show something the user should know about this answer."""
        self.said.notice = text
        self._show_notice()

    def write(self, piece: str) -> None:
        """Add a piece of the answer."""
        self.said.text += piece
        self._pending.append(piece)
        self._fresh.set()

    def end(self, event: ReplyEnd) -> None:
        """Take what there is at the end, and show the line under it."""
        self.said.text = event.text or self.text
        self._explain(event)
        match event:
            case ReplyFinished():
                self.finish(figures_line(event.figures, cut=event.cut))
            case ReplyFailed():
                self.finish(f"failed: {one_line(event.message)}", failed=True)
            case _:
                self.finish("stopped")

    def _explain(self, event: ReplyEnd) -> None:
        """Keep which memories were in the prompt; all that led to them is on record where the answer is."""
        recollection, self._recollection = self._recollection, None
        if event.turn is not None:
            self.said.kept = event.turn.id
        elif recollection is None:
            self.said.account = Account()
        else:
            self.said.account = account_from(recollection, injected=event.injected, used=event.used)
        self.said.memories = tuple(
            RecalledTurn(turn=hit.turn, rank=hit.rank, score=hit.score, injected=True, used=hit.turn.id in event.used)
            for hit in (() if recollection is None else recollection.hits)
            if hit.turn.id in event.injected
        )

    def forget(self, kept: Mapping[int, str]) -> None:
        """Keep only memories that still have these words."""
        if self.said.forget(kept):
            panel = self.query_one(".memories", Vertical)
            panel.display = False
            panel.remove_children()

    def finish(self, outcome: str, *, failed: bool = False) -> None:
        """End it with a word about how."""
        self._writing = False
        self.said.end(outcome, failed=failed)
        self.set_class(failed, "-failed")
        self._show_foot()
        self._fresh.set()

    def end_with(self, fate: str) -> None:
        """Say last in the line under it what became of what was said."""
        self.said.fate = fate
        self._show_foot()

    # What the user asks

    def action_toggle_why(self) -> None:
        """Show or hide the memories that were in the prompt."""
        panel = self.query_one(".memories", Vertical)
        if panel.display:
            panel.display = False
            return
        if self._writing:
            return
        panel.remove_children()
        panel.mount_all(memory_lines(self.memories))
        panel.display = True
        self.call_after_refresh(self.scroll_visible, animate=False)

    def action_copy(self) -> None:
        """Copy the answer as the model wrote it."""
        self.app.copy_to_clipboard(self.text)
        self.app.notify("Copied the answer")

    def on_foot_line_pressed(self, event: FootLine.Pressed) -> None:
        """Do as the key does."""
        event.stop()
        self.action_toggle_why()

    # Drawing

    @work(exclusive=True, group="draw")
    async def _draw(self) -> None:
        """Append what came since the last painting; at the end draw anew what looks otherwise when all is known."""
        shown, clock = self.query_one(AnswerText), asyncio.get_running_loop().time
        while self._writing or self._pending:
            await self._fresh.wait()
            self._fresh.clear()
            piece = "".join(self._pending)
            self._pending.clear()
            if piece:
                begun = clock()
                self.remove_class("-running")
                shown.display = True
                await shown.append(inert(piece))
                await self._seen()
                await asyncio.sleep(max(PAINT_SECONDS, clock() - begun))
        self.remove_class("-running")
        shown.display = bool(self.text)
        await shown.update(inert(self.text))

    async def _seen(self) -> None:
        """Come back when what was changed is laid out and painted."""
        seen = asyncio.Event()
        self.call_after_refresh(seen.set)
        await seen.wait()

    def _show_activity(self) -> None:
        if not self.is_mounted or not self.has_class("-running"):
            return
        self._beat = (self._beat + 1) % len(SPINNER)
        mark = SPINNER[self._beat] if self.app.animation_level != "none" else "·"
        self.query_one(".activity", Static).update(f"{mark} {one_line(self._doing)}")

    def _show_notice(self) -> None:
        line = self.query_one(".notice", Static)
        line.update(one_line(self.said.notice))
        line.display = bool(self.said.notice)

    def _show_foot(self) -> None:
        foot = self.query_one(FootLine)
        foot.update(inert(self.said.last_line))
        foot.display = bool(self.said.last_line)


def figures_line(figures: ReplyFigures, *, cut: bool) -> str:
    """Give what an answer cost: `4.2 s · 18 tokens/s`; one that needed no model says so."""
    speed = f"{figures.tokens_per_second:.0f} tokens/s" if figures.completion_tokens else "no model asked"
    parts = [f"{figures.seconds:.1f} s", speed]
    return " · ".join([*parts, "cut at the longest answer"] if cut else parts)


def memory_lines(memories: Sequence[RecalledTurn]) -> list[Static]:
    """Give the list under an answer: of each memory who said it, when, how well it fits, and its words."""
    if not memories:
        return [Static("No memory was in the prompt.", classes="memory-text", markup=False)]
    lines = []
    for memory in memories:
        head = f"{day(memory.turn.time)}  {one_line(memory.turn.speaker)}  {memory.score:.2f}"
        mark = Content.styled("  used", "$text-success") if memory.used else Content("")
        lines.append(Static(Content(head) + mark, classes="memory-head"))
        lines.append(Static(excerpt(memory.turn.text, EXCERPT_CHARACTERS), classes="memory-text", markup=False))
    return lines
