"""An empty vault at the lowest cost of guessing, and a conversation in it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from storage.keys import FLOOR_COST
from storage.records import Conversation, Source
from storage.vault import Vault
from tests.storage.making import PASSPHRASE


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "vault"


@pytest.fixture
def vault(folder: Path) -> Iterator[Vault]:
    made = Vault.create(folder, PASSPHRASE, cost=FLOOR_COST)
    yield made
    made.close()


@pytest.fixture
def conversation(vault: Vault) -> Conversation:
    return vault.conversations.create(source=Source.CHAT)
