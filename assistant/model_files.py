"""The models there are: what is known of each, which one answers, how one is chosen, and whether its file is whole."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from assistant.config import Config, save_setting
from assistant.errors import BadInput, ModelMissing, ModelNotLoadable
from assistant.language.catalogue import (
    PACKAGE_MODELS,
    ModelFile,
    file_called,
    installed,
    prepare,
    resolve,
    verify,
)
from assistant.language.gguf import choose_context, estimate_bytes, read_header
from assistant.language.machine import available_memory
from assistant.language.model import LoadedModel, Progress
from assistant.paths import Paths

VARIABLE = "ASSISTANT_MODEL"
"""Beats the choice that is saved."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedModel:
    """A model that is here, could be installed, or was chosen and is not here."""

    file: ModelFile
    name: str
    """By which it is chosen: that of its package, or the path of its file."""
    title: str
    file_bytes: int
    """0 where the file is not there."""
    chosen: bool
    installed: bool
    """Whether its file can be joined from packages, or needs not be."""
    ready: bool
    """Whether its file is there."""
    install: str
    """How to get it."""

    @property
    def usable(self) -> bool:
        """Whether it can be chosen: its file is there, or can be joined."""
        return self.installed or self.ready


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFacts:
    """What a model's file says, and how much of it fits here. None: not known before the file is joined."""

    name: str
    file: str
    ready: bool
    title: str | None
    note: str | None = None
    architecture: str | None = None
    parameters: int | None = None
    quantisation: str | None = None
    file_bytes: int | None = None
    trained_context: int | None = None
    context_here: int | None = None
    """Tokens that fit; 0: it does not fit at all."""
    limited_by: str | None = None
    """`wanted`, `trained` or `memory`; where it does not fit, why."""
    memory_needed: int | None = None
    """Bytes, with the context that fits."""
    memory_free: int | None = None
    chat_template: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The model that was chosen."""

    model: str
    """As it stands in the settings."""
    beaten_by: str
    """The variable that says something else whenever the program starts; empty when there is none."""


class Checked(StrEnum):
    """How the check of a model's file ended."""

    COMPARED = "is what it should be"
    WHOLE = "is a whole GGUF file; nobody told its checksum"
    STOPPED = "was not read to its end"


def list_models(config: Config, folder: Path) -> list[ListedModel]:
    """Give the models that come as packages, the files in a folder, and the chosen file wherever it is."""
    chosen = config.model
    packaged = {model.file_name for model in PACKAGE_MODELS}
    models = []
    for model in PACKAGE_MODELS:
        path = folder / model.file_name
        ready = _size(path) > 0
        models.append(
            ListedModel(
                file=ModelFile(name=model.name, path=path, package=model),
                name=model.name,
                title=model.title,
                file_bytes=model.file_bytes,
                chosen=model.name == chosen,
                installed=installed(model),
                ready=ready,
                install=model.install_hint,
            )
        )
    files = sorted(file for file in folder.glob("*.gguf") if file.name not in packaged)
    chosen_file = file_called(chosen, folder)
    if all(chosen != model.name for model in models) and chosen_file not in files:
        files.append(chosen_file)
    return [*models, *(_listed(file, chosen=file == chosen_file) for file in files)]


def facts(model: ModelFile, config: Config, *, freed: int = 0, on_gpu: bool = False) -> ModelFacts:
    """Give what is known of a model; reads the head of its file, which takes a moment.

    Parameters
    ----------
    model, config
        The model, and the settings with the context that is wanted.
    freed
        Bytes that become free before it is loaded, on top of those that are free.
    on_gpu
        Whether its layers go to a graphics card, whose memory is not known.

    Raises
    ------
    ModelMissing, ModelNotLoadable
        The file went, or is no GGUF file; the message names the cause and what to do.
    """
    file = str(model.path)
    if not model.path.exists():
        title = model.package.title if model.package else None
        return ModelFacts(name=model.name, file=file, ready=False, title=title, note="joined at the first use")
    header = read_header(model.path)
    free = available_memory()
    try:
        context, limit = choose_context(header, config.context, memory=0 if on_gpu or not free else free + freed)
    except ModelNotLoadable as error:
        context, limit = 0, str(error)
    return ModelFacts(
        name=model.name,
        file=file,
        ready=True,
        title=header.name or None,
        architecture=header.architecture,
        parameters=header.parameters or None,
        quantisation=header.quantisation,
        file_bytes=header.file_bytes,
        trained_context=header.trained_context,
        context_here=context,
        limited_by=limit,
        memory_needed=estimate_bytes(header, context),
        memory_free=free,
        chat_template=header.has_template,
    )


def held_bytes(loaded: LoadedModel) -> int:
    """Give what a model that is loaded holds beyond the pages of its file, which the system takes back anyway."""
    try:
        header = read_header(Path(loaded.path))
    except (ModelMissing, ModelNotLoadable):  # its file went since
        return 0
    return estimate_bytes(header, loaded.context) - header.file_bytes * header.parts


def choose_model(name: str, paths: Paths, environment: Mapping[str, str]) -> Choice:
    """Let a model answer from now on: it is written into the settings.

    Raises
    ------
    ModelMissing, ModelNotLoadable
        It cannot answer; the choice stays what it was.
    BadInput
        Its file has a name that the settings cannot hold, or they cannot be written.
    """
    model = resolve(name, paths.models)
    if model.path.exists():
        read_header(model.path)
    chosen = model.name if model.package else str(model.path.absolute())
    if any("\ud800" <= letter <= "\udfff" for letter in chosen):  # each a byte that is no character
        message = f"rename {chosen!a}: settings hold only names that are UTF-8"
        raise BadInput(message)
    save_setting(paths.config_file, "model", chosen)
    return Choice(model=chosen, beaten_by=VARIABLE if environment.get(VARIABLE, chosen) != chosen else "")


def check_model(
    model: ModelFile, folder: Path, progress: Progress, *, cancel: threading.Event | None = None
) -> Checked:
    """Read a model's file whole and compare its checksum; one that is not joined yet is joined first.

    Of a file that came from elsewhere only the head is read: nobody told its checksum.

    Raises
    ------
    ModelMissing, ModelNotLoadable
        It is not there, or not what it should be; the message says what to do.
    """
    if model.package is None:
        read_header(model.path)
        return Checked.WHOLE

    def go_on(what: str, share: float | None) -> None:
        if cancel is not None and cancel.is_set():
            raise _Stopped
        progress(what, share)

    try:
        if model.path.exists():
            verify(model.package, model.path, go_on)
        else:
            prepare(model.package, folder, go_on)
    except _Stopped:
        return Checked.STOPPED
    return Checked.COMPARED


class _Stopped(Exception):
    """Leaves a check from within."""


def _listed(file: Path, *, chosen: bool) -> ListedModel:
    size = _size(file)
    return ListedModel(
        file=ModelFile(name=file.stem or str(file), path=file),
        name=str(file),
        title=file.stem,
        file_bytes=size,
        chosen=chosen,
        installed=bool(size),
        ready=bool(size),
        install="the file is not there",
    )


def _size(file: Path) -> int:
    """Give the bytes of a file; 0 when it is not there, or nobody may look."""
    try:
        return file.stat().st_size
    except OSError:
        return 0
