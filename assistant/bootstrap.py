"""The one place where concrete parts are made and joined, from settings and an unlocked vault."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Self

from assistant.config import Config
from assistant.language.catalogue import prepare, resolve
from assistant.language.encoder import make_encoder
from assistant.language.model import LanguageModel, Progress, WorkerModel
from assistant.language.speed import ReadingSpeed
from assistant.memory.associative import AssociativeMemory
from assistant.memory.gate_file import gate_file, has_gate, load_gate
from assistant.memory.tuning import parameters_of
from assistant.paths import Paths
from assistant.session import Session, SessionSettings
from storage.keys import KdfCost, Secret
from storage.vault import Vault


def now() -> datetime:
    """Give the time here, with its offset."""
    return datetime.now().astimezone()


@dataclass(frozen=True, slots=True, kw_only=True)
class Assistant:
    """Everything that is there once a vault is open. Close it, or use it in a `with`."""

    config: Config
    paths: Paths
    vault: Vault
    memory: AssociativeMemory
    model: LanguageModel

    def session(
        self,
        conversation: str | None = None,
        *,
        temporary: bool = False,
        use_memory: bool = True,
        seed: int | None = None,
    ) -> Session:
        """Give a new conversation, or the one of this id to go on with.

        Nothing of it is kept when it is temporary, when it does without memory, and while learning is paused.

        Raises
        ------
        NotFound
            There is no such conversation.
        """
        return Session(
            memory=self.memory,
            model=self.model,
            speed=ReadingSpeed(self.paths.speed_file),
            settings=SessionSettings(
                user_name=self.config.user_name,
                temperature=self.config.temperature,
                max_tokens=self.config.max_tokens,
                memory_tokens=self.config.memory_tokens,
                temporary=temporary or not use_memory or not self.config.learning,
                use_memory=use_memory,
                seed=seed,
                may_keep=self.config.learning,
                grace=timedelta(hours=self.config.grace_hours),
            ),
            now=now,
            conversation=None if conversation is None else self.vault.conversations.get(conversation),
        )

    def close(self) -> None:
        """End the model and lock the vault."""
        self.model.close()
        self.vault.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def create(config: Config, paths: Paths, passphrase: str, *, cost: KdfCost | None = None) -> Assistant:
    """Make a vault and open it. `cost` is that of guessing the passphrase; None: by the memory of the machine.

    Raises
    ------
    VaultExists
        There is one already; it is left as it is.
    """
    return _assemble(config, paths, Vault.create(paths.data, passphrase, cost=cost))


def unlock(config: Config, paths: Paths, secret: Secret) -> Assistant:
    """Open the vault, with a passphrase or a key.

    Raises
    ------
    VaultMissing, WrongPassphrase, VaultKeyChanged, VaultDamaged, VaultNewer, VaultReadOnly, VaultBusy
        The message says what to do.
    """
    return _assemble(config, paths, Vault.open(paths.data, secret))


def make_model(config: Config, paths: Paths) -> LanguageModel:
    """Give the client of the configured model. Nothing is looked for, read or started before it is used."""

    def find(progress: Progress | None) -> Path:
        found = resolve(config.model, paths.models)
        return found.path if found.package is None else prepare(found.package, paths.models, progress)

    return WorkerModel(
        name=Path(config.model).name.removesuffix(".gguf"),
        path=find,
        context=config.context,
        gpu_layers=config.gpu_layers,
        threads=config.threads,
    )


def _assemble(config: Config, paths: Paths, vault: Vault) -> Assistant:
    encoder = make_encoder(config.encoder)
    parameters, settings = parameters_of(config), paths.config_file.parent
    if has_gate(settings):  # else the encoder need not say its name, for which some have to be loaded
        parameters = replace(parameters, gate=load_gate(gate_file(settings, encoder.space.model)) or parameters.gate)
    memory = AssociativeMemory(vault, encoder, engine=config.engine, parameters=parameters)
    return Assistant(config=config, paths=paths, vault=vault, memory=memory, model=make_model(config, paths))
