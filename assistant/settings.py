"""The settings as a user sees them: each with its value, where that comes from and what it does; and changing one."""

import difflib
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

from assistant.config import (
    KEYS,
    NUMBERS,
    RULES,
    TABLES,
    Config,
    LoadedConfig,
    RetentionRule,
    from_text,
    load_config,
    read_config,
    with_setting,
    write_config,
)
from assistant.errors import BadConfig, BadInput
from assistant.keys import DEFAULT_KEYS

FIELD = re.compile(r'^    (?P<name>\w+): [^\n]+\n    """(?P<said>.*?)"""$', re.MULTILINE | re.DOTALL)
"""A field with the string under it, in the source of a class."""
DEFAULT = "default"
"""The origin of what nothing sets."""
ONE_OF = {
    NUMBERS: f"one number of it, such as {NUMBERS}.synapse.inhibition",
    KEYS: f"the keys of one action, such as {KEYS}.new_chat",
}
"""What there is of a table to be shown or set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One setting, or one entry of a table of them, which has a dotted name."""

    key: str
    value: Any
    """A list where it is a list of tables."""
    default: Any
    origin: str
    """`default`, a variable of the environment, or file and line."""
    help: str
    """What it does, on one line."""

    @property
    def written(self) -> str:
        """Its value as it is written in the file."""
        return written(self.value)

    @property
    def typed(self) -> str:
        """Its value as it is typed to set it."""
        return self.value if isinstance(self.value, str) else self.written

    @property
    def changeable(self) -> bool:
        """Whether it is one value, which can be changed by itself."""
        return not isinstance(self.value, list)


def setting_names() -> list[str]:
    """Give the names of all settings, in order."""
    return [field.name for field in fields(Config)]


def plain_names() -> list[str]:
    """Give the names of those that are one value."""
    return [name for name in setting_names() if name not in TABLES]


def listing(loaded: LoadedConfig) -> list[Setting]:
    """Give each setting in order; of a table each entry that is set, under its dotted name."""
    return list(_listed(loaded))


def entries_of_tables(loaded: LoadedConfig) -> list[Setting]:
    """Give every number of the memory and every key of the screens, whether it is set or not."""
    from assistant.memory.parameters import Parameters

    given: dict[str, object] = {f"{NUMBERS}.{name}": value for name, value in loaded.config.memory}
    given |= {f"{KEYS}.{action}": keys for action, keys in loaded.config.keys.items()}
    known: list[tuple[str, object, str]] = [
        (f"{NUMBERS}.{name}", number, said) for name, number, said in _numbers(Parameters())
    ]
    known += [(f"{KEYS}.{action}", DEFAULT_KEYS[action], "") for action in DEFAULT_KEYS]
    said_of_keys = said_under_fields(Config)[KEYS]
    return [
        Setting(
            key=key,
            value=given.get(key, default),
            default=default,
            origin=loaded.origins.get(key, DEFAULT),
            help=said or said_of_keys,
        )
        for key, default, said in known
    ]


def find_setting(loaded: LoadedConfig, key: str) -> Setting:
    """Give one setting, or one entry of a table of them.

    Raises
    ------
    BadInput
        There is none of this name.
    """
    if key in ONE_OF:
        message = f"{key} is a table: name {ONE_OF[key]}"
        raise BadInput(message)
    table = key.partition(".")[0]
    known = listing(loaded) + (entries_of_tables(loaded) if table in {NUMBERS, KEYS} else [])
    for setting in known:
        if setting.key == key:
            return setting
    if key.startswith(f"{NUMBERS}."):
        _refuse_number(key)
    raise _unknown(key, [setting.key for setting in known])


def change(path: Path, key: str, text: str) -> str | float:
    """Change one setting in the file as it was typed, and give what it became; comments and the rest stay.

    Raises
    ------
    BadInput
        There is no such setting, it cannot have this value, or the file cannot be read or written.
    """
    value = _typed(key, text)
    content = with_setting(path, key, value)
    try:
        check(content, path)
    except BadInput as error:
        try_out(load_config(path, {}), path)  # another line may be what is wrong; that of this one is not written yet
        message = str(error).removeprefix(str(path)).lstrip(":0123456789").lstrip()
        raise BadConfig(message) from error
    write_config(path, content)
    return value


def check(text: str, path: Path) -> LoadedConfig:
    """Give what a text would be as the settings' file, the numbers of the memory and its engine tried, too.

    Raises
    ------
    BadInput
        It cannot be used.
    """
    loaded = read_config(text, path, {})
    try_out(loaded, path)
    return loaded


