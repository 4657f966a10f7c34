"""For how long the agent holds a key; its clocks are made here, and stand still unless they are moved."""

import fcntl
import math
import os
import socket
import threading
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from platformdirs import PlatformDirs

from assistant.agent.client import agent_status, forget_all_keys, held_key, hold_key
from assistant.agent.hardening import Clocks, Gap, clocks
from assistant.agent.held import Arena, Keys, Left
from assistant.agent.protocol import KEY_BYTES, Memory, check_peer, socket_path
from assistant.agent.server import FIRST_KEY_SECONDS, MOST_KEYS, PATIENCE_SECONDS, Agent
from assistant.errors import AgentFailed
from assistant.paths import Paths, find_paths
from storage.keys import DataKey
from tests.assistant.agents import other_vault, places

VAULT = b"v" * 32
KEY = memoryview(b"k" * KEY_BYTES)
AWAKE = timedelta(days=400)


class Machine:
    """A machine whose time passes when a test says so, with an agent in a thread."""

    def __init__(self, paths: Paths) -> None:
        self.paths = paths
        self.passed = 1000.0
        self.slept = 5.0
        self.ahead = 1e9
        place = socket_path(paths.runtime)
        place.parent.mkdir(mode=0o700)
        listening = socket.socket(socket.AF_UNIX)
        listening.bind(str(place))
        listening.listen()
        self.signals, heard = socket.socketpair()
        self._sockets = (listening, heard, self.signals)
        self.agent = Agent(
            listening,
            heard,
            arena=Arena(80),
            memory=Memory.NOT_LOCKED,
            clocks=Clocks(
                passed=lambda: self.passed,
                gaps=(Gap(seconds=lambda: self.slept, tolerance=1.0), Gap(seconds=lambda: self.ahead, tolerance=60.0)),
            ),
        )
        self._thread = threading.Thread(target=self.agent.run)
        self._thread.start()

    def connected(self) -> socket.socket:
        """Give a connection on which nothing was said yet."""
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(5)
        connection.connect(str(socket_path(self.paths.runtime)))
        return connection

    def ended(self, within: float = 5.0) -> bool:
        """Tell whether the agent has ended."""
        self._thread.join(within)
        return not self._thread.is_alive()

    def end(self) -> None:
        """End the agent."""
        if self._thread.is_alive():
            self.signals.send(bytes([15]))
        assert self.ended()
        for one in self._sockets:
            one.close()


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    made = Machine(places(tmp_path))
    yield made
    made.end()


def hold(machine: Machine, at_most: timedelta | None = None, idle: timedelta | None = None) -> None:
    hold_key(machine.paths, DataKey.random(), at_most=at_most, idle=idle)


def test_no_use_puts_off_the_end_of_the_time(machine: Machine) -> None:
    hold(machine, timedelta(hours=2), timedelta(hours=1))
    for _ in range(3):
        machine.passed += 1800
        assert held_key(machine.paths) is not None
    machine.passed += 1800
    assert held_key(machine.paths) is None


def test_each_use_begins_the_idle_time_anew_and_looking_at_it_does_not(machine: Machine) -> None:
    hold(machine, None, timedelta(seconds=100))
    for _ in range(5):
        machine.passed += 99
        assert held_key(machine.paths) is not None
    machine.passed += 99
    assert agent_status(machine.paths) is not None
    machine.passed += 2
    assert held_key(machine.paths) is None


def test_without_limits_a_key_is_held_until_it_is_locked(machine: Machine) -> None:
    hold(machine)
    machine.passed += AWAKE.total_seconds()
    assert held_key(machine.paths) is not None
    assert forget_all_keys(machine.paths) == 1
    assert machine.ended()


def test_a_new_unlocking_sets_the_limits_anew(machine: Machine) -> None:
    hold(machine, timedelta(seconds=10))
    machine.passed += 9
    hold(machine, timedelta(seconds=10))
    machine.passed += 9
    assert held_key(machine.paths) is not None


def test_after_the_machine_slept_no_key_is_given(machine: Machine) -> None:
    hold(machine, timedelta(hours=8))
    machine.passed += 3
    assert held_key(machine.paths) is not None
    machine.passed += 3
    machine.slept += 3
    assert held_key(machine.paths) is None
    assert machine.ended()


def test_a_jump_of_the_time_of_day_is_taken_for_sleep(machine: Machine) -> None:
    hold(machine, timedelta(hours=8))
    machine.ahead += 61
    assert held_key(machine.paths) is None


def test_a_correction_of_the_time_of_day_is_no_sleep_and_lengthens_nothing(machine: Machine) -> None:
    hold(machine, timedelta(seconds=100))
    for step in (59, -7200, 59):
        machine.ahead += step
        machine.passed += 30
        assert held_key(machine.paths) is not None
    machine.passed += 10
    assert held_key(machine.paths) is None


def test_when_its_socket_is_taken_away_it_forgets_what_nobody_can_ask_for(machine: Machine) -> None:
    hold(machine)
    with machine.connected() as connection:
        socket_path(machine.paths.runtime).unlink()
        connection.send(b"\x01")
    assert machine.ended()


