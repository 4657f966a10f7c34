"""memory pin, unpin, archive, restore, fading, neighbours, stats, and concepts where memories are listed and shown."""

import json
from datetime import timedelta

import pytest

from assistant.memory.archive import maintain
from assistant.memory.parameters import Parameters
from storage.records import Category, Concept, Maker
from tests.assistant.cli.support import Here, Home
from tests.conftest import NOON

WORKS = [True] * 3


def ids(home: Home) -> list[str]:
    """Give the ids of the three memories, oldest first."""
    with home.opened() as memory:
        return [turn.id for turn in reversed(memory.vault.turns.listing())]


def make_concept(home: Home, *, category: Category = Category.PREFERENCE, text: str = "sails on Fridays") -> Concept:
    """Make a concept of the last two memories."""
    with home.opened() as memory:
        last, before, _ = memory.vault.turns.listing()
        return memory.vault.concepts.add(
            text=text,
            terms=text.casefold(),
            maker=Maker.MODEL,
            category=category,
            confidence=0.75,
            support=[before.node, last.node],
        )


def listed(here: Here, *options: str) -> list[str]:
    """Give the ids in a list of memories."""
    return [one["id"] for one in json.loads(here.run("memory", "list", "--json", *options).out)]


# at hand


def test_what_is_pinned_is_listed_as_such_until_it_is_unpinned(here: Here) -> None:
    key, boat, _ = ids(here.home)
    assert here.run("memory", "pin", key[:8], boat[:8], key[:8]).out == "pinned 2 memories\n"
    assert listed(here, "--pinned") == [boat, key]
    assert "kept    pinned" in here.run("memory", "show", key).out
    assert json.loads(here.run("memory", "unpin", "--json", key).out) == {"unpinned": [key]}
    assert listed(here, "--pinned") == [boat]


def test_nothing_is_pinned_when_an_id_is_wrong(here: Here) -> None:
    assert here.run("memory", "pin", ids(here.home)[0], "0000").code == 3
    assert listed(here, "--pinned") == []


def test_what_is_archived_is_listed_shown_found_and_comes_back(here: Here) -> None:
    key, boat, _ = ids(here.home)
    assert here.run("memory", "archive", key, boat).out == "archived 2 memories\n"
    assert listed(here, "--archived") == [boat, key]
    assert listed(here, "--archived", "--limit", "1") == [boat]
    assert listed(here, "--archived", "key") == [key]
    assert len(listed(here)) == 3
    assert json.loads(here.run("memory", "show", "--json", key).out)["archived"] is True
    assert here.run("memory", "restore", key).out == "restored 1 memory\n"
    assert json.loads(here.run("memory", "restore", "--json", key, boat).out) == {"restored": [boat]}
    assert listed(here, "--archived") == []


def test_what_is_pinned_is_not_archived_and_that_is_told(here: Here) -> None:
    key, boat, _ = ids(here.home)
    here.run("memory", "pin", key)
    ran = here.run("memory", "archive", key, boat)
    assert (ran.code, ran.out) == (0, "archived 1 memory\n")
    assert f"{key[:8]} is pinned, and stays" in ran.err
    assert json.loads(here.run("memory", "archive", "--json", key).out) == {"archived": [], "pinned": [key]}


# fading


def test_nothing_fades_at_first(here: Here) -> None:
    ran = here.run("memory", "fading")
    assert (ran.code, ran.out, ran.err) == (0, "", "nothing fades\n")
    assert json.loads(here.run("memory", "fading", "--json").out) == []


def make_old(home: Home) -> str:
    """Keep a memory of long ago, and let many windows pass; gives its id."""
    with home.opened() as memory:
        turn = memory.remember("Paid the old bill.", time=NOON - timedelta(days=3_000), speaker="User")
        for _ in range(12):
            memory.vault.traces.end_window(turn.node)
        maintain(memory.vault, Parameters(), NOON - timedelta(days=2_000))
        return turn.id


