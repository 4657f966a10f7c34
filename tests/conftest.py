"""What most tests need: an empty vault at the lowest cost of guessing, and a fixed time."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from assistant.memory.associative import AssociativeMemory
from storage.keys import FLOOR_COST
from storage.vault import Vault
from tests.doubles import HashEncoder

PASSPHRASE = "seven grey herons at low tide"
NOON = datetime(2026, 5, 12, 12, 0, tzinfo=UTC)


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Vault]:
    """A new vault in a folder of its own."""
    made = Vault.create(tmp_path / "vault", PASSPHRASE, cost=FLOOR_COST)
    yield made
    made.close()


@pytest.fixture
def memory(vault: Vault) -> AssociativeMemory:
    """A memory without a neural network."""
    return AssociativeMemory(vault, HashEncoder())
