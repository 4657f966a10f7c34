"""Settings, read once and passed down. Flags beat the environment, which beats the file, which beats these defaults."""

import difflib
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from assistant.errors import BadConfig
from assistant.keys import KeyRefused, choose_keys
from assistant.themes import THEMES
from assistant.toml_lines import line_of, line_within
from storage.records import Source
from storage.tag_names import normal_tag

NUMBERS = "memory"
"""The setting that is a table of numbers."""
KEYS = "keys"
"""The setting that is a table of keys."""
CHOICES = {"fading": ("propose", "archive"), "theme": THEMES}
"""Settings that take one of a few words."""
CENTURY_HOURS = 876_600
"""No calendar goes on for ever."""
RANGES = {
    "context": (0, 10_000_000),
    "gpu_layers": (-1, 10_000),
    "threads": (0, 1024),
    "temperature": (0, 10),
    "max_tokens": (1, 10_000_000),
    "memory_tokens": (0, 10_000_000),
    "grace_hours": (0, CENTURY_HOURS),
    "lock_after_minutes": (0, CENTURY_HOURS * 60),
    "lock_at_most_hours": (0, CENTURY_HOURS),
}
"""Settings that are numbers: from what to what. The highest is what nobody means, and what nothing can count with."""
RULES = "retention"
"""The one setting that is a list of tables."""
TABLES = frozenset({NUMBERS, KEYS, RULES})
"""Settings that are no single value, and so have no place in a variable."""
KEPT_SOURCES = tuple(source.value for source in Source if source is not Source.MEMORY)
"""Ways by which memories come in."""
LONGEST_KEPT_DAYS = 3650
"""Ten years: what shall stay for longer stays for ever."""
TYPE_NAMES = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionRule:
    """How long the memories that fit it are kept, as `[[retention]]` tells it."""

    keep_days: float | None
    """Since they were said; of those that were not said in a chat here, since they came in. None: for ever."""
    source: str = ""
    """Those that came in this way: `chat`, `note`, `imported`, `file` or `tool`; empty: in any."""
    tag: str = ""
    """Those with this tag; empty: with any or none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Every setting. The string under each says what it does; its type and default stand here and nowhere else."""

    user_name: str = "User"
    """What the user's own turns are signed with in the memory."""
    model: str = "qwen2.5-coder-1.5b"
    """A model of `assistant model list`, or the path of a GGUF file."""
    context: int = 8192
    """Tokens of context wanted; less is taken when the model or the memory of the machine gives less."""
    gpu_layers: int = -1
    """Layers to put on the GPU; -1: all, when the build can."""
    threads: int = 0
    """Threads for the model; 0: one for each physical core."""
    temperature: float = 0.4
    """0 always takes the likeliest token."""
    max_tokens: int = 1024
    """The longest answer."""
    engine: str = "associative"
    """The way of recalling."""
    encoder: str = "minilm"
    """`minilm`, or a sentence-transformers model: a folder, or a name that is in the hub's cache already."""
    memory_tokens: int = 0
    """Tokens of memories in a prompt; 0: what the model reads here in four seconds, 200 to 1,500."""
    fading: str = "propose"
    """What becomes of memories that fade: `propose` lists them, `archive` takes them out of the graph, not of reach."""
    learning: bool = True
    """Whether chats are remembered; when false each one is temporary. `remember` and `import` work all the same."""
    grace_hours: float = 24.0
    """How long forgetting can be undone; after it nothing is left to undo it from. 0: at once."""
    lock_after_minutes: int = 30
    """The vault locks when nothing was done for so long, in the screens and after `vault unlock`; 0: never."""
    lock_at_most_hours: float = 12.0
    """The vault locks so long after it was unlocked, whatever was done; 0: never."""
    theme: str = "assistant-dark"
    """Colours of the screens, as ctrl+p, Theme lists them; `ansi-dark` and `ansi-light` are the terminal's own."""
    keys: Mapping[str, str] = field(default_factory=dict)
    """A table of keys for the screens, each by the name of what it does, such as `new_chat = "ctrl+x"`; the settings
    (F8) list all names. Several keys are separated by commas; an empty one takes the key away."""
    memory: tuple[tuple[str, float | bool], ...] = ()
    """A table of the memory's own numbers, each by its name in `assistant/memory/parameters.py`, such as
    `associative.spread_steps = 3`."""
    retention: tuple[RetentionRule, ...] = ()
    """Tables, each a rule: `keep_days = 90` or `keep = "forever"`, and which memories by `source` or `tag`. The first
    that fits a memory decides; one that none fits is kept, and so is what is pinned. What a rule lets go waits for a
    day or more, in which it can be had back."""
    passphrase_command: str = ""
    """A command that prints the passphrase, such as one of a password manager."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedConfig:
    """Settings, and what was odd about the file."""

    config: Config
    warnings: tuple[str, ...]
    """One line for each setting that is not known, and for each key of the screens that will do nothing."""
    origins: Mapping[str, str]
    """Of each setting that is set, where: a variable, or file and line. What stands in a table has its dotted name."""


def load_config(path: Path, environment: Mapping[str, str]) -> LoadedConfig:
    """Read the settings from a file, which need not exist, and from ASSISTANT_<NAME> variables.

    Raises
    ------
    BadConfig
        The file is no TOML, or a value has the wrong type; the message names file, line or key.
    """
    return read_config(_text(path), path, environment)


def read_config(text: str, path: Path, environment: Mapping[str, str]) -> LoadedConfig:
    """Read the settings from the text of a file, which messages call by its path, and from variables.

    Raises
    ------
    BadConfig
        As for `load_config`.
    """
    given: dict[str, Any] = {}
    warnings: list[str] = []
    origins: dict[str, str] = {}
    known = {each.name: each.type for each in fields(Config)}
    for key, value in _parsed(text, path).items():
        where = f"{path}:{line_of(text, key)}"
        if key == NUMBERS:
            given[key] = tuple(_numbers(value, where=where))
            origins |= {f"{NUMBERS}.{name}": f"{path}:{line_within(text, NUMBERS, name)}" for name, _ in given[key]}
        elif key == KEYS:
            given[key], odd, places = _keys(value, text, path)
            warnings += odd
            origins |= places
        elif key == RULES:
            given[key] = tuple(_rules(value, text, path))
        elif key in known:
            given[key] = _checked(key, value, known[key], where=where)
        else:
            near = difflib.get_close_matches(key, known, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            warnings.append(f"{where}: there is no setting {key!r}{hint}")
            continue
        origins[key] = where
    for key, wanted in known.items():
        if key in TABLES:
            continue
        variable = f"ASSISTANT_{key.upper()}"
        if variable in environment:
            given[key] = _checked(key, _from_text(environment[variable], wanted), wanted, where=variable)
            origins[key] = variable
    return LoadedConfig(config=Config(**given), warnings=tuple(warnings), origins=origins)


def with_setting(path: Path, key: str, value: str | float) -> str:
    """Give the text of the file with one setting changed; comments and the rest stay.

    Parameters
    ----------
    path
        The file, which need not exist.
    key
        Of a setting; a number of the memory is called by its dotted name, such as `memory.synapse.inhibition`.
    value
        What it becomes.

    Raises
    ------
    BadConfig
        The file is no TOML, or holds something else where a table has to be.
    """
    import tomlkit

    text = _text(path)
    _parsed(text, path)  # refuses a file that cannot be read before it is touched
    document = tomlkit.parse(text)
    table: Any = document
    *tables, last = key.split(".")
    for name in tables:
        if name not in table:
            table[name] = tomlkit.table()
        table = table[name]
        if not isinstance(table, dict):
            message = f"{path}: {name} must be a table; correct it with: assistant config edit"
            raise BadConfig(message)
    table[last] = value
    return tomlkit.dumps(document).rstrip("\n") + "\n"


def save_setting(path: Path, key: str, value: str | float) -> None:
    """Change one setting in the file, whole or not at all; comments and the rest stay.

    Raises
    ------
    BadConfig
        The file is no TOML, or cannot be written.
    """
    write_config(path, with_setting(path, key, value))


def write_config(path: Path, text: str) -> None:
    """Replace the file, whole or not at all, for its owner's eyes only.

    Raises
    ------
    BadConfig
        It cannot be written.
    """
    import os

    temporary = path.with_suffix(".tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        temporary.write_text(text, encoding="utf-8")
        temporary.chmod(0o600)
        os.replace(temporary, path)  # noqa: PTH105  (atomic by contract on every system)
    except OSError as error:
        message = f"{path} cannot be written: {error.strerror}"
        raise BadConfig(message) from error


def from_text(key: str, text: str) -> str | float:
    """Give a typed value of a setting as its type; a number of the memory as whichever type it reads as.

    Raises
    ------
    BadConfig
        It has another type, or is out of its range.
    """
    if key.startswith(f"{NUMBERS}."):
        for kind in (bool, int, float):
            number = _from_text(text, kind)
            if isinstance(number, int | float):
                return number
        message = f"{key} must be a number, not {text!r}"
        raise BadConfig(message)
    wanted = next(each.type for each in fields(Config) if each.name == key)
    value: str | float = _checked(key, _from_text(text, wanted), wanted)
    return value


def _text(path: Path) -> str:
    """Give the text of the file; empty when there is none."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        message = f"{path} is not valid TOML: {error}"
        raise BadConfig(message) from error
    except OSError as error:
        message = f"{path} cannot be read: {error.strerror}"
        raise BadConfig(message) from error


