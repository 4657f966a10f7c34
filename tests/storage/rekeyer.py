"""Gives a vault a new key again and again and dies on the way: `python -m tests.storage.rekeyer FOLDER`.

Reads first the recovery key, then one line for each attempt, and answers each with one: `N words`, how it is to die.
A fork makes each attempt, so that nothing is loaded anew: 40 attempts take the time of three processes.
"""

import os
import signal
import sys
from pathlib import Path

import apsw

from storage.key_material import RecoveryKey
from storage.rekeying import rekey


def attempt(folder: Path, recovery: RecoveryKey, how: str, when: float) -> None:
    """Give a new key, and die: before a statement or a file of this number, or after so many seconds."""
    left = int(when)

    def count() -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def watch_statements(connection: apsw.Connection) -> None:
        def watch(_cursor: apsw.Cursor, _text: str, _bindings: object) -> bool:
            count()
            return True

        connection.exec_trace = watch

    def watch_files(event: str, arguments: tuple[object, ...]) -> None:
        if event in {"open", "os.rename"} and str(folder) in str(arguments[0]):
            count()

    match how:
        case "statement":
            apsw.connection_hooks.append(watch_statements)
        case "file":
            sys.addaudithook(watch_files)
        case "seconds":
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_REAL, when)
        case _:
            pass
    rekey(folder, recovery)


def main(folder: Path) -> None:
    """Make attempts as long as lines come in."""
    recovery = RecoveryKey.from_text(sys.stdin.readline())
    for line in sys.stdin:
        how, when = line.split()
        process = os.fork()
        if process == 0:
            attempt(folder, recovery, how, float(when))
            os._exit(0)
        _, status = os.waitpid(process, 0)
        print("killed" if os.WIFSIGNALED(status) else f"ended {os.waitstatus_to_exitcode(status)}", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
