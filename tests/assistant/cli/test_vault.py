"""vault init and status, and every road of the passphrase."""

import json
import os
import subprocess
import sys

import pytest

from assistant.cli import passphrase
from assistant.cli.options import Options, hoist
from assistant.config import Config
from assistant.errors import BadConfig, BadInput
from storage.vault import Vault
from tests.assistant.cli.support import REPOSITORY, Here, Home, Terminal
from tests.conftest import PASSPHRASE

COMMAND = f"{sys.executable} -c \"print('from the command')\""


def test_a_vault_is_made_with_a_passphrase_from_a_file_and_can_be_opened(empty: Home) -> None:
    ran = empty.run("vault", "init")
    assert ran.code == 0
    assert ran.out == f"made a vault in {empty.paths.data}\n"
    assert "nobody can reset it" in ran.err
    assert "unless you print a recovery key" in ran.err
    assert "would guess this passphrase in more than a million years" in ran.err
    Vault.open(empty.paths.data, PASSPHRASE).close()


def test_a_second_vault_in_one_place_is_refused_before_anything_is_asked(here_new: Here) -> None:
    ran = here_new.run("vault", "init", unlocking=False)
    assert (ran.code, ran.out) == (2, "")
    assert "--profile" in ran.err


@pytest.mark.parametrize(
    ("again", "code"), [("a good one", 0), ("another one", 2)], ids=["the same again", "something else"]
)
def test_on_a_terminal_a_new_passphrase_is_asked_for_twice_and_not_shown(empty: Home, again: str, code: int) -> None:
    terminal = Terminal(empty, "vault", "init")
    terminal.wait_for("New passphrase: ")
    assert "if you lose it, everything in the vault is lost" in terminal.seen
    terminal.send("a good one\n")
    terminal.wait_for("The same again: ")
    terminal.send(f"{again}\n")
    assert terminal.end() == code
    assert "good" not in terminal.seen
    assert Vault.exists(empty.paths.data) is (code == 0)


def test_on_a_terminal_the_passphrase_is_asked_for_though_streams_are_pipes(full: Home) -> None:
    terminal = Terminal(full, "memory", "list", "--json")
    terminal.wait_for("Passphrase: ")
    terminal.send(PASSPHRASE + "\n")
    assert terminal.end() == 0
    assert "northern harbour" in terminal.seen
    assert PASSPHRASE not in terminal.seen


@pytest.mark.parametrize(("typed", "code"), [("\x04", 4), ("\x03", 130), ("wrong\n", 4)])
def test_ending_the_question_leaves_the_vault_locked(full: Home, typed: str, code: int) -> None:
    terminal = Terminal(full, "memory", "list")
    terminal.wait_for("Passphrase: ")
    terminal.send(typed)
    assert terminal.end() == code
    assert "Traceback" not in terminal.seen


def test_the_passphrase_comes_through_a_file_descriptor(full: Home) -> None:
    reading, writing = os.pipe()
    os.write(writing, PASSPHRASE.encode() + b"\n")
    os.close(writing)
    ran = full.run("memory", "list", "--passphrase-fd", str(reading), unlocking=False, pass_fds=[reading])
    os.close(reading)
    assert (ran.code, len(ran.out.splitlines())) == (0, 3)


def test_the_status_tells_what_is_there_and_how_it_is_protected(here: Here) -> None:
    ran = here.run("vault", "status")
    assert "3 memories in 1 conversation, 3 vectors" in ran.out
    assert "argon2id (64 MiB" in ran.out
    told = json.loads(here.run("vault", "status", "--json").out)
    assert (told["turns"], told["conversations"], told["purge_pending"]) == (3, 1, False)
    assert told["kdf"] == {"name": "argon2id", "memory_kib": 65536, "iterations": 3, "lanes": 4}
    assert told["folder"] == str(here.home.paths.data)


# roads


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"plain", "plain"),
        (b"one line end\n", "one line end"),
        (b"two line ends\n\n", "two line ends\n"),
        (b"from windows\r\n", "from windows"),
        (b" blanks \n", " blanks "),
        ("schlüssel 🔑\n".encode(), "schlüssel 🔑"),
    ],
)
def test_one_line_end_and_nothing_else_is_left_out(empty: Home, content: bytes, expected: str) -> None:
    empty.passphrase_file.write_bytes(content)
    options = Options(passphrase_file=empty.passphrase_file)
    assert passphrase.read_passphrase(options, Config()) == expected


