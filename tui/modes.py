"""What becomes of what is said in a chat, and how the chat says so."""

from dataclasses import dataclass

from assistant.bootstrap import Assistant
from assistant.session import Session


@dataclass(frozen=True, slots=True, kw_only=True)
class Mode:
    """A way in which a chat recalls and keeps, or does not."""

    keeps: bool = False
    """Whether what is said is remembered."""
    recalls: bool = True
    """Whether memories are read for an answer."""
    word: str
    """In the status line; empty when nothing is out of the ordinary."""
    banner: str
    title: str
    """Stands above an empty chat."""
    hints: tuple[str, ...]
    """Stand below that."""

    def session(self, assistant: Assistant, conversation: str | None = None) -> Session:
        """Give a session of this kind, a new one or one that goes on with a conversation.

        Raises
        ------
        NotFound
            There is no such conversation.
        """
        return assistant.session(conversation, temporary=not self.keeps, use_memory=self.recalls)


KEPT = Mode(
    keeps=True,
    word="",
    banner="",
    title="What is on your mind?",
    hints=(
        "Tell me something worth remembering, or ask about something you told me before.",
        "Everything stays on this machine. What you say is remembered, and comes back when it matters.",
    ),
)
TEMPORARY = Mode(
    word="TEMPORARY",
    banner="TEMPORARY · nothing of this chat is kept",
    title="Temporary chat",
    hints=(
        "This chat leaves no trace: it is kept nowhere, and gone when you leave it.",
        "I still remember what you told me in other conversations.",
    ),
)
MEMORYLESS = Mode(
    recalls=False,
    word="NO MEMORY",
    banner="NO MEMORY · nothing is recalled, and nothing of this chat is kept",
    title="Chat without memory",
    hints=(
        "Here I know nothing of you: no memory is read.",
        "This chat leaves no trace: it is kept nowhere, and gone when you leave it.",
    ),
)
PAUSED = Mode(
    word="PAUSED",
    banner="PAUSED · nothing you say is kept · /pause goes on",
    title="Learning is paused",
    hints=(
        "Nothing you say is kept until you go on with /pause.",
        "I still remember what you told me before.",
    ),
)
"""An ordinary chat while learning is paused; the other kinds stay what they are."""
