"""What a plan tells of concepts that stay, edges, pins and the archive."""

import json
from datetime import timedelta

import pytest

from assistant.language.model import Message
from assistant.memory.archive import pin, put_away
from assistant.memory.associative import AssociativeMemory
from assistant.memory.choosing import Selection
from assistant.memory.concepts.language_model import LanguageModelExtractor
from storage.records import Maker, Turn
from tests.assistant.memory.test_forgetting import make, remember
from tests.assistant.memory.told import talk
from tests.conftest import NOON
from tests.doubles import ScriptedModel

LINES = [("Ann", "The boat leaks."), ("Bob", "Which boat?"), ("Ann", "The red boat."), ("Bob", "Oh.")]


@pytest.fixture
def said(memory: AssociativeMemory) -> list[Turn]:
    return talk(memory, LINES)


def test_a_concept_of_other_turns_stays_with_what_is_left_of_its_support(
    memory: AssociativeMemory, said: list[Turn]
) -> None:
    boat = make(memory, "boat", *said[:3])
    plan = memory.plan_forgetting([said[0].id])
    (weakened,) = plan.weakened
    assert (weakened.concept, weakened.left, plan.concepts) == (boat, 2, ())
    memory.erase(plan)
    assert memory.vault.concepts.get(boat.id).support == (said[1].node, said[2].node)


@pytest.mark.parametrize(
    ("written", "kept", "stays"),
    [
        ("Zürich", "Zurich is far.", False),
        ("Zürich", "ZÜRICH!", True),
        ("12 kg", "It weighs 12kg.", True),
        ("two cats", "2 cats", False),
        ("May 7", "On 7 May we left.", True),
    ],
)
def test_no_word_stays_in_a_concept_that_only_forgotten_turns_held(
    memory: AssociativeMemory, written: str, kept: str, stays: bool
) -> None:
    gone, other = remember(memory, f"It was {written}."), remember(memory, kept)
    concept = make(memory, written, gone, other)
    plan = memory.plan_forgetting([gone.id])
    assert [one.concept for one in plan.weakened] == ([concept] if stays else [])
    assert list(plan.concepts) == ([] if stays else [concept])
    memory.erase(plan)
    assert memory.vault.concepts.count() == int(stays)


def test_a_word_that_the_index_has_otherwise_comes_back_as_it_is_left(memory: AssociativeMemory) -> None:
    gone, *kept = (remember(memory, text) for text in ("Zürich glitters.", "I like Zurich.", "Zurich again."))
    memory.consolidate(now=gone.time)
    assert [concept.text for concept in memory.vault.concepts.listing()] == ["Zurich"]
    memory.erase(memory.plan_forgetting([gone.id]))
    assert [concept.support for concept in memory.vault.concepts.listing()] == [tuple(turn.node for turn in kept)]


def test_what_a_model_wrote_of_it_goes_and_the_rest_waits_for_the_model(
    memory: AssociativeMemory, said: list[Turn]
) -> None:
    make(memory, "Ann has a red boat that leaks", said[0], said[2], maker=Maker.MODEL)
    make(memory, "Bob wonders", said[1], said[3], maker=Maker.MODEL)
    memory.vault.concepts.note_consolidated(Maker.MODEL, [turn.node for turn in said])
    plan = memory.plan_forgetting([said[0].id])
    assert ([concept.text for concept in plan.concepts], plan.read_again) == (["Ann has a red boat that leaks"], 1)
    memory.erase(plan)
    assert memory.vault.concepts.pending(Maker.MODEL, limit=9) == [said[2].node]


def test_edges_that_go_are_counted_by_kind_and_once(memory: AssociativeMemory, said: list[Turn]) -> None:
    boat, leak = make(memory, "boat", said[0], said[2]), make(memory, "leaks", said[0])
    nodes = [turn.node for turn in said]
    memory.vault.associations.put_cosines([(boat.node, leak.node, 0.7)])
    memory.vault.associations.put_learned([(nodes[0], nodes[2], 0.1, 1), (nodes[2], nodes[3], 0.1, 1)])
    ties = memory.plan_forgetting([said[0].id, said[1].id]).ties
    assert (ties.temporal, ties.abstraction, ties.association, ties.learned) == (2, 2, 1, 1)
    all_ties = memory.plan_forgetting(Selection(everything=True)).ties
    assert (all_ties.temporal, all_ties.abstraction, all_ties.association, all_ties.learned) == (3, 3, 1, 2)


