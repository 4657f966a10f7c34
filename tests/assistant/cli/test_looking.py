"""Looking at the memory leaves no trace in it."""

import pytest

from tests.assistant.cli.support import Here, Home
from tests.doubles import ScriptedModel


@pytest.fixture
def asked(full: Home, monkeypatch: pytest.MonkeyPatch) -> Here:
    """A user who asked something, and whose memories all have their vectors."""
    here = Here(full, monkeypatch)
    model = ScriptedModel(["The key is with Ada, and the boat lies in the northern harbour."])
    assert here.run("ask", "Who has the spare key, and where is the boat?", model=model).code == 0
    assert here.run("recall", "boat").code == 0
    return here


@pytest.mark.parametrize(
    "command",
    [
        ("recall", "Where is the boat?"),
        ("recall", "Where is the boat?", "--json", "--engine", "hela"),
        ("why",),
        ("memory", "list"),
        ("memory", "show", "{id}"),
        ("memory", "neighbours", "{id}"),
        ("memory", "stats"),
        ("memory", "fading"),
        ("history", "list"),
        ("vault", "status"),
    ],
    ids=" ".join,
)
def test_looking_changes_nothing(asked: Here, command: tuple[str, ...]) -> None:
    with asked.home.opened() as memory:
        before = memory.vault.digest()
        used = [line for turn in memory.vault.turns.listing() for line in memory.vault.recollections.of_answer(turn.id)]
        shown = memory.vault.turns.listing()[-1].id
    assert any(line.used for line in used)
    ran = asked.run(*(word.format(id=shown) for word in command))
    assert ran.code == 0
    with asked.home.opened() as memory:
        assert memory.vault.digest() == before
