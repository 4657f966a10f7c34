from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.language.catalogue import PACKAGE_MODELS, prepare
from assistant.language.model import WorkerModel

CACHE = Path(__file__).parents[3] / ".cache" / "models"
"""Kept between runs: joining takes seconds, and any number of processes may want it at once."""


@pytest.fixture(scope="session")
def small_model() -> Path:
    """The 0.5B model, joined from its packages."""
    return prepare(PACKAGE_MODELS[1], CACHE)


@pytest.fixture(scope="module")
def worker(small_model: Path) -> Iterator[WorkerModel]:
    """A loaded model, shared by the tests of a file."""
    model = WorkerModel(name="small", path=small_model, context=4096)
    model.load()
    yield model
    model.close()
