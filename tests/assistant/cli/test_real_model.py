"""The command with the small model itself: the whole way from a question to its answer."""

import json
from pathlib import Path

import pytest

from assistant.errors import ModelMissing
from assistant.language.catalogue import PACKAGE_MODELS, prepare
from storage.records import TurnState
from tests.assistant.cli.support import REPOSITORY, Home, Terminal

SMALL = PACKAGE_MODELS[-1]

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def model_file() -> Path:
    """The small model, joined once for all test runs."""
    try:
        return prepare(SMALL, REPOSITORY / ".cache" / "models")
    except ModelMissing:
        pytest.skip("the small model is not installed")


@pytest.fixture
def with_model(full: Home, model_file: Path) -> Home:
    """A user with memories and a model."""
    full.configure(f'model = "{model_file}"\ncontext = 2048\nmax_tokens = 12\nmemory_tokens = 200\n')
    return full


def test_a_question_is_answered_from_memory_and_the_same_seed_says_the_same(with_model: Home) -> None:
    question = ["ask", "-n", "--seed", "7", "--json", "With whom is the spare key?"]
    first, second = (with_model.run(*question) for _ in range(2))
    assert (first.code, first.err) == (0, "")
    told = [json.loads(line) for line in first.out.splitlines()]
    names = [event["type"] for event in told]
    assert names[0] == "recalled"
    assert {"loading", "reading", "token"} < set(names)
    end = told[-1]
    assert end["type"] == "finished"
    assert end["text"]
    assert len(end["injected"]) >= 1
    assert end["figures"]["seed"] == 7
    assert json.loads(second.out.splitlines()[-1])["text"] == end["text"]


def test_ctrl_c_reaches_the_command_and_not_the_model_process(with_model: Home) -> None:
    with_model.configure(with_model.paths.config_file.read_text().replace("= 12", "= 400"))
    question = ["ask", "--json", "Write a long story about a ship and its crew."]
    terminal = Terminal(with_model, *with_model.arguments(question))
    terminal.wait_for('"type": "token"')
    terminal.send("\x03")
    assert terminal.end() == 130
    assert '"type": "stopped"' in terminal.seen
    assert "\x1b" not in terminal.seen
    with with_model.opened() as memory:
        assert memory.vault.turns.listing(limit=1)[0].state is TurnState.STOPPED


def test_the_doctor_loads_the_model_and_tells_of_the_graphics_card(with_model: Home) -> None:
    ran = with_model.run("doctor", "--deep", "--json", unlocking=False)
    found = {one["name"]: one for one in json.loads(ran.out)}
    assert ran.code == 0, ran.out
    assert "GPU: " in found["loading"]["what"]
    assert found["model"]["ok"] is True


def test_the_model_is_what_it_should_be(with_model: Home, model_file: Path) -> None:
    told = json.loads(with_model.run("model", "info", "--json", unlocking=False).out)
    assert told["file"] == str(model_file)
    assert told["file_bytes"] == SMALL.file_bytes
    assert 0 < told["context_here"] <= told["trained_context"]
    assert told["chat_template"] is True
    whole = with_model.run("model", "verify", str(model_file), unlocking=False)
    assert (whole.code, whole.err) == (0, "")
    assert "whole GGUF file" in whole.out
    with_model.environment["ASSISTANT_CACHE_DIR"] = str(REPOSITORY / ".cache")
    checked = with_model.run("model", "verify", SMALL.name, unlocking=False)
    assert (checked.code, checked.out) == (0, f"{SMALL.name} is what it should be\n")
