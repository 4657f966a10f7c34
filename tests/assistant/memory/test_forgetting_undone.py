"""What was put aside is nowhere, and comes back as it was."""

from dataclasses import asdict
from datetime import timedelta
from typing import Any

import pytest

from assistant.memory.archive import pin, put_away
from assistant.memory.associative import AssociativeMemory
from assistant.memory.choosing import Selection
from assistant.memory.engines import NAMES
from assistant.memory.neighbourhood import neighbourhood
from storage.errors import NotFound
from storage.grace import Forgetting
from storage.records import Maker, RecalledLine, Role, Source, Turn, Utterance
from tests.assistant.memory.test_forgetting import make, remember
from tests.assistant.memory.told import note, talk
from tests.conftest import NOON

DAY = timedelta(days=1)
LINES = [
    ("Ann", "The zebrafinch sings in the harbour."),
    ("Bob", "Which finch sings?"),
    ("Ann", "The red one sings in the harbour at dawn."),
    ("Bob", "I sail from the harbour on Friday."),
    ("Ann", "Then take the zebrafinch along."),
]
TABLES = (
    "conversation node turn concept support consolidated association trace succession recollection path_step"
    " verdict tag expiry passage"
)
QUESTIONS = ("Who sings in the harbour?", "What does Bob do on Friday?", "zebrafinch")


@pytest.fixture
def said(memory: AssociativeMemory) -> list[Turn]:
    """A conversation with concepts, learned edges, an answer, marks of all kinds, and a note that was superseded."""
    turns = talk(memory, LINES)
    note(memory, "I live in Lisbon.", days=1)
    porto = note(memory, "I live in Porto.", days=2)
    memory.consolidate(now=NOON)
    make(memory, "Ann has a zebrafinch", turns[0], turns[4], maker=Maker.MODEL)
    vault = memory.vault
    vault.concepts.note_consolidated(Maker.MODEL, [turn.node for turn in turns])
    vault.associations.put_learned([(turns[0].node, turns[2].node, 0.4, 1)])
    utterance = Utterance(role=Role.ASSISTANT, speaker="Assistant", text="Ann's.", time=NOON, source=Source.CHAT)
    answer = vault.turns.append(turns[0].conversation, utterance, terms="ann")
    way = ((turns[0].node, "temporal", 0.5),)
    vault.recollections.put(
        answer.id, [RecalledLine(node=turns[2].node, score=1.0, injected=True, used=True, path=way)]
    )
    vault.tags.add([turns[0].node], ["birds"])
    vault.tags.expire([turns[0].node], NOON + 90 * DAY)
    pin(vault, [turns[0].node], pinned=True)
    put_away(vault, [porto.node])
    memory.embed_pending()
    return [*turns, porto]


def recalled(memory: AssociativeMemory) -> dict[tuple[str, str], Any]:
    """Give what each engine gives for each question, with all scores and ways."""
    found = {}
    for engine in NAMES:
        for question in QUESTIONS:
            given = memory.recall(question, engine=engine, now=NOON + 3 * DAY)
            found[engine, question] = {**asdict(given), "milliseconds": None}
    return found


def rows(memory: AssociativeMemory) -> dict[str, Any]:
    """Give all rows of the tables that hold memories and what is made of them."""
    database = memory.vault._database
    tables = (
        "conversation node turn concept support consolidated association trace succession recollection path_step"
        " verdict tag expiry passage lexical_idx"
    )
    return {
        table: sorted(database.rows(f"select * from {table}")) for table in tables.split() if table != "lexical_idx"
    }


def forget(memory: AssociativeMemory, *ids: str) -> Forgetting:
    done = memory.forget(memory.plan_forgetting(list(ids)), now=NOON + 3 * DAY, grace=DAY)
    assert isinstance(done, Forgetting)
    return done


def test_what_is_undone_is_as_it_was_in_every_table_and_every_engine(
    memory: AssociativeMemory, said: list[Turn]
) -> None:
    before, found = rows(memory), recalled(memory)
    done = forget(memory, said[0].id, said[2].id, said[5].id)
    assert (done.turns, done.until) == (3, NOON + 4 * DAY)
    assert rows(memory) != before
    assert recalled(memory) != found
    memory.undo(done.id[:8])
    assert rows(memory) == before
    assert recalled(memory) == found
    memory.vault.lexical.check()
    assert memory.vault.forgettings() == []


