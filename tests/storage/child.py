"""What a second process does in the tests: `python -m tests.storage.child TASK FOLDER [ARGUMENT]`."""

import fcntl
import os
import signal
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import apsw

from storage import migrations
from storage.keys import FLOOR_COST, DataKey
from storage.vault import Vault
from tests.storage.making import PASSPHRASE, say


def write(folder: Path, count: str) -> None:
    """Append turns, and print the identifier of each once it is on disk. The key comes in: deriving it takes long."""
    vault = Vault(folder, DataKey(bytes.fromhex(sys.stdin.readline())))
    conversation = vault.conversations.listing()[0]
    for number in range(int(count)):
        turn = say(vault, conversation, f"words number {number} of process {os.getpid()}")
        print(turn.id, flush=True)
    vault.close()


def hold(folder: Path) -> None:
    """Keep a reader's snapshot until a line comes in."""
    vault = Vault.open(folder, PASSPHRASE)
    connection = vault._database._connection
    assert connection is not None
    connection.execute("begin")
    connection.execute("select count(*) from node").fetchall()
    print("holding", flush=True)
    sys.stdin.readline()
    connection.execute("commit")
    vault.close()
    print("let go", flush=True)


def block(folder: Path) -> None:
    """Keep a transaction open until a line comes in."""
    vault = Vault.open(folder, PASSPHRASE)
    with vault.transaction():
        print("blocking", flush=True)
        sys.stdin.readline()
    vault.close()


def create_and_die(folder: Path, step: str) -> None:
    """Make a vault, and be killed before the opening or renaming of this number."""
    left = int(step)

    def count(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal left
        if event in {"open", "os.rename"} and str(folder) in str(arguments[0]):
            left -= 1
            if left == 0:
                _die()

    sys.addaudithook(count)
    Vault.create(folder, PASSPHRASE, cost=FLOOR_COST).close()


def erase_and_die(folder: Path, node: str, statement: str) -> None:
    """Erase a node, and be killed before the first statement that begins so."""
    vault = Vault.open(folder, PASSPHRASE)
    connection = vault._database._connection
    assert connection is not None

    def watch(cursor: apsw.Cursor, text: str, bindings: object) -> bool:
        if text.startswith(statement):
            _die()
        return True

    connection.exec_trace = watch
    print("erasing", flush=True)
    vault.erase([int(node)])
    print("erased", flush=True)


def forget_and_die(folder: Path, node: str, step: str, statement: str) -> None:
    """Take a step of forgetting with a grace period, and be killed before the first statement that begins so."""
    vault = Vault(folder, DataKey(bytes.fromhex(sys.stdin.readline())))
    connection = vault._database._connection
    assert connection is not None

    def watch(cursor: apsw.Cursor, text: str, bindings: object) -> bool:
        if text.startswith(statement):
            _die()
        return True

    connection.exec_trace = watch
    print("forgetting", flush=True)
    now = datetime(2026, 3, 14, tzinfo=UTC)
    match step:
        case "put_aside":
            vault.put_aside([int(node)], now=now, until=now)
        case "take_back":
            vault.take_back(vault.forgettings()[0].id)
        case _:
            vault.erase_waiting([vault.forgettings()[0].id], now=now)
    print("forgot", flush=True)


def upgrade_and_die(folder: Path, statement: str) -> None:
    """Bring a vault to this version's schema, and be killed before the first statement that begins so."""
    vault = Vault(folder, DataKey(bytes.fromhex(sys.stdin.readline())))
    connection = vault._database._connection
    assert connection is not None

    def watch(cursor: apsw.Cursor, text: str, bindings: object) -> bool:
        if text.lstrip().startswith(statement):
            _die()
        return True

    connection.exec_trace = watch
    print("upgrading", flush=True)
    migrations.upgrade(vault._database)
    print("upgraded", flush=True)


def try_lock(folder: Path) -> None:
    """Say whether another process holds SQLite's shared lock on the database (510 bytes, 2 beyond 1 GiB)."""
    with (folder / "vault.db").open("r+b") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 510, (1 << 30) + 2)
        except OSError:
            print("held")
        else:
            print("free")


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


TASKS: dict[str, Callable[..., None]] = {
    "write": write,
    "hold": hold,
    "block": block,
    "create_and_die": create_and_die,
    "erase_and_die": erase_and_die,
    "forget_and_die": forget_and_die,
    "upgrade_and_die": upgrade_and_die,
    "try_lock": try_lock,
}

if __name__ == "__main__":
    TASKS[sys.argv[1]](Path(sys.argv[2]), *sys.argv[3:])
