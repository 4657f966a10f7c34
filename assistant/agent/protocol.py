"""What the agent and its clients say: one request and one reply for each connection, both of a fixed length.

Fixed lengths leave nothing to parse and nothing to grow, and let a key go between the socket and memory of its own
without a copy in between.
"""

import os
import socket
import stat
import struct
import sys
from enum import IntEnum
from pathlib import Path

from assistant.errors import AgentFailed

VERSION = 1
KEY_BYTES = 32
VAULT_BYTES = 32
"""SHA-256 of the vault's folder: the agent has no use for its name."""
REQUEST = struct.Struct(f"!BB{VAULT_BYTES}sdd")
"""Version, `Order`, vault, seconds it is held at most, and without being used (0: without end). A key follows."""
REPLY = struct.Struct("!BBBHIdd")
"""Version, `Outcome`, `Memory`, keys held before, process, seconds left of both limits (infinite: none). A key follows.

Neither takes in the key: it stays where it arrived.
"""
REQUEST_BYTES = REQUEST.size + KEY_BYTES
REPLY_BYTES = REPLY.size + KEY_BYTES

SOCKET_NAME = "agent"
LONGEST_PATH = 104 if sys.platform == "darwin" else 108
"""Bytes of a socket's path, with the zero byte at its end."""
_LOCAL_PEERCRED = 1
_SOL_LOCAL = 0
_XUCRED_BYTES = 76


class Order(IntEnum):
    """What a client wants."""

    GET = 1
    """The key of a vault; which counts as a use of it."""
    HOLD = 2
    """Keep this key, in place of one that is kept for the same vault."""
    FORGET = 3
    FORGET_ALL = 4
    STATUS = 5


class Outcome(IntEnum):
    """What came of it."""

    DONE = 1
    NOT_DONE = 2
    """It holds no such key; or there is no room for one more."""
    NOT_UNDERSTOOD = 3
    """The request is of another version of the program."""


class Memory(IntEnum):
    """How much of the agent's memory the system keeps out of swap space."""

    LOCKED = 1
    KEYS_LOCKED = 2
    """Only where the keys lie."""
    NOT_LOCKED = 3


def socket_path(runtime: Path) -> Path:
    """Give the socket's place: in the runtime folder, or in a short one of the temporary folder if that is too deep.

    Raises
    ------
    AgentFailed
        Both are too long for a socket.
    """
    plain = runtime.absolute() / SOCKET_NAME
    if _fits(plain):
        return plain
    import hashlib
    import tempfile

    short = hashlib.sha256(os.fsencode(plain)).hexdigest()[:12]
    other = Path(tempfile.gettempdir()).absolute() / f"assistant-{os.geteuid()}-{short}" / SOCKET_NAME
    if _fits(other):
        return other
    message = f"{plain} is too long for a socket; set ASSISTANT_RUNTIME_DIR to a shorter folder"
    raise AgentFailed(message)


def check_private(folder: Path) -> None:
    """See that a folder belongs to this user, and that nobody else may enter it.

    Raises
    ------
    FileNotFoundError
        There is none.
    AgentFailed
        It is not so: whoever can enter it could put a socket of their own there.
    """
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode):
        message = f"{folder} is no folder; take away what is there, or set ASSISTANT_RUNTIME_DIR"
        raise AgentFailed(message)
    if found.st_uid != os.geteuid():
        message = f"{folder} belongs to another user; set ASSISTANT_RUNTIME_DIR to a folder of your own"
        raise AgentFailed(message)
    if found.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        message = f"others may enter {folder}; close it with: chmod 700 {folder}"
        raise AgentFailed(message)


def check_peer(connection: socket.socket, uid: int) -> None:
    """See that the process at the other end belongs to this user.

    Raises
    ------
    AgentFailed
        It does not, or this system does not tell.
    """
    if _peer_uid(connection) != uid:
        raise AgentFailed("the process at the other end of the agent's socket belongs to another user")


def _peer_uid(connection: socket.socket) -> int:
    if sys.platform == "darwin":
        credentials = connection.getsockopt(_SOL_LOCAL, _LOCAL_PEERCRED, _XUCRED_BYTES)
        return int(struct.unpack_from("=II", credentials)[1])
    if hasattr(socket, "SO_PEERCRED"):
        credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("=iII"))
        return int(struct.unpack("=iII", credentials)[1])
    raise AgentFailed("this system does not tell whose the other end of a socket is; do without the agent")


def _fits(path: Path) -> bool:
    return len(os.fsencode(path)) < LONGEST_PATH
