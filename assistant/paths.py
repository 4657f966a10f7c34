"""Where things lie on this machine. Makes no folder: whoever writes, makes it."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from assistant.errors import BadInput

NAME = "assistant"
DEFAULT_PROFILE = "default"


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
    """Give the folders by the system's own rules, or by ASSISTANT_{CONFIG,DATA,STATE,CACHE}_DIR.

    Raises
    ------
    BadInput
        The profile's name is not one plain word.
    """
    from platformdirs import PlatformDirs

    environment = os.environ if environment is None else environment
    name = profile or environment.get("ASSISTANT_PROFILE") or DEFAULT_PROFILE
    if not name.replace("-", "").replace("_", "").isalnum():
        message = f"profile {name!r}: use letters, digits, - and _ only"
        raise BadInput(message)
    folders = PlatformDirs(NAME, appauthor=False)

    def place(kind: str, otherwise: str) -> Path:
        given = environment.get(f"ASSISTANT_{kind}_DIR")
        return Path(given).expanduser() if given else Path(otherwise)

    return Paths(
        config=place("CONFIG", folders.user_config_dir),
        data=place("DATA", folders.user_data_dir) / name,
        state=place("STATE", folders.user_state_dir),
        cache=place("CACHE", folders.user_cache_dir),
    )
