"""The reference of the commands is what the program tells, and the manual page is one."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from assistant.cli.tree import walk

REPOSITORY = Path(__file__).parents[1]
PAGE = REPOSITORY / "packaging" / "assistant.1"
REQUESTS = {".TH", ".SH", ".SS", ".PP", ".TP", ".B", ".RS", ".RE", ".EX", ".EE"}


@pytest.mark.parametrize("writer", ["packaging/reference.py", "packaging/readme.py"])
def test_what_is_written_from_the_program_is_what_it_tells(writer: str) -> None:
    checked = subprocess.run(
        [sys.executable, writer, "--check"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
    )
    assert (checked.returncode, checked.stderr) == (0, "")


def test_every_command_has_its_place_in_both() -> None:
    page, commands = PAGE.read_text(), (REPOSITORY / "packaging" / "COMMANDS.md").read_text()
    for entry in list(walk())[1:]:
        assert f"\n.SS {entry.name.replace('-', chr(92) + '-')}\n" in page
        assert f"# {entry.name}\n" in commands


def test_the_manual_page_is_whole() -> None:
    lines = PAGE.read_text().splitlines()
    assert {line.split()[0] for line in lines if line.startswith((".", "'"))} <= REQUESTS
    assert lines[0].startswith(".TH ASSISTANT 1 ")
    sections = [line.removeprefix(".SH ") for line in lines if line.startswith(".SH")]
    assert sections[:3] == ["NAME", "SYNOPSIS", "DESCRIPTION"]
    assert sections[-2:] == ["EXIT STATUS", "ENVIRONMENT"]
    assert re.fullmatch(r"assistant \\- [a-z].*[^.]", lines[lines.index(".SH NAME") + 1])
    assert lines.count(".EX") == lines.count(".EE") == lines.count(".RS 4") == lines.count(".RE")
    assert [lines.count(rf"\fB{option}\fR") for option in (r"\-h, \-\-help", r"\-V, \-\-version")] == [1, 1]
    for number, line in enumerate(lines):
        if line == ".TP":  # a name and a meaning stand under each
            assert not {line[:3] for line in lines[number + 1 : number + 3]} & REQUESTS


def test_groff_has_nothing_to_say_against_it() -> None:
    program = shutil.which("groff")
    if program is None:
        pytest.skip("groff is not installed")
    command = [program, "-man", "-Tutf8", "-ww", "-z", str(PAGE)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
