"""Where a key that the agent holds may be, and what the agent keeps from others."""

import base64
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.agent.client import agent_status, forget_key, held_key
from assistant.agent.protocol import KEY_BYTES, Memory
from assistant.paths import Paths
from storage.keys import DataKey
from tests.assistant.agents import ended_at_last, hold, other_vault, places, wait_until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked into by /proc")

REPOSITORY = Path(__file__).parents[2]
LOADED = """
import assistant.agent.server, assistant.agent.hardening, sys
print(*sorted({name.partition(".")[0] for name in sys.modules} | {name for name in sys.modules if "." in name}))
"""


@pytest.fixture
def paths(tmp_path: Path) -> Iterator[Paths]:
    """Places of a user; no agent of theirs outlives the test."""
    with ended_at_last(places(tmp_path)) as made:
        yield made


@pytest.fixture
def key() -> DataKey:
    return DataKey.random()


def may_look_into(pid: int) -> bool:
    """Tell whether this process may do what only root may: see more of another than its name."""
    try:
        Path(f"/proc/{pid}/cwd").readlink()
    except PermissionError:
        return False
    return True


def test_the_key_is_in_no_argument_variable_or_file(paths: Paths, key: DataKey, tmp_path: Path) -> None:
    pid = hold(paths, key)
    forms = (key.secret, key.secret.hex().encode(), base64.b64encode(key.secret), repr(key.secret)[2:-1].encode())
    places = [Path(f"/proc/{pid}/cmdline"), *(path for path in tmp_path.rglob("*") if path.is_file())]
    if may_look_into(pid):
        places.append(Path(f"/proc/{pid}/environ"))
    for place in places:
        content = place.read_bytes()
        assert not any(form in content for form in forms), place


def test_other_processes_of_its_user_may_not_look_into_it(paths: Paths, key: DataKey) -> None:
    pid = hold(paths, key)
    if may_look_into(pid):
        pytest.skip("root may look into every process")
    for name in ("mem", "environ", "maps"):
        with pytest.raises(PermissionError):
            Path(f"/proc/{pid}/{name}").read_bytes()


def test_a_key_that_was_forgotten_is_nowhere_in_its_memory(paths: Paths, key: DataKey) -> None:
    other = other_vault(paths, "other")
    pid = hold(paths, key)
    if not may_look_into(pid):
        pytest.skip("only root may read the memory of a process that closed itself to others")
    hold(other, DataKey.random())
    assert held_key(paths) is not None
    wait_until(lambda: in_memory(pid, key) == 1, "the wiping of the copy that went out")
    forget_key(paths)
    assert in_memory(pid, key) == 0
    assert held_key(other) is not None


def in_memory(pid: int, key: DataKey) -> int:
    """Count the key in all the memory of a process."""
    count = 0
    with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            span, rights, *_ = line.split()
            if not rights.startswith("rw"):
                continue
            first, last = (int(place, 16) for place in span.split("-"))
            memory.seek(first)
            count += memory.read(last - first).count(key.secret)
    return count


def test_it_closes_itself_to_terminals_core_files_and_swap_space(paths: Paths, key: DataKey) -> None:
    pid = hold(paths, key)
    status = agent_status(paths)
    assert status is not None
    told = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    assert told["Umask"].strip() == "0077"
    assert (int(told["VmLck"].split()[0]) > 0) == (status.memory is not Memory.NOT_LOCKED)
    assert os.getsid(pid) not in {pid, os.getsid(0)}
    assert resource.prlimit(pid, resource.RLIMIT_CORE) == (0, 0)
    if may_look_into(pid):
        assert Path(f"/proc/{pid}/cwd").readlink() == Path("/")
        standard = {Path(f"/proc/{pid}/fd/{number}").readlink() for number in range(3)}
        assert standard == {Path(os.devnull)}


def test_it_loads_nothing_that_it_does_not_need() -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    done = subprocess.run(
        [sys.executable, "-c", LOADED], capture_output=True, text=True, env=environment, cwd=REPOSITORY, check=True
    )
    loaded = set(done.stdout.split())
    assert {"assistant.agent.server", "ctypes"} <= loaded
    assert not loaded & {"storage", "platformdirs", "typer", "subprocess", "json", "cryptography", "apsw", "numpy"}


def test_a_key_has_the_length_that_the_messages_have_room_for() -> None:
    assert len(DataKey.random().secret) == KEY_BYTES
