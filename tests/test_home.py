"""What a first run leaves in an empty home: the program's own folders, and nothing of its libraries."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.assistant.cli.support import REPOSITORY, Home

QUIET_IN_TESTS = ("CI", "ORT_", "HF_", "TRANSFORMERS_", "DO_NOT_TRACK", "XDG_")
"""Beginnings of variables that keep libraries from doing what they do to users."""


@pytest.mark.model
def test_a_first_run_leaves_nothing_in_the_home_but_the_programs_own_folders(tmp_path: Path, small_model: Path) -> None:
    home = Home(tmp_path)
    environment = {
        name: value for name, value in home.environment.items() if not name.startswith((*QUIET_IN_TESTS, "ASSISTANT_"))
    } | {"ASSISTANT_MODEL": str(small_model)}
    for arguments in (
        ["vault", "init"],
        ["remember", "My boat is called Gull."],
        ["recall", "boat"],
        ["ask", "Hello!"],
    ):
        done = subprocess.run(
            [sys.executable, "-m", "assistant", *home.arguments(arguments)],
            env=environment,
            cwd=REPOSITORY,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    left = {path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()}
    own = {path for path in left if "assistant" in path.parts}
    assert left - own == {Path("passphrase")}
    assert {path.name for path in own} == {"vault.db", "keys.json", "speed.json"}
