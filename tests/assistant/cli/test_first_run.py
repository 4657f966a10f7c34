"""A vault that was just made, and no model: everything about memories works, and asking says what to do next."""

import json

from assistant.bootstrap import Assistant, make_model
from assistant.config import Config
from assistant.memory.associative import AssociativeMemory
from assistant.paths import Paths
from storage.keys import Secret
from storage.vault import Vault
from tests.assistant.cli.support import Here
from tests.doubles import HashEncoder


def test_without_a_model_memories_are_kept_found_shown_and_forgotten(here_new: Here) -> None:
    here_new.home.configure('model = "no-such-model"\n')

    def run(*arguments: str) -> str:
        ran = here_new.run(*arguments)
        assert ran.code == 0, ran.err
        return ran.out

    assert run("memory", "list") == ""
    assert json.loads(run("recall", "--json", "bees"))["hits"] == []
    kept = json.loads(run("remember", "--json", "My sister Lena keeps bees in Porto."))["id"]
    assert "Lena keeps bees" in run("recall", "What does my sister keep?")
    assert "Lena keeps bees" in run("memory", "show", kept)
    run("consolidate")
    assert "1" in run("memory", "stats")
    run("forget", "-y", "--now", kept)
    assert run("memory", "list") == ""


def missing_model(config: Config, paths: Paths, secret: Secret) -> Assistant:
    """Give an assistant with the model of the settings, which is not there."""
    vault = Vault.open(paths.data, secret)
    memory = AssociativeMemory(vault, HashEncoder())
    return Assistant(config=config, paths=paths, vault=vault, memory=memory, model=make_model(config, paths))


def test_asking_without_a_model_keeps_the_question_and_says_what_there_is(here_new: Here) -> None:
    here_new.home.configure('model = "no-such-model"\n')
    asked = here_new.run("ask", "Will it rain?", unlock=missing_model)
    assert (asked.code, asked.out) == (5, "")
    assert "there is no model 'no-such-model'; known are " in asked.err
    with here_new.home.opened() as memory:
        assert [turn.text for turn in memory.vault.turns.listing()] == ["Will it rain?"]
