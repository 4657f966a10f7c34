"""forget: what is shown, what goes, and what stays."""

import json

import pytest

from storage.records import Category, Maker
from tests.assistant.cli.support import Here, Home, Terminal
from tests.assistant.cli.test_memory import SCRIPTED, all_texts, ids
from tests.conftest import NOON
from tests.doubles import ScriptedModel


def test_what_would_go_is_shown_and_nothing_goes(here: Here) -> None:
    first, second, _ = ids(here.home)
    ran = here.run("forget", "--dry-run", first[:8], second[:8])
    assert ran.code == 0
    assert "The spare key is with Ada." in ran.out
    assert "The boat lies" in ran.out
    assert len(ids(here.home)) == 3


def test_forgetting_needs_a_yes_where_there_is_no_terminal(here: Here) -> None:
    (first, *_) = ids(here.home)
    ran = here.run("forget", first)
    assert ran.code == 2
    assert "-y" in ran.err
    assert len(ids(here.home)) == 3


def test_what_is_forgotten_is_gone_and_look_alikes_stay(here: Here) -> None:
    here.run("remember", "The spare key is with Ada!")
    (first, *others) = ids(here.home)
    ran = here.run("forget", "-y", "--now", first)
    assert ran.code == 0
    last = ran.out.splitlines()[-1]
    assert last.startswith("forgot 1 memory for good: ")
    assert "pages searched, 0 traces" in last
    assert ids(here.home) == others
    assert first[:8] not in here.run("memory", "list").out
    for engine in ("associative", "hybrid"):
        found = json.loads(here.run("recall", "--json", "--engine", engine, "spare key Ada").out)
        assert first not in [hit["id"] for hit in found["hits"]]
    assert here.run("memory", "show", first).code == 3


def test_answers_that_had_it_in_mind_stay_and_are_told_or_go_on_request(here: Here) -> None:
    here.run("ask", "Who has the spare key?", model=ScriptedModel(["The spare key is with Ada."]))
    (first, *_) = ids(here.home)
    ran = here.run("forget", "--dry-run", first)
    assert "stays " in ran.out
    assert "--with-answers" in ran.err
    gone = json.loads(here.run("forget", "-y", "--now", "--json", "--with-answers", first).out)
    assert gone["receipt"]["turns"] == 2
    assert gone["plan"]["answers_that_stay"] == []
    assert not any("Ada" in text for text in all_texts(here.home))


def test_concepts_that_go_and_statements_that_hold_again_are_shown_and_counted(here: Here) -> None:
    here.run("remember", "--at", "2026-05-01", "I live in Lisbon.")
    here.run("remember", "--at", "2026-06-01", "I moved to Porto.")
    with here.home.opened() as memory:
        porto, lisbon = memory.vault.turns.listing(limit=2)
        made = memory.vault.concepts.add(
            text="Lives in Porto",
            terms="live porto",
            maker=Maker.MODEL,
            category=Category.USER_MODEL,
            confidence=0.5,
            support=[porto.node],
        )
    ran = here.run("forget", "--dry-run", porto.id)
    goes, concept, holds = ran.out.splitlines()
    assert goes.startswith(f"goes   {porto.id[:8]}")
    assert concept.startswith(f"goes   {made.id[:8]}")
    assert "user model: Lives in Porto" in concept
    assert holds.startswith(f"holds  {lisbon.id[:8]}")
    assert "superseded" in ran.err
    plan = json.loads(here.run("forget", "--dry-run", "--json", porto.id).out)["plan"]
    assert [one["id"] for one in plan["concepts"]] == [made.id]
    assert [one["text"] for one in plan["returning"]] == ["I live in Lisbon."]
    assert "\nforgot 1 memory and 1 concept; undo until" in here.run("forget", "-y", porto.id).out
    assert "until" not in here.run("recall", "Where do I live?").out


