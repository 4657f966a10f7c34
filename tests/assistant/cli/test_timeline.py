"""memory history and memory expires: what happened to a memory, and when it goes."""

import json

import pytest

from assistant.cli.timeline import WIDEST
from assistant.memory.timeline import What
from tests.assistant.cli.support import Here
from tests.assistant.cli.test_memory import ids
from tests.conftest import NOON
from tests.doubles import ScriptedModel


def test_the_history_of_a_memory_is_shown_in_lines(here: Here) -> None:
    (first, *_) = ids(here.home)
    here.run("ask", "Who has the spare key?", model=ScriptedModel(["Ada has the spare key."]))
    ran = here.run("memory", "history", first[:8])
    head, said, used, *_ = ran.out.splitlines()
    assert head == f"{first[:8]}  2026-05-12 12:00  User: The spare key is with Ada."
    assert said.startswith(f"{NOON.astimezone():%Y-%m-%d %H:%M}  said ")
    assert "used" in used
    assert "Assistant: Ada has the spare key.  (rank 1, score " in used
    assert (ran.code, "erased for good" in ran.err) == (0, True)


def test_the_history_as_json_has_the_same_keys_in_every_entry(here: Here) -> None:
    (first, *_) = ids(here.home)
    here.run("ask", "Who has the spare key?", model=ScriptedModel(["Ada has the spare key."]))
    ran = here.run("memory", "history", first[:8], "--json")
    told = json.loads(ran.out)
    assert (set(told), ran.err) == ({"id", "is", "text", "history", "not_recorded"}, "")
    assert (told["id"], told["is"]) == (first, "memory")
    assert {tuple(one) for one in told["history"]} == {("what", "time", "id", "text", "note", "rank", "score")}
    assert next(one["time"] for one in told["history"]) == "2026-05-12T12:00:00Z"
    assert [one["what"] for one in told["history"]][:2] == ["said", "used"]


def test_every_name_of_what_can_happen_has_room_in_a_line() -> None:
    assert max(len(what.words) for what in What) == WIDEST


def test_a_history_shows_words_from_outside_inert(here: Here) -> None:
    (first, *_) = ids(here.home)
    here.run("ask", "Who has the spare key?", model=ScriptedModel(["Ada has the spare key. \x1b[2J"]))
    assert "spare key. ␛[2J" in here.run("memory", "history", first).out


def test_the_expiry_is_shown_changed_and_dropped(here: Here) -> None:
    (first, *_) = ids(here.home)
    assert here.run("memory", "expires", first[:8]).out == f"{first[:8]}  never\n"
    assert json.loads(here.run("memory", "expires", first, "--json").out) == {"id": first, "expires": None}
    set_to = here.run("memory", "expires", first, "9000-01-01T12:00Z", "--json")
    assert json.loads(set_to.out) == {"id": first, "expires": "9000-01-01T12:00:00Z"}
    assert here.run("memory", "expires", first).out.startswith(f"{first[:8]}  9000-01-01")
    assert here.run("memory", "expires", first, "Never").out == f"{first[:8]}  never\n"
    with here.home.opened() as memory:
        assert memory.vault.tags.expiry_of([turn.node for turn in memory.vault.turns.listing()]) == {}


@pytest.mark.parametrize(
    ("time", "message"),
    [("yesterday", "that is over already"), ("soon", "write it like 2027-03-01, 30d"), ("0d", "not a time")],
)
def test_what_is_no_time_to_come_changes_nothing(here: Here, time: str, message: str) -> None:
    (first, *_) = ids(here.home)
    here.run("memory", "expires", first, "9000-01-01")
    ran = here.run("memory", "expires", first, time)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err
    assert "9000-01-01" in here.run("memory", "expires", first).out


def test_what_is_pinned_does_not_expire(here: Here) -> None:
    (first, *_) = ids(here.home)
    here.run("memory", "pin", first)
    ran = here.run("memory", "expires", first, "30d")
    assert (ran.code, "assistant memory unpin" in ran.err) == (2, True)
    assert here.run("memory", "expires", first, "never").code == 0


@pytest.mark.parametrize("command", ["history", "expires"])
def test_an_id_that_names_nothing_is_told(here: Here, command: str) -> None:
    assert here.run("memory", command, "ffff0000").code == 3
