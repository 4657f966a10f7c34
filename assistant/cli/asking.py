"""Questions that are answered on the terminal before something is done that cannot be undone."""

import sys
from collections.abc import Collection

from assistant.cli import streams
from assistant.errors import NoTerminal

YES = frozenset({"y", "yes"})


def agrees(question: str, *, otherwise: str, words: Collection[str] = YES) -> bool:
    """Ask, and give whether one of these words was typed; if not, what is so `otherwise` is told.

    Raises
    ------
    NoTerminal
        There is nobody to ask.
    """
    sys.stdout.flush()
    if not (streams.is_terminal(sys.stdin) and streams.is_terminal(sys.stderr)):
        message = f"{otherwise}: there is no terminal to ask; give -y to go on without asking"
        raise NoTerminal(message)
    sys.stderr.write(question)
    sys.stderr.flush()
    if sys.stdin.readline().strip().casefold() in words:
        return True
    streams.tell(otherwise)
    return False
