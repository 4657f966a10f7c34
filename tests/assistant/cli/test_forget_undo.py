"""forget: what waits, what comes back, and what is gone for good; what goes by itself."""

import json
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.assistant.cli.support import Here
from tests.assistant.cli.test_memory import ids
from tests.conftest import NOON


def test_what_waits_is_shown_nowhere_and_comes_back_as_it_was(here: Here) -> None:
    (first, *_) = ids(here.home)
    shown = (["recall", "spare key Ada"], ["memory", "list"], ["history", "show", "--json"])
    before = [here.run(*command).out for command in shown]
    ran = here.run("forget", "-y", first)
    assert ran.code == 0
    command = ran.out.splitlines()[-1].rpartition("assistant ")[2].split()
    assert not [one for one in shown if "spare key is" in here.run(*one).out]
    assert here.run("memory", "show", first).code == 3
    undone = here.run(*command)
    assert (undone.code, undone.out) == (0, "brought back 1 memory\n")
    assert [here.run(*command).out for command in shown] == before


def test_what_was_forgotten_last_comes_back_first(here: Here) -> None:
    first, second, _ = ids(here.home)
    with here.home.opened() as memory:
        for gone in (first, second):
            memory.forget(memory.plan_forgetting([gone]), now=datetime.now().astimezone(), grace=timedelta(days=1))
    assert here.run("forget", "--undo").code == 0
    assert (second in ids(here.home), first in ids(here.home)) == (True, False)
    assert here.run("forget", "--undo").code == 0
    ran = here.run("forget", "--undo")
    assert (ran.code, ran.out) == (3, "")
    assert "nothing waits" in ran.err


def test_what_waits_is_listed_and_can_be_erased_at_once(here: Here) -> None:
    first, second, third = ids(here.home)
    assert json.loads(here.run("forget", "--waiting", "--json").out) == []
    done = json.loads(here.run("forget", "-y", "--json", first, second).out)["forgetting"]
    (line,) = here.run("forget", "--waiting").out.splitlines()
    assert line.startswith(f"{done['id'][:8]}  until ")
    assert line.endswith("2 memories")
    (waiting,) = json.loads(here.run("forget", "--waiting", "--json").out)
    assert waiting == done
    length = datetime.fromisoformat(waiting["until"]) - datetime.fromisoformat(waiting["time"])
    assert length == timedelta(hours=24)
    receipt = json.loads(here.run("forget", "--waiting", "--now", "-y", "--json").out)
    assert (receipt["turns"], receipt["residue"], receipt["pending"]) == (2, 0, False)
    assert ids(here.home) == [third]


@pytest.mark.parametrize("hours", ["0", "0.5"])
def test_the_settings_say_for_how_long(here: Here, hours: str) -> None:
    here.home.configure(f"grace_hours = {hours}\n")
    told = json.loads(here.run("forget", "-y", "--json", ids(here.home)[0]).out)
    if hours == "0":
        assert (told["receipt"]["turns"], told["forgetting"]) == (1, None)
    else:
        kept = told["forgetting"]
        length = datetime.fromisoformat(kept["until"]) - datetime.fromisoformat(kept["time"])
        assert length == timedelta(minutes=30)


@pytest.mark.parametrize(
    "arguments",
    [["--undo", "--waiting"], ["--undo", "--dry-run"], ["--waiting", "3f2a91c0"], ["--undo", "--about", "Ada"]],
    ids=" ".join,
)
def test_what_contradicts_itself_is_refused(here: Here, arguments: list[str]) -> None:
    assert here.run("forget", *arguments).code == 2


def test_the_preview_of_what_is_past_its_time_is_what_goes_by_itself(here: Here) -> None:
    here.home.configure(
        '[[retention]]\nkeep = "forever"\ntag = "work"\n[[retention]]\nkeep_days = 1\nsource = "chat"\n'
    )
    *_, third = ids(here.home)
    with here.home.opened() as memory:
        *_, pinned, tagged = (turn.node for turn in memory.vault.turns.listing())
        memory.vault.tags.add([tagged], ["work"])
        memory.vault.traces.pin([pinned], pinned=True)
        memory.remember("A note is no chat.", time=NOON, speaker="User")
    told = json.loads(here.run("forget", "--expired", "--dry-run", "--json").out)
    assert [turn["id"] for turn in told["plan"]["turns"]] == [third]


def test_what_goes_by_itself_is_told_and_stays_when_it_is_brought_back(here: Here) -> None:
    here.home.configure("[[retention]]\nkeep_days = 1\nsource = 'chat'\n")
    ran = here.run("memory", "list")
    assert ran.out == ""
    command = ran.err.splitlines()[0].rpartition("undo with: assistant ")[2].split()
    undone = here.run(*command)
    assert undone.out == "brought back 3 memories and 1 conversation\n"
    assert "is pinned now" in undone.err
    assert len(here.run("memory", "list").out.splitlines()) == 3


def test_backups_that_may_hold_it_are_named(here: Here, tmp_path: Path) -> None:
    made = here.run("vault", "backup", f"{tmp_path}/copy")
    assert made.code == 0
    ran = here.run("forget", "-y", ids(here.home)[0])
    assert f"{tmp_path}/copy" in ran.err
    assert "vault backup --renew" in ran.err
    ran = here.run("forget", "-y", "--now", ids(here.home)[0])
    assert f"{tmp_path}/copy" in ran.err
