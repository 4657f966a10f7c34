import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from assistant.memory.active import begin_epoch
from assistant.memory.archive import maintain, put_away
from assistant.memory.associative import AssociativeMemory
from assistant.memory.engines import NAMES, Ranking
from assistant.memory.parameters import AssociativeParameters, DormancyParameters, Parameters
from assistant.memory.recall import LONGEST_QUESTION, Scope, best
from assistant.memory.recollection import Hit, Recollection
from storage.records import Category, Concept, Maker, Source, Turn
from storage.vault import Vault
from tests.assistant.memory.told import fillers, note, talk
from tests.conftest import NOON, PASSPHRASE
from tests.doubles import HashEncoder

DAY = timedelta(days=1)


def texts(recollection: Recollection) -> list[str]:
    return [hit.turn.text for hit in recollection.hits]


def hit_of(recollection: Recollection, turn: Turn) -> Hit:
    return next(hit for hit in recollection.hits if hit.turn.node == turn.node)


def concept(memory: AssociativeMemory, text: str, support: list[Turn], *, maker: Maker = Maker.SALIENT) -> Concept:
    """Make a concept of these turns, with the vector of its text."""
    category = Category.TERM if maker is Maker.SALIENT else Category.FACTUAL
    terms = " ".join(text.casefold().split())
    nodes = [turn.node for turn in support]
    with memory.vault.transaction():
        made = memory.vault.concepts.add(
            text=text, terms=terms, maker=maker, category=category, confidence=1.0, support=nodes
        )
        begin_epoch(memory.vault)
    memory.embed_pending()
    return made


# what holds, and what held until then


def test_a_superseded_statement_stands_after_the_one_that_holds(memory: AssociativeMemory) -> None:
    lisbon = note(memory, "I live in Lisbon.")
    porto = note(memory, "I moved to Porto.", days=40)
    found = memory.recall("Do I live in Lisbon?")
    assert texts(found) == ["I moved to Porto.", "I live in Lisbon."]
    older, newer = hit_of(found, lisbon), hit_of(found, porto)
    assert older.superseded_by is not None
    assert older.superseded_by.node == porto.node
    assert newer.superseded_by is None
    assert older.score > newer.score  # the words alone would have it the other way round


def test_of_a_chain_the_latest_comes_first_and_each_names_the_latest(memory: AssociativeMemory) -> None:
    told = [note(memory, f"I live in {town}.", days=day) for day, town in enumerate(("Lisbon", "Porto", "Faro"))]
    found = memory.recall("When did I live in Lisbon?")
    assert [hit.turn.node for hit in found.hits] == [turn.node for turn in reversed(told)]
    assert [hit.superseded_by and hit.superseded_by.node for hit in found.hits] == [None, told[2].node, told[2].node]


def test_forgetting_the_newer_statement_brings_the_older_back(memory: AssociativeMemory) -> None:
    lisbon = note(memory, "I live in Lisbon.")
    porto = note(memory, "I moved to Porto.", days=40)
    memory.recall("Where do I live?")
    memory.erase(memory.plan_forgetting([porto.id]))
    (only,) = memory.recall("Where do I live?").hits
    assert (only.turn.node, only.superseded_by) == (lisbon.node, None)


def test_a_statement_that_is_not_wanted_back_still_supersedes(memory: AssociativeMemory) -> None:
    lisbon = note(memory, "I live in Lisbon.")
    porto = note(memory, "I moved to Porto.", days=40)
    found = memory.recall("Where do I live?", scope=Scope(exclude=frozenset({porto.node})))
    (only,) = found.hits
    assert only.turn.node == lisbon.node
    assert only.superseded_by is not None


def test_statements_that_supersede_each_other_in_a_circle_come_once_each() -> None:
    score = np.array([1.0, 3.0, 2.0])
    ranking = Ranking(score=score, cosine=score, bm25=score, energy=score, received=score)
    circle = {0: [1], 1: [2], 2: [0]}
    assert sorted(best(ranking, np.ones(3, dtype=bool), circle, k=3)) == [0, 1, 2]
    assert len(best(ranking, np.ones(3, dtype=bool), circle, k=2)) == 2