def test_one_who_does_not_finish_a_request_is_not_waited_for(machine: Machine) -> None:
    hold(machine)
    with machine.connected() as connection:
        connection.send(b"\x01\x01")
        assert held_key(machine.paths) is not None
        machine.passed += PATIENCE_SECONDS
        assert held_key(machine.paths) is not None
        assert connection.recv(1) == b""


def test_an_agent_that_is_given_no_key_ends(machine: Machine) -> None:
    assert agent_status(machine.paths) is not None
    assert not machine.ended(0.1)
    machine.passed += FIRST_KEY_SECONDS
    agent_status(machine.paths)
    assert machine.ended()


def test_it_does_not_end_while_someone_is_about_to_give_it_a_key(machine: Machine) -> None:
    hold(machine)
    folder = os.open(machine.paths.runtime, os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)
    assert forget_all_keys(machine.paths) == 1
    assert not machine.ended(0.2)
    os.close(folder)
    assert machine.ended()


def test_there_is_room_for_many_vaults_and_an_end_to_it(machine: Machine) -> None:
    for number in range(MOST_KEYS):
        hold_key(other_vault(machine.paths, str(number)), DataKey.random(), at_most=None, idle=None)
    with pytest.raises(AgentFailed, match="lock --all"):
        hold(machine)
    assert held_key(other_vault(machine.paths, "0")) is not None
    assert forget_all_keys(machine.paths) == MOST_KEYS


# the kernel


@given(
    at_most=st.floats(0.001, 1e6),
    idle=st.floats(0.001, 1e6),
    steps=st.lists(st.floats(0, 1e5), max_size=20),
)
def test_a_key_is_given_as_long_as_neither_limit_is_reached_and_then_wiped(
    at_most: float, idle: float, steps: list[float]
) -> None:
    arena = Arena(1)
    keys = Keys(arena, key_bytes=KEY_BYTES, most=1)
    assert keys.hold(VAULT, KEY, 0.0, Left(at_most=at_most, idle=idle))
    now, used, alive = 0.0, 0.0, True
    for step in steps:
        now += step
        alive = alive and now < at_most and now < used + idle
        used = now
        assert (keys.use(VAULT, now) is not None) is alive
    assert bool(keys) is alive
    assert (bytes(arena.whole).count(b"k") > 0) is alive
    assert keys.next_end() == (min(at_most, used + idle) if alive else math.inf)


def test_the_clocks_of_this_system_go_on_and_tell_no_sleep_while_one_is_awake() -> None:
    here = clocks()
    passed, gaps = here.passed(), [gap.seconds() for gap in here.gaps]
    time.sleep(0.02)
    assert here.passed() >= passed + 0.02
    for gap, before in zip(here.gaps, gaps, strict=True):
        assert abs(gap.seconds() - before) < gap.tolerance


def test_the_time_of_day_is_not_what_limits_are_counted_in() -> None:
    if not hasattr(time, "CLOCK_BOOTTIME"):
        pytest.skip("this system has no clock that counts suspended time")
    assert abs(clocks().passed() - time.clock_gettime(time.CLOCK_BOOTTIME)) < 5


# places and peers


def test_the_process_at_the_other_end_has_to_be_ones_own() -> None:
    one, other = socket.socketpair()
    with one, other:
        check_peer(one, os.geteuid())
        with pytest.raises(AgentFailed, match="another user"):
            check_peer(one, os.geteuid() + 1)


def test_another_users_process_gets_no_answer(tmp_path: Path) -> None:
    machine = Machine(places(tmp_path))
    try:
        hold(machine)
        machine.agent._uid += 1
        with pytest.raises(AgentFailed):
            agent_status(machine.paths)
        machine.agent._uid -= 1
        assert held_key(machine.paths) is not None
    finally:
        machine.end()


def test_a_folder_too_deep_for_a_socket_gets_a_short_one_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = tmp_path / ("d" * 100)
    short = socket_path(deep)
    assert len(os.fsencode(short)) < 104
    assert not short.is_relative_to(deep)
    assert short != socket_path(tmp_path / ("e" * 100))
    assert socket_path(Path("/run")) == Path("/run/agent")
    monkeypatch.setattr("tempfile.tempdir", f"/{'t' * 100}")
    with pytest.raises(AgentFailed, match="ASSISTANT_RUNTIME_DIR"):
        socket_path(deep)


class OnlyTemporary(PlatformDirs):
    """A system that has no folder for sockets but in the temporary one."""

    @property
    def user_runtime_dir(self) -> str:
        return f"/tmp/runtime-{os.getuid()}/assistant"


class OfAnotherUser(PlatformDirs):
    """One on which another user made that folder."""

    @property
    def user_runtime_dir(self) -> str:
        raise PermissionError


def test_a_socket_lies_where_the_system_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tmp_path.chmod(0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert find_paths({}).runtime == tmp_path / "assistant"
    assert find_paths({"ASSISTANT_RUNTIME_DIR": "/run/mine"}).runtime == Path("/run/mine")


@pytest.mark.parametrize("system", [OnlyTemporary, OfAnotherUser])
def test_a_socket_lies_with_the_state_where_there_is_only_a_temporary_folder(
    system: type[PlatformDirs], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platformdirs.PlatformDirs", system)
    assert find_paths({"ASSISTANT_STATE_DIR": "/state"}).runtime == Path("/state/runtime")