def try_out(loaded: LoadedConfig, path: Path) -> None:
    """See that the memory can be made with the settings, which is first known when the vault is opened.

    Raises
    ------
    BadConfig
        It cannot; the message names the line, or the file.
    """
    from assistant.memory.tuning import parameters_of

    try:
        parameters_of(loaded.config)
        if loaded.config.engine != Config().engine:
            from assistant.memory.engines import find_engine  # with numpy and scipy, half a second

            find_engine(loaded.config.engine)
    except BadInput as error:
        words = [word.rstrip(";:,") for word in str(error).split()]
        named = (where for key, where in loaded.origins.items() if key.removeprefix(f"{NUMBERS}.") in words)
        message = f"{next(named, path)}: {error}"
        raise BadConfig(message) from error


def written(value: object) -> str:
    """Give a value as it is written in the file."""
    import tomlkit

    return tomlkit.item(value).as_string()


def variable_of(key: str) -> str:
    """Give the variable of the environment that beats the file; empty for what is in a table."""
    return f"ASSISTANT_{key.upper()}" if key in plain_names() else ""


def beaten_by(key: str, environment: Mapping[str, str]) -> str:
    """Give the variable that is set and beats what the file says; empty when none does."""
    variable = variable_of(key)
    return variable if variable in environment else ""


def said_under_fields(kind: type) -> dict[str, str]:
    """Give for each field of a class of this program the string that stands under it, on one line."""
    # Read by hand: Python 3.11 fails when two threads make syntax trees at a time, as the screens do of their actions.
    source = Path(sys.modules[kind.__module__].__file__ or "").read_text(encoding="utf-8")
    _, _, rest = source.partition(f"\nclass {kind.__name__}:\n")
    body = rest.partition("\n\n\n")[0]
    return {found["name"]: " ".join(found["said"].split()) for found in FIELD.finditer(body)}


def _listed(loaded: LoadedConfig) -> Iterator[Setting]:
    said, config = said_under_fields(Config), loaded.config
    for field in fields(Config):
        name, value = field.name, getattr(config, field.name)
        origin = loaded.origins.get(name, DEFAULT)
        if name == RULES:
            rules = [_rule_fields(rule) for rule in value]
            yield Setting(key=name, value=rules, default=[], origin=origin, help=said[name])
        elif name not in TABLES:
            yield Setting(key=name, value=value, default=field.default, origin=origin, help=said[name])
        elif value:
            known = {entry.key: entry for entry in entries_of_tables(loaded)}
            for inner, given in dict(value).items():
                key = f"{name}.{inner}"
                place = loaded.origins.get(key, origin)
                whole = Setting(key=key, value=given, default=None, origin=place, help=said[name])
                yield known.get(key, whole)  # a mechanism that is left out is no number


def _typed(key: str, text: str) -> str | float:
    """Give what was typed as the type of the setting.

    Raises
    ------
    BadInput
        There is no such setting, it is a table, or this is no value of its type.
    """
    table, _, name = key.partition(".")
    if table == RULES:
        raise BadInput("rules of retention are tables, not one value: write them with: assistant config edit")
    if key in ONE_OF:
        message = f"{key} is a table: set {ONE_OF[key]}"
        raise BadInput(message)
    if table == KEYS:
        if name not in DEFAULT_KEYS:
            raise _unknown(key, [f"{KEYS}.{action}" for action in DEFAULT_KEYS])
        return text
    if table != NUMBERS and key not in plain_names():
        raise _unknown(key, setting_names())
    return from_text(key, text)


def _rule_fields(rule: RetentionRule) -> dict[str, Any]:
    kept = {"keep": "forever"} if rule.keep_days is None else {"keep_days": rule.keep_days}
    return {**kept, **({"source": rule.source} if rule.source else {}), **({"tag": rule.tag} if rule.tag else {})}


def _numbers(parameters: Any, within: str = "") -> Iterator[tuple[str, float, str]]:
    """Give name, value and meaning of each number, those of a mechanism with its name before a point."""
    said = said_under_fields(type(parameters))
    for field in fields(parameters):
        name, value = f"{within}{field.name}", getattr(parameters, field.name)
        if is_dataclass(value):
            yield from _numbers(value, f"{name}.")
        elif isinstance(value, int | float):
            yield name, value, said.get(field.name, "")


def _refuse_number(key: str) -> None:
    """Raise what is wrong with the name of a number; BadInput."""
    from assistant.memory.parameters import Parameters
    from assistant.memory.tuning import with_changes

    with_changes(Parameters(), {key.removeprefix(f"{NUMBERS}."): 1})


def _unknown(key: str, known: Iterable[str]) -> BadInput:
    near = difflib.get_close_matches(key, known, n=1)
    message = f"there is no setting {key!r}" + (f"; did you mean {near[0]}?" if near else "")
    return BadInput(message)
