"""From the options of a command to settings, places and an unlocked assistant."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import typer

from assistant.cli import passphrase, streams
from assistant.cli.options import Options
from assistant.config import Config, load_config
from assistant.paths import Paths, find_paths
from storage.errors import VaultMissing

if TYPE_CHECKING:
    from assistant.bootstrap import Assistant
    from assistant.cli.options import Unlock
    from storage.vault import Vault


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
    assistant = _unlock_of(place)(place.config, place.paths, _passphrase(place))
    try:
        yield assistant
    finally:
        streams.end_progress()
        assistant.close()


@contextmanager
def unlocked_vault(place: Place) -> Iterator["Vault"]:
    """Give the open vault alone, which takes a third of the time, for what needs neither recall nor model.

    Raises
    ------
    StorageError, PassphraseMissing
        As for `unlocked`.
    """
    from storage.vault import Vault

    with Vault.open(place.paths.data, _passphrase(place)) as vault:
        yield vault


def _passphrase(place: Place) -> str:
    """Give the passphrase of a vault that is there; from here on this process leaves no core file."""
    from storage.vault import Vault

    if not Vault.exists(place.paths.data):
        message = f"there is no vault in {place.paths.data}; make one with: assistant vault init"
        raise VaultMissing(message)
    passphrase.forbid_core_dumps()
    return passphrase.read_passphrase(place.options, place.config)


def _unlock_of(place: Place) -> "Unlock":
    if place.options.unlock is not None:
        return place.options.unlock
    from assistant.bootstrap import unlock

    return unlock