def test_what_fades_is_shown_with_its_figures_and_put_away_on_demand_only(here: Here) -> None:
    here.run("memory", "pin", *ids(here.home))
    old = make_old(here.home)
    with here.home.opened() as memory:
        before = memory.vault.digest()
    (line,) = here.run("memory", "fading").out.splitlines()
    weight, age, idle, short = line.split()[:4]
    assert (weight, short) == ("0.00", old[:8])
    assert int(age) - int(idle) == 1_000
    (fields,) = json.loads(here.run("memory", "fading", "--json").out)
    assert (fields["id"], fields["weight"], fields["age_days"] >= 3_000) == (old, 0, True)
    with here.home.opened() as memory:
        assert memory.vault.digest() == before
    assert here.run("memory", "fading", "--archive").err == "archived 1 memory\n"
    assert listed(here, "--archived") == [old]
    assert here.run("memory", "fading").err == "nothing fades\n"


# ties


def test_neighbours_are_shown_with_the_kind_and_weight_of_each_tie(here: Here) -> None:
    key, boat, sail = ids(here.home)
    concept = make_concept(here.home)
    with here.home.opened() as memory:
        nodes = {turn.id: turn.node for turn in memory.vault.turns.listing()}
        now_us = round(NOON.timestamp() * 1_000_000)
        memory.vault.associations.put_learned([(nodes[boat], nodes[key], 1.0, now_us + 10**15)])
    edges = json.loads(here.run("memory", "neighbours", "--json", boat[:8]).out)
    assert {(edge["kind"], edge["id"]) for edge in edges} == {
        ("temporal", key), ("temporal", sail), ("abstraction", concept.id), ("learned", key)
    }  # fmt: skip
    assert {edge["weight"] for edge in edges if edge["kind"] in {"abstraction", "learned"}} == {0.8, 1.0}
    weights = [edge["weight"] for edge in edges]
    assert weights == sorted(weights, reverse=True)
    lines = here.run("memory", "neighbours", "--limit", "1", boat[:8]).out.splitlines()
    assert lines == [lines[0]]
    assert lines[0].startswith("1.00  learned")
    assert lines[0].endswith("User: The spare key is with Ada.")


def test_of_a_concept_the_memories_it_rests_on_are_its_neighbours(here: Here) -> None:
    concept = make_concept(here.home)
    edges = json.loads(here.run("memory", "neighbours", "--json", concept.id[:8]).out)
    assert [(edge["is"], edge["kind"]) for edge in edges] == [("memory", "abstraction")] * 2


def test_a_memory_alone_is_tied_to_nothing(here_new: Here) -> None:
    here_new.run("remember", "alone")
    assert here_new.run("memory", "neighbours", ids(here_new.home)[0]).err == "it is tied to nothing\n"


def test_stats_count_memories_concepts_and_ties(here: Here) -> None:
    make_concept(here.home)
    here.run("memory", "pin", ids(here.home)[0])
    here.run("memory", "archive", ids(here.home)[1])
    figures = json.loads(here.run("memory", "stats", "--json").out)
    assert [figures[name] for name in ("memories", "active", "archived", "pinned", "concepts")] == [3, 2, 1, 1, 1]
    assert figures["concepts_by_category"] == {"preference": 1}
    assert figures["ties"] == {"abstraction": 2, "association": 0, "learned": 0}
    lines = [line.split() for line in here.run("memory", "stats").out.splitlines()]
    assert ["memories", "3"] in lines
    assert ["preference", "1"] in lines


def test_stats_of_an_empty_vault_are_zero(here_new: Here) -> None:
    figures = json.loads(here_new.run("memory", "stats", "--json").out)
    assert {value for value in figures.values() if isinstance(value, int)} == {0}


# concepts


