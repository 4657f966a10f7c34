"""What the user chose for the screens before they are shown: colours and keys."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from assistant.config import Config, save_setting
from tui.themes import DARK

VARIABLE = "ASSISTANT_THEME"


@dataclass(frozen=True, slots=True, kw_only=True)
class Looks:
    """How the app looks, and which keys it has."""

    theme: str = DARK.name
    keys: Mapping[str, str] = field(default_factory=dict)
    """Of the actions that have other keys than those that are set."""
    keep_theme: Callable[[str], str] | None = None
    """Keeps a theme that was chosen, for the next time, and gives what is to be told of that; None: it is not kept."""


def chosen_looks(config: Config, file: Path) -> Looks:
    """Give the looks that the settings say; a theme that is chosen is written into their file."""
    return Looks(theme=config.theme, keys=config.keys, keep_theme=partial(keep_theme, file, os.environ))


def keep_theme(file: Path, environment: Mapping[str, str], theme: str) -> str:
    """Write a theme into the settings; gives the line about what is stronger than they are.

    Raises
    ------
    BadConfig
        The file is no TOML, or cannot be written.
    """
    save_setting(file, "theme", theme)
    return f"{VARIABLE} is set, and decides the next time." if VARIABLE in environment else ""
