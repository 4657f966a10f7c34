"""From the options of a command to settings, places and an unlocked assistant."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, TypeVar

import typer

from assistant.cli import passphrase, streams
from assistant.cli.options import Options
from assistant.config import Config, load_config
from assistant.errors import AgentFailed
from assistant.paths import Paths, find_paths
from storage.errors import VaultKeyChanged, VaultMissing

if TYPE_CHECKING:
    from assistant.bootstrap import Assistant
    from assistant.cli.options import Unlock
    from storage.keys import DataKey, Secret
    from storage.vault import Vault

Opened = TypeVar("Opened")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where and with which settings a command works."""

    options: Options
    config: Config
    paths: Paths


def find_place(ctx: typer.Context, *, model: str | None = None) -> Place:
    """Give settings and places; tells of settings that are not known. `model` beats the settings' own."""
    options = ctx.find_object(Options) or Options()
    paths = find_paths(profile=options.profile)
    loaded = load_config(paths.config_file, os.environ)
    for warning in loaded.warnings:
        streams.warn(warning)
    config = loaded.config if model is None else replace(loaded.config, model=model)
    return Place(options=options, config=config, paths=paths)


@contextmanager
def unlocked(place: Place) -> Iterator["Assistant"]:
    """Give the assistant with its vault open; it is closed, and the key dropped, at the end.

    Raises
    ------
    StorageError, PassphraseMissing
        There is no vault, it cannot be opened, or the passphrase is missing or wrong.
    """
    unlock = _unlock_of(place)
    assistant = _opened(place, lambda secret: unlock(place.config, place.paths, secret))
    try:
        _keep_up(place, assistant.vault)
        yield assistant
    finally:
        streams.end_progress()
        assistant.close()


@contextmanager
def unlocked_vault(place: Place, *, upkeep: bool = True) -> Iterator["Vault"]:
    """Give the open vault alone, which takes a third of the time, for what needs neither recall nor model.

    Without `upkeep` nothing is let go of first: for who asks what would be.

    Raises
    ------
    StorageError, PassphraseMissing
        As for `unlocked`.
    """
    from storage.vault import Vault

    with _opened(place, lambda secret: Vault.open(place.paths.data, secret)) as vault:
        if upkeep:
            _keep_up(place, vault)
        yield vault


def asked_secret(place: Place) -> "Secret":
    """Give what opens a vault that is there, from wherever the user said it is, or from the terminal.

    From here on this process leaves no core file.

    Raises
    ------
    VaultMissing, PassphraseMissing
        There is no vault, or nobody to ask.
    """
    _prepare(place)
    return passphrase.read_secret(place.options, place.config, place.paths.data)


def held_secret(place: Place) -> "DataKey | None":
    """Give the key that the agent holds; None when it holds none, or the user says where the passphrase is."""
    if place.options.passphrase_file is not None or place.options.passphrase_fd is not None:
        return None
    from assistant.agent.client import held_key

    return held_key(place.paths)


def _opened(place: Place, open_with: "Callable[[Secret], Opened]") -> Opened:
    """Open with the key that the agent holds, or else with what the user gives."""
    _prepare(place)
    key = held_secret(place)
    if key is not None:
        try:
            return open_with(key)
        except VaultKeyChanged:
            from assistant.agent.client import forget_key

            with suppress(AgentFailed):
                forget_key(place.paths)
            streams.tell("the vault was given a new key since it was unlocked")
    return open_with(asked_secret(place))


def _keep_up(place: Place, vault: "Vault") -> None:
    """Let go of what has had its time, and tell of it."""
    from assistant.memory.upkeep import keep_up

    grace = timedelta(hours=place.config.grace_hours)
    for line in keep_up(vault, rules=place.config.retention, now=datetime.now().astimezone(), grace=grace):
        streams.tell(f"assistant: note: {line}")


def _prepare(place: Place) -> None:
    """See that there is a vault; from here on this process leaves no core file."""
    from storage.vault import Vault

    if not Vault.exists(place.paths.data):
        message = f"there is no vault in {place.paths.data}; make one with: assistant vault init"
        raise VaultMissing(message)
    passphrase.forbid_core_dumps()


def _unlock_of(place: Place) -> "Unlock":
    if place.options.unlock is not None:
        return place.options.unlock
    from assistant.bootstrap import unlock

    return unlock
