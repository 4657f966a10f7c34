"""What is taken back finds its place, whatever took it meanwhile."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.errors import NotFound
from storage.putting_back import places
from storage.records import Conversation, Maker, Receipt, Source, Turn
from storage.vault import Vault
from tests.storage.everything import unsound
from tests.storage.making import MORNING, SPACE, conceive, line, passage, plain_bytes, said, say

TOMORROW = MORNING + timedelta(days=1)
PLACES = st.lists(st.tuples(st.integers(0, 9), st.booleans()), max_size=9)


@pytest.fixture
def turns(vault: Vault, conversation: Conversation) -> list[Turn]:
    vault.vectors.begin_space(SPACE)
    vault.vectors.finish_space(SPACE)
    turns = [say(vault, conversation, f"words number {number}") for number in range(6)]
    for turn in turns:
        vault.vectors.put(turn.node, [passage(turn.node)], space=SPACE)
    return turns


def put_aside(vault: Vault, *nodes: int) -> str:
    return vault.put_aside(list(nodes), now=MORNING, until=TOMORROW).id


def erase(vault: Vault, forgetting: str) -> Receipt:
    receipt = vault.erase_waiting([forgetting], now=MORNING)
    assert receipt is not None
    return receipt


def import_again(vault: Vault, *external_ids: str) -> list[Turn]:
    found = vault.conversations.find(Source.IMPORTED, "jsonl:herons")
    conversation = found or vault.conversations.create(
        title="Herons", source=Source.IMPORTED, external_id="jsonl:herons"
    )
    return [
        vault.turns.append(conversation.id, said(f"imported {one}", external_id=one), terms=f"imported {one}")
        for one in external_ids
    ]


def texts(vault: Vault, conversation: str) -> list[str]:
    return [turn.text for turn in vault.turns.in_conversation(conversation)]


def test_turns_that_were_said_meanwhile_move_up(vault: Vault, conversation: Conversation, turns: list[Turn]) -> None:
    first = put_aside(vault, turns[5].node)
    second = put_aside(vault, turns[3].node, turns[4].node)
    for word in ("later", "latest"):
        say(vault, conversation, word)

    vault.take_back(first)
    assert texts(vault, conversation.id) == [*(turn.text for turn in (*turns[:3], turns[5])), "later", "latest"]

    vault.take_back(second)
    assert texts(vault, conversation.id) == [*(turn.text for turn in turns), "later", "latest"]
    assert [turn.position for turn in vault.turns.in_conversation(conversation.id)] == list(range(8))


@given(PLACES, PLACES)
def test_nobody_moves_down_and_all_follow_in_the_order_in_which_they_were_kept(
    one: list[tuple[int, bool]], other: list[tuple[int, bool]]
) -> None:
    nodes = iter(range(100))
    gaps = [(gap, comes, next(nodes)) for gap, comes in one + other]
    own: dict[bool, list[tuple[int, int]]] = {False: [], True: []}
    for gap, comes, node in gaps:
        position = own[comes][-1][0] + 1 + gap if own[comes] else gap
        own[comes].append((position, node))

    found = places(own[False], own[True])

    before = {node: position for place in own.values() for position, node in place}
    assert sorted(found) == sorted(before)
    assert [found[node] for node in sorted(found)] == sorted(set(found.values()))
    assert all(found[node] >= before[node] for node in before)
    assert places(own[False], []) == {node: position for position, node in own[False]}


def test_a_conversation_comes_back_with_its_turns(vault: Vault) -> None:
    turn, *_ = import_again(vault, "m-1")
    before = vault.conversations.get(turn.conversation)
    forgetting = put_aside(vault, turn.node)
    assert vault.conversations.listing() == []

    vault.take_back(forgetting)

    assert vault.conversations.get(turn.conversation) == before
    assert vault.turns.get(turn.id) == turn


def test_turns_join_the_conversation_that_was_made_in_place_of_theirs(vault: Vault) -> None:
    turn, *_ = import_again(vault, "m-1")
    forgetting = put_aside(vault, turn.node)
    later, *_ = import_again(vault, "m-2")

    vault.take_back(forgetting)

    assert [one.id for one in vault.turns.in_conversation(later.conversation)] == [turn.id, later.id]
    assert unsound(vault) == []


def test_a_conversation_that_another_forgetting_emptied_comes_back_under_its_last_title(
    vault: Vault, conversation: Conversation, turns: list[Turn]
) -> None:
    first = put_aside(vault, turns[0].node)
    vault.conversations.rename(conversation.id, "Herons")
    second = put_aside(vault, *(turn.node for turn in turns[1:]))
    assert vault.conversations.listing() == []

    vault.take_back(first)

    assert vault.conversations.get(conversation.id).title == "Herons"
    receipt = erase(vault, second)
    assert (receipt.turns, receipt.conversations, receipt.residue) == (5, 0, 0)


def test_a_conversation_is_gone_when_the_last_that_waited_of_it_is(
    vault: Vault, conversation: Conversation, turns: list[Turn]
) -> None:
    first = put_aside(vault, turns[0].node)
    second = put_aside(vault, *(turn.node for turn in turns[1:]))

    assert erase(vault, second).conversations == 0
    assert erase(vault, first).conversations == 1


def test_a_turn_that_was_imported_again_stays_as_it_is(vault: Vault, turns: list[Turn]) -> None:
    old, other = import_again(vault, "m-1", "m-2")
    concept = conceive(vault, "herons", old.node, turns[0].node, maker=Maker.MODEL)
    forgetting = put_aside(vault, old.node, other.node)
    new, *_ = import_again(vault, "m-1")

    taken = vault.take_back(forgetting)

    assert (taken.turns, taken.there) == (2, 1)
    assert [turn.id for turn in vault.turns.in_conversation(new.conversation)] == [other.id, new.id]
    assert vault.concepts.get(concept.id).support == (turns[0].node, new.node)
    assert unsound(vault) == []
    (receipt,) = vault.ledger.listing()
    assert (receipt.turns, receipt.residue, receipt.pending) == (1, 0, False), "the one that was in its way is erased"
    assert old.id.encode() not in plain_bytes(vault)


def test_a_concept_that_waits_elsewhere_rests_on_the_turn_that_was_imported_again(
    vault: Vault, turns: list[Turn]
) -> None:
    (old,) = import_again(vault, "m-1")
    concept = conceive(vault, "herons", old.node, turns[0].node, maker=Maker.MODEL)
    first = put_aside(vault, turns[0].node)
    second = put_aside(vault, old.node)
    (new,) = import_again(vault, "m-1")

    vault.take_back(second)
    vault.take_back(first)

    assert vault.concepts.get(concept.id).support == (turns[0].node, new.node)
    assert unsound(vault) == []


def test_a_term_that_was_found_again_takes_over_what_the_old_one_rested_on(vault: Vault, turns: list[Turn]) -> None:
    twin = conceive(vault, "Bitterns", turns[1].node)
    kept = conceive(vault, "bitterns", turns[0].node)
    old = conceive(vault, "Herons", turns[0].node)
    forgetting = put_aside(vault, turns[0].node)
    new = conceive(vault, "herons", turns[5].node)

    vault.take_back(forgetting)

    assert vault.concepts.get(new.id).support == (turns[0].node, turns[5].node)
    assert old.id not in {concept.id for concept in vault.concepts.listing()}
    assert vault.concepts.get(kept.id) == kept, "it was one of two before"
    assert vault.concepts.get(twin.id) == twin
    assert unsound(vault) == []


def test_what_a_model_made_waits_for_each_of_its_turns(vault: Vault, turns: list[Turn]) -> None:
    one, two = turns[0].node, turns[1].node
    concept = conceive(vault, "herons", one, two, maker=Maker.MODEL)
    vault.concepts.note_consolidated(Maker.MODEL, [turn.node for turn in turns])
    first, second = put_aside(vault, one), put_aside(vault, two)
    assert vault.forgettings()[0].concepts == 1

    vault.take_back(first)

    assert vault.concepts.listing() == []
    assert [forgetting.concepts for forgetting in vault.forgettings()] == [1]
    assert vault.concepts.pending(Maker.MODEL, limit=9) == [one], "what it made of this one is not there"

    vault.take_back(second)

    assert vault.concepts.listing() == [concept]
    assert vault.concepts.pending(Maker.MODEL, limit=9) == []


def test_what_a_model_made_of_erased_words_never_comes_back(vault: Vault, turns: list[Turn]) -> None:
    concept = conceive(vault, "Zebrafinches in the attic", turns[0].node, turns[1].node, maker=Maker.MODEL)
    vault.concepts.note_consolidated(Maker.MODEL, [turn.node for turn in turns])
    forgetting = put_aside(vault, turns[0].node)

    receipt = vault.erase([turns[1].node])

    assert (receipt.turns, receipt.concepts, receipt.residue) == (1, 1, 0)
    assert b"Zebrafinches" not in plain_bytes(vault)
    assert [waiting.concepts for waiting in vault.forgettings()] == [0]

    vault.take_back(forgetting)

    with pytest.raises(NotFound):
        vault.concepts.get(concept.id)
    assert unsound(vault) == []


def test_what_was_made_of_words_that_were_revised_never_comes_back(vault: Vault, turns: list[Turn]) -> None:
    conceive(vault, "Zebrafinches in the attic", turns[0].node, turns[1].node, maker=Maker.DISTILLED)
    vault.successions.put(turns[1].node, turns[0].node, "pet")
    forgetting = put_aside(vault, turns[0].node)

    vault.turns.revise(turns[1].id, text="other words", terms="other words")
    vault.take_back(forgetting)

    assert vault.concepts.listing() == []
    assert vault.successions.listing() == []
    assert vault.turns.count() == 6


def test_an_answer_and_its_memory_may_wait_apart_and_what_lies_between_them_too(
    vault: Vault, turns: list[Turn]
) -> None:
    memory, one, two, answer = turns[0], turns[2], turns[3], turns[5]
    way = ((one.node, "cosine", 0.5), (two.node, "cosine", 0.25))
    vault.recollections.put(answer.id, [replace(line(memory.node), path=way)])
    waiting = {turn.node: put_aside(vault, turn.node) for turn in (answer, one, memory, two)}
    told: list[list[int]] = []

    for turn in (memory, answer, two, one):
        vault.take_back(waiting[turn.node])
        told.append([len(found.path) for found in vault.recollections.of_answer(answer.id)])
        assert unsound(vault) == []

    assert told == [[], [0], [0], [2]]
    assert vault.recollections.of_answer(answer.id)[0].path == way


def test_vectors_of_a_space_that_was_replaced_are_made_again(vault: Vault, turns: list[Turn]) -> None:
    other = replace(SPACE, model="pencil", dimension=16)
    forgetting = put_aside(vault, turns[0].node)
    vault.vectors.begin_space(other)
    vault.vectors.finish_space(other)

    vault.take_back(forgetting)

    assert turns[0].node in vault.vectors.missing(other, limit=9)
    assert unsound(vault) == []


def test_a_forgetting_is_named_by_the_beginning_of_its_id(vault: Vault, turns: list[Turn]) -> None:
    forgetting = put_aside(vault, turns[0].node)

    with pytest.raises(NotFound):
        vault.take_back("0" * 32)
    assert vault.take_back(forgetting[:8]).id == forgetting
    with pytest.raises(NotFound):
        vault.take_back(forgetting)


def test_nothing_can_be_due_before_it_is_put_aside(vault: Vault, turns: list[Turn]) -> None:
    with pytest.raises(ValueError, match="due"):
        vault.put_aside([turns[0].node], now=MORNING, until=MORNING - timedelta(microseconds=1))
    with pytest.raises(ValueError, match="offset"):
        vault.put_aside([turns[0].node], now=datetime(2026, 1, 1), until=TOMORROW)  # noqa: DTZ001

    assert vault.turns.count() == 6
