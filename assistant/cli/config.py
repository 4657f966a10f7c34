"""`assistant config`: show, get, set, edit, path."""

import difflib
import os
from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assistant.cli import output, streams
from assistant.cli.opening import find_place
from assistant.cli.shape import PlainCommand, group
from assistant.config import (
    NUMBERS,
    RULES,
    Config,
    RetentionRule,
    from_text,
    load_config,
    read_config,
    with_setting,
    write_config,
)
from assistant.errors import AssistantError, BadConfig, BadInput
from assistant.paths import find_paths

if TYPE_CHECKING:
    from pathlib import Path

    from assistant.config import LoadedConfig

DEFAULT = "default"
REFUSED = ".refused"
"""What the file is called, beside the settings, that keeps a text which could not become them."""

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def setting_names() -> list[str]:
    """Give the names of all settings, in order."""
    return [field.name for field in fields(Config)]


def _plain_names() -> list[str]:
    return [name for name in setting_names() if name not in {NUMBERS, RULES}]


app = group(
    "Show and change the settings.",
    """
    assistant config show --origin
    assistant config get model
    assistant config set grace_hours 48
    assistant config edit
    """,
)


@app.command(
    "show",
    cls=PlainCommand,
    epilog="""
    assistant config show
    assistant config show --origin
    assistant config show --json | jq -r '.[] | select(.origin != "default")'
    """,
)
def show_settings(
    ctx: typer.Context,
    origin: Annotated[bool, typer.Option("--origin", help="Also tell where each is set.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show all settings.

    The origin is a variable of the environment, file and line, or default. An
    option of a command, such as ask --model, beats them all.
    """
    entries = _entries(_loaded(ctx))
    if as_json:
        output.say_json(entries)
        return
    width = max(len(entry["origin"]) for entry in entries) if origin else 0
    for entry in entries:
        where = f"{output.flat(entry['origin']):{width}}  " if origin else ""
        streams.say(f"{where}{entry['key']} = {output.flat(_written(entry['value']))}")


@app.command(
    "get",
    cls=PlainCommand,
    epilog="""
    assistant config get model
    assistant config get memory.synapse.inhibition
    """,
)
def get_setting(
    ctx: typer.Context,
    key: Annotated[str, typer.Argument(metavar="KEY", help="A setting.", autocompletion=setting_names)],
    as_json: AsJson = False,
) -> None:
    """Show one setting, or one number of the memory."""
    entries = _entries(_loaded(ctx))
    found = next((entry for entry in entries if entry["key"] == key), None)
    if found is None:
        found = {"key": key, "value": _default_number(key), "origin": DEFAULT}
    if as_json:
        output.say_json(found)
    else:
        value = found["value"]
        streams.say(output.flat(value if isinstance(value, str) else _written(value)))


@app.command(
    "set",
    cls=PlainCommand,
    epilog="""
    assistant config set user_name Mara
    assistant config set learning false
    assistant config set memory.synapse.inhibition 0.2
    """,
)
def set_setting(
    ctx: typer.Context,
    key: Annotated[str, typer.Argument(metavar="KEY", help="A setting.", autocompletion=_plain_names)],
    value: Annotated[str, typer.Argument(metavar="VALUE", help="What it becomes.")],
    as_json: AsJson = False,
) -> None:
    """Change one setting in the file; comments and the rest of it stay.

    The numbers of the memory are set by their dotted names. Rules of retention
    are tables: use assistant config edit. Put -- before a value that begins
    with a dash.
    """
    path = _file(ctx)
    if key == RULES or key.startswith(f"{RULES}."):
        raise BadInput("rules of retention are tables, not one value: write them with: assistant config edit")
    if key == NUMBERS:
        raise BadInput("memory is a table: set one number of it, such as memory.synapse.inhibition")
    if key not in _plain_names() and not key.startswith(f"{NUMBERS}."):
        raise _unknown(key)
    chosen = from_text(key, value)
    text = with_setting(path, key, chosen)
    _check(text, path)
    write_config(path, text)
    variable = f"ASSISTANT_{key.upper()}"
    if variable in os.environ:
        streams.warn(f"{variable} is set and beats this choice")
    if as_json:
        output.say_json(next(entry for entry in _entries(_loaded(ctx)) if entry["key"] == key))
    else:
        streams.say(f"{key} = {output.flat(_written(chosen))}")


@app.command(
    "edit",
    cls=PlainCommand,
    epilog="""
    assistant config edit
    EDITOR=nano assistant config edit
    """,
)
def edit_settings(ctx: typer.Context) -> None:
    """Edit the settings in $VISUAL or $EDITOR.

    A copy is edited, and checked before it replaces the file. One that is refused
    is kept beside it, and is what the next edit opens.
    """
    from assistant.cli.editor import edit

    path = _file(ctx)
    kept = path.with_name(path.name + REFUSED)
    before = _content(path)
    begun = _content(kept) or before
    text = edit(begun.removesuffix("\n"), name=path.name, otherwise="use assistant config set").rstrip("\n") + "\n"
    if text.strip() == before.strip():
        kept.unlink(missing_ok=True)
        streams.say("nothing was changed")
        return
    try:
        loaded = _check(text, path)
    except AssistantError as error:
        write_config(kept, text)
        message = f"{error}; nothing was changed, and your text waits for: assistant config edit"
        raise BadConfig(message) from error
    for warning in loaded.warnings:
        streams.warn(warning)
    write_config(path, text)
    kept.unlink(missing_ok=True)
    streams.say(f"changed {output.flat(str(path))}")


@app.command(
    "path",
    cls=PlainCommand,
    epilog="""
    assistant config path
    """,
)
def show_path(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Show where the settings lie; the file need not be there."""
    path = _file(ctx)
    if as_json:
        output.say_json({"path": str(path), "exists": path.exists()})
    else:
        streams.say(output.flat(str(path)))


def _file(ctx: typer.Context) -> "Path":
    """Give the file, which may hold what cannot be used."""
    from assistant.cli.options import Options

    options = ctx.find_object(Options) or Options()
    return find_paths(profile=options.profile).config_file


def _loaded(ctx: typer.Context) -> "LoadedConfig":
    place = find_place(ctx)  # tells of settings that are not known
    return load_config(place.paths.config_file, os.environ)


def _entries(loaded: "LoadedConfig") -> list[dict[str, Any]]:
    """Give each setting with its value and origin; the numbers of the memory one by one."""
    entries = []
    for field in fields(Config):
        value = getattr(loaded.config, field.name)
        if field.name == NUMBERS:
            entries += [_entry(f"{NUMBERS}.{name}", number, loaded) for name, number in value]
        elif field.name == RULES:
            entries.append(_entry(RULES, [_rule_fields(rule) for rule in value], loaded))
        else:
            entries.append(_entry(field.name, value, loaded))
    return entries


def _entry(key: str, value: object, loaded: "LoadedConfig") -> dict[str, Any]:
    return {"key": key, "value": value, "origin": loaded.origins.get(key, DEFAULT)}


def _rule_fields(rule: RetentionRule) -> dict[str, Any]:
    kept = {"keep": "forever"} if rule.keep_days is None else {"keep_days": rule.keep_days}
    return {**kept, **({"source": rule.source} if rule.source else {}), **({"tag": rule.tag} if rule.tag else {})}


def _written(value: object) -> str:
    """Give a value as it is written in the file."""
    import tomlkit

    return tomlkit.item(value).as_string()


def _check(text: str, path: "Path") -> "LoadedConfig":
    """Give what a text would be as the settings' file, the numbers of the memory tried, too.

    Raises
    ------
    BadInput
        It cannot be used.
    """
    from assistant.memory.tuning import parameters_of

    loaded = read_config(text, path, {})
    try:
        parameters_of(loaded.config)
    except BadInput as error:
        line = next((where for key, where in loaded.origins.items() if key.partition(".")[2] in str(error).split()), "")
        message = f"{line or path}: {error}"
        raise BadConfig(message) from error
    return loaded


def _content(path: "Path") -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        message = f"{path} cannot be read: {error}"
        raise BadConfig(message) from error


def _default_number(key: str) -> float | bool:
    """Give a number of the memory as it is where nothing sets it.

    Raises
    ------
    BadInput
        There is no such number, or no such setting at all.
    """
    from assistant.memory.parameters import Parameters
    from assistant.memory.tuning import with_changes

    first, _, name = key.partition(".")
    if first != NUMBERS or not name:
        raise _unknown(key)
    found: Any = Parameters()
    for part in name.split("."):
        found = getattr(found, part, None)
    if not isinstance(found, int | float):
        with_changes(Parameters(), {name: 1})  # says what is wrong with the name
        raise _unknown(key)
    return found


def _unknown(key: str) -> BadInput:
    near = difflib.get_close_matches(key, setting_names(), n=1)
    message = f"there is no setting {key!r}" + (f"; did you mean {near[0]}?" if near else "")
    return BadInput(message)