def test_the_receipt_counts_all_that_went(here: Here) -> None:
    chosen = ids(here.home)
    with here.home.opened() as memory:
        nodes = [turn.node for turn in memory.vault.turns.listing()]
        for text in ("boat", "key"):
            memory.vault.concepts.add(
                text=text, terms=text, maker=Maker.SALIENT, category=Category.TERM, confidence=1, support=nodes
            )
    shown = here.run("forget", *chosen).out
    assert shown.count("goes ") == 3 + 1 + 2
    copied = json.loads(here.run("forget", "-y", "--now", "--json", *chosen).out)["receipt"]
    assert (copied["turns"], copied["conversations"], copied["concepts"]) == (3, 1, 2)


def test_one_wrong_id_forgets_nothing(here: Here) -> None:
    (first, *_) = ids(here.home)
    assert here.run("forget", "-y", first, "ffff0000").code == 3
    assert len(ids(here.home)) == 3


def test_a_conversation_left_empty_goes_too_and_is_counted(here: Here) -> None:
    ran = here.run("forget", "-y", "--now", "--json", *ids(here.home))
    told = json.loads(ran.out)
    assert (told["receipt"]["turns"], told["receipt"]["conversations"], told["receipt"]["residue"]) == (3, 1, 0)
    assert len(told["plan"]["turns"]) == 3
    assert json.loads(here.run("history", "list", "--json").out) == []


@pytest.mark.parametrize(("typed", "code", "left"), [("y\n", 0, 2), ("n\n", 2, 3), ("\n", 2, 3), ("\x04", 2, 3)])
def test_on_a_terminal_it_asks(full: Home, typed: str, code: int, left: int) -> None:
    terminal = Terminal(full, *full.arguments(["forget", ids(full)[0]]), module=SCRIPTED)
    terminal.wait_for("[y/N]")
    assert "The spare key is with Ada." in terminal.seen
    terminal.send(typed)
    assert terminal.end() == code
    assert len(ids(full)) == left


@pytest.mark.parametrize(
    ("arguments", "gone"),
    [
        (["--query", "spare key"], [0]),
        (["--about", "boat", "--until", "2026-05-12T12:01:00+00:00"], [1]),
        (["--speaker", "user", "--since", "2026-05-12T12:01:00+00:00"], [1, 2]),
        (["--tag", "KEYS"], [0]),
        (["--everything"], [0, 1, 2]),
    ],
    ids=str,
)
def test_memories_go_by_what_they_have_in_common(here: Here, arguments: list[str], gone: list[int]) -> None:
    with here.home.opened() as memory:
        memory.vault.tags.add([memory.vault.turns.listing()[-1].node], ["keys"])
    texts = all_texts(here.home)
    told = json.loads(here.run("forget", "-y", "--json", *arguments).out)
    assert [turn["text"] for turn in told["plan"]["turns"]] == [texts[number] for number in gone]
    assert told["forgetting"]["turns"] == len(gone)
    assert all_texts(here.home) == [text for number, text in enumerate(texts) if number not in gone]


def test_one_conversation_goes_and_others_stay(here: Here) -> None:
    with here.home.opened() as memory:
        conversation = memory.vault.turns.listing()[0].conversation
        memory.remember("The spare key, again.", time=NOON, speaker="User")
    ran = here.run("forget", "-y", "--conversation", conversation[:8])
    assert ran.out.count("goes ") == 4
    assert all_texts(here.home) == ["The spare key, again."]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--about", "Adam"], 3),
        (["--conversation", "ffff0000"], 3),
        (["--expired"], 3),
        ([], 2),
        (["--tag", "two words"], 2),
        (["--since", "soon"], 2),
        (["--everything", "--about", "Ada"], 2),
    ],
    ids=str,
)
def test_what_fits_nothing_or_says_nothing_forgets_nothing(here: Here, arguments: list[str], code: int) -> None:
    ran = here.run("forget", "-y", *arguments)
    assert (ran.code, ran.out) == (code, "")
    assert len(ran.err.splitlines()) == 1
    assert len(ids(here.home)) == 3


