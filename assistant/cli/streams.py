"""The streams and signals of the process: what is written where, and how it ends early."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType

from assistant.text import inert

ENDING_SIGNALS = (signal.SIGTERM, signal.SIGHUP)
PLAIN_TERMINALS = {"", "dumb"}
"""Values of TERM of terminals that show escapes as they are."""

LONGEST_LINE = 500
"""Characters of an error: what was typed may be a whole file."""

_shown_progress = 0


class Terminated(BaseException):
    """A signal asked the process to end; raised in the main thread, so that everything is closed on the way out."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.exit_code = 128 + number


def say(line: str = "") -> None:
    """Write a line of an answer to stdout."""
    sys.stdout.write(line + "\n")


def tell(line: str) -> None:
    """Write a line to stderr: anything that is no answer."""
    end_progress()
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


def tell_dimly(line: str) -> None:
    """Write to stderr what stands behind an answer; dim on a terminal that shows it."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM", "") in PLAIN_TERMINALS or not is_terminal(sys.stderr)
    tell(line if plain else f"\x1b[2m{line}\x1b[22m")


def warn(message: str) -> None:
    """Write a warning to stderr."""
    tell(f"assistant: warning: {_short(one_line(message))}")


def tell_error(message: str, *, traceback: bool = False) -> None:
    """Write an error to stderr, in one line; after its traceback when one is wanted."""
    if traceback:
        from traceback import print_exc

        print_exc()
    tell(f"assistant: {_short(one_line(message))}")


def tell_progress(text: str) -> None:
    """Show, in place of the last such line, how far something is; only where stderr is a terminal."""
    global _shown_progress  # noqa: PLW0603  (what stands on the terminal is global too)
    if not is_terminal(sys.stderr):
        return
    line = one_line(text)[:78]
    sys.stderr.write("\r" + line.ljust(_shown_progress))
    sys.stderr.flush()
    _shown_progress = len(line)


def end_progress() -> None:
    """Take the progress line away."""
    global _shown_progress  # noqa: PLW0603
    if _shown_progress:
        sys.stderr.write("\r" + " " * _shown_progress + "\r")
        sys.stderr.flush()
        _shown_progress = 0


def one_line(text: str) -> str:
    """Give an inert text on one line."""
    return inert(" ".join(text.split()), keep="")


def is_terminal(stream: object) -> bool:
    """Tell whether a stream is a terminal."""
    isatty = getattr(stream, "isatty", None)
    return bool(isatty is not None and isatty())


def has_terminal() -> bool:
    """Tell whether there is a terminal for reading, writing and errors: what a screen needs."""
    return all(is_terminal(stream) for stream in (sys.stdin, sys.stdout, sys.stderr))


def make_safe() -> None:
    """Fill closed standard streams with nothing, and let no character make reading or writing fail.

    A descriptor below 3 that is free would be given to the next file that is opened, such as the vault: everything that
    is written to stdout would go into it.
    """
    for descriptor, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is None:
            if not _is_open(descriptor):
                os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, os.fdopen(descriptor, mode, encoding="utf-8", closefd=False))
    for stream, errors in (
        (sys.stdin, "replace"),  # of lines; what must be UTF-8 as a whole is read as bytes
        (sys.stdout, "backslashreplace"),
        (sys.stderr, "backslashreplace"),
    ):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors=errors)


def drop_stdout() -> None:
    """Throw away what is still to be written to a stdout that nobody reads."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, sys.stdout.fileno())
    except OSError:  # no real file, as in a test
        return
    finally:
        os.close(nowhere)


def end_line() -> None:
    """Leave the line on which ^C stands."""
    end_progress()
    if is_terminal(sys.stderr):
        sys.stderr.write("\n")


def tell_unexpected(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Tell an error that nobody foresaw, in one line: the program's `sys.excepthook`."""
    if "--debug" in sys.argv:
        sys.__excepthook__(kind, error, trace)
        return
    drop_stdout()
    what = f"{kind.__name__}: {error}" if str(error) else kind.__name__
    tell_error(f"unexpected: {what}; run it again with --debug for the details")


@contextmanager
def signals_raised() -> Iterator[None]:
    """Turn the signals that end a process into `Terminated`, as Python turns SIGINT into KeyboardInterrupt."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in ENDING_SIGNALS}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:  # nohup
            signal.signal(number, _raise)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _raise(number: int, _: FrameType | None) -> None:
    raise Terminated(number)


def _short(line: str) -> str:
    """Give a line without its middle where that is much: an error begins with what was, and ends with what to do."""
    if len(line) <= LONGEST_LINE:
        return line
    half = LONGEST_LINE // 2
    return f"{line[:half].rstrip()} … {line[-half:].lstrip()}"


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True
