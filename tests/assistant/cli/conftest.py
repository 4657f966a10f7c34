"""Homes of users: an empty one, one with a vault, and one with memories in it."""

import shutil
from datetime import timedelta
from pathlib import Path

import pytest

from assistant import bootstrap
from assistant.config import Config
from storage.keys import FLOOR_COST
from storage.records import Role, Source, Utterance
from tests.assistant.cli.support import Here, Home
from tests.conftest import NOON, PASSPHRASE

SAID = (
    "The spare key is with Ada.",
    "The boat lies in the northern harbour.",
    "We sail on Friday if the wind turns.",
)


@pytest.fixture(scope="session")
def vaults(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made once, for each guess at a passphrase costs: a folder `new` with an empty vault, `full` with memories."""
    folder = tmp_path_factory.mktemp("vaults")
    homes = {name: Home(folder / name) for name in ("new", "full")}
    for made in homes.values():
        bootstrap.create(Config(), made.paths, PASSPHRASE, cost=FLOOR_COST).close()
    with homes["full"].opened() as memory:
        conversation = memory.vault.conversations.create(source=Source.CHAT)
        utterances = [
            Utterance(
                role=Role.USER, speaker="User", text=text, time=NOON + timedelta(minutes=number), source=Source.CHAT
            )
            for number, text in enumerate(SAID)
        ]
        memory.add_batch(conversation.id, utterances)
    return folder


@pytest.fixture
def empty(tmp_path: Path) -> Home:
    """A user who has nothing yet."""
    return Home(tmp_path)


@pytest.fixture
def home(empty: Home, vaults: Path) -> Home:
    """A user with an empty vault, at the lowest cost of guessing."""
    shutil.copytree(vaults / "new" / "data", empty.folder / "data")
    return empty


@pytest.fixture
def full(empty: Home, vaults: Path) -> Home:
    """A user with three memories in one chat."""
    shutil.copytree(vaults / "full" / "data", empty.folder / "data")
    return empty


@pytest.fixture
def here_empty(empty: Home, monkeypatch: pytest.MonkeyPatch) -> Here:
    """Commands in this process, for a user who has nothing yet."""
    return Here(empty, monkeypatch)


@pytest.fixture
def here_new(home: Home, monkeypatch: pytest.MonkeyPatch) -> Here:
    """Commands in this process, for a user with an empty vault."""
    return Here(home, monkeypatch)


@pytest.fixture
def here(full: Home, monkeypatch: pytest.MonkeyPatch) -> Here:
    """Commands in this process, for the user with memories."""
    return Here(full, monkeypatch)
