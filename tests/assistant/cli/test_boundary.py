"""The boundary of the command: exit codes, streams, pipes, signals, closed descriptors."""

import json
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.cli import exit_code
from assistant.errors import ModelFailed
from storage.errors import DiskFull, VaultNewer, VaultReadOnly
from storage.records import Role, Source, Utterance
from storage.vault import Vault
from tests.assistant.cli.support import LONGEST_SECONDS, REPOSITORY, Here, Home
from tests.conftest import NOON, PASSPHRASE

LONG = Utterance(role=Role.USER, speaker="User", text="long " * 60_000, time=NOON, source=Source.CHAT)


def one_error(text: str) -> str:
    """Give the only line on stderr, which is an error."""
    assert text.startswith("assistant: "), text
    assert text.count("\n") == 1, text
    assert "Traceback" not in text
    return text


# exit codes


def test_0_when_all_is_well(full: Home) -> None:
    ran = full.run("memory", "list")
    assert (ran.code, ran.err) == (0, "")
    assert len(ran.out.splitlines()) == 3


def test_1_and_one_line_when_the_output_cannot_be_written(empty: Home) -> None:
    with Path("/dev/full").open("w") as full_device:
        done = subprocess.run(
            [sys.executable, "-m", "assistant", "paths"],
            stdout=full_device,
            stderr=subprocess.PIPE,
            env=empty.environment,
            cwd=REPOSITORY,
            check=False,
        )
    assert done.returncode == 1
    assert "No space left" in one_error(done.stderr.decode())


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["reccall", "x"], "Did you mean 'recall'"),
        (["recall"], "missing argument 'QUERY'; see assistant recall --help"),
        (["recall", "-k", "0", "x"], "'-k'"),
        (["recall", "-k", "many", "x"], "'-k'"),
        (["paths", "--frob"], "no such option: --frob; see assistant paths --help"),
        (["paths", "extra"], "unexpected extra argument"),
        (["--profile"], "--profile needs a value"),
        (["--profile", "../x", "paths"], "profile '../x'"),
        (["--passphrase-fd", "x", "paths"], "--passphrase-fd x"),
        (["paths", "--passphrase-file", "a", "--passphrase-fd", "3"], "choose one"),
        (["import", "jsonl", "/nonexistent.jsonl"], "cannot be read"),
        (["remember", "--at", "noon", "x"], "--at noon"),
    ],
)
def test_2_for_a_wrong_command_line_told_in_one_line(here_new: Here, arguments: list[str], what: str) -> None:
    ran = here_new.run(*arguments, unlocking=arguments[0] == "import")
    assert (ran.code, ran.out) == (2, "")
    assert what in one_error(ran.err)


def test_2_and_a_short_help_without_a_terminal(empty: Home) -> None:
    ran = empty.run(unlocking=False)
    assert (ran.code, ran.out) == (2, "")
    assert "assistant ask" in ran.err
    assert len(ran.err.splitlines()) < 6


def test_2_and_a_pointer_to_ask_for_a_chat_without_a_terminal(empty: Home) -> None:
    ran = empty.run("chat", unlocking=False)
    assert (ran.code, ran.out) == (2, "")
    assert "assistant ask" in one_error(ran.err)


def test_2_and_its_help_for_a_group_without_a_command(here_empty: Here) -> None:
    ran = here_empty.run("memory", unlocking=False)
    assert (ran.code, ran.out) == (2, "")
    assert "assistant memory list" in ran.err


@pytest.mark.parametrize(
    "command",
    ["memory show", "memory edit", "forget -y", "forget --dry-run", "history show", "chat --plain --conversation"],
)
def test_3_when_nothing_has_the_id(here: Here, command: str) -> None:
    ran = here.run(*command.split(), "ffff0000ffff", *(["new words"] if command == "memory edit" else []))
    assert (ran.code, ran.out) == (3, "")
    one_error(ran.err)


@pytest.mark.parametrize("command", ["recall x", "memory list", "ask x", "remember x", "chat --plain", "vault status"])
def test_4_without_a_vault_and_the_way_to_make_one(here_empty: Here, command: str) -> None:
    ran = here_empty.run(*command.split())
    assert (ran.code, ran.out) == (4, "")
    assert "assistant vault init" in one_error(ran.err)
    assert not (here_empty.home.folder / "data").exists()


