"""What runs in a thread for an answer. Nothing is drawn from there: it is told to the screen, which draws."""

from collections.abc import Callable
from contextlib import suppress

from textual.message import Message

from assistant.session import Session
from tui.failures import EXPECTED, reason
from tui.messages import ReplyBroke, ReplyTold


def answer(session: Session, text: str, *, number: int, post: Callable[[Message], object]) -> None:
    """Run a reply, tell its events, and consolidate when nobody waits any more.

    Parameters
    ----------
    session, text
        The session to ask, and what is asked.
    number
        Of the reply; every message has it.
    post
        Takes the messages, from any thread.
    """
    try:
        for event in session.reply(text):
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
