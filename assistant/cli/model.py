"""`assistant model`: list, info, use, pull, verify, path."""

import os
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from assistant.cli import output, streams
from assistant.cli.choices import model_names
from assistant.cli.opening import Place, find_place
from assistant.cli.shape import PlainCommand, group

if TYPE_CHECKING:
    from assistant.language.catalogue import ModelFile
    from assistant.model_files import ListedModel

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Name = Annotated[
    str | None,
    typer.Argument(
        help="A name of the list, or a GGUF file; otherwise the chosen one.",
        metavar="MODEL",
        autocompletion=model_names,
    ),
]

app = group(
    "Choose, fetch and check language models.",
    """
    assistant model list
    assistant model info
    assistant model use ~/models/some-model.gguf
    """,
)


@app.command(
    "list",
    cls=PlainCommand,
    epilog="""
    assistant model list
    assistant model list --json
    """,
)
def list_models(ctx: typer.Context, as_json: AsJson = False) -> None:
    """List the models there are; * marks the chosen one.

    Packages are joined to one file when a model is used for the first time.
    """
    from assistant.model_files import list_models as models_here

    place = find_place(ctx)
    found = models_here(place.config, place.paths.models)
    if as_json:
        output.say_json([_fields(model) for model in found])
        return
    width = max(len(output.flat(model.name)) for model in found)
    for model in found:
        mark = "*" if model.chosen else " "
        size = f"{model.file_bytes / 1e9:.1f} GB" if model.file_bytes else ""
        state = "ready" if model.ready else "installed" if model.installed else f"get it: {model.install}"
        streams.say(f"{mark} {output.flat(model.name):{width}}  {size:>7}  {state}")


@app.command(
    "info",
    cls=PlainCommand,
    epilog="""
    assistant model info
    assistant model info ~/models/some-model.gguf
    """,
)
def show_model(ctx: typer.Context, name: Name = None, as_json: AsJson = False) -> None:
    """Show what a model is, and how much of it fits here."""
    from assistant.model_files import facts

    place = find_place(ctx)
    fields = asdict(facts(_resolved(place, name), place.config))
    if as_json:
        output.say_json(fields)
        return
    for key, value in fields.items():
        if value is not None:
            streams.say(f"{key.replace('_', ' '):16}{output.flat(f'{value:,}' if type(value) is int else str(value))}")


@app.command(
    "use",
    cls=PlainCommand,
    epilog="""
    assistant model use qwen2.5-coder-0.5b
    assistant model use ~/models/some-model.gguf
    """,
)
def use_model(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(help="A name or a GGUF file.", metavar="MODEL", autocompletion=model_names)],
    as_json: AsJson = False,
) -> None:
    """Choose the model that answers."""
    from assistant.model_files import choose_model

    choice = choose_model(name, find_place(ctx).paths, os.environ)
    if as_json:
        output.say_json({"model": choice.model})
    else:
        streams.say(f"{output.flat(choice.model)} answers from now on")
    if choice.beaten_by:
        streams.warn(f"{choice.beaten_by} is set and beats this choice")


@app.command(
    "verify",
    cls=PlainCommand,
    epilog="""
    assistant model verify
    assistant model verify --json qwen2.5-coder-0.5b
    """,
)
def verify_model(ctx: typer.Context, name: Name = None, as_json: AsJson = False) -> None:
    """Read a model's file whole, and compare its checksum.

    One that is not joined yet is joined first, which compares it too.
    """
    from assistant.model_files import Checked, check_model

    place = find_place(ctx)
    model = _resolved(place, name)
    outcome = check_model(model, place.paths.models, tell_progress)
    streams.end_progress()
    if as_json:
        compared = outcome is Checked.COMPARED
        output.say_json({"name": model.name, "file": str(model.path), "whole": True, "checksum_compared": compared})
    else:
        streams.say(f"{output.flat(model.name)} {outcome}")


@app.command(
    "pull",
    cls=PlainCommand,
    epilog="""
    assistant model pull https://example.org/some-model.gguf --sha256 9f86d0...
    """,
)
def pull_model(
    ctx: typer.Context,
    address: Annotated[str, typer.Argument(help="Of a GGUF file, with https.", metavar="URL")],
    digest: Annotated[str, typer.Option("--sha256", metavar="HEX", help="Its checksum, as its page tells it.")],
    as_json: AsJson = False,
) -> None:
    """Fetch a model's file, and compare its checksum.

    The only command that connects to anywhere: to this address, when you say so.
    One that broke off is gone on with.
    """
    from assistant.errors import ModelNotLoadable
    from assistant.language.fetching import Source, fetch
    from assistant.language.gguf import read_header

    place = find_place(ctx)
    path = fetch(Source(address=address, digest=digest.lower()), place.paths.models, tell_progress)
    streams.end_progress()
    try:
        read_header(path)
    except ModelNotLoadable:
        path.unlink()  # it would stand in the list of models
        raise
    if as_json:
        output.say_json({"name": path.stem, "file": str(path), "bytes": path.stat().st_size})
    else:
        streams.say(f"fetched {output.flat(str(path))}; choose it with: assistant model use {output.flat(str(path))}")


@app.command(
    "path",
    cls=PlainCommand,
    epilog="""
    assistant model path
    assistant model path qwen2.5-coder-0.5b
    """,
)
def show_path(ctx: typer.Context, name: Name = None, as_json: AsJson = False) -> None:
    """Show where a model's file is, or will be once it is joined."""
    model = _resolved(find_place(ctx), name)
    if as_json:
        output.say_json({"name": model.name, "file": str(model.path), "exists": model.path.exists()})
    else:
        streams.say(output.flat(str(model.path)))


def tell_progress(what: str, share: float | None) -> None:
    """Show how far something is that takes long."""
    streams.tell_progress(what if share is None else f"{what} {share:.0%}")


def _resolved(place: Place, name: str | None) -> "ModelFile":
    from assistant.language.catalogue import resolve

    return resolve(name or place.config.model, place.paths.models)


def _fields(model: "ListedModel") -> dict[str, str | int | bool]:
    return {
        "name": model.name,
        "title": model.title,
        "bytes": model.file_bytes,
        "chosen": model.chosen,
        "installed": model.installed,
        "ready": model.ready,
        "install": model.install,
    }