def test_over_a_gap_the_turns_around_it_are_tied(memory: AssociativeMemory, said: list[Turn]) -> None:
    memory.erase(memory.plan_forgetting([said[1].id]))
    assert memory.plan_forgetting([said[2].id]).ties.temporal == 2


def test_pinned_and_archived_ones_are_told(memory: AssociativeMemory, said: list[Turn]) -> None:
    pin(memory.vault, [said[0].node, said[3].node], pinned=True)
    put_away(memory.vault, [said[1].node])
    plan = memory.plan_forgetting([said[0].id, said[1].id])
    assert (set(plan.pinned), set(plan.archived)) == ({said[0].node}, {said[1].node})


def test_a_conversation_takes_along_what_comes_only_from_it(memory: AssociativeMemory, said: list[Turn]) -> None:
    elsewhere = remember(memory, "The boat is sold.")
    shared, own = make(memory, "boat", said[0], elsewhere), make(memory, "leaks", said[0])
    fact = make(memory, "The boat of Ann is sold", elsewhere, maker=Maker.MODEL)
    plan = memory.plan_forgetting(Selection(conversation=said[0].conversation))
    assert [one.id for one in plan.conversations] == [said[0].conversation]
    assert ([one.concept for one in plan.weakened], list(plan.concepts)) == ([shared], [own])
    assert memory.erase(plan).turns == 4
    assert {concept.id for concept in memory.vault.concepts.listing()} == {shared.id, fact.id}


def test_a_plan_for_what_fits_nothing_is_empty(memory: AssociativeMemory, said: list[Turn]) -> None:
    assert memory.plan_forgetting(Selection(query="submarine")).is_empty
    assert not memory.plan_forgetting([said[0].id]).is_empty


def test_a_model_reads_again_what_is_left_and_never_the_forgotten_words(memory: AssociativeMemory) -> None:
    said = talk(memory, [("Ann", "The zebrafinch is ill."), ("Ann", "Dr. Roe knows birds."), ("Bob", "Oh.")])
    parameters = memory.parameters.consolidation

    def read(*facts: tuple[list[int], str]) -> list[list[Message]]:
        answer = [{"turns": turns, "subject": "Ann", "fact": fact, "category": "event"} for turns, fact in facts]
        model = ScriptedModel([json.dumps({"facts": answer})])
        memory.consolidate(LanguageModelExtractor(model, memory.encoder, parameters), now=NOON)
        return model.requests

    (request,) = read(([1, 2], "Ann has an ill zebrafinch and knows Dr. Roe"))
    assert "zebrafinch" in request[-1].content
    assert len(memory.vault.concepts.listing(makers=[Maker.MODEL])) == 1
    memory.forget(memory.plan_forgetting([said[0].id]), now=NOON, grace=timedelta(days=1))
    assert memory.vault.concepts.listing(makers=[Maker.MODEL]) == []
    (request,) = read(([1], "Ann knows an ill zebrafinch"), ([1], "Ann says Dr. Roe knows birds"))
    assert "Dr. Roe knows birds." in request[-1].content
    assert not [message for message in request if "zebrafinch" in message.content]
    assert [one.text for one in memory.vault.concepts.listing(makers=[Maker.MODEL])] == ["Ann says Dr. Roe knows birds"]


def test_conversations_that_stay_under_the_name_are_told(memory: AssociativeMemory, said: list[Turn]) -> None:
    named, other, gone = (talk(memory, [("Bob", text)])[0] for text in ("Hello.", "Bye.", "Zoe sails."))
    memory.vault.conversations.rename(named.conversation, "Sailing with Zoe")
    memory.vault.conversations.rename(other.conversation, "Zoetrope")
    memory.vault.conversations.rename(gone.conversation, "Zoe")
    plan = memory.plan_forgetting(Selection(about="Zoe"))
    assert [one.title for one in plan.titled] == ["Sailing with Zoe"]
    assert [one.title for one in plan.conversations] == ["Zoe"]