@given(
    scores=st.lists(st.integers(0, 4), min_size=1, max_size=30),
    newer=st.dictionaries(st.integers(0, 29), st.integers(0, 29), max_size=8),
    k=st.integers(1, 6),
)
def test_the_best_of_many_are_those_of_the_whole_order(scores: list[int], newer: dict[int, int], k: int) -> None:
    score = np.array(scores, dtype=np.float64)
    ranking = Ranking(score=score, cosine=score, bm25=score, energy=score, received=score)
    chosen = score > 0
    rows = {old: [new] for old, new in newer.items() if old < len(scores) and new < len(scores)}
    whole = best(ranking, chosen, rows, k=len(scores))
    assert best(ranking, chosen, rows, k=k) == whole[:k]
    assert sorted(whole) == np.flatnonzero(chosen).tolist()
    if not rows:
        assert whole == sorted(whole, key=lambda row: (-score[row], -row))


# scopes


def test_a_memory_recalls_as_it_was_then(memory: AssociativeMemory) -> None:
    lisbon = note(memory, "I live in Lisbon.")
    note(memory, "I moved to Porto.", days=40)
    then = memory.recall("Where do I live?", scope=Scope(as_of=NOON + 39 * DAY))
    (only,) = then.hits
    assert (only.turn.node, only.superseded_by) == (lisbon.node, None)
    assert then.searched == 1
    assert len(memory.recall("Where do I live?").hits) == 2
    assert memory.recall("Where do I live?", scope=Scope(as_of=NOON - DAY)).hits == ()


def test_what_was_said_later_changes_no_score_of_then(memory: AssociativeMemory) -> None:
    talk(memory, [("Ann", "The heron stood in the reeds."), ("Bob", "I repaired the gate.")])
    question, then = "Where was the heron?", Scope(as_of=NOON + DAY)
    before = [(hit.turn.node, hit.score) for hit in memory.recall(question, scope=then).hits]
    later = talk(memory, [("Ann", "A heron, and another heron, in the heron house.")], since=NOON + 9 * DAY)
    concept(memory, "heron", later)
    assert [(hit.turn.node, hit.score) for hit in memory.recall(question, scope=then).hits] == before


def test_only_what_was_said_between_two_times_is_given(memory: AssociativeMemory) -> None:
    turns = talk(memory, [("Ann", f"The heron came on day {day}.") for day in range(5)], apart=1)
    found = memory.recall("When did the heron come?", scope=Scope(since=turns[1].time, until=turns[3].time))
    assert {hit.turn.node for hit in found.hits} == {turn.node for turn in turns[1:4]}
    assert found.searched == 5


def test_only_what_these_people_said_is_given_in_whatever_case(memory: AssociativeMemory) -> None:
    talk(memory, [(who, "I saw the heron.") for who in ("Ann", "Bob", "Cid", "Ann")])
    found = memory.recall("heron", scope=Scope(speakers=frozenset({"ANN", "cid"})))
    assert [hit.turn.speaker for hit in found.hits].count("Ann") == 2
    assert {hit.turn.speaker for hit in found.hits} == {"Ann", "Cid"}


def test_what_is_excluded_makes_room_for_the_next(memory: AssociativeMemory) -> None:
    turns = talk(memory, [("Ann", f"The heron came, {number}.") for number in range(6)])
    gone = frozenset(turn.node for turn in turns[:3])
    found = memory.recall("heron", k=3, scope=Scope(exclude=gone))
    assert {hit.turn.node for hit in found.hits} == {turn.node for turn in turns[3:]}


# concepts


def two_talks(memory: AssociativeMemory) -> tuple[Turn, Turn]:
    """Two turns of different conversations that share no word."""
    (first, *_) = talk(memory, [("Ann", "Quillon plays the oboe."), *fillers(12)])
    (second, *_) = talk(
        memory, [("Bob", "A reed costs nine coins."), *fillers(12, speaker="Dan")], since=NOON + 60 * DAY
    )
    return first, second


def test_turns_that_share_only_a_concept_reach_each_other_through_it(memory: AssociativeMemory) -> None:
    oboe, reed = two_talks(memory)
    question = "Who is Quillon?"
    assert reed.text not in texts(memory.recall(question, k=40))
    made = concept(memory, "woodwind music", [oboe, reed])
    hit = hit_of(memory.recall(question, k=40), reed)
    assert [step.kind for step in hit.path] == ["abstraction", "abstraction"]
    assert [step.source.node for step in hit.path] == [oboe.node, made.node]
    assert all(step.weight > 0 for step in hit.path)
    assert (hit.parts.bm25, hit.parts.coverage) == (0.0, 0.0)


