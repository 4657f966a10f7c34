"""`assistant mcp`: the memory for other assistants of the user."""

import importlib.util
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Self

import typer

from assistant.cli.opening import Place, find_place, held_secret, unlocked
from assistant.cli.shape import single
from assistant.errors import BadInput
from storage.errors import VaultLocked

if TYPE_CHECKING:
    from assistant.bootstrap import Assistant

app, command = single(
    """
    assistant mcp
    assistant vault unlock --for 8h && assistant mcp
    assistant mcp --passphrase-file ~/.secret
    """
)


@command
def mcp(ctx: typer.Context) -> None:
    """Let other assistants use the memory, by their protocol (MCP).

    It speaks over stdin and stdout; the other assistant starts it. Tools: recall,
    remember, why, and forget, which asks you first. The vault opens at the first
    call, by vault unlock, the keyring or a given passphrase; nobody is asked
    here. What others remember is marked as theirs, and believed less than you.
    """
    if importlib.util.find_spec("mcp") is None:
        raise BadInput("this needs the official SDK of the protocol; install it with: pip install 'assistant[mcp]'")
    import anyio

    from assistant.cli.memory_tools import make_server

    place = find_place(ctx)
    place = replace(place, options=replace(place.options, asks=False))
    with _Held(place) as held:
        server = make_server(held.assistant, lambda: datetime.now().astimezone())
        anyio.run(server.run_stdio_async)


class _Held:
    """The open assistant, for as long as the vault is unlocked."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._open = ExitStack()
        self._assistant: Assistant | None = None
        self._by_agent = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def assistant(self) -> "Assistant":
        """Give it; opened at the first call, and closed again once the agent has locked the vault.

        Raises
        ------
        StorageError, PassphraseMissing
            The vault is locked, or there is none.
        """
        held = held_secret(self._place) is not None
        if self._assistant is not None and self._by_agent and not held:
            self._close()
            raise VaultLocked("the vault was locked")
        if self._assistant is None:
            self._assistant = self._open.enter_context(unlocked(self._place))
            self._by_agent = held
        return self._assistant

    def _close(self) -> None:
        self._open.close()
        self._assistant = None
