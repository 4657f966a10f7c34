"""Runs a command where a folder lies on a disk of its own, which is full or cannot be written.

The disk is in the memory of a mount namespace, and goes with the command; what it holds is copied back first.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.assistant.cli.support import LONGEST_SECONDS, REPOSITORY, Home, Ran

APART = ("unshare", "--mount", "--map-root-user")
_SCRIPT = """
set -e
place=$1 beside=$2 free=$3
shift 3
mkdir -p "$place" "$beside"
mount --bind "$place" "$beside"
mount -t tmpfs -o size=16m,mode=700 none "$place"
cp -a "$beside"/. "$place"
case $free in
    folder) mount -o remount,ro "$place" ;;
    file) mount --bind "$place/vault.db" "$place/vault.db"; mount -o remount,ro,bind "$place/vault.db" ;;
    *) cat /dev/zero > "$place/filler" 2> /dev/null || truncate -s "-$free" "$place/filler" ;;
esac
set +e
"$@"
code=$?
rm -f "$place/filler" 2> /dev/null
cp -a "$place"/. "$beside"
exit $code
"""


def run_with_little_room(
    home: Home,
    *arguments: str,
    place: Path,
    free_kib: int,
    stdin: str = "",
    module: str = "assistant",
) -> Ran:
    """Run a command while there is room for so many KiB in a folder, and give what it left behind."""
    return _run(home, arguments, place=place, free=str(free_kib * 1024), stdin=stdin, module=module)


def run_read_only(home: Home, *arguments: str, what: str) -> Ran:
    """Run a command while the vault's folder, or the file of its database in it, cannot be written."""
    return _run(home, arguments, place=home.paths.data, free=what, stdin="", module="assistant")


def _run(home: Home, arguments: Sequence[str], *, place: Path, free: str, stdin: str, module: str) -> Ran:
    if shutil.which(APART[0]) is None or subprocess.run([*APART, "true"], check=False, capture_output=True).returncode:
        pytest.skip("this system does not let a process have disks of its own (unshare)")
    done = subprocess.run(
        [
            *(*APART, "sh", "-c", _SCRIPT, "sh", str(place), str(home.folder / "beside"), free),
            *(sys.executable, "-m", module, *home.arguments(arguments)),
        ],
        input=stdin,
        capture_output=True,
        text=True,
        env={**os.environ, **home.environment},
        cwd=REPOSITORY,
        timeout=LONGEST_SECONDS,
        check=False,
    )
    return Ran(code=done.returncode, out=done.stdout, err=done.stderr)
