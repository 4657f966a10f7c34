"""`assistant model`: list, info, use, pull, verify, path."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assistant.cli import output, streams
from assistant.cli.choices import model_names
from assistant.cli.opening import Place, find_place
from assistant.cli.shape import PlainCommand, group

if TYPE_CHECKING:
    from assistant.language.catalogue import ModelFile

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
    place = find_place(ctx)
    found = _models(place)
    if as_json:
        output.say_json(found)
        return
    width = max(len(output.flat(model["name"])) for model in found)
    for model in found:
        mark = "*" if model["chosen"] else " "
        size = f"{model['bytes'] / 1e9:.1f} GB" if model["bytes"] else ""
        state = "ready" if model["ready"] else "installed" if model["installed"] else f"get it: {model['install']}"
        streams.say(f"{mark} {output.flat(model['name']):{width}}  {size:>7}  {state}")


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
    place = find_place(ctx)
    fields = facts(place, _resolved(place, name))
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
    from assistant.config import save_setting
    from assistant.language.gguf import read_header

    place = find_place(ctx)
    model = _resolved(place, name)
    if model.path.exists():
        read_header(model.path)
    chosen = model.name if model.package else str(model.path.absolute())
    save_setting(place.paths.config_file, "model", chosen)
    if as_json:
        output.say_json({"model": chosen})
    else:
        streams.say(f"{output.flat(chosen)} answers from now on")
    if "ASSISTANT_MODEL" in os.environ:
        streams.warn("ASSISTANT_MODEL is set and beats this choice")


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
    from assistant.language.catalogue import prepare, verify
    from assistant.language.gguf import read_header

    place = find_place(ctx)
    model = _resolved(place, name)
    if model.package is None:
        read_header(model.path)
    elif model.path.exists():
        verify(model.package, model.path, tell_progress)
    else:
        prepare(model.package, place.paths.models, tell_progress)
    streams.end_progress()
    known = model.package is not None
    if as_json:
        output.say_json({"name": model.name, "file": str(model.path), "whole": True, "checksum_compared": known})
    elif known:
        streams.say(f"{model.name} is what it should be")
    else:
        streams.say(f"{output.flat(model.name)} is a whole GGUF file; nobody told its checksum")


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


def facts(place: Place, model: "ModelFile") -> dict[str, Any]:
    """Give what is known of a model, and what of it fits into the memory that is free."""
    from assistant.errors import ModelNotLoadable
    from assistant.language.gguf import choose_context, estimate_bytes, read_header
    from assistant.language.machine import available_memory

    fields: dict[str, Any] = {"name": model.name, "file": str(model.path), "ready": model.path.exists()}
    if not model.path.exists():
        return {**fields, "title": model.package.title if model.package else None, "note": "joined at the first use"}
    header = read_header(model.path)
    free = available_memory()
    try:
        context, limit = choose_context(header, place.config.context, memory=free)
    except ModelNotLoadable as error:
        context, limit = 0, str(error)
    return {
        **fields,
        "title": header.name or None,
        "architecture": header.architecture,
        "parameters": header.parameters or None,
        "quantisation": header.quantisation,
        "file_bytes": header.file_bytes,
        "trained_context": header.trained_context,
        "context_here": context,
        "limited_by": limit,
        "memory_needed": estimate_bytes(header, context),
        "memory_free": free,
        "chat_template": header.has_template,
    }


def tell_progress(what: str, share: float | None) -> None:
    """Show how far something is that takes long."""
    streams.tell_progress(what if share is None else f"{what} {share:.0%}")


def _resolved(place: Place, name: str | None) -> "ModelFile":
    from assistant.language.catalogue import resolve

    return resolve(name or place.config.model, place.paths.models)


def _models(place: Place) -> list[dict[str, Any]]:
    from assistant.language.catalogue import PACKAGE_MODELS, installed

    chosen = place.config.model
    packaged = {model.file_name for model in PACKAGE_MODELS}
    models: list[dict[str, Any]] = [
        {
            "name": model.name,
            "title": model.title,
            "bytes": model.file_bytes,
            "chosen": model.name == chosen,
            "installed": installed(model),
            "ready": (place.paths.models / model.file_name).exists(),
            "install": model.install_hint,
        }
        for model in PACKAGE_MODELS
    ]
    files = sorted(file for file in place.paths.models.glob("*.gguf") if file.name not in packaged)
    if all(chosen != model["name"] for model in models) and Path(chosen).expanduser() not in files:
        files.append(Path(chosen).expanduser())
    for file in files:
        size = file.stat().st_size if file.exists() else 0
        models.append(
            {
                "name": str(file),
                "title": file.stem,
                "bytes": size,
                "chosen": file == Path(chosen).expanduser(),
                "installed": bool(size),
                "ready": bool(size),
                "install": "the file is not there",
            }
        )
    return models