def test_4_for_a_wrong_passphrase(here_new: Here) -> None:
    here_new.home.passphrase_file.write_text("not the one\n")
    ran = here_new.run("memory", "list")
    assert (ran.code, ran.out) == (4, "")
    assert "not the one" not in one_error(ran.err)


def test_4_without_a_passphrase_and_without_a_terminal_to_ask(home: Home) -> None:
    ran = home.run("memory", "list", unlocking=False)
    assert ran.code == 4
    assert "--passphrase-file" in one_error(ran.err)


def test_5_without_the_model_and_what_was_asked_is_kept(full: Home) -> None:
    full.configure('model = "no-such-model"\nmemory_tokens = 400\n')
    ran = full.run("ask", "Will it rain?")
    assert (ran.code, ran.out) == (5, "")
    assert "no-such-model" in one_error(ran.err)
    with full.opened() as memory:
        assert memory.vault.turns.listing(limit=1)[0].text == "Will it rain?"


def test_6_for_a_damaged_vault(here_new: Here) -> None:
    home = here_new.home
    content = bytearray((home.paths.data / "vault.db").read_bytes())
    content[100:3000] = bytes(2900)
    (home.paths.data / "vault.db").write_bytes(content)
    ran = here_new.run("memory", "list")
    assert (ran.code, ran.out) == (6, "")
    one_error(ran.err)


@pytest.mark.parametrize("error", [DiskFull("x"), VaultReadOnly("x"), VaultNewer("x")])
def test_6_for_storage_that_is_full_read_only_or_newer(error: Exception) -> None:
    assert exit_code(error) == 6


def test_5_for_a_model_that_fails() -> None:
    assert exit_code(ModelFailed("x")) == 5


def test_7_when_another_process_holds_the_vault(full: Home) -> None:
    vault = Vault.open(full.paths.data, PASSPHRASE)
    with vault.transaction():
        vault.settings.put("held", "yes")
        ran = full.run("memory", "edit", vault.turns.listing()[0].id, "new words")
    vault.close()
    assert (ran.code, ran.out) == (7, "")
    one_error(ran.err)


def test_130_and_silence_when_interrupted(home: Home) -> None:
    process = home.start("import", "jsonl", "-", stdin=subprocess.PIPE)
    _wait_until_asleep(process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=LONGEST_SECONDS)
    assert (process.returncode, out, err) == (130, b"", b"")


def test_143_when_terminated_and_the_vault_is_whole(home: Home) -> None:
    process = home.start("import", "jsonl", "-", stdin=subprocess.PIPE)
    _wait_until_asleep(process)
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=LONGEST_SECONDS)
    assert (process.returncode, out, err) == (143, b"", b"")


def test_141_and_silence_when_nobody_reads_on(full: Home) -> None:
    with full.opened() as memory:
        memory.hear(memory.vault.conversations.listing()[0].id, LONG)
    process = full.start("memory", "list", "--limit", "0")
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.read(100)
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(timeout=LONGEST_SECONDS) == 141
    process.stderr.close()


def in_shell(home: Home, rest: str) -> "subprocess.CompletedProcess[bytes]":
    """Run a command with what the shell makes of the rest of its line."""
    line = f"{sys.executable} -m assistant --passphrase-file {home.passphrase_file} {rest}"
    return subprocess.run(
        ["sh", "-c", line],
        capture_output=True,
        env=home.environment,
        cwd=REPOSITORY,
        timeout=LONGEST_SECONDS,
        check=False,
    )


@pytest.mark.parametrize(
    ("rest", "out"),
    [("memory list | head -1 | wc -l", b"1\n"), ("memory list --json | head -c 5", b"[\n  {")],
)
def test_head_reads_a_little_and_nothing_is_told(full: Home, rest: str, out: bytes) -> None:
    with full.opened() as memory:
        memory.hear(memory.vault.conversations.listing()[0].id, LONG)
    done = in_shell(full, rest)
    assert (done.returncode, done.stdout, done.stderr) == (0, out, b"")


@pytest.mark.parametrize("command", ["history list --json", "export"])
def test_five_bytes_of_json_are_enough_for_who_wants_no_more(full: Home, command: str) -> None:
    done = in_shell(full, f"{command} | head -c 5")
    assert (done.returncode, len(done.stdout)) == (0, 5)
    assert b"Traceback" not in done.stderr
    assert done.stderr.count(b"\n") <= 1  # export says that it is plain text


