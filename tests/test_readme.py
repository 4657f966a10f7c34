import os
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]


def test_the_readme_shows_the_help_and_the_settings_that_there_are() -> None:
    checked = subprocess.run(
        [sys.executable, "packaging/readme.py", "--check"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
    )
    assert (checked.returncode, checked.stderr) == (0, "")
