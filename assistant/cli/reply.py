"""Prints a reply as it comes: the answer to stdout, all else to stderr, or every event as a line of JSON."""

import json
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import TYPE_CHECKING, Any, Protocol

from assistant import events
from assistant.cli import NO_MODEL, output, streams
from assistant.cli.forget_lines import plan_fields
from assistant.config import Config
from assistant.events import Event
from assistant.text import inert

if TYPE_CHECKING:
    from collections.abc import Generator

    from assistant.memory.recollection import Recollection
    from storage.records import Turn

TYPE_NAMES: dict[type, str] = {
    events.TurnKept: "kept",
    events.Recalled: "recalled",
    events.ForgetProposed: "proposed",
    events.Loading: "loading",
    events.Notice: "notice",
    events.Reading: "reading",
    events.Token: "token",
    events.ReplyFinished: "finished",
    events.ReplyStopped: "stopped",
    events.ReplyFailed: "failed",
}
"""What an event is called in JSON."""
STOPPING_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Stoppable(Protocol):
    """What answers."""

    def retry(self) -> "Iterator[Event]":
        """Give the events of another answer to the last question."""

    def reply(self, text: str, *, context: str = "", system: str = "", instead_of: str = "") -> "Iterator[Event]":
        """Give the events of an answer."""

    def stop(self) -> None:
        """End it early."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked."""

    text: str
    context: str = ""
    system: str = ""
    again: bool = False
    """Whether the last question is meant, for another answer."""
    instead_of: str = ""
    """Identifier of an earlier question whose place it takes, in a branch."""


@dataclass(slots=True)
class Printed:
    """What came of a reply."""

    kept: "Turn | None" = None
    """What the user said, where it is kept."""
    recollection: "Recollection | None" = None
    proposed: "events.ForgetProposed | None" = None
    """What would go, when the user wants something forgotten."""
    end: "events.ReplyFinished | events.ReplyStopped | events.ReplyFailed | None" = None
    signals: list[int] = field(default_factory=list)
    """Signals that stopped it."""

    def note(self, event: Event) -> None:
        """Take down what an event brings."""
        match event:
            case events.TurnKept(turn=turn):
                self.kept = turn
            case events.Recalled(recollection=recollection):
                self.recollection = recollection
            case events.ForgetProposed():
                self.proposed = event
            case events.ReplyFinished() | events.ReplyStopped() | events.ReplyFailed():
                self.end = event

    @property
    def exit_code(self) -> int:
        """0; the signal's when one stopped it; that of a failing model."""
        if self.signals:
            return 128 + self.signals[0]
        return NO_MODEL if isinstance(self.end, events.ReplyFailed) else 0


def print_reply(session: Stoppable, question: Question, *, as_json: bool = False) -> Printed:
    """Print an answer while it is written. A signal stops it and what was written is kept; a second one ends it all."""
    printed = Printed()
    show = _show_json if as_json else AnswerLines().show
    with _stopped_by_signals(session, printed.signals):
        if question.again:
            coming = session.retry()
        else:
            coming = session.reply(
                question.text, context=question.context, system=question.system, instead_of=question.instead_of
            )
        with closing(_closable(coming)) as event_stream:
            try:
                for event in event_stream:
                    printed.note(event)
                    show(event)
            except BrokenPipeError:  # nobody reads on: what was written so far is kept
                session.stop()
                for _ in event_stream:
                    pass
                raise
    return printed


def tell_paused(config: Config) -> None:
    """Write to stderr that nothing is kept, when the settings say so."""
    if not config.learning:
        streams.tell("assistant: note: learning is paused in the settings: nothing of this is kept")


def stated(printed: Printed) -> "Turn | None":
    """Give what the user said and is remembered now, unless it only asked."""
    from assistant.memory.evidence import only_asks

    return None if printed.kept is None or only_asks(printed.kept) else printed.kept


