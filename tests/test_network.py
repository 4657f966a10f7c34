"""Everything works where there is no network, and so nothing is sent anywhere."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.assistant.agents import ended_at_last
from tests.assistant.cli.support import Home
from tests.conftest import PASSPHRASE

WITHOUT_NETWORK = ["unshare", "--net", "--map-root-user"]
CONNECT = "import socket; socket.create_connection(('192.0.2.1', 80), timeout=5)"
REPOSITORY = Path(__file__).parents[1]


def alone(*command: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Run a command where there is no route to anywhere."""
    return subprocess.run(
        [*WITHOUT_NETWORK, *command],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        cwd=REPOSITORY,
        env=environment or None,
    )


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """An empty home; the test is skipped where a process cannot be cut off from the network."""
    if shutil.which(WITHOUT_NETWORK[0]) is None or alone("true").returncode != 0:
        pytest.skip("this system does not let a process leave the network (unshare)")
    return Home(tmp_path)


def test_there_is_no_route_where_these_tests_run(home: Home) -> None:
    assert "unreachable" in alone(sys.executable, "-c", CONNECT).stderr


@pytest.mark.model
def test_the_whole_road_is_walked_without_a_network(home: Home, small_model: Path) -> None:
    home.configure(f'model = "{small_model}"\n')

    def run(*arguments: str, unlocking: bool = True) -> str:
        command = (sys.executable, "-m", "assistant", *home.arguments(arguments, unlocking=unlocking))
        done = alone(*command, **home.environment)
        assert done.returncode == 0, done.stderr
        return done.stdout

    run("vault", "init")
    run("remember", "My sister Lena keeps bees in Porto.")
    assert "Lena keeps bees" in run("recall", "What does my sister keep?")
    assert run("ask", "Where does Lena keep her bees?").strip()
    assert PASSPHRASE not in run("doctor")
    with ended_at_last(home.paths):  # the agent is asked through a file's socket
        assert run("vault", "unlock").startswith("unlocked")
        (memory,) = [line for line in run("memory", "list", unlocking=False).splitlines() if "My sister Lena" in line]
        run("vault", "backup", str(home.folder / "copy"), unlocking=False)
        run("forget", "--now", "-y", memory.split()[0], unlocking=False)
        assert "My sister Lena" not in run("memory", "list", unlocking=False)
        assert run("vault", "check", unlocking=False) == "nothing is wrong\n"
        assert run("vault", "lock", unlocking=False) == "locked 1 vault\n"
