"""An empty vault at the lowest cost of guessing, and a conversation in it."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from storage.keys import FLOOR_COST, DataKey
from storage.records import Conversation, Source
from storage.vault import Vault
from tests.storage.making import PASSPHRASE, key_of


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "vault"


@pytest.fixture(scope="session")
def pattern(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, DataKey]:
    """An empty vault that is copied, and its key: deriving that for each test would take most of the time."""
    folder = tmp_path_factory.mktemp("pattern") / "vault"
    with Vault.create(folder, PASSPHRASE, cost=FLOOR_COST) as vault:
        return folder, key_of(vault)


@pytest.fixture
def vault(folder: Path, pattern: tuple[Path, DataKey]) -> Iterator[Vault]:
    origin, key = pattern
    shutil.copytree(origin, folder)
    copy = Vault(folder, key)
    yield copy
    copy.close()


@pytest.fixture
def conversation(vault: Vault) -> Conversation:
    return vault.conversations.create(source=Source.CHAT)