def test_concepts_are_listed_by_kind_and_words(here: Here) -> None:
    concept = make_concept(here.home)
    make_concept(here.home, category=Category.USER_MODEL, text="keeps a spare key")
    (line,) = here.run("memory", "list", "--kind", "preference").out.splitlines()
    assert line == f"{concept.id[:8]}  2026-05-12 12:02  preference: sails on Fridays  (2 turns)"
    assert [one["text"] for one in json.loads(here.run("memory", "list", "--concepts", "--json").out)] == [
        "keeps a spare key",
        "sails on Fridays",
    ]
    assert len(listed(here, "--kind", "user-model", "--kind", "preference")) == 2
    assert listed(here, "--concepts", "frid") == [concept.id]
    assert "no concept of 2 fits" in here.run("memory", "list", "--concepts", "submarine").err


def test_there_are_no_concepts_yet(here: Here) -> None:
    assert here.run("memory", "list", "--concepts").err == "there are no concepts yet\n"


@pytest.mark.parametrize("options", [("--kind", "magic"), ("--concepts", "--pinned"), ("--kind", "term", "--archived")])
def test_what_concepts_do_not_have_is_refused(here: Here, options: tuple[str, ...]) -> None:
    ran = here.run("memory", "list", *options)
    assert (ran.code, ran.out) == (2, "")


def test_a_concept_is_shown_with_what_it_rests_on(here: Here) -> None:
    concept = make_concept(here.home)
    _, boat, sail = ids(here.home)
    shown = here.run("memory", "show", concept.id[:8]).out
    assert [text in shown for text in ("sails on Fridays", "preference", "0.75")] == WORKS
    assert shown.index(boat[:8]) < shown.index(sail[:8])
    fields = json.loads(here.run("memory", "show", "--json", concept.id).out)
    assert fields == {
        "id": concept.id,
        "text": "sails on Fridays",
        "maker": "model",
        "category": "preference",
        "confidence": 0.75,
        "first": "2026-05-12T12:01:00Z",
        "last": "2026-05-12T12:02:00Z",
        "support": [boat, sail],
        "trust": "user",
    }


def test_a_memory_is_shown_with_the_concepts_it_supports_and_how_often_it_was_used(here: Here) -> None:
    concept = make_concept(here.home)
    _, boat, _ = ids(here.home)
    with here.home.opened() as memory:
        memory.vault.traces.note_used([memory.vault.turns.get(boat).node], round(NOON.timestamp() * 1_000_000))
    shown = here.run("memory", "show", boat).out
    assert "used    1 time, last on 2026-05-12" in shown
    assert shown.splitlines()[-2:] == [
        "supports",
        f"  {concept.id[:8]}  2026-05-12 12:02  preference: sails on Fridays  (2 turns)",
    ]
    fields = json.loads(here.run("memory", "show", "--json", boat).out)
    assert (fields["used"], fields["last_used"]) == (1, "2026-05-12T12:00:00Z")
    assert fields["concepts"] == [{"id": concept.id, "text": "sails on Fridays", "category": "preference"}]


def test_a_memory_is_shown_with_what_came_in_its_place(here: Here) -> None:
    _, boat, sail = ids(here.home)
    with here.home.opened() as memory:
        nodes = {turn.id: turn.node for turn in memory.vault.turns.listing()}
        memory.vault.successions.put(nodes[sail], nodes[boat], "place")
    assert here.run("memory", "show", boat).out.splitlines()[-2:] == [
        "held until",
        f"  {sail[:8]}  2026-05-12 12:02  User: We sail on Friday if the wind turns.",
    ]
    assert here.run("memory", "show", sail).out.splitlines()[-2] == "holds instead of"
    shown = [json.loads(here.run("memory", "show", "--json", one).out) for one in (boat, sail)]
    assert [(one["superseded_by"], one["supersedes"]) for one in shown] == [([sail], []), ([], [boat])]


def test_an_id_that_is_no_memory_and_no_concept_is_not_found(here: Here) -> None:
    assert here.run("memory", "show", "0000").code == 3
    assert here.run("memory", "neighbours", "00").code == 3


def test_texts_of_concepts_are_shown_inert(here: Here) -> None:
    make_concept(here.home, text="evil \x1b[2J key\n")
    assert "\x1b" not in here.run("memory", "list", "--concepts").out