def tell_why(printed: Printed) -> None:
    """Write to stderr which memories came up, and which of them the answer had and drew on."""
    if printed.recollection is None:
        streams.tell("memory was not asked")
        return
    hits = printed.recollection.hits
    short = output.short_ids(output.ids_of(hits))
    injected, used = (set(printed.end.injected), set(printed.end.used)) if printed.end else (set(), set())
    streams.tell(f"recalled {len(hits)}, told the model {len(injected)}, used {len(used)}")
    for hit in hits:
        turn = hit.turn
        mark = "used" if turn.id in used else "told" if turn.id in injected else ""
        line = f"{mark:4}  {hit.score:5.2f}  {output.minute(turn.time)}  {short[turn.id]}"
        streams.tell(f"{line}  {output.flat(turn.speaker)}: {output.flat(turn.text)}")
        streams.tell(f"      {output.why_line(hit, short)}")


def event_fields(event: Event) -> dict[str, Any]:
    """Give an event for JSON: its `type`, and what it tells under stable keys."""
    fields: dict[str, Any]
    match event:
        case events.TurnKept(turn=turn):
            fields = {"turn": output.turn_fields(turn)}
        case events.Recalled(recollection=recollection):
            fields = output.recollection_fields(recollection)
        case events.ForgetProposed(request=request, plan=plan):
            fields = {"about": request.about, "everything": request.everything, "plan": plan_fields(plan)}
        case events.ReplyFinished() | events.ReplyStopped() | events.ReplyFailed():
            fields = _end_fields(event)
        case _:  # what such an event tells is plain already
            fields = {name: getattr(event, name) for name in event.__dataclass_fields__}
    return {"type": TYPE_NAMES[type(event)], **fields}


class AnswerLines:
    """Shows a reply as text: stdout gets nothing but the answer, and a line end after it."""

    def __init__(self) -> None:
        self._last = ""
        """The character before the next piece: joiners depend on it."""

    def show(self, event: Event) -> None:
        """Show an event."""
        match event:
            case events.Loading(what=what, share=share):
                streams.tell_progress(what if share is None else f"{what} {share:.0%}")
            case events.Reading(done=done, total=total):
                streams.tell_progress(f"reading {done:,} of {total:,} tokens")
            case events.Notice(text=text):
                streams.tell(f"assistant: note: {streams.one_line(text)}")
            case events.Token(text=text):
                self._write(text)
            case events.ReplyFinished() | events.ReplyStopped() | events.ReplyFailed():
                self._end(event)

    def _write(self, text: str) -> None:
        streams.end_progress()
        before = "" if self._last == "\r" else self._last
        sys.stdout.write(inert(before + text)[len(before) :])
        sys.stdout.flush()
        self._last = text[-1:] or self._last

    def _end(self, event: "events.ReplyFinished | events.ReplyStopped | events.ReplyFailed") -> None:
        streams.end_progress()
        if self._last not in {"", "\n"}:
            streams.say()
        sys.stdout.flush()
        match event:
            case events.ReplyFailed(message=message):
                streams.tell_error(message)
            case events.ReplyStopped():
                streams.tell("stopped" if event.turn is None else "stopped; what was written is kept")
            case events.ReplyFinished(cut=True):
                streams.tell("assistant: note: the answer reached its longest length; max_tokens allows more")


def _show_json(event: Event) -> None:
    streams.say(json.dumps(event_fields(event)))
    sys.stdout.flush()
    if isinstance(event, events.ReplyFailed):
        streams.tell_error(event.message)


def _end_fields(event: "events.ReplyFinished | events.ReplyStopped | events.ReplyFailed") -> dict[str, Any]:
    fields: dict[str, Any] = {
        "text": event.text,
        "turn": output.turn_fields(event.turn) if event.turn else None,
        "injected": list(event.injected),
        "used": list(event.used),
    }
    match event:
        case events.ReplyFinished(figures=figures, cut=cut):
            fields["cut"] = cut
            fields["figures"] = {name: getattr(figures, name) for name in figures.__dataclass_fields__}
        case events.ReplyFailed(message=message):
            fields["message"] = message
    return fields


def _closable(coming: "Iterator[Event]") -> "Generator[Event, None, None]":
    yield from coming


@contextmanager
def _stopped_by_signals(session: Stoppable, received: list[int]) -> Iterator[None]:
    """Let the first signal stop the reply, and a second one do what it did before."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in STOPPING_SIGNALS}

    def stop(number: int, _: FrameType | None) -> None:
        received.append(number)
        signal.signal(number, before[signal.Signals(number)])
        threading.Thread(target=session.stop).start()  # a lock that is held here must not be waited for here

    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, stop)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
