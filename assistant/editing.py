"""A text in an editor of the user's, which should not reach the disk."""

import os
import shlex
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from assistant.errors import BadInput

IN_MEMORY = Path("/dev/shm")  # noqa: S108  (what is made there is made for the user alone)
ON_DISK = "this system has no place for files in memory: the text is on disk while you edit it"


def chosen_editor(environment: Mapping[str, str], *, otherwise: str) -> str:
    """Give what $VISUAL or $EDITOR says. `otherwise` tells what to do where neither is set.

    Raises
    ------
    BadInput
        Neither is.
    """
    editor = environment.get("VISUAL") or environment.get("EDITOR")
    if not editor:
        message = f"neither $VISUAL nor $EDITOR is set; {otherwise}"
        raise BadInput(message)
    return editor


def edit_in(editor: str, text: str, *, environment: Mapping[str, str], name: str, warn: Callable[[str], object]) -> str:
    """Give the text as the user left it in the editor, without the line end that editors add.

    It lies in a folder for the user alone, in memory where the system has such a place, and is removed with all that
    the editor put beside it. `name` is the file's, by which an editor knows what it is; `warn` is told where there is
    no such place.

    Raises
    ------
    BadInput
        The editor cannot be started or failed, or its text is not UTF-8.
    """
    folder = Path(tempfile.mkdtemp(prefix="assistant-", dir=_place(environment, warn)))
    try:
        file = folder / name
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, stat.S_IRUSR | stat.S_IWUSR)
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as opened:
            opened.write(text + "\n")
        done = subprocess.run([*shlex.split(editor), str(file)], check=False)
        if done.returncode:
            message = f"the editor ended with {done.returncode}: nothing was changed"
            raise BadInput(message)
        return file.read_bytes().decode().removesuffix("\n")
    except UnicodeDecodeError as error:
        raise BadInput("the text is not UTF-8: nothing was changed") from error
    except OSError as error:
        message = f"the editor {editor!r} cannot be used: {error.strerror}; nothing was changed"
        raise BadInput(message) from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _place(environment: Mapping[str, str], warn: Callable[[str], object]) -> Path | None:
    """Give a folder in memory; None, and a warning, where there is none."""
    for place in (IN_MEMORY, Path(environment.get("XDG_RUNTIME_DIR") or "/nonexistent")):
        if place.is_dir() and os.access(place, os.W_OK):
            return place
    warn(ON_DISK)
    return None
