"""A checkup of this machine: each part is tried, one after the other, and each failure comes with what to do."""

import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from assistant import checkup_places as places
from assistant.checkup_places import Finding
from assistant.config import Config, LoadedConfig, load_config
from assistant.errors import AssistantError, BadConfig, ModelNotLoadable
from assistant.paths import Paths
from assistant.settings import try_out
from storage.errors import StorageError

if TYPE_CHECKING:
    from assistant.language.model import LanguageModel, Progress

OLDEST_PYTHON = (3, 11)
OF_SETTINGS = ("encoder", "model", "budget", "gpu")
"""Checks that cannot be made before the settings can be read."""
EDIT = "correct or remove that line: assistant config edit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """Something to be looked at, which may take seconds."""

    name: str
    look: Callable[[], Finding]
    """Raises nothing that a user can do something about: that is what it finds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deep:
    """The model that shall be loaded, too, and who is told how far that is."""

    model: "LanguageModel"
    progress: "Progress | None" = None


def read_settings(paths: Paths, environment: Mapping[str, str]) -> LoadedConfig | BadConfig:
    """Give the settings, or why they cannot be used."""
    try:
        return load_config(paths.config_file, environment)
    except BadConfig as error:
        return error


def checks(paths: Paths, settings: LoadedConfig | BadConfig, *, now: datetime, deep: Deep | None = None) -> list[Check]:
    """Give all there is to look at, in order. Nothing is looked at yet; the vault is never opened."""
    found = [
        Check(name="python", look=_python),
        Check(name="config", look=partial(_config, paths, settings)),
        *(
            _check(look.__name__, partial(look, paths), fix=places.SEE_RIGHTS)
            for look in (places.vault, places.rights, places.room, places.runtime)
        ),
        _check(
            "agent",
            partial(_agent, paths, now),
            fix="correct that; until then, commands ask for the passphrase",
            stops=False,
        ),
        _check("keyring", partial(places.keyring, paths), fix=places.SEE_RIGHTS, stops=False),
        _check("storage", _storage, fix="see that the temporary folder can be written, or install the program again"),
    ]
    if isinstance(settings, BadConfig):
        what = "not looked at before the settings can be read"
        return found + [Check(name=name, look=partial(Finding, name=name, ok=None, what=what)) for name in OF_SETTINGS]
    config = settings.config
    return [
        *found,
        _check("encoder", partial(_encoder, config), fix="install the program again: the encoder comes with it"),
        _check("model", partial(_model, config, paths), fix="choose one that is here: assistant model list"),
        _check("budget", partial(_budget, config, paths), fix="assistant config set memory_tokens 400"),
        Check(name="gpu", look=_gpu)
        if deep is None
        else _check("loading", partial(_loading, deep), fix="assistant model verify; or choose a smaller model"),
    ]


def _check(name: str, look: Callable[[], str | Finding], *, fix: str, stops: bool = True) -> Check:
    return Check(name=name, look=partial(_tried, name, look, fix=fix, stops=stops))


def _tried(name: str, look: Callable[[], str | Finding], *, fix: str, stops: bool) -> Finding:
    """Give what a look finds, or the failure that it ends with, whose message tells what is wrong."""
    try:
        found = look()
    except (AssistantError, StorageError) as error:
        return Finding(name=name, ok=False, stops=stops, what=str(error), fix=fix, error=type(error))
    except OSError as error:
        what = f"{error.filename or name}: {error.strerror or error}"
        return Finding(name=name, ok=False, stops=stops, what=what, fix=fix, error=StorageError)
    except ImportError as error:  # a library that is there and does not fit this system
        return Finding(name=name, ok=False, stops=stops, what=str(error), fix=f"install the program again; or: {fix}")
    return found if isinstance(found, Finding) else Finding(name=name, ok=True, what=found)


def _python() -> Finding:
    version = ".".join(str(part) for part in sys.version_info[:3])
    ok = sys.version_info >= OLDEST_PYTHON
    fix = "" if ok else "use Python 3.11 or newer"
    return Finding(name="python", ok=ok, what=f"{version}, {sys.executable}", fix=fix)