@pytest.mark.parametrize(("concept_weight", "found"), [(0.15, 1), (0.0, 0)])
def test_a_concept_near_the_question_lends_energy_to_turns_that_share_no_word_with_it(
    vault: Vault, concept_weight: float, found: int
) -> None:
    only = AssociativeParameters(
        cosine_weight=0,
        core_weight=0,
        bm25_weight=0,
        function_weight=0,
        session_weight=0,
        concept_weight=concept_weight,
    )
    memory = AssociativeMemory(vault, _Synonyms(), parameters=Parameters(associative=only))
    oboe, _ = two_talks(memory)
    concept(memory, "woodwind", [oboe])
    hits = memory.recall("Which instruments are there?", k=40).hits
    assert [hit.turn.node for hit in hits if hit.parts.energy > 0] == [oboe.node] * found
    assert [hit.parts.coverage for hit in hits[:found]] == [0.0] * found
    assert memory.recall("Which woodwind is there?", k=40).hits == ()  # the words reach it: it lends nothing


class _Synonyms(HashEncoder):
    """Takes instruments and woodwind for one word, as a real encoder nearly does."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return super().encode([text.replace("instruments", "woodwind") for text in texts])


def test_facts_that_the_question_touches_come_with_it_and_mere_terms_do_not(memory: AssociativeMemory) -> None:
    oboe, reed = two_talks(memory)
    concept(memory, "oboe reed", [oboe, reed])
    fact = concept(memory, "Quillon plays the oboe", [oboe], maker=Maker.DISTILLED)
    (touched,) = memory.recall("Who plays the oboe?").concepts
    assert touched.concept.node == fact.node
    assert touched.coverage > 0
    assert touched.cosine > 0.5


def test_a_graph_that_is_held_sees_the_concepts_that_another_process_makes(
    memory: AssociativeMemory, vault: Vault
) -> None:
    talk(
        memory,
        [("Ann", "We met Bartholomew in Ljubljana."), *fillers(12), ("Ann", "Bartholomew bakes bread."), *fillers(11)],
    )
    memory.recall("bread")
    other_vault = Vault.open(vault.folder, PASSPHRASE)
    done = AssociativeMemory(other_vault, HashEncoder()).consolidate(now=NOON + DAY)
    other_vault.close()
    assert done.new > 0
    kinds = {step.kind for hit in memory.recall("Who was in Ljubljana?", k=25).hits for step in hit.path}
    assert "abstraction" in kinds


def test_a_turn_that_was_loaded_before_its_vector_was_made_gets_it_later(memory: AssociativeMemory) -> None:
    (heron, _) = talk(memory, [("Ann", "The heron stood in the reeds."), ("Bob", "I repaired the gate.")])
    chat = memory.vault.conversations.create(source=Source.CHAT)
    late = memory.hear(chat.id, replace(heron, text="A walrus sleeps.", source=Source.CHAT, external_id=None))
    space = memory.encoder.space
    assert memory._active.load(space, 0).stored.without_vectors().tolist() == [late.node]
    memory.embed_pending()
    graph = memory._active.load(space, 0)
    assert graph.stored.without_vectors().tolist() == []
    assert graph.cosines(memory.encoder.encode(["walrus"])[0]).argmax() == 2


def test_the_active_graph_holds_the_concepts_of_the_turns_that_it_holds(vault: Vault) -> None:
    memory = AssociativeMemory(vault, HashEncoder(), parameters=Parameters(active_nodes=10, archive_hits=1))
    old = talk(memory, [("Ann", "The oboe is old."), *fillers(20)])
    new = talk(memory, [*fillers(8, speaker="Dan"), ("Bob", "The reed is new.")], since=NOON + DAY)
    concept(memory, "gone by", [old[0]])
    kept = concept(memory, "of both", [old[0], new[-1]])
    memory.recall("reed")
    graph = memory._active.graph
    assert graph is not None
    assert (len(graph.rows), [one.node for one in graph.concepts]) == (10, [kept.node])
    assert graph.abstraction.nnz == 2
    found = memory.recall("oboe", k=1)
    assert found.hits[0].turn.node == old[0].node


# the archive


def test_what_comes_from_the_archive_says_so_and_brings_its_neighbours(vault: Vault) -> None:
    memory = AssociativeMemory(vault, HashEncoder(), parameters=Parameters(archive_hits=1))
    turns = talk(
        memory, [("Ann", "Quillon plays the oboe."), ("Bob", "Since when?"), ("Ann", "Nine years."), *fillers(9)]
    )
    put_away(vault, [turn.node for turn in turns[:3]])
    found = memory.recall("Who plays the oboe?", k=12)
    assert found.hits[0].turn.node == turns[0].node
    assert {hit.turn.node for hit in found.hits if hit.archived} == {turn.node for turn in turns[:3]}
    years = hit_of(found, turns[2])
    assert [step.source.node for step in years.path] == [turns[0].node, turns[1].node]


def test_what_sleeps_is_archived_and_comes_back_with_its_neighbours_once_it_was_used(vault: Vault) -> None:
    parameters = Parameters(dormancy=DormancyParameters(floor_nodes=4, windows=1))
    memory = AssociativeMemory(vault, HashEncoder(), parameters=parameters)
    turns = talk(
        memory, [("Ann", "Quillon plays the oboe."), ("Bob", "Since when?"), ("Ann", "Nine years."), *fillers(9)]
    )
    for _ in range(3):
        vault.traces.end_window(turns[-1].node)
    gone = maintain(vault, parameters, NOON + 9 * DAY).archived
    assert set(gone) >= {turn.node for turn in turns[:3]}
    found = memory.recall("Who plays the oboe?", k=12)
    assert found.hits[0].archived
    memory.learn(found.hits, found.hits[:1], now=NOON + 10 * DAY)
    again = memory.recall("Who plays the oboe?", k=12)
    assert again.hits[0].turn.node == turns[0].node
    assert not any(hit_of(again, turn).archived for turn in turns[:3])
    assert vault.traces.archived() == sorted(
        set(gone) - {turn.node for turn in turns[: memory.parameters.archive_reach + 1]}
    )


def test_a_turn_from_the_archive_has_its_place_in_time_not_at_the_end(memory: AssociativeMemory) -> None:
    turns = talk(memory, [("Ann", "Quillon plays the oboe."), *fillers(9)])
    put_away(memory.vault, [turns[0].node])
    memory.recall("oboe")
    held = memory._active.graph
    assert held is not None
    vector = memory.encoder.encode(["oboe"])[0]
    graph = memory._active.with_archived(held, memory.encoder.space, ["obo"], vector)
    row = graph.nodes.tolist().index(turns[0].node)
    assert graph.ordinal[row] == 0.0
    assert sorted(graph.ordinal.tolist()) == list(range(10))


# size


def test_a_question_of_ten_thousand_words_is_read_in_a_moment(memory: AssociativeMemory) -> None:
    turns = talk(memory, [("Ann", "Quillon plays the oboe."), *fillers(40)])
    memory.recall("oboe")
    question = "Who plays the oboe? " + " ".join(f"word{number}" for number in range(10_000))
    assert len(question) > LONGEST_QUESTION
    since = time.process_time()
    found = memory.recall(question)
    assert time.process_time() - since < 10
    assert turns[0].node in {hit.turn.node for hit in found.hits}


@pytest.mark.parametrize("engine", NAMES)
def test_every_engine_recalls_nothing_from_nothing_and_all_from_little(memory: AssociativeMemory, engine: str) -> None:
    assert memory.recall("heron", k=10_000, engine=engine, scope=Scope(speakers=frozenset({"Ann"}))).hits == ()
    assert memory.recall("heron", engine=engine, scope=Scope(as_of=NOON)).hits == ()
    note(memory, "The heron is back.")
    assert texts(memory.recall("Is the heron back?", k=10_000, engine=engine)) == ["The heron is back."]


def test_a_memory_of_a_megabyte_is_recalled_among_others(memory: AssociativeMemory) -> None:
    note(memory, "wind and weather " * 62_000 + "the password hint is a walrus")
    note(memory, "The gate is green.")
    since = time.process_time()
    found = memory.recall("Which hint is a walrus?")
    assert time.process_time() - since < 10
    assert found.hits[0].turn.text.endswith("walrus")


def test_two_threads_may_recall_and_tell_at_once(memory: AssociativeMemory) -> None:
    talk(memory, [("Ann", "Quillon plays the oboe."), *fillers(20)])
    found: list[str] = []

    def look() -> None:
        found.extend(memory.recall("Who plays the oboe?", k=1).hits[0].turn.text for _ in range(10))

    threads = [threading.Thread(target=look) for _ in range(2)]
    for thread in threads:
        thread.start()
    for number in range(10):
        note(memory, f"Another note{number}.")
    for thread in threads:
        thread.join()
    assert found == ["Quillon plays the oboe."] * 20
