"""vault unlock and lock: commands that need no passphrase for some hours, and need it again after."""

import json
import os
import shutil
import signal
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assistant.agent.client import agent_status, forget_key, held_key, hold_key
from assistant.cli.durations import in_words, read_duration
from assistant.errors import BadInput
from storage.keys import DataKey
from storage.unlocking import read_data_key
from tests.assistant.agents import ended_at_last, is_running, pid_of, wait_until
from tests.assistant.cli.support import Here, Home, Ran, Terminal
from tests.conftest import PASSPHRASE

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked into by /proc")


@pytest.fixture(autouse=True)
def agent_ended(empty: Home) -> Iterator[None]:
    """No agent outlives its test."""
    with ended_at_last(empty.paths):
        yield


@pytest.fixture(scope="session")
def data_key(vaults: Path) -> DataKey:
    """The key of every copy of the vault with memories in it."""
    return read_data_key(vaults / "full" / "data" / "default", PASSPHRASE)


@pytest.fixture
def unlocked(here: Here, data_key: DataKey) -> Here:
    """Commands in this process, while the vault is unlocked."""
    hold_key(here.home.paths, data_key, at_most=timedelta(hours=1), idle=None)
    return here


def without_passphrase(here: Here, *arguments: str) -> Ran:
    return here.run(*arguments, unlocking=False)


def test_after_unlocking_commands_need_no_passphrase_until_the_vault_is_locked(full: Home, data_key: DataKey) -> None:
    unlocked = full.run("vault", "unlock", "--for", "8h")
    assert (unlocked.code, unlocked.err) == (0, "")
    assert unlocked.out.startswith("unlocked until ")
    pid = pid_of(full.paths)
    listed = full.run("memory", "list", unlocking=False)
    assert (listed.code, listed.err, len(listed.out.splitlines())) == (0, "", 3)
    for path in full.folder.rglob("*"):
        assert not path.is_file() or not any(
            form in path.read_bytes() for form in (data_key.secret, data_key.secret.hex().encode())
        )
    locked = full.run("vault", "lock", unlocking=False)
    assert (locked.code, locked.out) == (0, "locked 1 vault\n")
    asked = full.run("memory", "list", unlocking=False)
    assert asked.code == 4
    assert "no terminal to ask for the passphrase" in asked.err
    wait_until(lambda: not is_running(pid), "the end of the agent")


def test_commands_that_load_the_memory_need_no_passphrase_either(unlocked: Here) -> None:
    ran = without_passphrase(unlocked, "recall", "harbour")
    assert ran.code == 0
    assert "northern harbour" in ran.out


def test_a_wrong_passphrase_unlocks_nothing_and_starts_no_agent(here: Here) -> None:
    here.home.passphrase_file.write_text("wrong\n")
    assert here.run("vault", "unlock").code == 4
    assert agent_status(here.home.paths) is None
    assert not here.home.paths.runtime.exists()


def test_a_passphrase_that_is_given_is_used_though_the_vault_is_unlocked(unlocked: Here) -> None:
    unlocked.home.passphrase_file.write_text("wrong\n")
    assert unlocked.run("memory", "list").code == 4
    assert without_passphrase(unlocked, "memory", "list").code == 0


def test_another_profile_is_not_unlocked_with_it_and_is_locked_with_all(unlocked: Here) -> None:
    data = unlocked.home.paths.data
    shutil.copytree(data, data.with_name("work"))
    assert without_passphrase(unlocked, "--profile", "work", "vault", "unlock", "--status").code == 4
    assert unlocked.run("--profile", "work", "vault", "unlock").code == 0
    assert without_passphrase(unlocked, "--profile", "work", "memory", "list").code == 0
    assert json.loads(without_passphrase(unlocked, "vault", "lock", "--all", "--json").out) == {"forgotten": 2}
    assert without_passphrase(unlocked, "vault", "unlock", "--status").code == 4


def test_locking_what_is_locked_says_so(here: Here) -> None:
    ran = without_passphrase(here, "vault", "lock")
    assert (ran.code, ran.out) == (0, "nothing was unlocked\n")


# until when


def test_the_settings_say_for_how_long_and_no_option_gives_more(here: Here) -> None:
    here.home.configure("lock_at_most_hours = 1.5\nlock_after_minutes = 10\n")
    ran = here.run("vault", "unlock", "--for", "8h")
    assert "the settings allow 1h30m at most (lock_at_most_hours)" in ran.err
    status = agent_status(here.home.paths)
    assert status is not None
    assert status.at_most is not None
    assert status.idle is not None
    assert timedelta(minutes=89) < status.at_most <= timedelta(minutes=90)
    assert timedelta(minutes=9) < status.idle <= timedelta(minutes=10)


def test_settings_of_zero_are_no_limit(here: Here) -> None:
    here.home.configure("lock_at_most_hours = 0\nlock_after_minutes = 0\n")
    ran = here.run("vault", "unlock")
    assert (ran.code, ran.out) == (0, "unlocked until it is locked\n")
    told = json.loads(without_passphrase(here, "vault", "unlock", "--status", "--json").out)
    assert told == {"unlocked": True, "until": None, "until_unless_used": None}


