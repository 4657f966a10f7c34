"""What is not to be kept leaves not one byte: all files of a user before and after, by content, size and mode."""

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from storage.records import Role, Source, Utterance
from tests.assistant.cli.support import Here, Home
from tests.conftest import NOON
from tests.doubles import ScriptedModel

SAID_LAST = Utterance(role=Role.USER, speaker="User", text="", time=NOON, source=Source.CHAT)
QUESTION = "Who has the spare key of the aviary?"
PAUSED = "learning = false\n"


def everything(home: Home) -> dict[str, tuple[int, int, str]]:
    """Give mode, size and content of all that is in a user's folders."""
    return {
        str(path.relative_to(home.folder)): (path.stat().st_mode, *_content(path))
        for path in sorted(home.folder.rglob("*"))
    }


def _content(path: Path) -> tuple[int, str]:
    return (path.stat().st_size, hashlib.sha256(path.read_bytes()).hexdigest()) if path.is_file() else (0, "")


@pytest.mark.parametrize(
    ("settings", "arguments", "stdin"),
    [
        ("", ["ask", "-n", "--why", QUESTION], ""),
        ("", ["ask", "-n", "--json"], QUESTION),
        ("", ["ask", "-n", "-c", QUESTION], ""),
        ("", ["ask", "--no-memory", QUESTION], ""),
        ("", ["chat", "--plain", "-n"], QUESTION),
        ("", ["chat", "--plain"], f"/temp\n{QUESTION}"),
        (PAUSED, ["ask", QUESTION], ""),
        (PAUSED, ["ask", "-c", QUESTION], ""),
        (PAUSED, ["chat", "--plain"], f"{QUESTION}\n/new\n{QUESTION}"),
    ],
    ids=lambda value: " ".join(value)[:30] if isinstance(value, list) else None,
)
def test_what_is_not_to_be_kept_leaves_not_one_byte(
    here: Here, settings: str, arguments: list[str], stdin: str
) -> None:
    home = here.home
    assert here.run("ask", "Where is the boat?", model=ScriptedModel(["In the harbour."])).code == 0
    with home.opened() as memory:  # as a crash leaves it, without its vector
        memory.hear(memory.vault.conversations.listing()[0].id, replace(SAID_LAST, text="The aviary is locked."))
    home.configure(settings)
    before = everything(home)
    ran = here.run(*arguments, stdin=stdin, model=ScriptedModel(["Ada has it."] * 2))
    assert ran.code == 0
    assert "Ada has it." in ran.out
    assert everything(home) == before


def test_what_is_kept_changes_the_bytes(here: Here) -> None:
    before = everything(here.home)
    assert here.run("ask", QUESTION, model=ScriptedModel(["Ada has it."])).code == 0
    changed = {name for name, content in everything(here.home).items() if before.get(name) != content}
    assert changed == {"data/default/vault.db", "state", "state/speed.json"}


@pytest.mark.model
def test_with_the_model_itself_a_temporary_question_leaves_not_one_byte(home: Home, small_model: Path) -> None:
    home.configure(f'model = "{small_model}"\ncontext = 512\nmax_tokens = 4\n')
    before = everything(home)
    ran = home.run("ask", "-n", "Name a colour.")
    assert ran.code == 0
    assert ran.out.strip()
    assert everything(home) == before
