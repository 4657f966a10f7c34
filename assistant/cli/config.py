"""`assistant config`: show, get, set, edit, path."""

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from assistant.cli import output, streams
from assistant.cli.opening import find_place
from assistant.cli.shape import PlainCommand, group
from assistant.config import LoadedConfig, load_config, write_config
from assistant.errors import AssistantError, BadConfig
from assistant.paths import find_paths
from assistant.settings import (
    Setting,
    beaten_by,
    change,
    check,
    find_setting,
    listing,
    plain_names,
    setting_names,
    written,
)

REFUSED = ".refused"
"""What the file is called, beside the settings, that keeps a text which could not become them."""

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]

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
    settings = listing(_loaded(ctx))
    if as_json:
        output.say_json([_fields(setting) for setting in settings])
        return
    width = max(len(output.flat(setting.origin)) for setting in settings) if origin else 0
    for setting in settings:
        where = f"{output.flat(setting.origin):{width}}  " if origin else ""
        streams.say(f"{where}{setting.key} = {output.flat(setting.written)}")


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
    """Show one setting, one number of the memory, or the keys of one action."""
    found = find_setting(_loaded(ctx), key)
    if as_json:
        output.say_json(_fields(found))
    else:
        streams.say(output.flat(found.typed))


@app.command(
    "set",
    cls=PlainCommand,
    epilog="""
    assistant config set user_name Mara
    assistant config set learning false
    assistant config set memory.synapse.inhibition 0.2
    assistant config set keys.show_memory "ctrl+x, f4"
    """,
)
def set_setting(
    ctx: typer.Context,
    key: Annotated[str, typer.Argument(metavar="KEY", help="A setting.", autocompletion=plain_names)],
    value: Annotated[str, typer.Argument(metavar="VALUE", help="What it becomes.")],
    as_json: AsJson = False,
) -> None:
    """Change one setting in the file; comments and the rest of it stay.

    The numbers of the memory and the keys of the screens are set by their
    dotted names. Rules of retention are tables: use assistant config edit. Put
    -- before a value that begins with a dash.
    """
    chosen = change(_file(ctx), key, value)
    variable = beaten_by(key, os.environ)
    if variable:
        streams.warn(f"{variable} is set and beats this choice")
    if as_json:
        output.say_json(_fields(find_setting(_loaded(ctx), key)))
    else:
        streams.say(f"{key} = {output.flat(written(chosen))}")


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
        loaded = check(text, path)
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


def _file(ctx: typer.Context) -> Path:
    """Give the file, which may hold what cannot be used."""
    from assistant.cli.options import Options

    options = ctx.find_object(Options) or Options()
    return find_paths(profile=options.profile).config_file


def _loaded(ctx: typer.Context) -> LoadedConfig:
    place = find_place(ctx)  # tells of settings that are not known
    return load_config(place.paths.config_file, os.environ)


def _fields(setting: Setting) -> dict[str, Any]:
    return {"key": setting.key, "value": setting.value, "origin": setting.origin}


def _content(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        message = f"{path} cannot be read: {error}"
        raise BadConfig(message) from error
