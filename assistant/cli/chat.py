"""`assistant chat`: the screens, or a chat in lines where there can be none."""

import os
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from assistant.cli import INTERRUPTED, streams
from assistant.cli.opening import Place, find_place, unlocked
from assistant.cli.passphrase import forbid_core_dumps, given_secret
from assistant.cli.reply import Printed, Question, print_reply, tell_paused, tell_why
from assistant.cli.shape import single
from assistant.errors import BadInput, NoTerminal

if TYPE_CHECKING:
    from assistant.bootstrap import Assistant
    from assistant.session import Session

COMMANDS = "/new a new chat, /temp one of which nothing is kept, /why the memories of the last answer, /quit"

DUMB = {None, "", "dumb"}
"""What TERM is where nothing can be drawn."""

app, command = single(
    """
    assistant chat
    assistant chat --plain
    assistant chat --conversation 8c41d2aa
    """
)


@command
def chat(
    ctx: typer.Context,
    plain: Annotated[bool, typer.Option("--plain", help="In lines, for screen readers and dumb terminals.")] = False,
    temporary: Annotated[bool, typer.Option("-n", "--temporary", help="Keep nothing of it.")] = False,
    conversation: Annotated[str | None, typer.Option("--conversation", metavar="ID", help="Go on with it.")] = None,
) -> None:
    """Open the chat.

    With TERM=dumb it is the one in lines. Without a terminal, use assistant ask.
    """
    raise typer.Exit(open_chat(ctx, plain=plain, temporary=temporary, conversation=conversation))


def open_chat(
    ctx: typer.Context, *, plain: bool = False, temporary: bool = False, conversation: str | None = None
) -> int:
    """Open the chat that suits the terminal; gives the exit code.

    Raises
    ------
    NoTerminal
        There is none; only the chat in lines, asked for by name, reads what is piped in.
    """
    if not plain and not streams.has_terminal():
        raise NoTerminal('there is no terminal for the chat; use: assistant ask "a question"')
    place = find_place(ctx)
    if plain or os.environ.get("TERM") in DUMB:
        with unlocked(place) as assistant:
            return _LineChat(assistant, temporary=temporary, conversation=conversation).run()
    return _screens(place, temporary=temporary, conversation=conversation)


def _screens(place: Place, *, temporary: bool, conversation: str | None) -> int:
    from tui.app import run

    forbid_core_dumps()
    secret = given_secret(place.options, place.config, place.paths.data)
    return run(place.config, place.paths, passphrase=secret, conversation=conversation, temporary=temporary)


class _LineChat:
    """A chat in lines: nothing is drawn over, so that a screen reader can follow."""

    def __init__(self, assistant: "Assistant", *, temporary: bool, conversation: str | None) -> None:
        self._assistant = assistant
        self._session: Session = assistant.session(conversation, temporary=temporary)
        self._last = Printed()

    def run(self) -> int:
        """Chat until the input ends."""
        streams.tell(f"Chat in lines. {COMMANDS}; ctrl+d ends too.")
        tell_paused(self._assistant.config)
        interrupted = False
        while True:
            try:
                line = self._read()
            except KeyboardInterrupt:
                if interrupted:
                    raise
                interrupted = True
                streams.tell("\nctrl+c once more ends the chat")
                continue
            interrupted = False
            match line:
                case None | "/quit":
                    return 0
                case "":
                    continue
                case _ if line.startswith("/"):
                    self._obey(line)
                case _:
                    code = self._answer(line)
                    if code > 128 and code != INTERRUPTED:
                        return code

    def _read(self) -> str | None:
        """Give the next line; None at the end."""
        if streams.is_terminal(sys.stdin):
            sys.stderr.write("You: ")
            sys.stderr.flush()
        line = sys.stdin.readline()
        if line:
            return line.strip()
        if streams.is_terminal(sys.stdin):
            streams.tell("")
        return None

    def _answer(self, line: str) -> int:
        if streams.is_terminal(sys.stdout):
            streams.say("Assistant:")
        try:
            self._last = print_reply(self._session, Question(text=line))
        except BadInput as error:  # such as too long a line: the chat goes on
            streams.tell_error(str(error))
            return 0
        self._session.consolidate()
        return self._last.exit_code

    def _obey(self, line: str) -> None:
        match line:
            case "/new" | "/temp":
                self._session = self._assistant.session(temporary=line == "/temp")
                streams.tell("A temporary chat: nothing of it is kept." if line == "/temp" else "A new chat.")
            case "/why":
                tell_why(self._last)
            case _:
                streams.tell(COMMANDS)