def _wait_until_asleep(process: "subprocess.Popen[bytes]") -> None:
    """Wait until the program reads: it sleeps, and has loaded what it needs for that."""
    end = time.monotonic() + LONGEST_SECONDS
    while time.monotonic() < end:
        maps = Path(f"/proc/{process.pid}/maps")
        state = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        if state == "S" and "_pydantic_core" in maps.read_text():
            return
        time.sleep(0.05)
    pytest.fail("the program did not come to read its input")


# streams


@pytest.mark.parametrize("command", ["memory list", "history list", "recall nothing"])
def test_json_is_valid_when_there_is_nothing(here_new: Here, command: str) -> None:
    ran = here_new.run(*command.split(), "--json")
    assert ran.code == 0
    found = json.loads(ran.out)
    assert (found["hits"] if isinstance(found, dict) else found) == []


@pytest.mark.parametrize("closed", [">&-", "<&- >&- 2>&-"])
def test_closed_streams_neither_hang_nor_harm_the_vault(full: Home, closed: str) -> None:
    done = in_shell(full, f"memory list --json {closed}")
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr
    with full.opened() as memory:
        assert memory.vault.turns.count() == 3
        memory.vault.lexical.check()


@pytest.mark.parametrize(
    "environment", [{"TERM": "dumb"}, {"NO_COLOR": "1"}, {"FORCE_COLOR": "1", "CLICOLOR_FORCE": "1"}], ids=str
)
@pytest.mark.parametrize("command", ["--help", "memory list", "recall key --why --engine synaptic", "model list"])
def test_redirected_output_has_no_escape_byte(
    here: Here, environment: dict[str, str], command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"TERM": "xterm-256color", **environment}.items():
        monkeypatch.setenv(name, value)
    ran = here.run(*command.split())
    assert ran.code == 0
    assert "\x1b" not in ran.out + ran.err


def test_a_redirected_process_writes_no_escape_byte(full: Home) -> None:
    ran = full.run("memory", "list", environment={"FORCE_COLOR": "1"})
    assert (ran.code, ran.err) == (0, "")
    assert "\x1b" not in ran.out


def test_output_survives_a_locale_without_unicode(full: Home) -> None:
    with full.opened() as memory:
        memory.hear(memory.vault.conversations.listing()[0].id, replace(LONG, text="Grüße an Zoë 🚢"))
    ran = full.run("memory", "list", environment={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert (ran.code, ran.err) == (0, "")
    assert "\\xfc" in ran.out


def test_an_error_has_a_traceback_only_with_debug(here_new: Here) -> None:
    here_new.home.passphrase_file.write_text("not the one\n")
    one_error(here_new.run("memory", "list").err)
    debugged = here_new.run("memory", "list", "--debug")
    assert debugged.code == 4
    assert "Traceback" in debugged.err
    assert "not the one" not in debugged.err


def test_a_setting_that_is_not_known_warns_with_its_line(here: Here) -> None:
    here.home.configure('user_name = "Mara"\nengin = "x"\n')
    ran = here.run("memory", "list")
    assert ran.code == 0
    assert "config.toml:2" in ran.err
    assert "engine" in ran.err


def test_a_wrong_setting_is_refused(here: Here) -> None:
    here.home.configure("context = 'large'\n")
    ran = here.run("memory", "list")
    assert ran.code == 2
    assert "context must be a whole number" in one_error(ran.err)


# common options


@pytest.mark.parametrize("before", [True, False])
def test_common_options_stand_before_or_after_the_command(here: Here, before: bool) -> None:
    given = [f"--passphrase-file={here.home.passphrase_file}", "--profile", "default"]
    ran = here.run(*((*given, "memory", "list") if before else ("memory", "list", *given)), unlocking=False)
    assert (ran.code, len(ran.out.splitlines())) == (0, 3)


def test_after_two_dashes_nothing_is_an_option(here: Here) -> None:
    assert here.run("remember", "--", "--profile", "is an option").code == 0
    with here.home.opened() as memory:
        assert memory.vault.turns.listing(limit=1)[0].text == "--profile is an option"


def test_profiles_have_vaults_of_their_own(here: Here) -> None:
    ran = here.run("memory", "list", "--profile", "work")
    assert ran.code == 4
    assert str(here.home.folder / "data" / "work") in ran.err


def test_the_version_is_told_in_three_ways(here_empty: Here) -> None:
    told = {here_empty.run(way, unlocking=False).out for way in ("--version", "-V", "version")}
    assert len(told) == 1
    assert told.pop().startswith("assistant ")