def _parsed(text: str, path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message = f"{path} is not valid TOML: {error}"
        raise BadConfig(message) from error


def _checked(key: str, value: Any, wanted: Any, *, where: str = "") -> Any:
    if wanted is float and type(value) is int:
        value = float(value)
    needed = ""
    if type(value) is not wanted:
        needed = TYPE_NAMES[wanted]
    elif key in CHOICES and value not in CHOICES[key]:
        *others, last = CHOICES[key]
        needed = f"{', '.join(others)} or {last}"
    elif key in RANGES and not RANGES[key][0] <= value <= RANGES[key][1]:  # nan is not, either
        needed = "from {:,} to {:,}".format(*RANGES[key])
    if needed:
        message = f"{where}{where and ': '}{key} must be {needed}, not {value!r}"
        raise BadConfig(message)
    return value


def _numbers(table: object, *, where: str, within: str = "") -> Iterator[tuple[str, float | bool]]:
    """Give the numbers of a table by name, those of a table in it with its name before a point."""
    if not isinstance(table, dict):
        message = f"{where}: {within or NUMBERS} must be a table of numbers, not {table!r}"
        raise BadConfig(message)
    for key, value in table.items():
        name = f"{within}.{key}" if within else key
        if isinstance(value, dict):
            yield from _numbers(value, where=where, within=name)
        elif isinstance(value, int | float):
            yield name, value
        else:
            message = f"{where}: {NUMBERS}.{name} must be a number, not {value!r}"
            raise BadConfig(message)


def _keys(value: object, text: str, path: Path) -> tuple[Mapping[str, str], list[str], dict[str, str]]:
    """Give the keys of a table, what is odd about it, and where each stands."""
    if not isinstance(value, dict):
        message = f"{path}:{line_of(text, KEYS)}: keys must be a table, not {value!r}"
        raise BadConfig(message)
    written = {
        f"{name}.{inner}" if inner else name: one
        for name, each in value.items()
        for inner, one in (each.items() if isinstance(each, dict) else [("", each)])
    }
    places = {name: f"{path}:{line_within(text, KEYS, name)}" for name in written}
    try:
        chosen = choose_keys(written)
    except KeyRefused as error:
        message = f"{places[error.action]}: {error}"
        raise BadConfig(message) from error
    odd = [f"{places[action]}: {warning}" for action, warning in chosen.warnings]
    return chosen.keys, odd, {f"{KEYS}.{name}": places[name] for name in chosen.keys}


def _rules(value: object, text: str, path: Path) -> Iterator[RetentionRule]:
    """Give the rules of a list of tables, in order."""
    if not isinstance(value, list) or not all(isinstance(rule, dict) for rule in value):
        message = f"{path}:{line_of(text, RULES)}: retention is written as tables, each under a line [[retention]]"
        raise BadConfig(message)
    lines = [
        number for number, line in enumerate(text.splitlines(), 1) if line.replace(" ", "").startswith(f"[[{RULES}]]")
    ]
    for number, rule in enumerate(value, 1):
        place = f":{lines[number - 1]}" if number <= len(lines) else ""
        try:
            yield _rule(rule)
        except ValueError as error:
            message = f"{path}{place}: retention rule {number}: {error}"
            raise BadConfig(message) from error


def _rule(rule: dict[str, Any]) -> RetentionRule:
    """Give one rule.

    Raises
    ------
    ValueError
        It says what no rule can, or not how long.
    """
    odd = rule.keys() - {"keep", "keep_days", "source", "tag"}
    if odd:
        message = f"there is no {min(odd)!r}; a rule has keep_days or keep, source, tag"
        raise ValueError(message)
    if ("keep" in rule) == ("keep_days" in rule):
        raise ValueError('give either keep_days = N or keep = "forever"')
    days, source, tag = rule.get("keep_days"), rule.get("source", ""), rule.get("tag", "")
    if rule.get("keep", "forever") != "forever":
        message = f"keep must be 'forever', not {rule['keep']!r}; for days use keep_days"
        raise ValueError(message)
    if days is not None and (type(days) not in {int, float} or not 0 < days <= LONGEST_KEPT_DAYS):
        message = f"keep_days must be a number of days up to {LONGEST_KEPT_DAYS}, not {days!r}"
        raise ValueError(message)
    if source and source not in KEPT_SOURCES:
        message = f"source must be {', '.join(KEPT_SOURCES[:-1])} or {KEPT_SOURCES[-1]}, not {source!r}"
        raise ValueError(message)
    if not isinstance(tag, str):
        message = f"tag must be text, not {tag!r}"
        raise ValueError(message)  # noqa: TRY004  # told like everything else that is wrong with a rule
    return RetentionRule(
        keep_days=None if days is None else float(days), source=source, tag=normal_tag(tag) if tag else ""
    )


def _from_text(text: str, wanted: Any) -> object:
    try:
        return {"true": True, "false": False}[text.lower()] if wanted is bool else wanted(text)
    except (KeyError, ValueError):
        return text
