"""The command line: one file for each noun or daily verb, and here the boundary where errors become exit codes.

| code | meaning |
|---|---|
| 0 | done |
| 1 | unexpected: a bug, or an output that cannot be written |
| 2 | used wrongly, or no terminal where one is needed |
| 3 | nothing has this identifier; with `recall --exit-code`, memory does not know |
| 4 | locked: no vault, no passphrase, a wrong one, a new key, or no agent to hold it |
| 5 | the model is missing or cannot be used |
| 6 | the storage is full, read-only, damaged, or newer than the program |
| 7 | another process holds the vault |
| 129, 130, 141, 143 | ended by SIGHUP, SIGINT, SIGPIPE, SIGTERM |
"""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import typer

    from assistant.cli.options import Unlock

PROGRAM = "assistant"
VERSION_ALONE = (["--version"], ["-V"])
"""Answered before anything is loaded that reads a command line."""

REWORDED = (
    ("Value error, ", ""),
    ("Input should be a valid integer, unable to parse string as an integer", "it must be a whole number"),
    ("Input should be a valid number, unable to parse string as a number", "it must be a number"),
    ("Input should be", "it must be"),
)
"""Words of the libraries that read a command line, and what is told instead."""

UNEXPECTED, USAGE, NOTHING_FOUND, LOCKED, NO_MODEL, STORAGE, BUSY = 1, 2, 3, 4, 5, 6, 7
INTERRUPTED, BROKEN_PIPE = 130, 141


def main(arguments: Sequence[str] | None = None, *, unlock: "Unlock | None" = None) -> int:
    """Run one command and give its exit code. `unlock` builds the assistant from config, paths and passphrase."""
    from assistant.cli import streams

    streams.make_safe()
    if arguments is None:
        arguments = sys.argv[1:]
        sys.excepthook = streams.tell_unexpected
    debug = "--debug" in arguments
    with streams.signals_raised():
        try:
            code = _run(arguments, unlock)
            sys.stdout.flush()
        except BrokenPipeError:
            streams.drop_stdout()
            return BROKEN_PIPE
        except KeyboardInterrupt:
            streams.end_line()
            return INTERRUPTED
        except streams.Terminated as ended:
            streams.end_progress()
            return ended.exit_code
        except _told_to_users() as error:  # which are looked up when something was raised, and not before
            return _tell(error, debug=debug)
    return code


def version_line() -> str:
    """Give what `--version` prints."""
    from assistant import __version__

    return f"{PROGRAM} {__version__}"


def exit_code(error: Exception) -> int:
    """Give the exit code of an error of this program."""
    from assistant import errors
    from assistant.cli.passphrase import PassphraseMissing
    from storage import errors as storage

    codes: tuple[tuple[type[Exception], int], ...] = (  # the first that fits
        (storage.NotFound, NOTHING_FOUND),
        (storage.WrongPassphrase, LOCKED),
        (storage.EmptyPassphrase, LOCKED),
        (storage.VaultKeyChanged, LOCKED),
        (storage.VaultMissing, LOCKED),
        (storage.VaultLocked, LOCKED),
        (PassphraseMissing, LOCKED),
        (errors.AgentFailed, LOCKED),
        (errors.ModelMissing, NO_MODEL),
        (errors.ModelNotLoadable, NO_MODEL),
        (errors.ModelFailed, NO_MODEL),
        (errors.KeyringFailed, LOCKED),
        (storage.VaultBusy, BUSY),
        (storage.VaultExists, USAGE),
        (storage.BackupRefused, USAGE),
        (storage.LastSlot, USAGE),
        (storage.StorageError, STORAGE),
        (errors.BadInput, USAGE),
        (errors.NoTerminal, USAGE),
    )
    return next((code for kind, code in codes if isinstance(error, kind)), UNEXPECTED)


def _run(arguments: Sequence[str], unlock: "Unlock | None") -> int:
    if list(arguments) in VERSION_ALONE:
        from assistant.cli import streams

        streams.say(version_line())
        return 0
    import typer

    from assistant.cli.options import hoist
    from assistant.cli.root import app

    options, rest = hoist(arguments, unlock=unlock)
    command = typer.main.get_command(app)
    try:
        with command.make_context(PROGRAM, rest, obj=options) as context:
            command.invoke(context)
    except typer.Exit as finished:
        return finished.exit_code
    return 0


def _told_to_users() -> tuple[type[Exception], ...]:
    """Give the errors that a user can do something about; any other is a bug, and shows where it is."""
    import typer

    from assistant.errors import AssistantError
    from storage.errors import StorageError

    return typer.TyperException, AssistantError, StorageError


def _tell(error: Exception, *, debug: bool) -> int:
    """Tell such an error, and give its exit code."""
    import typer

    from assistant.cli import streams

    if isinstance(error, typer.TyperException):
        return _tell_usage(error)
    streams.tell_error(str(error), traceback=debug)
    return exit_code(error)


def _tell_usage(error: "typer.TyperException") -> int:
    """Tell what is wrong with a command line, in one line; a group without a command shows its help."""
    from typer._click.exceptions import NoArgsIsHelpError, NoSuchOption

    from assistant.cli import streams

    if isinstance(error, NoArgsIsHelpError):
        streams.tell(error.format_message())
        return USAGE
    context = getattr(error, "ctx", None)
    command = context.command_path if context else PROGRAM
    what = " ".join(error.format_message().split()).rstrip(".")
    for theirs, ours in REWORDED:
        what = what.replace(theirs, ours)
    if isinstance(error, NoSuchOption) and error.option_name.lstrip("-")[:1].isdigit():
        what += "; a value that begins with - stands after --"
    streams.tell_error(f"{what[:1].lower()}{what[1:]}; see {command} --help")
    return error.exit_code
