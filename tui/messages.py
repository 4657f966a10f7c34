"""What widgets and workers tell the screens."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

from assistant.events import Event, ForgetProposed

if TYPE_CHECKING:
    from tui.widgets.said import Asked


@dataclass
class Submitted(Message):
    """The user sent what stood in the composer."""

    text: str
    typed: bool
    """False when some of it was pasted: then it is never a command."""


@dataclass
class Drafted(Message):
    """What stands in the composer changed."""

    text: str
    typed: bool


@dataclass
class PastedMuch(Message):
    """A paste that is too long to be read where one writes."""

    text: str


@dataclass
class EmptyDeleted(Message):
    """Something was to be deleted where nothing is written."""


@dataclass
class ForgetWanted(Message):
    """The user said that something shall be forgotten."""

    proposed: ForgetProposed


@dataclass
class EditWanted(Message):
    """A question shall be asked again in other words."""

    question: "Asked"


@dataclass
class SendAgain(Message):
    """A question shall be answered once more."""

    question: "Asked"


@dataclass
class VersionWanted(Message):
    """A conversation shall be shown that parts from the one that is shown."""

    conversation: str
    node: int
    """Of the turn that stands there in the place where they part."""


@dataclass
class ReplyTold(Message):
    """An event of a reply, from the thread in which it runs."""

    number: int
    """Of the reply: one that is over, or belongs to a conversation that was left, is not listened to."""
    event: Event


@dataclass
class ReplyBroke(Message):
    """A reply ended with an error that it could not turn into an event."""

    number: int
    reason: str


@dataclass
class CheckTold(Message):
    """How far the check of a file is, from the thread in which it runs."""

    what: str
    share: float | None


@dataclass
class VaultChanged(Message):
    """The key that opened the vault opens it no more: another process gave it a new one."""

    reason: str
