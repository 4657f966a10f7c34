"""The agent as a process: it holds keys, gives them to its user, and ends when it holds none."""

import contextlib
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from assistant.agent.client import agent_status, forget_all_keys, forget_key, held_key, hold_key
from assistant.agent.protocol import KEY_BYTES, REPLY, REQUEST_BYTES, VERSION, Memory, Outcome, socket_path
from assistant.errors import AgentFailed
from assistant.paths import Paths
from storage.keys import DataKey
from tests.assistant.agents import HOURS, ended_at_last, hold, is_running, other_vault, pid_of, places, wait_until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked into by /proc")


@pytest.fixture
def paths(tmp_path: Path) -> Iterator[Paths]:
    """Places of a user; no agent of theirs outlives the test."""
    with ended_at_last(places(tmp_path)) as made:
        yield made


@pytest.fixture
def key() -> DataKey:
    return DataKey.random()


def test_a_key_that_is_held_is_given_and_that_of_another_vault_is_not(paths: Paths, key: DataKey) -> None:
    assert held_key(paths) is None
    hold(paths, key)
    given = held_key(paths)
    assert given is not None
    assert given.secret == key.secret
    assert held_key(other_vault(paths, "other")) is None


def test_a_vault_is_known_by_whatever_path_leads_to_it(paths: Paths, key: DataKey) -> None:
    paths.data.mkdir(parents=True)
    (paths.data.parent / "link").symlink_to(paths.data)
    hold(other_vault(paths, "link"), key)
    assert held_key(paths) is not None


def test_asking_without_an_agent_makes_nothing(paths: Paths, tmp_path: Path) -> None:
    assert (held_key(paths), agent_status(paths), forget_key(paths), forget_all_keys(paths)) == (None, None, False, 0)
    assert list(tmp_path.iterdir()) == []


def test_an_agent_that_forgot_its_last_key_ends_and_takes_its_socket_away(paths: Paths, key: DataKey) -> None:
    other = other_vault(paths, "other")
    pid = hold(paths, key)
    hold(other, DataKey.random())
    assert forget_key(paths)
    assert not forget_key(paths)
    assert held_key(paths) is None
    assert held_key(other) is not None
    assert forget_all_keys(other) == 1
    wait_until(lambda: not is_running(pid), "the end of the agent")
    assert list(paths.runtime.iterdir()) == []


def test_what_is_left_of_the_limits_is_told(paths: Paths, key: DataKey) -> None:
    hold(paths, key, HOURS, timedelta(minutes=30))
    status = agent_status(paths)
    assert status is not None
    assert (status.keys, status.held) == (1, True)
    assert status.at_most is not None
    assert HOURS - timedelta(minutes=1) < status.at_most <= HOURS
    assert status.left == status.idle
    assert status.left is not None
    assert timedelta(minutes=29) < status.left <= timedelta(minutes=30)
    hold(paths, key, None, None)
    status = agent_status(paths)
    assert status is not None
    assert (status.keys, status.held, status.at_most, status.idle, status.left) == (1, True, None, None, None)


def test_a_key_that_had_its_time_is_gone_and_the_agent_with_it(paths: Paths, key: DataKey) -> None:
    pid = hold(paths, key, timedelta(seconds=0.4))
    assert held_key(paths) is not None
    wait_until(lambda: not is_running(pid), "the end of the agent")
    assert held_key(paths) is None


def test_a_key_that_is_not_used_is_gone_sooner(paths: Paths, key: DataKey) -> None:
    pid = hold(paths, key, HOURS, timedelta(seconds=0.3))
    wait_until(lambda: not is_running(pid), "the end of the agent")


