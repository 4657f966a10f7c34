"""Where things lie on this machine. Makes no folder: whoever writes, makes it."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.errors import BadInput

if TYPE_CHECKING:
    from platformdirs import PlatformDirs

NAME = "assistant"
DEFAULT_PROFILE = "default"
LONGEST_NAME = 60
"""Characters of a profile's name: it is the name of a folder, of which no more than 255 bytes are taken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paths:
    """The folders of one profile."""

    config: Path
    """Settings, one for all profiles."""
    data: Path
    """The vault of this profile."""
    state: Path
    """Figures measured on this machine, such as reading speed; nothing of what was said."""
    cache: Path
    """What can be made again: joined models."""
    runtime: Path
    """The socket of the process that holds keys, one for all profiles; many systems clear it when the user logs out."""

    @property
    def config_file(self) -> Path:
        """The configuration file, which need not exist."""
        return self.config / "config.toml"

    @property
    def speed_file(self) -> Path:
        """How fast this machine reads with which model."""
        return self.state / "speed.json"

    @property
    def models(self) -> Path:
        """Where package models are joined."""
        return self.cache / "models"


def find_paths(environment: Mapping[str, str] | None = None, *, profile: str | None = None) -> Paths:
    """Give the folders by the system's own rules, or by ASSISTANT_{CONFIG,DATA,STATE,CACHE,RUNTIME}_DIR.

    Raises
    ------
    BadInput
        The profile's name is not one plain word.
    """
    from platformdirs import PlatformDirs

    environment = os.environ if environment is None else environment
    name = profile or environment.get("ASSISTANT_PROFILE") or DEFAULT_PROFILE
    if not name.replace("-", "").replace("_", "").isalnum() or len(name) > LONGEST_NAME:
        message = f"profile {name!r}: use letters, digits, - and _ only, {LONGEST_NAME} at most"
        raise BadInput(message)
    folders = PlatformDirs(NAME, appauthor=False)

    def place(kind: str, otherwise: str) -> Path:
        given = environment.get(f"ASSISTANT_{kind}_DIR")
        return at_home(given) if given else Path(otherwise)

    state = place("STATE", folders.user_state_dir)
    runtime = environment.get("ASSISTANT_RUNTIME_DIR") or _user_runtime_dir(folders)
    return Paths(
        config=place("CONFIG", folders.user_config_dir),
        data=place("DATA", folders.user_data_dir) / name,
        state=state,
        cache=place("CACHE", folders.user_cache_dir),
        runtime=at_home(runtime) if runtime else state / "runtime",
    )


def at_home(path: Path | str) -> Path:
    """Give a path with `~` and `~name` at its beginning as the home of that user.

    Raises
    ------
    BadInput
        There is no such user.
    """
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        message = f"{path}: there is no user of this name here; write the path without ~"
        raise BadInput(message) from error


def _user_runtime_dir(folders: "PlatformDirs") -> str | None:
    """Give the system's own folder for sockets; None where there is none but in the temporary folder."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of falling back, which is refused below
        try:
            found = folders.user_runtime_dir
        except OSError:  # the temporary one is another user's
            return None
    return None if Path(found).parent.name == f"runtime-{os.getuid()}" else found
