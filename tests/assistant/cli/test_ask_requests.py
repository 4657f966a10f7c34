"""`assistant ask` for what is remembered, and for what is to be forgotten."""

import json
import re

from tests.assistant.cli.conftest import SAID
from tests.assistant.cli.support import Here
from tests.doubles import ScriptedModel


def test_what_is_remembered_is_printed_from_the_vault(here: Here) -> None:
    model = ScriptedModel([])
    ran = here.run("ask", "What do you remember about me?", model=model)
    assert (ran.code, model.requests) == (0, [])
    assert all(text in ran.out for text in SAID)
    with here.home.opened() as memory:
        assert all(turn.id[:8] in ran.out for turn in memory.vault.turns.listing())
        assert memory.vault.turns.count() == len(SAID)


def test_what_would_be_forgotten_is_printed_with_the_command_that_does_it(here: Here) -> None:
    model = ScriptedModel([])
    ran = here.run("ask", "Forget what I said about Ada", model=model)
    assert (ran.code, model.requests) == (0, [])
    assert SAID[0] in ran.out
    (command,) = re.findall(r"nothing was forgotten; this does it: assistant (.*)", ran.err)
    with here.home.opened() as memory:
        assert memory.vault.turns.count() == len(SAID)
    assert here.run(*command.split(), "-y").code == 0
    with here.home.opened() as memory:
        assert SAID[0] not in [turn.text for turn in memory.vault.turns.listing()]


def test_everything_has_a_command_of_its_own(here: Here) -> None:
    ran = here.run("ask", "Forget everything you know about me")
    assert "this does it: assistant forget --everything" in ran.err


def test_a_proposal_is_an_event_in_json(here: Here) -> None:
    ran = here.run("ask", "--json", "Forget Ada")
    proposed, _, finished = map(json.loads, ran.out.splitlines())
    assert (proposed["type"], proposed["about"], proposed["everything"]) == ("proposed", "Ada", False)
    assert [turn["text"] for turn in proposed["plan"]["turns"]] == [SAID[0]]
    assert (finished["type"], finished["turn"]) == ("finished", None)


def test_what_was_remembered_is_told_only_on_request(here: Here) -> None:
    quiet = here.run("ask", "My boat is called Gull.", model=ScriptedModel(["Noted."]))
    assert "remembered" not in quiet.err
    told = here.run("ask", "-v", "My dog is called Rex.", model=ScriptedModel(["Noted."]))
    assert told.out == "Noted.\n"
    assert re.search(r"remembered [0-9a-f]{8}; take it back with: assistant forget", told.err)


def test_a_mere_question_is_not_told_as_remembered(here: Here) -> None:
    assert "remembered" not in here.run("ask", "-v", "What is my dog called?", model=ScriptedModel(["Rex."])).err
