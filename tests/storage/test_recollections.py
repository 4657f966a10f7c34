from dataclasses import replace

import pytest

from storage.errors import NotFound
from storage.records import Conversation, RecalledLine, Role, Turn, Verdict
from storage.vault import Vault
from tests.storage.making import conceive, line, say


@pytest.fixture
def turns(vault: Vault, conversation: Conversation) -> list[Turn]:
    return [say(vault, conversation, word) for word in ("one", "two", "three")]


@pytest.fixture
def answer(vault: Vault, conversation: Conversation, turns: list[Turn]) -> Turn:
    made = say(vault, conversation, "answer", role=Role.ASSISTANT)
    lines = [
        line(turns[2].node, 0.9),
        line(turns[0].node, 0.5, used=False),
        line(turns[1].node, 0.1, injected=False, used=False),
    ]
    vault.recollections.put(made.id, lines)
    return made


def test_what_memory_gave_for_an_answer_is_kept_in_order(vault: Vault, turns: list[Turn], answer: Turn) -> None:
    lines = vault.recollections.of_answer(answer.id)

    assert [kept.turn for kept in lines] == [turns[2], turns[0], turns[1]]
    assert [kept.rank for kept in lines] == [1, 2, 3]
    assert [kept.score for kept in lines] == [0.9, 0.5, 0.1]
    assert [(kept.injected, kept.used) for kept in lines] == [(True, True), (True, False), (False, False)]


def test_an_answer_had_what_was_in_its_prompt_or_used(vault: Vault, turns: list[Turn], answer: Turn) -> None:
    assert vault.recollections.answers_that_had([turns[0].node, turns[2].node]) == [answer]
    assert vault.recollections.answers_that_had([turns[1].node]) == []


def test_a_memory_knows_for_which_answers_it_was_given(vault: Vault, turns: list[Turn], answer: Turn) -> None:
    (one,) = vault.recollections.of_memory(turns[0].node)
    assert (one.answer, one.rank, one.score, one.injected, one.used) == (answer, 2, 0.5, True, False)
    assert vault.recollections.of_memory(answer.node) == []

    vault.erase([answer.node])
    assert vault.recollections.of_memory(turns[0].node) == []


def test_what_led_to_other_memories_knows_for_which_answers(vault: Vault, turns: list[Turn], answer: Turn) -> None:
    ways = [replace(line(turn.node), path=((turns[0].node, "temporal", 0.5),)) for turn in turns[1:]]
    vault.recollections.put(answer.id, ways)
    assert vault.recollections.led_by(turns[0].node) == [answer]
    assert vault.recollections.led_by(turns[1].node) == []


def test_putting_again_replaces_and_leaves_out_what_is_gone(vault: Vault, turns: list[Turn], answer: Turn) -> None:
    vault.recollections.put(answer.id, [line(9999), line(turns[1].node, 0.3, used=False)])

    assert [(kept.rank, kept.turn) for kept in vault.recollections.of_answer(answer.id)] == [(2, turns[1])]


def test_a_line_goes_with_its_memory_and_all_lines_with_the_answer(
    vault: Vault, turns: list[Turn], answer: Turn
) -> None:
    vault.erase([turns[2].node])
    assert [kept.turn for kept in vault.recollections.of_answer(answer.id)] == [turns[0], turns[1]]

    vault.erase([answer.node])
    assert vault.recollections.of_answer(answer.id) == []
    assert vault._database.value("select count(*) from recollection") == 0


def test_an_answer_that_is_not_there_is_an_error_to_keep_and_nothing_to_read(vault: Vault) -> None:
    with pytest.raises(NotFound):
        vault.recollections.put("f" * 32, [])
    assert vault.recollections.of_answer("f" * 32) == []


def test_what_a_score_was_made_of_and_the_way_to_it_are_kept(
    vault: Vault, conversation: Conversation, turns: list[Turn], answer: Turn
) -> None:
    one, two, three = (turn.node for turn in turns)
    concept = conceive(vault, "Count", two).node
    ways: list[tuple[tuple[int, str, float], ...]] = [
        ((two, "abstraction", 0.8), (concept, "abstraction", 0.75)),
        (),
        ((three, "temporal", 0.5), (999, "temporal", 0.5)),
    ]
    lines = [
        RecalledLine(node=node, score=1.0, injected=True, used=False, parts={"cosine": 0.25, "größe": -1.5}, path=way)
        for node, way in zip((one, two, three), ways, strict=True)
    ]

    vault.recollections.put(answer.id, lines)

    kept = vault.recollections.of_answer(answer.id)
    assert [dict(line.parts) for line in kept] == [{"cosine": 0.25, "größe": -1.5}] * 3
    assert [line.path for line in kept] == [ways[0], (), ()], "a way over what is gone is no way"


@pytest.mark.parametrize("gone", ["first step", "last step"])
def test_a_way_goes_whole_when_a_node_on_it_does(
    gone: str, vault: Vault, conversation: Conversation, turns: list[Turn], answer: Turn
) -> None:
    start = say(vault, conversation, "start").node
    concept = conceive(vault, "Count", turns[0].node).node
    long = line(turns[1].node)
    way = ((start, "temporal", 0.5), (turns[0].node, "abstraction", 0.8), (concept, "abstraction", 0.8))
    other = ((turns[1].node, "temporal", 0.25),)
    vault.recollections.put(answer.id, [replace(long, path=way), replace(long, node=turns[2].node, path=other)])

    if gone == "first step":
        vault.erase([start])
    else:
        vault.concepts.remove([concept])

    assert [kept.path for kept in vault.recollections.of_answer(answer.id)] == [(), other]


def test_the_verdict_is_kept_with_the_answer(vault: Vault, turns: list[Turn], answer: Turn) -> None:
    verdict = Verdict(outcome="unsure", probability=0.4375, reasons=("Zoë said so", '"once"'))
    assert vault.recollections.verdict_of(answer.id) is None

    vault.recollections.put(answer.id, [line(turns[0].node)], verdict)
    assert vault.recollections.verdict_of(answer.id) == verdict
    vault.recollections.put(answer.id, [line(turns[0].node)])
    assert vault.recollections.verdict_of(answer.id) is None
    vault.recollections.put(answer.id, [], verdict)
    vault.erase([answer.node])

    assert vault.recollections.verdict_of(answer.id) is None
    assert vault._database.value("select count(*) from verdict") == 0


def test_spikes_are_what_answers_drew_on(
    vault: Vault, conversation: Conversation, turns: list[Turn], answer: Turn
) -> None:
    concept = conceive(vault, "Count", turns[0].node).node
    second = say(vault, conversation, "another", role=Role.ASSISTANT)
    vault.recollections.put(
        second.id, [line(concept, 0.75), line(turns[1].node, 0.25), line(turns[2].node, 0.125, used=False)]
    )

    assert vault.recollections.spikes() == [
        (turns[2].node, answer.node, 0.9),
        (concept, second.node, 0.75),
        (turns[1].node, second.node, 0.25),
    ]
    assert [kept.turn for kept in vault.recollections.of_answer(second.id)] == [turns[1], turns[2]]
