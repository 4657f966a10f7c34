"""The agent's loop: it answers, looks at its clocks, and ends when it holds no key. It never waits for one client."""

import fcntl
import os
import selectors
import signal
import socket
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from pathlib import Path

from assistant.agent.hardening import Clocks
from assistant.agent.held import Arena, Keys, Left, wipe
from assistant.agent.protocol import (
    KEY_BYTES,
    REPLY,
    REPLY_BYTES,
    REQUEST,
    REQUEST_BYTES,
    VERSION,
    Memory,
    Order,
    Outcome,
    check_peer,
)
from assistant.errors import AgentFailed

MOST_KEYS = 64
MOST_CONVERSATIONS = 16
"""One more, and the oldest of them is broken off."""
PATIENCE_SECONDS = 2.0
"""What a client has to say the whole of its request."""
FIRST_KEY_SECONDS = 10.0
"""An agent that was given no key by then ends: whoever started it has died."""
LOOK_SECONDS = 10.0
"""How often it looks whether the machine slept, and whether its socket is still there. No key is given unlooked."""
RETRY_SECONDS = 0.05
"""How soon it tries to end again when a client that wants a key held is on its way."""
ENDING_SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
FORGETTING_SIGNALS = (*ENDING_SIGNALS, signal.SIGUSR1)


@dataclass(slots=True, kw_only=True)
class _Conversation:
    """A client whose request is on its way."""

    connection: socket.socket
    slot: memoryview
    received: int = 0
    ends: float


