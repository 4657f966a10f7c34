"""The user's editor, on a text that a command has to do with."""

import os
from collections.abc import Mapping

from assistant.cli import streams
from assistant.editing import chosen_editor, edit_in
from assistant.errors import NoTerminal


def edit(
    text: str,
    environment: Mapping[str, str] | None = None,
    *,
    name: str = "memory.txt",
    otherwise: str = "give the new text after the id",
) -> str:
    """Give the text as the user left it in $VISUAL or $EDITOR; `otherwise` says what to do without an editor.

    Raises
    ------
    NoTerminal, BadInput
        There is no terminal, the editor cannot be started or failed, or its text is not UTF-8.
    """
    environment = os.environ if environment is None else environment
    editor = chosen_editor(environment, otherwise=otherwise)
    if not streams.has_terminal():
        message = f"there is no terminal for an editor; {otherwise}"
        raise NoTerminal(message)
    return edit_in(editor, text, environment=environment, name=name, warn=streams.warn)
