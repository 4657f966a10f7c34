"""What is known of a reply while it comes, and how it ends."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypedDict

from assistant import events
from assistant.events import Event
from assistant.history import Exchange
from assistant.language import model as language
from assistant.language import prompt
from assistant.language.model import Message
from assistant.memory.recollection import Hit
from storage.records import Turn, Utterance, Verdict, new_id

WITHOUT_MODEL = language.Done(
    finish="stop", prompt_tokens=0, reused_tokens=0, completion_tokens=0, read_seconds=0.0, write_seconds=0.0
)
"""The end of an answer that no model gave."""


@dataclass(slots=True, kw_only=True, eq=False)
class Reply:
    """A question, what memory gave for it, and what was answered so far."""

    question: str
    seed: int
    context: str = ""
    """What was to be read with it, and not to be remembered."""
    system: str = ""
    """Further instructions for this answer."""
    started: float = field(default_factory=time.perf_counter)
    id: str = field(default_factory=new_id)
    """Of the question, where it is kept or will be."""
    instead_of: frozenset[int] = frozenset()
    """Nodes of the question whose place it takes, and of the answers to that: they are not told as memories."""
    said: Utterance | None = None
    """The question with its time; None for an order to the memory."""
    asked: Turn | None = None
    """Where the question is kept; None in a temporary chat."""
    sent: Message | None = None
    """The question as the model reads it, with memories and context."""
    recalled: tuple[Hit, ...] = ()
    injected: tuple[Hit, ...] = ()
    knowledge: tuple[prompt.Known, ...] = ()
    asks_of_others: bool = False
    """Whether the question asks about people beside the user who speak in the memory."""
    knows_facts: bool = False
    """Whether there is more in it than how the user wants to be answered."""
    verdict: Verdict | None = None
    text: str = ""
    first_token: float = 0.0
    done: language.Done | None = None
    answer: Utterance | None = None
    """What was written, with its time; None while it is, or when there was nothing."""
    turn: Turn | None = None
    """Where the answer is kept."""
    used: tuple[Hit, ...] = ()
    """The memories that it drew on."""
    earlier: tuple[Hit, ...] = ()
    """Those that it drew on, too, and that had been told with an earlier question of the same chat."""
    exchange: Exchange | None = None
    """Question and answer as the history has them."""


def stopped(reply: Reply) -> Event:
    """Give the end of a reply that was stopped."""
    return events.ReplyStopped(**_ending(reply))


def failed(reply: Reply, message: str) -> Event:
    """Give the end of a reply that failed; the message says what happened and what to do."""
    return events.ReplyFailed(**_ending(reply), message=message)


def finished(reply: Reply, done: language.Done) -> Event:
    """Give the end of a reply that is whole."""
    figures = events.ReplyFigures(
        prompt_tokens=done.prompt_tokens,
        reused_tokens=done.reused_tokens,
        completion_tokens=done.completion_tokens,
        first_token_seconds=round(reply.first_token, 3),
        seconds=round(time.perf_counter() - reply.started, 3),
        tokens_per_second=round(done.completion_tokens / done.write_seconds, 2) if done.write_seconds else 0.0,
        seed=reply.seed,
    )
    return events.ReplyFinished(**_ending(reply), figures=figures, cut=done.finish == "length")


class _Ending(TypedDict):
    """The fields of `events.ReplyEnd`."""

    text: str
    turn: Turn | None
    injected: tuple[str, ...]
    used: tuple[str, ...]
    asked: str


def _ending(reply: Reply) -> _Ending:
    return _Ending(
        text=reply.text.strip(),
        turn=reply.turn,
        injected=_ids(reply.injected),
        used=_ids(reply.used),
        asked="" if reply.said is None else reply.id,
    )


def _ids(hits: Sequence[Hit]) -> tuple[str, ...]:
    return tuple(hit.turn.id for hit in hits)
