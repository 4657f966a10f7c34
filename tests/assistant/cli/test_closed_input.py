"""Without an input that could answer, nothing hangs: each command ends, with one line about what is missing."""

import pytest

from tests.assistant.cli.support import Here, Home
from tests.assistant.cli.test_boundary import in_shell, one_error


@pytest.mark.parametrize(
    ("command", "code", "out"),
    [
        ("ask", 2, ""),
        ("remember -", 2, ""),
        ("chat --plain", 0, ""),
        ("forget --everything", 2, "goes"),
        ("vault passphrase", 4, ""),
    ],
)
def test_a_command_with_an_empty_input_ends(here: Here, command: str, code: int, out: str) -> None:
    ran = here.run(*command.split(), stdin="")
    assert ran.code == code
    assert ran.out.startswith(out)
    assert "Traceback" not in ran.err
    assert ran.err.splitlines()[-1].startswith("assistant: " if code else "Chat in lines.")


@pytest.mark.parametrize(("command", "code"), [("ask", 2), ("chat --plain", 0), ("remember -", 2)])
def test_a_command_with_a_closed_input_ends(full: Home, command: str, code: int) -> None:
    done = in_shell(full, f"{command} <&-")
    assert (done.returncode, done.stdout) == (code, b"")
    if code:
        one_error(done.stderr.decode())
    assert b"Traceback" not in done.stderr


def test_without_a_passphrase_a_closed_input_is_told(full: Home) -> None:
    full.passphrase_file.write_text("")
    done = in_shell(full, "memory list <&-")
    assert (done.returncode, done.stdout) == (4, b"")
    one_error(done.stderr.decode())
