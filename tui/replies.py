"""What runs in a thread for an answer. Nothing is drawn from there: it is told to the screen, which draws."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import suppress

from textual.message import Message

from assistant.events import Event
from assistant.session import Session
from tui.failures import EXPECTED, reason
from tui.messages import ReplyBroke, ReplyTold


class Threads:
    """What runs in threads, and can be waited for even when whoever began it was cancelled."""

    def __init__(self) -> None:
        self._running: dict[asyncio.Future[None], str] = {}

    async def run(self, kind: str, call: Callable[[], None]) -> None:
        """Run something in a thread, and come back when it is done."""
        running = asyncio.ensure_future(asyncio.to_thread(call))
        self._running[running] = kind
        running.add_done_callback(self._running.pop)
        await asyncio.shield(running)

    async def settle(self, kind: str) -> None:
        """Come back when all of this kind is done."""
        running = [thread for thread, what in self._running.items() if what == kind]
        if running:
            await asyncio.wait(running)


def answer(
    session: Session, ask: Callable[[], Iterator[Event]], *, number: int, post: Callable[[Message], object]
) -> None:
    """Run a reply, tell its events, and consolidate when nobody waits any more.

    Parameters
    ----------
    session
        Which answers.
    ask
        Begins the reply.
    number
        Of the reply; every message has it.
    post
        Takes the messages, from any thread.
    """
    try:
        for event in ask():
            post(ReplyTold(number, event))
    except EXPECTED as error:
        post(ReplyBroke(number, reason(error)))
        return
    with suppress(*EXPECTED):  # nobody waits for it; the turns are there the next time
        session.consolidate()


def read_ahead(session: Session) -> None:
    """Make the model ready while the user types."""
    with suppress(*EXPECTED):  # the reply will say it where the user looks
        session.read_ahead()
