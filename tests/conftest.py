"""What most tests need: an empty vault at the lowest cost of guessing, and a fixed time."""

import hashlib
import shutil
import signal
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import settings

from assistant.language.catalogue import PACKAGE_MODELS, prepare
from assistant.memory.associative import AssociativeMemory
from storage import key_slots
from storage.key_slots import KdfCost
from storage.keys import FLOOR_COST, DataKey
from storage.unlocking import read_data_key
from storage.vault import Vault
from tests.doubles import HashEncoder

PASSPHRASE = "seven grey herons at low tide"
_DERIVED: dict[bytes, bytes] = {}
"""What Argon2id gave, by the digest of what it was given."""
JOINED = Path(__file__).parents[1] / ".cache" / "models"
settings.register_profile("steady", deadline=None)  # a law is not about time, and the first example also imports
settings.load_profile("steady")
NOON = datetime(2026, 5, 12, 12, 0, tzinfo=UTC)


def pytest_configure() -> None:
    """Take signals as in the foreground: in the background they are ignored, and by every command under test too."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture(scope="session", autouse=True)
def derived_once() -> Iterator[None]:
    """Derive a key once from the same passphrase, salt and cost: that takes longer than most of what is tested."""
    derive = key_slots._derive

    def remembered(passphrase: str, salt: bytes, cost: KdfCost) -> bytes:
        given = hashlib.sha256(repr((passphrase, salt, cost)).encode("utf-8", "surrogatepass")).digest()
        if given not in _DERIVED:
            _DERIVED[given] = derive(passphrase, salt, cost)
        return _DERIVED[given]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(key_slots, "_derive", remembered)
        yield


@pytest.fixture(scope="session")
def small_model() -> Path:
    """The 0.5B model, joined from its packages: once, however many processes ask."""
    (small,) = [model for model in PACKAGE_MODELS if model.extra == "model-small"]
    return prepare(small, JOINED)


@pytest.fixture(scope="session")
def new_vault(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, DataKey]:
    """An empty vault that is copied, and its key: deriving that for each test would take most of the time."""
    folder = tmp_path_factory.mktemp("new") / "vault"
    Vault.create(folder, PASSPHRASE, cost=FLOOR_COST).close()
    return folder, read_data_key(folder, PASSPHRASE)


@pytest.fixture
def vault(tmp_path: Path, new_vault: tuple[Path, DataKey]) -> Iterator[Vault]:
    """A new vault in a folder of its own."""
    origin, key = new_vault
    shutil.copytree(origin, tmp_path / "vault")
    made = Vault(tmp_path / "vault", key)
    yield made
    made.close()


@pytest.fixture
def memory(vault: Vault) -> AssociativeMemory:
    """A memory without a neural network."""
    return AssociativeMemory(vault, HashEncoder())