@pytest.mark.parametrize("content", [b"", b"\n"])
def test_an_empty_file_is_no_passphrase(empty: Home, content: bytes) -> None:
    empty.passphrase_file.write_bytes(content)
    with pytest.raises(passphrase.PassphraseMissing, match="holds no passphrase"):
        passphrase.read_passphrase(Options(passphrase_file=empty.passphrase_file), Config())


def test_what_is_no_text_is_refused_without_being_repeated(empty: Home) -> None:
    empty.passphrase_file.write_bytes(b"secret\xff")
    with pytest.raises(BadInput, match="no text in UTF-8") as caught:
        passphrase.read_passphrase(Options(passphrase_file=empty.passphrase_file), Config())
    assert caught.value.__cause__ is None
    assert "secret" not in str(caught.value)


def test_a_file_or_descriptor_that_cannot_be_read_is_named(empty: Home) -> None:
    with pytest.raises(BadInput, match=r"/gone cannot be read: No such file"):
        passphrase.read_passphrase(Options(passphrase_file=empty.folder / "gone"), Config())
    with pytest.raises(BadInput, match="file descriptor 999 cannot be read"):
        passphrase.read_passphrase(Options(passphrase_fd=999), Config())


def test_a_file_that_others_may_read_is_warned_of(here: Here) -> None:
    here.home.passphrase_file.chmod(0o644)
    ran = here.run("memory", "list")
    assert ran.code == 0
    assert f"chmod 600 {here.home.passphrase_file}" in ran.err
    assert ran.err.count("\n") == 1


def test_a_command_gives_the_passphrase(empty: Home) -> None:
    assert passphrase.read_passphrase(Options(), Config(passphrase_command=COMMAND)) == "from the command"


def test_what_the_user_gives_beats_the_command(empty: Home) -> None:
    options = Options(passphrase_file=empty.passphrase_file)
    assert passphrase.read_passphrase(options, Config(passphrase_command=COMMAND)) == PASSPHRASE


@pytest.mark.parametrize(
    ("command", "kind"),
    [("/nonexistent/command", BadConfig), ('open "quote', BadConfig), ("false", passphrase.PassphraseMissing)],
)
def test_a_command_that_fails_is_told(command: str, kind: type[Exception]) -> None:
    with pytest.raises(kind, match="passphrase_command"):
        passphrase.read_passphrase(Options(), Config(passphrase_command=command))


def test_no_option_and_no_variable_takes_the_passphrase_itself(full: Home) -> None:
    for arguments in (["--passphrase", PASSPHRASE, "memory", "list"], ["memory", "list", "--passphrase", PASSPHRASE]):
        assert full.run(*arguments, unlocking=False).code == 2
    assert full.run("memory", "list", environment={"ASSISTANT_PASSPHRASE": PASSPHRASE}, unlocking=False).code == 4


def test_a_process_with_a_key_leaves_no_core_file(full: Home) -> None:
    script = (
        "import resource, sys; from assistant.cli import main; code = main(sys.argv[1:]);"
        "print(code, resource.getrlimit(resource.RLIMIT_CORE)[0], file=sys.stderr)"
    )
    command = [sys.executable, "-c", script, *full.arguments(["history", "list"])]
    done = subprocess.run(
        ["sh", "-c", 'ulimit -S -c 100; exec "$@"', "sh", *command],
        capture_output=True,
        text=True,
        env=full.environment,
        cwd=REPOSITORY,
        check=True,
    )
    assert done.stderr == "0 0\n"


def test_hoisting_takes_common_options_and_leaves_the_rest_in_order() -> None:
    options, rest = hoist(["a", "--profile=work", "-k", "3", "--debug", "b", "--", "--profile", "x"])
    assert (options.profile, options.debug) == ("work", True)
    assert rest == ["a", "-k", "3", "b", "--", "--profile", "x"]
