"""Settings as they are listed: a line for each, and what is known of the highlighted one."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from textual.content import Content
from textual.widgets.option_list import Option

from assistant.config import KEYS, NUMBERS, LoadedConfig, load_config
from assistant.settings import (
    DEFAULT,
    Setting,
    beaten_by,
    entries_of_tables,
    find_setting,
    listing,
    variable_of,
    written,
)
from tui.text import fitted, one_line

KEY_CELLS, VALUE_CELLS = 24, 26
LONG_KEY_CELLS = 42
"""Where there is room for the names of numbers, too."""
ORIGIN_CELLS = 20
TABLES = "These are tables: write them with the command `assistant config edit`."

QUESTION = "from the next question on"
OF_ANSWERS = frozenset({"user_name", "temperature", "max_tokens", "memory_tokens", "learning", "grace_hours"})
"""Settings that a chat takes with it when it is opened."""
OF_MODEL = frozenset({"model", "context", "gpu_layers", "threads"})
OF_LOCK = frozenset({"lock_after_minutes", "lock_at_most_hours"})
OF_LOOKS = frozenset({"theme", KEYS})
OF_MEMORY = frozenset({"engine", "encoder", NUMBERS})
"""Settings that are read when the vault is opened."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenSettings:
    """Every setting there is, as it holds, and what the file alone says."""

    in_file: LoadedConfig
    settings: Mapping[str, Setting]


def read_all(path: Path, environment: Mapping[str, str]) -> SeenSettings:
    """Read the settings, and all numbers and keys with them.

    Raises
    ------
    BadConfig
        They cannot be used.
    """
    loaded = load_config(path, environment)
    settings = {setting.key: setting for setting in [*listing(loaded), *entries_of_tables(loaded)]}
    plain = [setting for setting in settings.values() if "." not in setting.key]
    dotted = [setting for setting in settings.values() if "." in setting.key]
    return SeenSettings(
        in_file=load_config(path, {}),
        settings={setting.key: setting for setting in [*plain, *dotted]},
    )


def matching(settings: Iterable[Setting], wanted: str) -> list[Setting]:
    """Give the settings in whose name, value or meaning all the words stand."""
    words = wanted.casefold().split()
    return [
        setting
        for setting in settings
        if all(word in f"{setting.key} {setting.written} {setting.help}".casefold() for word in words)
    ]


def setting_line(setting: Setting, *, width: int) -> Option:
    """Give one line: name, value, and where that comes from, as far as there is room in so many cells."""
    name, value = one_line(setting.key), one_line(setting.written)
    style = "$secondary" if setting.origin == DEFAULT else "$text-accent"
    keys = LONG_KEY_CELLS if width >= LONG_KEY_CELLS + VALUE_CELLS + ORIGIN_CELLS else KEY_CELLS
    if width < keys + VALUE_CELLS:
        return Option(Content.assemble(name, " ", (value, style)), id=setting.key)
    key = f"{name:{keys}}" if len(name) < keys else f"{name} "
    parts = (key, (fitted(value, VALUE_CELLS), style), " ", (short_origin(setting), "$secondary"))
    return Option(Content.assemble(*parts), id=setting.key)


def short_origin(setting: Setting) -> str:
    """Give where a value comes from, a file without its folder: `config.toml:3`."""
    return one_line(setting.origin.rpartition(os.sep)[2])


def setting_facts(setting: Setting, seen: SeenSettings, environment: Mapping[str, str]) -> dict[str, str]:
    """Give what is known of a setting beside what it does."""
    variable = beaten_by(setting.key, environment)
    facts = {"value": one_line(setting.written)} if len(setting.written) > VALUE_CELLS else {}
    facts["from"] = one_line(setting.origin)
    if variable:
        below = find_setting(seen.in_file, setting.key)
        facts["beaten"] = f"{variable} is set and beats the file, which says {one_line(below.written)}"
    elif variable_of(setting.key):
        facts["variable"] = f"{variable_of(setting.key)} would beat it"
    if setting.origin != DEFAULT and setting.default is not None:
        facts["default"] = one_line(written(setting.default))
    if setting.changeable:
        facts["holds"] = holds(setting.key)
    return facts


def holds(key: str) -> str:
    """Give from when on a changed setting holds."""
    table = key.partition(".")[0]
    if key in OF_ANSWERS:
        return QUESTION
    if key in OF_MODEL:
        return f"{QUESTION}, for which the model is loaded anew"
    if table in OF_MEMORY:
        return "once the vault was locked and is unlocked again"
    return "when the program starts the next time" if key == "passphrase_command" else "at once"
