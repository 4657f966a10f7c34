"""Asking the agent: for the key of a vault, to hold one, to forget it, and how it is."""

import os
import socket
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from assistant.agent.protocol import (
    KEY_BYTES,
    REPLY,
    REPLY_BYTES,
    REQUEST,
    VERSION,
    Memory,
    Order,
    Outcome,
    check_peer,
    check_private,
    socket_path,
)
from assistant.agent.starting import START_SECONDS, start, starting_alone
from assistant.errors import AgentFailed
from assistant.paths import Paths
from storage.keys import DataKey

ANSWER_SECONDS = 3.0
"""An agent that is there answers within a millisecond; one that was stopped must not stop the program."""
_NO_KEY = bytes(KEY_BYTES)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentStatus:
    """What the agent tells of itself and of one vault."""

    pid: int
    """Its process."""
    keys: int
    """How many vaults are unlocked."""
    memory: Memory
    held: bool
    """Whether this vault is unlocked."""
    at_most: timedelta | None
    """How long still, whatever is done; None: without end, or not held."""
    idle: timedelta | None
    """How long still unless it is used; None: without end, or not held."""

    @property
    def left(self) -> timedelta | None:
        """How long still unless it is used: the shorter of both; None: without end, or not held."""
        return min((limit for limit in (self.at_most, self.idle) if limit is not None), default=None)


def lock_line(status: AgentStatus | None, *, now: datetime) -> str:
    """Give for people until when the vault is unlocked."""
    if status is None or not status.held:
        return "locked"
    at_most = f"until {now + status.at_most:%Y-%m-%d %H:%M}" if status.at_most else "until it is locked"
    if status.idle is None or (status.at_most is not None and status.at_most <= status.idle):
        return at_most
    return f"{at_most}, or {now + status.idle:%Y-%m-%d %H:%M} unless it is used"


class _HungUp(AgentFailed):
    """The agent closed the connection before it answered: it has ended, or too many asked at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reply:
    outcome: Outcome
    memory: Memory
    keys: int
    pid: int
    at_most: timedelta | None
    idle: timedelta | None
    key: DataKey | None


def held_key(paths: Paths) -> DataKey | None:
    """Give the key of this profile's vault if the agent holds it; None too when there is no agent or it fails."""
    try:
        reply = _ask(paths, Order.GET)
    except AgentFailed:
        return None
    return reply.key if reply and reply.outcome is Outcome.DONE else None


def forget_key(paths: Paths) -> bool:
    """Let the agent forget the key of this profile's vault; give whether it held it.

    Raises
    ------
    AgentFailed
        There is an agent, and it does not answer.
    """
    reply = _ask(paths, Order.FORGET)
    return reply is not None and reply.outcome is Outcome.DONE


def forget_all_keys(paths: Paths) -> int:
    """Let the agent forget every key; give how many it held.

    Raises
    ------
    AgentFailed
        There is an agent, and it does not answer.
    """
    reply = _ask(paths, Order.FORGET_ALL)
    return reply.keys if reply else 0


def agent_status(paths: Paths) -> AgentStatus | None:
    """Give how the agent is; None when there is none.

    Raises
    ------
    AgentFailed
        It does not answer, or its folder is open to others.
    """
    reply = _ask(paths, Order.STATUS)
    if reply is None:
        return None
    return AgentStatus(
        pid=reply.pid,
        keys=reply.keys,
        memory=reply.memory,
        held=reply.outcome is Outcome.DONE,
        at_most=reply.at_most,
        idle=reply.idle,
    )


def hold_key(paths: Paths, key: DataKey, *, at_most: timedelta | None, idle: timedelta | None) -> None:
    """Let the agent hold the key of this profile's vault; starts one when there is none.

    Parameters
    ----------
    at_most
        How long, whatever is done; None: without end.
    idle
        How long without a use; None: without end.

    Raises
    ------
    AgentFailed
        It cannot be started, does not answer, or holds as many keys as it can.
    """
    path = socket_path(paths.runtime)
    with starting_alone(path.parent):
        connection = _connected(path, START_SECONDS) or _started(path)
        reply = _exchanged(connection, _request(paths, Order.HOLD, key.secret, at_most, idle))
    if reply.outcome is not Outcome.DONE:
        raise AgentFailed("the agent holds as many keys as it can; let it forget them: assistant vault lock --all")


def _ask(paths: Paths, order: Order) -> _Reply | None:
    """Give the answer; None when there is no agent."""
    path, request = socket_path(paths.runtime), _request(paths, order)
    with suppress(_HungUp):
        return _asked(path, request)
    return _asked(path, request)  # an agent that has ended is not there the second time


def _asked(path: Path, request: bytes) -> _Reply | None:
    connection = _connected(path, ANSWER_SECONDS)
    return None if connection is None else _exchanged(connection, request)


def _request(
    paths: Paths,
    order: Order,
    key: bytes = _NO_KEY,
    at_most: timedelta | None = None,
    idle: timedelta | None = None,
) -> bytes:
    import hashlib

    vault = hashlib.sha256(os.fsencode(paths.data.resolve())).digest()
    limits = (limit.total_seconds() if limit else 0.0 for limit in (at_most, idle))
    return REQUEST.pack(VERSION, order, vault, *limits) + key


def _connected(path: Path, seconds: float) -> socket.socket | None:
    """Give a connection to this user's own agent; None when nobody listens."""
    try:
        check_private(path.parent)
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.settimeout(seconds)
        try:
            connection.connect(str(path))
            check_peer(connection, os.geteuid())
        except BaseException:
            connection.close()
            raise
    except (FileNotFoundError, ConnectionRefusedError):
        return None
    except OSError as error:
        raise _failed(error) from error
    return connection


def _started(path: Path) -> socket.socket:
    start(path)
    connection = _connected(path, START_SECONDS)
    if connection is None:
        raise _hung_up()
    return connection


def _exchanged(connection: socket.socket, request: bytes) -> _Reply:
    received = bytearray(REPLY_BYTES)
    try:
        with connection:
            connection.sendall(request)
            rest = memoryview(received)
            while rest:
                arrived = connection.recv_into(rest)
                if not arrived:
                    raise _hung_up()
                rest = rest[arrived:]
        return _read(received)
    except ConnectionError as error:
        raise _hung_up() from error
    except OSError as error:
        raise _failed(error) from error
    finally:
        received[:] = bytes(REPLY_BYTES)


def _read(received: bytearray) -> _Reply:
    version, outcome, memory, keys, pid, *limits = REPLY.unpack_from(received)
    if version != VERSION or outcome == Outcome.NOT_UNDERSTOOD:
        message = f"the agent is of another version of the program; end it with: kill {pid}"
        raise AgentFailed(message)
    at_most, idle = (timedelta(seconds=left) if left < timedelta.max.total_seconds() else None for left in limits)
    key = bytes(received[REPLY.size :])
    return _Reply(
        outcome=Outcome(outcome),
        memory=Memory(memory),
        keys=keys,
        pid=pid,
        at_most=at_most,
        idle=idle,
        key=DataKey(key) if key != _NO_KEY else None,
    )


def _hung_up() -> _HungUp:
    return _HungUp("the agent ended before it answered; try again")


def _failed(error: OSError) -> AgentFailed:
    if isinstance(error, TimeoutError):
        return AgentFailed("the agent does not answer; end it with: pkill -f assistant.agent")
    return AgentFailed(f"the agent cannot be asked: {error.strerror or error}; see assistant doctor")