def test_what_waits_is_in_no_list_index_or_graph(memory: AssociativeMemory, said: list[Turn]) -> None:
    vault, gone = memory.vault, {said[0].node, said[4].node}
    counted = vault.turns.count()
    forget(memory, said[0].id, said[4].id)
    assert not gone & {turn.node for turn in vault.turns.listing()}
    assert vault.turns.listing(match_terms=["zebrafinch"]) == []
    assert vault.lexical.search(["zebrafinch"], limit=9) == []
    assert vault.turns.count() == counted - 2
    for engine in NAMES:
        for question in QUESTIONS:
            given = memory.recall(question, engine=engine, now=NOON + 3 * DAY)
            assert not gone & {hit.turn.node for hit in given.hits}
            assert not [hit for hit in given.concepts if "zebrafinch" in hit.concept.text]
    for turn in vault.turns.listing():
        assert not gone & {one.node for one in neighbourhood(vault, turn.node, NOON, memory.parameters)}
    assert not [one for one in vault.concepts.listing() if "zebrafinch" in one.text]
    vector = memory.encoder.encode([f"{said[0].speaker}: {said[0].text}"])[0].tobytes()
    assert not gone & {node for node, _ in vault.vectors.nearest(memory.encoder.space, vector, k=20)}
    assert not gone & {turn.node for turn in vault.turns.in_conversation(said[0].conversation)}
    assert vault.tags.counts() == {}
    with pytest.raises(NotFound):
        vault.turns.get(said[0].id)


def test_a_conversation_comes_back_whole_with_its_place(memory: AssociativeMemory, said: list[Turn]) -> None:
    before = memory.vault.conversations.listing()
    plan = memory.plan_forgetting(Selection(conversation=said[0].conversation))
    done = memory.forget(plan, now=NOON, grace=DAY)
    assert said[0].conversation not in {one.id for one in memory.vault.conversations.listing()}
    memory.undo(done.id)
    assert memory.vault.conversations.listing() == before


def test_what_was_superseded_holds_meanwhile_and_no_longer_after_undoing(
    memory: AssociativeMemory, said: list[Turn]
) -> None:
    done = forget(memory, said[5].id)
    (lisbon,) = memory.recall("Where do I live?", k=1, now=NOON + 3 * DAY).hits
    assert (lisbon.turn.text, lisbon.superseded_by) == ("I live in Lisbon.", None)
    memory.undo(done.id)
    assert memory.recall("Where do I live?", k=1, now=NOON + 3 * DAY).hits[0].turn.text == "I live in Porto."


def test_the_only_note_comes_back_beside_a_new_one(memory: AssociativeMemory) -> None:
    first = remember(memory, "The only note.")
    done = forget(memory, first.id)
    second = remember(memory, "Another note.")
    memory.undo(done.id)
    assert {turn.text for turn in memory.vault.turns.listing()} == {"The only note.", "Another note."}
    assert memory.vault.turns.get(first.id).node != second.node
    assert memory.recall("only", k=1).hits[0].turn.id == first.id


def test_reading_again_does_not_bring_back_the_forgotten_words(memory: AssociativeMemory, said: list[Turn]) -> None:
    done = forget(memory, said[0].id, said[4].id)
    memory.consolidate(now=NOON + 3 * DAY)
    assert not [one.text for one in memory.vault.concepts.listing() if "finch" in one.text and "zebra" in one.text]
    memory.vault.erase_waiting([done.id], now=NOON + 5 * DAY)
    assert not [one.text for one in memory.vault.concepts.listing() if "zebrafinch" in one.text]


def test_without_a_grace_it_is_erased_at_once(memory: AssociativeMemory, said: list[Turn]) -> None:
    receipt = memory.forget(memory.plan_forgetting([said[0].id]), now=NOON, grace=timedelta(0))
    assert not isinstance(receipt, Forgetting)
    assert (receipt.turns, receipt.residue, receipt.pending) == (1, 0, False)
    assert memory.vault.forgettings() == []


def test_only_what_waits_can_be_brought_back(memory: AssociativeMemory, said: list[Turn]) -> None:
    done = forget(memory, said[0].id)
    with pytest.raises(NotFound):
        memory.undo("ffff0000")
    memory.undo(done.id)
    with pytest.raises(NotFound):
        memory.undo(done.id)


def test_another_process_sees_what_goes_and_comes_back(memory: AssociativeMemory, said: list[Turn]) -> None:
    other = AssociativeMemory(memory.vault, memory.encoder)
    assert other.recall("zebrafinch", k=1).hits[0].turn.node in {said[0].node, said[4].node}
    done = forget(memory, said[0].id, said[4].id)
    assert not [hit for hit in other.recall("zebrafinch").hits if "zebrafinch" in hit.turn.text]
    memory.undo(done.id)
    assert other.recall("zebrafinch", k=1).hits[0].turn.node in {said[0].node, said[4].node}
