"""memory tag, and tags where memories are listed and shown."""

import json

import pytest

from tests.assistant.cli.support import Here
from tests.assistant.cli.test_memory import ids


def test_tags_are_given_taken_and_listed(here: Here) -> None:
    first, second, third = ids(here.home)
    assert here.run("memory", "tag", third).out == f"{third[:8]}  -\n"
    ran = here.run("memory", "tag", first[:8], second, "--add", "Work", "--add", "sea")
    assert ran.out == f"{first[:8]}  sea, work\n{second[:8]}  sea, work\n"
    assert here.run("memory", "tag", second, "--remove", "WORK", "--add", "boat").out == f"{second[:8]}  boat, sea\n"
    assert here.run("memory", "tag").out == "      1  boat\n      2  sea\n      1  work\n"
    assert json.loads(here.run("memory", "tag", "--json").out) == {"boat": 1, "sea": 2, "work": 1}
    assert json.loads(here.run("memory", "tag", first, "--json").out) == [{"id": first, "tags": ["sea", "work"]}]


def test_there_are_no_tags_yet(here: Here) -> None:
    ran = here.run("memory", "tag")
    assert (ran.code, ran.out, ran.err) == (0, "", "there are no tags yet\n")


def test_memories_are_listed_by_their_tags(here: Here) -> None:
    first, second, third = ids(here.home)
    with here.home.opened() as memory:
        nodes = [turn.node for turn in reversed(memory.vault.turns.listing())]
        memory.vault.tags.add(nodes[:2], ["sea"])
        memory.vault.tags.add(nodes[1:], ["boat"])
        memory.vault.traces.pin([nodes[0], nodes[2]], pinned=True)

    def listed(*arguments: str) -> list[str]:
        return [one["id"] for one in json.loads(here.run("memory", "list", "--json", *arguments).out)]

    assert listed("--tag", "Sea") == [second, first]
    assert listed("--tag", "sea", "--tag", "boat") == [second]
    assert listed("--tag", "sea", "--pinned") == [first]
    marks = {one["id"]: one["tags"] for one in json.loads(here.run("memory", "list", "--json").out)}
    assert marks == {first: ["sea"], second: ["boat", "sea"], third: ["boat"]}
    assert here.run("memory", "list", "--tag", "sea", "--concepts").code == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--add", "two words"], "--add two words: a tag is one word"),
        (["--add", "sea", "--remove", "Sea"], "sea is to be added and removed"),
        (["--add", "sea"], "give ids"),
    ],
)
def test_what_is_no_tag_or_for_nothing_is_refused(here: Here, arguments: list[str], message: str) -> None:
    chosen = [] if message == "give ids" else ids(here.home)[:1]
    ran = here.run("memory", "tag", *chosen, *arguments)
    assert ran.code == 2
    assert message in ran.err


def test_one_wrong_id_tags_nothing(here: Here) -> None:
    assert here.run("memory", "tag", ids(here.home)[0], "ffff0000", "--add", "sea").code == 3
    with here.home.opened() as memory:
        assert memory.vault.tags.counts() == {}
