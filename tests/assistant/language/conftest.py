from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.language.model import WorkerModel


@pytest.fixture(scope="module")
def worker(small_model: Path) -> Iterator[WorkerModel]:
    """A loaded model, shared by the tests of a file."""
    model = WorkerModel(name="small", path=small_model, context=4096)
    model.load()
    yield model
    model.close()