def _config(paths: Paths, settings: LoadedConfig | BadConfig) -> Finding:
    """See that the settings can be used, and that each is one that there is."""
    if isinstance(settings, BadConfig):
        variable, colon, _ = str(settings).partition(":")
        fix = f"unset {variable}, or give it another value" if colon and variable.startswith("ASSISTANT_") else EDIT
        return Finding(name="config", ok=False, what=str(settings), fix=fix, error=type(settings))
    try:
        try_out(settings, paths.config_file)
    except BadConfig as error:
        return Finding(name="config", ok=False, what=str(error), fix=EDIT, error=BadConfig)
    if settings.warnings:
        return Finding(name="config", ok=False, stops=False, what="; ".join(settings.warnings), fix=EDIT)
    return Finding(name="config", ok=True, what=str(paths.config_file))


def _agent(paths: Paths, now: datetime) -> str | Finding:
    from assistant.agent.client import agent_status, lock_line
    from assistant.agent.protocol import Memory

    status = agent_status(paths)
    if status is None:
        return "not running: no vault is unlocked"
    swap = {
        Memory.LOCKED: "its memory stays out of swap space",
        Memory.KEYS_LOCKED: "its keys stay out of swap space",
        Memory.NOT_LOCKED: "its keys may get into swap space: this system lets no memory be locked",
    }
    vaults = f"{status.keys} {'vault' if status.keys == 1 else 'vaults'} unlocked"
    what = f"process {status.pid}, {vaults}, this one: {lock_line(status, now=now)}; {swap[status.memory]}"
    if status.memory is not Memory.NOT_LOCKED:
        return what
    fix = "allow some memory to be locked (ulimit -l 64), then: assistant vault lock --all; assistant vault unlock"
    return Finding(name="agent", ok=False, stops=False, what=what, fix=fix)


def _storage() -> str:
    """Make a vault in a temporary folder: cipher, full-text index and vectors all have to work for that."""
    import secrets
    from importlib.metadata import version

    from storage.keys import FLOOR_COST
    from storage.vault import Vault

    with tempfile.TemporaryDirectory(prefix="assistant-doctor-") as folder:
        vault = Vault.create(Path(folder) / "vault", secrets.token_hex(), cost=FLOOR_COST)
        try:
            found = vault.status()
        finally:
            vault.close()
    return f"SQLite {found.sqlite}, {found.cipher}, sqlite-vec {version('sqlite-vec')}"


def _encoder(config: Config) -> str | Finding:
    from assistant.language.encoder import DEFAULT_ENCODER, make_encoder

    name = config.encoder
    if name != DEFAULT_ENCODER:
        return Finding(name="encoder", ok=None, what=f"{name} is not tried here: it takes long to load")
    encoder = make_encoder(name)
    dimension = encoder.encode(["Is this on?"]).shape[1]
    return f"{encoder.space.model}, {dimension} dimensions, checksum {encoder.space.digest[:12]} as it should be"


def _model(config: Config, paths: Paths) -> str:
    from assistant.language.catalogue import resolve
    from assistant.model_files import facts

    known = facts(resolve(config.model, paths.models), config)
    if not known.ready:
        return f"{known.name} is installed; joined at the first use"
    if not known.context_here:
        raise ModelNotLoadable(known.limited_by)
    return (
        f"{known.name}, {known.quantisation}, context {known.context_here:,} of {known.trained_context:,} "
        f"(limited by: {known.limited_by}), about {(known.memory_needed or 0) / 1e9:.1f} GB of memory"
    )


def _budget(config: Config, paths: Paths) -> str:
    from assistant.language.machine import available_memory, physical_cores
    from assistant.language.speed import ReadingSpeed

    file = f"{Path(config.model).name.removesuffix('.gguf')}.gguf"  # as a joined model is called, too
    speed = ReadingSpeed(paths.speed_file)
    measured = speed.tokens_per_second(file)
    tokens = config.memory_tokens or speed.memory_budget(file)
    why = "by the settings" if config.memory_tokens else "not measured yet"
    if measured is not None and not config.memory_tokens:
        why = f"it reads {measured:.0f} a second here"
    cores = physical_cores()
    return f"{available_memory() / 1e9:.1f} GB free, {cores} cores; {tokens:,} tokens of memories in a prompt ({why})"


def _gpu() -> Finding:
    return Finding(name="gpu", ok=None, what="not known before the model is loaded: assistant doctor --deep")


def _loading(deep: Deep) -> str:
    loaded = deep.model.load(deep.progress)
    return (
        f"{loaded.name} in {loaded.load_seconds:.1f} s; GPU: {loaded.gpu}; {loaded.threads} threads; "
        f"context {loaded.context:,} (limited by: {loaded.context_limit})"
    )
