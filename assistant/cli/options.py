"""Options that every command has, before or after the command's name."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assistant.errors import BadInput

if TYPE_CHECKING:
    from assistant.bootstrap import Assistant
    from assistant.config import Config
    from assistant.paths import Paths
    from storage.keys import Secret

    Unlock = Callable[[Config, Paths, Secret], Assistant]

WITH_VALUE = {"--profile": "profile", "--passphrase-file": "passphrase_file", "--passphrase-fd": "passphrase_fd"}

HELP = (
    ("--profile NAME", "Another set of memories, with a vault of its own."),
    ("--passphrase-file FILE", "Read the passphrase from a file (a line end after it is left out)."),
    ("--passphrase-fd N", "Read the passphrase from an open file descriptor."),
    ("--debug", "Show a traceback with an error."),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options that every command has."""

    profile: str | None = None
    passphrase_file: Path | None = None
    passphrase_fd: int | None = None
    debug: bool = False
    asks: bool = True
    """Whether the passphrase may be asked for on the terminal."""
    unlock: "Unlock | None" = None
    """Builds the assistant; None: `bootstrap.unlock`."""


def hoist(arguments: Sequence[str], *, unlock: "Unlock | None" = None) -> tuple[Options, list[str]]:
    """Take the common options out of a command line, wherever they stand before `--`; gives them and the rest.

    Raises
    ------
    BadInput
        One has no value or a wrong one, or the passphrase would come from two places.
    """
    given: dict[str, Any] = {}
    rest: list[str] = []
    waiting = iter(arguments)
    for argument in waiting:
        name, equals, value = argument.partition("=")
        if argument == "--":
            rest += [argument, *waiting]
        elif argument == "--debug":
            given["debug"] = True
        elif name in WITH_VALUE:
            given[WITH_VALUE[name]] = _value(name, value if equals else next(waiting, None))
        else:
            rest.append(argument)
    if "passphrase_file" in given and "passphrase_fd" in given:
        raise BadInput("--passphrase-file and --passphrase-fd are both given: choose one")
    return Options(unlock=unlock, **given), rest


def _value(name: str, given: str | None) -> str | int | Path:
    if not given:
        message = f"{name} needs a value; see assistant --help"
        raise BadInput(message)
    match name:
        case "--passphrase-file":
            return Path(given)
        case "--passphrase-fd":
            if not given.isascii() or not given.isdecimal():
                message = f"--passphrase-fd {given}: give the number of an open file descriptor"
                raise BadInput(message)
            return int(given)
    return given