def test_an_empty_plan_is_valid_json(here: Here) -> None:
    ran = here.run("forget", "--dry-run", "--json", "--query", "submarine")
    assert (ran.code, json.loads(ran.out)["plan"]["turns"]) == (3, [])


def test_names_that_were_taken_for_others_are_told(here: Here) -> None:
    with here.home.opened() as memory:
        memory.remember("Adam and Adalind came.", time=NOON, speaker="User")
    ran = here.run("forget", "--dry-run", "--about", "Ada")
    assert "The spare key" in ran.out
    assert "Adam" not in ran.out
    assert "Taken for other names, and not chosen: adalind, adam." in ran.err


def test_all_that_a_dry_run_tells(here: Here) -> None:
    first, second, _ = ids(here.home)
    with here.home.opened() as memory:
        nodes = [turn.node for turn in reversed(memory.vault.turns.listing())]
        for text, support in (("key", nodes[:2]), ("The", nodes)):
            memory.vault.concepts.add(
                text=text, terms=text, maker=Maker.SALIENT, category=Category.TERM, confidence=1, support=support
            )
        memory.vault.concepts.add(
            text="f", terms="f", maker=Maker.MODEL, category=Category.FACTUAL, confidence=1, support=nodes[1:]
        )
        memory.vault.traces.pin(nodes[:1], pinned=True)
        memory.vault.traces.archive(nodes[1:2])
        before = memory.vault.digest()
    ran = here.run("forget", "--dry-run", first, second)
    assert "term: key  (2 turns)" in ran.out
    assert "stays  " in ran.out
    assert "(3 turns), 1 of them left" in ran.out
    for line in (
        "Ties of the graph that go: 2 in time, 6 to concepts.",
        "Of the memories that go, 1 is pinned.",
        "Of the memories that go, 1 is in the archive.",
        "reads 1 memory again",
    ):
        assert line in ran.err
    plan = json.loads(here.run("forget", "--dry-run", "--json", first, second).out)["plan"]
    assert (plan["pinned"], plan["archived"], plan["read_again"]) == ([first], [second], 1)
    assert [(one["text"], one["support"], one["support_left"]) for one in plan["concepts_that_stay"]] == [("The", 3, 1)]
    assert plan["ties"] == {"temporal": 2, "abstraction": 6, "association": 0, "learned": 0}
    with here.home.opened() as memory:
        assert memory.vault.digest() == before


@pytest.mark.parametrize(("typed", "left"), [("everything\n", 0), ("y\n", 3)])
def test_everything_goes_only_when_the_word_is_typed(full: Home, typed: str, left: int) -> None:
    terminal = Terminal(full, *full.arguments(["forget", "--everything"]), module=SCRIPTED)
    terminal.wait_for("Type everything")
    assert "It can be brought back until" in terminal.seen
    terminal.send(typed)
    assert (terminal.end() == 0) is (left == 0)
    assert len(ids(full)) == left


@pytest.mark.parametrize("option", ["--query", "--about", "--speaker", "--conversation", "--tag", "--since"])
def test_an_option_with_nothing_in_it_does_not_mean_the_rest(here: Here, option: str) -> None:
    ran = here.run("forget", "-y", "--until", "2030-01-01", option, " ")
    assert ran.code == 2
    assert f"{option} is empty" in ran.err
    assert len(ids(here.home)) == 3


def test_everything_at_once_is_what_was_forgotten_before_too(here: Here) -> None:
    (first, *_) = ids(here.home)
    here.run("forget", "-y", first)
    assert here.run("forget", "-y", "--now", "--everything").code == 0
    with here.home.opened() as memory:
        assert (memory.vault.forgettings(), memory.vault.turns.count()) == ([], 0)
        assert sum(receipt.turns for receipt in memory.vault.ledger.listing()) == 3
