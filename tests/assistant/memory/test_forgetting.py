"""What goes with a memory, and what holds again without it."""

from datetime import timedelta
from pathlib import Path

import pytest

from assistant.memory.associative import AssociativeMemory
from storage.records import Category, Concept, Maker, Turn
from tests.conftest import NOON


def remember(memory: AssociativeMemory, text: str, *, days: int = 0) -> Turn:
    return memory.remember(text, time=NOON + timedelta(days=days), speaker="User")


def make(memory: AssociativeMemory, text: str, *support: Turn, maker: Maker = Maker.SALIENT) -> Concept:
    """Give a concept that rests on these turns."""
    return memory.vault.concepts.add(
        text=text,
        terms=text.lower(),
        maker=maker,
        category=Category.TERM if maker is Maker.SALIENT else Category.FACTUAL,
        confidence=1,
        support=[turn.node for turn in support],
    )


def test_what_was_made_of_a_memory_and_cannot_stay_is_planned_and_goes(memory: AssociativeMemory) -> None:
    boat, quay = remember(memory, "The boat lies at the quay."), remember(memory, "The quay is wet.")
    alone, shared = make(memory, "boat", boat), make(memory, "quay", boat, quay)
    fact = make(memory, "The boat lies at a wet quay", boat, quay, maker=Maker.MODEL)
    plan = memory.plan_forgetting([boat.id])
    assert [concept.id for concept in plan.concepts] == [alone.id, fact.id]
    assert memory.erase(plan).concepts == 2
    assert [concept.id for concept in memory.vault.concepts.listing()] == [shared.id]


def test_of_two_memories_that_share_a_concept_both_take_it_along(memory: AssociativeMemory) -> None:
    boat, quay = remember(memory, "The boat lies at the quay."), remember(memory, "The quay is wet.")
    shared = make(memory, "quay", boat, quay)
    assert memory.plan_forgetting([quay.id]).concepts == ()
    assert [concept.id for concept in memory.plan_forgetting([quay.id, boat.id]).concepts] == [shared.id]


def test_a_plan_without_concepts_and_successions_has_none(memory: AssociativeMemory) -> None:
    boat = remember(memory, "The boat lies at the quay.")
    plan = memory.plan_forgetting([boat.id])
    assert (plan.concepts, plan.returning) == ((), ())


@pytest.mark.parametrize(
    ("forgotten", "returning"),
    [
        (["Faro"], ["Porto"]),  # Lisbon stays superseded by Porto
        (["Porto"], []),  # Faro holds, and held before
        (["Lisbon"], []),
        (["Faro", "Porto"], ["Lisbon"]),
        (["Faro", "Lisbon"], ["Porto"]),
        (["Faro", "Porto", "Lisbon"], []),
    ],
    ids=str,
)
def test_what_only_forgotten_words_superseded_holds_again(
    memory: AssociativeMemory, forgotten: list[str], returning: list[str]
) -> None:
    said = {
        city: remember(memory, f"I live in {city}.", days=number)
        for number, city in enumerate(("Lisbon", "Porto", "Faro"))
    }
    plan = memory.plan_forgetting([said[city].id for city in forgotten])
    assert [turn.id for turn in plan.returning] == [said[city].id for city in returning]
    memory.erase(plan)
    superseded = {one.older for one in memory.vault.successions.listing()}
    assert not superseded & {turn.node for turn in plan.returning}


def test_a_concept_is_forgotten_by_itself(memory: AssociativeMemory) -> None:
    turn = remember(memory, "The boat leaks.")
    concept = make(memory, "boat", turn)
    plan = memory.plan_forgetting([concept.id])
    assert (plan.turns, plan.concepts) == ((), (concept,))
    receipt = memory.erase(plan)
    assert (receipt.turns, receipt.concepts) == (0, 1)
    assert memory.vault.concepts.count() == 0
    assert memory.vault.turns.get(turn.id) == turn


def test_old_words_of_a_revised_memory_are_searched_for_in_the_file_and_in_backups(
    memory: AssociativeMemory, tmp_path: Path
) -> None:
    turn = remember(memory, "The spare key lies under the blue flowerpot.")
    memory.vault.backup(tmp_path / "backup", now=NOON)

    memory.revise(turn.id, "Ada has the spare key.")

    receipt = memory.vault.ledger.listing()[-1]
    assert (receipt.turns, receipt.residue, receipt.backups, receipt.pending) == (0, 0, 1, False)
    assert receipt.probes == 1