@pytest.mark.parametrize(
    "setting", ["lock_at_most_hours = -1", "lock_at_most_hours = 1e300", "lock_after_minutes = -5"]
)
def test_a_setting_that_is_no_limit_is_named(here: Here, setting: str) -> None:
    here.home.configure(setting + "\n")
    ran = here.run("vault", "unlock")
    assert (ran.code, ran.out) == (2, "")
    assert setting.split(maxsplit=1)[0] in ran.err
    assert agent_status(here.home.paths) is None


def test_until_when_it_is_unlocked_is_told_without_a_passphrase_and_by_the_exit_code(here: Here) -> None:
    locked = without_passphrase(here, "vault", "unlock", "--status", "--json")
    assert locked.code == 4
    assert json.loads(locked.out) == {"unlocked": False, "until": None, "until_unless_used": None}
    assert without_passphrase(here, "vault", "unlock", "--status").out == "locked\n"

    before = datetime.now(UTC)
    told = json.loads(here.run("vault", "unlock", "--for", "2h", "--idle", "1h", "--json").out)
    assert abs(datetime.fromisoformat(told["until"]) - before - timedelta(hours=2)) < timedelta(minutes=1)
    assert abs(datetime.fromisoformat(told["until_unless_used"]) - before - timedelta(hours=1)) < timedelta(minutes=1)
    again = without_passphrase(here, "vault", "unlock", "--status", "--json")
    assert again.code == 0
    assert json.loads(again.out)["until"][:16] in {told["until"][:16], f"{before + timedelta(hours=2):%Y-%m-%dT%H:%M}"}
    assert " unless it is used" in without_passphrase(here, "vault", "unlock", "--status").out


def test_the_status_of_the_vault_tells_it_too(unlocked: Here) -> None:
    assert "unlocked   until " in without_passphrase(unlocked, "vault", "status").out
    assert json.loads(without_passphrase(unlocked, "vault", "status", "--json").out)["unlocked"] is True
    assert without_passphrase(unlocked, "vault", "lock").code == 0
    assert "unlocked   locked\n" in unlocked.run("vault", "status").out


def test_the_doctor_tells_of_the_agent(unlocked: Here) -> None:
    def told() -> str:
        found = json.loads(without_passphrase(unlocked, "doctor", "--json").out)
        return next(str(one["what"]) for one in found if one["name"] == "agent")

    assert told().startswith(f"process {pid_of(unlocked.home.paths)}, 1 vault unlocked, this one: until ")
    assert " swap space" in told()
    forget_key(unlocked.home.paths)
    assert told() == "not running: no vault is unlocked"


def test_a_folder_that_others_may_enter_hinders_no_command_but_this(here: Here) -> None:
    here.home.paths.runtime.mkdir()
    here.home.paths.runtime.chmod(0o755)
    assert here.run("memory", "list").code == 0
    refused = here.run("vault", "unlock")
    assert (refused.code, refused.out) == (4, "")
    assert "chmod 700" in refused.err


# what can go wrong


def test_a_key_that_fits_no_more_is_forgotten_and_the_passphrase_asked_for(full: Home) -> None:
    hold_key(full.paths, DataKey.random(), at_most=None, idle=None)
    terminal = Terminal(full, "memory", "list")
    terminal.wait_for("Passphrase: ")
    terminal.send(PASSPHRASE + "\n")
    assert terminal.end() == 0
    assert "given a new key since it was unlocked" in terminal.seen
    assert "northern harbour" in terminal.seen
    assert held_key(full.paths) is None


def test_an_agent_that_was_killed_leaves_commands_asking(unlocked: Here) -> None:
    pid = pid_of(unlocked.home.paths)
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not is_running(pid), "the end of the agent")
    assert without_passphrase(unlocked, "vault", "unlock", "--status").code == 4
    assert without_passphrase(unlocked, "vault", "lock").out == "nothing was unlocked\n"


def test_two_who_unlock_at_once_both_succeed_with_one_agent(full: Home) -> None:
    codes = []
    threads = [threading.Thread(target=lambda: codes.append(full.run("vault", "unlock").code)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert codes == [0, 0]
    status = agent_status(full.paths)
    assert status is not None
    assert status.keys == 1
    assert [path.name for path in full.paths.runtime.iterdir()] == ["agent"]


def test_without_a_vault_there_is_nothing_to_unlock(here_empty: Here) -> None:
    ran = here_empty.run("vault", "unlock")
    assert ran.code == 4
    assert "assistant vault init" in ran.err


# lengths of time


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("30m", timedelta(minutes=30)),
        ("8h", timedelta(hours=8)),
        ("1h30m", timedelta(hours=1, minutes=30)),
        ("1d 2H", timedelta(days=1, hours=2)),
        ("90s", timedelta(seconds=90)),
    ],
)
def test_lengths_of_time_are_read(text: str, length: timedelta) -> None:
    assert read_duration(text, option="--for") == length
    assert read_duration(in_words(length), option="--for") == length


@pytest.mark.parametrize("text", ["", "8", "h", "0m", "-1h", "1m1h", "1.5h", "8h!", "soon"])
def test_what_is_no_length_of_time_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(BadInput, match=r"--for .*1h30m"):
        read_duration(text, option="--for")
