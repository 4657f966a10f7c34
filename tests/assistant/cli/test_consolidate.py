"""`assistant consolidate`, as a user sees it."""

import json
from datetime import timedelta

import pytest

from assistant.errors import ModelMissing
from assistant.language.model import LoadedModel, Progress
from storage.records import Maker, Role, Source, Utterance
from tests.assistant.cli.support import Here, Home, Terminal
from tests.conftest import NOON
from tests.doubles import ScriptedModel

SCRIPTED = "tests.assistant.cli.scripted"
KEYS = ["turns", "new", "strengthened", "merged", "dropped", "common", "failed_windows", "waiting", "seconds", "faded"]


def say(home: Home, lines: list[str]) -> None:
    with home.opened() as memory:
        conversation = memory.vault.conversations.create(source=Source.CHAT)
        with memory.vault.transaction():
            for number, text in enumerate(lines):
                time = NOON + timedelta(minutes=number)
                said = Utterance(role=Role.USER, speaker="User", text=text, time=time, source=Source.CHAT)
                memory.hear(conversation.id, said)


def concepts(home: Home) -> set[str]:
    with home.opened() as memory:
        return {concept.text for concept in memory.vault.concepts.listing()}


def test_what_was_done_is_told_in_a_sentence(here_new: Here) -> None:
    say(here_new.home, ["The boat leaks.", "It rains.", "I sold the boat."])
    ran = here_new.run("consolidate")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("read 3 memories in ")
    assert ran.out.endswith(" s; 1 new concept; 0 strengthened\n")
    assert concepts(here_new.home) == {"boat"}


def test_an_empty_vault_has_nothing_to_read(here_new: Here) -> None:
    assert "read 0 memories" in here_new.run("consolidate").out


def test_the_result_has_stable_keys_as_json_and_a_limit_leaves_the_rest(here_new: Here) -> None:
    say(here_new.home, ["The boat leaks.", "It rains.", "I sold the boat."])
    first = json.loads(here_new.run("consolidate", "--limit", "2", "--json").out)
    assert list(first) == KEYS
    assert (first["turns"], first["new"], first["waiting"]) == (2, 0, 1)
    assert "1 memory waiting" not in here_new.run("consolidate").out
    assert concepts(here_new.home) == {"boat"}


def test_a_model_gives_facts_and_what_it_made_up_is_dropped(here_new: Here) -> None:
    say(here_new.home, ["I moved to Porto."])
    facts = [
        {"turns": [1], "subject": "User", "fact": "User moved to Porto.", "category": "event"},
        {"turns": [1], "subject": "Ben", "fact": "Ben moved to Porto.", "category": "event"},
    ]
    model = ScriptedModel([json.dumps({"facts": facts})])
    ran = here_new.run("consolidate", "--extractor", "model", model=model)
    assert (ran.code, ran.err) == (0, "")
    assert "1 new concept; 0 strengthened; 1 dropped" in ran.out
    with here_new.home.opened() as memory:
        (concept,) = memory.vault.concepts.listing()
        assert (concept.text, concept.maker) == ("User moved to Porto.", Maker.MODEL)


def test_a_window_at_which_the_model_failed_is_told(here_new: Here) -> None:
    say(here_new.home, ["I moved to Porto."])
    ran = here_new.run("consolidate", "--extractor", "model", model=ScriptedModel(["no form"]))
    assert ran.code == 0
    assert "1 memory waiting" in ran.out
    assert ran.err == "the model failed at 1 window: consolidate again to read it\n"


def test_a_model_that_is_missing_is_told_before_anything_is_read(here_new: Here) -> None:
    class Missing(ScriptedModel):
        def load(self, progress: Progress | None = None) -> LoadedModel:
            raise ModelMissing("there is no such model; see assistant model list")

    say(here_new.home, ["I moved to Porto."])
    ran = here_new.run("consolidate", "--extractor", "model", model=Missing([]))
    assert (ran.code, ran.out) == (5, "")
    assert "assistant model list" in ran.err


@pytest.mark.parametrize("arguments", [["--limit", "0"], ["--extractor", "oracle"]])
def test_what_cannot_be_is_refused(here_new: Here, arguments: list[str]) -> None:
    ran = here_new.run("consolidate", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert "see assistant consolidate --help" in ran.err


def test_ctrl_c_tells_what_is_kept_and_consolidating_again_goes_on(home: Home) -> None:
    say(home, [f"Word{number % 900} came along with thing{number % 700}." for number in range(6_000)])
    terminal = Terminal(home, *home.arguments(["consolidate"]), module=SCRIPTED)
    terminal.wait_for("consolidating: 500 of 6,000 memories")
    terminal.send("\x03")
    assert terminal.end() == 130
    assert "are kept, and consolidating again goes on from there" in terminal.seen
    assert "Traceback" not in terminal.seen
    told = int(terminal.seen.split("stopped; ")[1].split(" memories read")[0].replace(",", ""))
    with home.opened() as memory:
        waiting = len(memory.vault.concepts.pending(Maker.SALIENT, limit=9_999))
    assert waiting > 0
    assert told <= 6_000 - waiting <= told + 500
    assert told % 500 == 0
