"""How the app gets an assistant from a passphrase; a test comes with a door of its own."""

from dataclasses import dataclass, replace
from typing import Any, Protocol, Self

from assistant.agent import client
from assistant.bootstrap import Assistant, create, make_model, unlock
from assistant.config import Config
from assistant.errors import ModelMissing, ModelNotLoadable
from assistant.language.catalogue import resolve
from assistant.language.model import LanguageModel
from assistant.paths import Paths
from storage.keys import DataKey, Secret
from storage.vault import Vault
from tui.failures import reason


class Door(Protocol):
    """What stands between the user and the memories. The calls may take seconds; each is made in a thread."""

    def exists(self) -> bool:
        """Whether there is a vault already; else the first passphrase makes it."""

    def create(self, passphrase: str) -> Assistant:
        """Make the vault and give the assistant that has it open."""

    def unlock(self, secret: Secret) -> Assistant:
        """Open the vault and give the assistant that has it open."""

    def held_key(self) -> DataKey | None:
        """Give the key if the user unlocked the vault for all commands; None when it is locked."""

    def forget_key(self) -> None:
        """Lock the vault for all commands."""

    def missing_model(self) -> str:
        """Why no model can answer and what to do; empty when one can."""

    def with_setting(self, name: str, value: Any) -> Self:
        """Give the door behind which one setting is another."""

    def make_model(self) -> LanguageModel:
        """Give the model that answers behind it; nothing is looked for or started before it is used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VaultDoor:
    """The door to the vault of one profile."""

    config: Config
    paths: Paths

    def exists(self) -> bool:
        """Whether there is a vault already."""
        return Vault.exists(self.paths.data)

    def create(self, passphrase: str) -> Assistant:
        """Make the vault."""
        return create(self.config, self.paths, passphrase)

    def unlock(self, secret: Secret) -> Assistant:
        """Open the vault."""
        return unlock(self.config, self.paths, secret)

    def held_key(self) -> DataKey | None:
        """Give the key if the agent holds it."""
        return client.held_key(self.paths)

    def forget_key(self) -> None:
        """Let the agent forget the key, if there is one."""
        client.forget_key(self.paths)

    def missing_model(self) -> str:
        """Why no model can answer; empty when one can."""
        try:
            resolve(self.config.model, self.paths.models)
        except (ModelMissing, ModelNotLoadable) as error:
            return reason(error)
        return ""

    def with_setting(self, name: str, value: Any) -> Self:
        """Give the door behind which one setting is another."""
        return replace(self, config=replace(self.config, **{name: value}))

    def make_model(self) -> LanguageModel:
        """Give the client of the model that answers."""
        return make_model(self.config, self.paths)