class Agent:
    """Holds keys for the processes of one user. `signals` gives the numbers of signals that arrived, one a byte."""

    def __init__(
        self, listening: socket.socket, signals: socket.socket, *, arena: Arena, memory: Memory, clocks: Clocks
    ) -> None:
        self._listening = listening
        self._signals = signals
        self._arena = arena
        self._memory = memory
        self._clocks = clocks
        self._keys = Keys(arena, key_bytes=KEY_BYTES, most=MOST_KEYS)
        self._conversations: dict[int, _Conversation] = {}
        self._gaps = [gap.seconds() for gap in clocks.gaps]
        self._first_key_due = clocks.passed() + FIRST_KEY_SECONDS
        self._place = Path(listening.getsockname())
        self._inode = self._place.stat().st_ino
        self._uid = os.geteuid()

    def run(self) -> None:
        """Serve until no key is held any more, or a signal says so."""
        with selectors.DefaultSelector() as selector:
            for waiting in (self._listening, self._signals):
                waiting.settimeout(0)
                selector.register(waiting, selectors.EVENT_READ)
            while True:
                events = [key.fileobj for key, _ in selector.select(self._wait_seconds())]
                if self._signals in events and self._ended_by_signal():
                    self._close()
                    return
                self._look()
                for file in events:
                    if file is self._listening:
                        self._accept(selector)
                    elif file is not self._signals:
                        self._receive(selector, file)
                self._drop_overdue(selector)
                if self._may_end() and self._close():
                    return

    # time

    def _wait_seconds(self) -> float:
        now = self._clocks.passed()
        if self._may_end():
            return RETRY_SECONDS
        ends = [self._keys.next_end(), now + LOOK_SECONDS, *(one.ends for one in self._conversations.values())]
        return max(0.0, min(ends) - now)

    def _look(self) -> None:
        """Forget what is due; everything, if the machine slept or the socket was taken away."""
        if self._slept() or not self._is_reachable():
            self._keys.forget_all()
        self._keys.expire(self._clocks.passed())

    def _slept(self) -> bool:
        """Whether the machine did, since the last time that this was asked."""
        before, self._gaps = self._gaps, [gap.seconds() for gap in self._clocks.gaps]
        grown = [after - seconds for after, seconds in zip(self._gaps, before, strict=True)]
        return any(more > gap.tolerance for more, gap in zip(grown, self._clocks.gaps, strict=True))

    def _is_reachable(self) -> bool:
        try:
            return self._place.stat().st_ino == self._inode
        except OSError:
            return False

    # clients

    def _accept(self, selector: selectors.BaseSelector) -> None:
        try:
            connection, _ = self._listening.accept()
        except OSError:  # it has gone again
            return
        try:
            check_peer(connection, self._uid)
        except (AgentFailed, OSError):
            connection.close()
            return
        if len(self._conversations) == MOST_CONVERSATIONS:
            self._drop(selector, next(iter(self._conversations)))
        slot = self._arena.take()
        if slot is None:
            connection.close()
            return
        connection.settimeout(0)
        selector.register(connection, selectors.EVENT_READ)
        self._conversations[connection.fileno()] = _Conversation(
            connection=connection, slot=slot, ends=self._clocks.passed() + PATIENCE_SECONDS
        )

    def _receive(self, selector: selectors.BaseSelector, file: object) -> None:
        """Take what has come; answer when it is whole."""
        number = file.fileno() if isinstance(file, socket.socket) else -1
        one = self._conversations.get(number)
        if one is None:  # dropped a moment ago
            return
        try:
            arrived = one.connection.recv_into(one.slot[one.received : REQUEST_BYTES])
        except BlockingIOError:
            return
        except OSError:
            arrived = 0
        one.received += arrived
        if arrived and one.received < REQUEST_BYTES:
            return
        if arrived:
            self._answer(one.slot)
            with suppress(OSError):  # it does not wait for the answer any more
                one.connection.send(one.slot[:REPLY_BYTES])
        self._drop(selector, number)

    def _drop_overdue(self, selector: selectors.BaseSelector) -> None:
        now = self._clocks.passed()
        for number in [number for number, one in self._conversations.items() if one.ends <= now]:
            self._drop(selector, number)

    def _drop(self, selector: selectors.BaseSelector, number: int) -> None:
        one = self._conversations.pop(number)
        self._arena.give_back(one.slot)
        selector.unregister(one.connection)
        one.connection.close()

    # orders

    def _answer(self, slot: memoryview) -> None:
        """Do what the request in a slot wants, and put the reply in its place."""
        version, order, vault, at_most, idle = REQUEST.unpack_from(slot)
        now, count = self._clocks.passed(), len(self._keys)
        key: memoryview | None = None
        done: bool | None = None
        match order if version == VERSION and at_most >= 0 and idle >= 0 else None:
            case Order.GET:
                key = self._keys.use(vault, now)
                done = key is not None
            case Order.HOLD:
                done = self._keys.hold(
                    vault, slot[REQUEST.size : REQUEST_BYTES], now, Left(at_most=at_most or inf, idle=idle or inf)
                )
                self._first_key_due = now
            case Order.FORGET:
                done = self._keys.forget(vault)
            case Order.FORGET_ALL:
                done = self._keys.forget_all() > 0
            case Order.STATUS:
                done = self._keys.left(vault, now) is not None
        outcome = Outcome.NOT_UNDERSTOOD if done is None else Outcome.DONE if done else Outcome.NOT_DONE
        left = self._keys.left(vault, now) or Left()
        wipe(slot)
        REPLY.pack_into(slot, 0, VERSION, outcome, self._memory, count, os.getpid(), left.at_most, left.idle)
        if key is not None:
            slot[REPLY.size : REPLY_BYTES] = key

    # the end

    def _ended_by_signal(self) -> bool:
        """Forget everything; give whether the signal is one that ends a process."""
        self._keys.forget_all()
        return any(number in ENDING_SIGNALS for number in self._signals.recv(64))

    def _may_end(self) -> bool:
        return not self._keys and not self._conversations and self._clocks.passed() >= self._first_key_due

    def _close(self) -> bool:
        """Take the socket away, unless a client is about to have a key held; give whether it was done.

        Such a client holds the folder, from before it connects until it has its answer.
        """
        try:
            folder = os.open(self._place.parent, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:  # gone, and the socket with it
            return True
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        else:
            if self._is_reachable():
                self._place.unlink()
            self._listening.close()
            return True
        finally:
            os.close(folder)