@pytest.mark.parametrize("number", [signal.SIGUSR1, signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_makes_it_forget_and_end(paths: Paths, key: DataKey, number: signal.Signals) -> None:
    pid = hold(paths, key)
    os.kill(pid, number)
    wait_until(lambda: not is_running(pid), "the end of the agent")
    assert held_key(paths) is None
    assert list(paths.runtime.iterdir()) == []


def test_the_socket_of_an_agent_that_was_killed_is_in_nobodys_way(paths: Paths, key: DataKey) -> None:
    pid = hold(paths, key)
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not is_running(pid), "the end of the agent")
    assert socket_path(paths.runtime).exists()
    assert held_key(paths) is None
    assert not forget_key(paths)
    assert hold(paths, key) != pid
    assert held_key(paths) is not None


def test_many_who_unlock_at_once_get_one_agent(paths: Paths) -> None:
    vaults = [other_vault(paths, f"vault{number}") for number in range(4)]
    together = threading.Barrier(len(vaults))

    def unlock(vault: Paths) -> None:
        together.wait()
        hold_key(vault, DataKey.random(), at_most=HOURS, idle=None)

    threads = [threading.Thread(target=unlock, args=(vault,)) for vault in vaults]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({pid_of(vault) for vault in vaults}) == 1
    status = agent_status(paths)
    assert status is not None
    assert status.keys == len(vaults)


def test_garbage_half_messages_and_silence_neither_end_nor_stop_it(paths: Paths, key: DataKey) -> None:
    pid = hold(paths, key)
    place = str(socket_path(paths.runtime))
    waiting = []
    for said in (b"", b"\x01", b"\x00" * REQUEST_BYTES, b"\xff" * REQUEST_BYTES, os.urandom(100_000), *[b"\x01"] * 40):
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(5)
        connection.connect(place)
        with contextlib.suppress(BrokenPipeError):
            connection.send(said)
        waiting.append(connection)
        given = held_key(paths)
        assert given is not None
        assert given.secret == key.secret
    for connection in waiting:
        connection.close()
    assert pid_of(paths) == pid


def test_who_stays_silent_longest_makes_room_for_others(paths: Paths, key: DataKey) -> None:
    hold(paths, key)
    waiting = [socket.socket(socket.AF_UNIX) for _ in range(17)]
    for connection in waiting:
        connection.settimeout(5)
        connection.connect(str(socket_path(paths.runtime)))
    assert waiting[0].recv(1) == b""
    for connection in waiting:
        connection.close()


# who may ask


def test_nobody_else_may_enter_whatever_the_umask(paths: Paths, key: DataKey) -> None:
    before = os.umask(0)
    try:
        hold(paths, key)
    finally:
        os.umask(before)
    assert paths.runtime.stat().st_mode & 0o777 == 0o700
    assert socket_path(paths.runtime).stat().st_mode & 0o777 == 0o600


def test_a_folder_that_others_may_enter_is_not_used(paths: Paths, key: DataKey) -> None:
    paths.runtime.mkdir()
    paths.runtime.chmod(0o755)
    with pytest.raises(AgentFailed, match="chmod 700"):
        hold(paths, key)
    assert held_key(paths) is None
    paths.runtime.rmdir()
    paths.state.mkdir(mode=0o700)
    paths.runtime.symlink_to(paths.state)
    with pytest.raises(AgentFailed, match="is no folder"):
        hold(paths, key)
    assert list(paths.state.iterdir()) == []
    paths.runtime.unlink()


def test_a_socket_on_which_nobody_answers_stops_no_one_for_long(
    paths: Paths, key: DataKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assistant.agent.client.ANSWER_SECONDS", 0.1)
    monkeypatch.setattr("assistant.agent.client.START_SECONDS", 0.1)
    paths.runtime.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as mute:
        mute.bind(str(socket_path(paths.runtime)))
        mute.listen()
        assert held_key(paths) is None
        with pytest.raises(AgentFailed, match="does not answer"):
            forget_key(paths)
        with pytest.raises(AgentFailed, match="does not answer"):
            hold(paths, key)
    socket_path(paths.runtime).unlink()


@pytest.mark.parametrize(
    ("reply", "what"),
    [
        (REPLY.pack(VERSION + 1, Outcome.DONE, Memory.LOCKED, 0, 77, 0, 0) + bytes(KEY_BYTES), "kill 77"),
        (REPLY.pack(VERSION, Outcome.NOT_UNDERSTOOD, Memory.LOCKED, 0, 77, 0, 0) + bytes(KEY_BYTES), "kill 77"),
        (REPLY.pack(VERSION, Outcome.DONE, Memory.LOCKED, 0, 77, 0, 0), "ended before it answered"),
    ],
    ids=["a newer agent", "an older one", "half an answer"],
)
def test_an_answer_that_is_none_is_told_and_is_no_key(paths: Paths, reply: bytes, what: str) -> None:
    with saying(paths, *[reply] * 4):
        assert held_key(paths) is None
        with pytest.raises(AgentFailed, match=what):
            agent_status(paths)


def test_an_agent_that_had_no_room_is_asked_once_more(paths: Paths) -> None:
    reply = REPLY.pack(VERSION, Outcome.DONE, Memory.LOCKED, 1, 77, 0, 0) + bytes(KEY_BYTES)
    with saying(paths, b"", reply):
        assert forget_key(paths)


@contextlib.contextmanager
def saying(paths: Paths, *replies: bytes) -> Iterator[None]:
    """Be an agent that has these replies, one for each connection; what is not asked for is not said."""
    paths.runtime.mkdir(mode=0o700)
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(socket_path(paths.runtime)))
    listening.listen()

    def answer() -> None:
        for reply in replies:
            try:
                connection, _ = listening.accept()
            except OSError:  # enough was said
                return
            with connection:
                connection.recv(REQUEST_BYTES)
                connection.send(reply)

    thread = threading.Thread(target=answer)
    thread.start()
    try:
        yield
    finally:
        listening.shutdown(socket.SHUT_RDWR)
        thread.join()
        listening.close()
        socket_path(paths.runtime).unlink()


@pytest.mark.parametrize(("program", "what"), [("/nonexistent", "cannot be started"), ("/bin/false", "ended with 1")])
def test_an_agent_that_cannot_be_started_is_told_and_leaves_nothing_in_the_way(
    paths: Paths, key: DataKey, monkeypatch: pytest.MonkeyPatch, program: str, what: str
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(sys, "executable", program)
        with pytest.raises(AgentFailed, match=what):
            hold(paths, key)
    hold(paths, key)
    assert held_key(paths) is not None
