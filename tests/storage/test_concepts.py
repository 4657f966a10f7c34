from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from storage.concepts import resting_on
from storage.errors import AmbiguousId, NotFound
from storage.records import Category, Conversation, Finding, Maker, Source
from storage.vault import Vault
from tests.storage.making import MORNING, SPACE, conceive, passage, said, say, vector


@pytest.fixture
def nodes(vault: Vault, conversation: Conversation) -> list[int]:
    """Five turns, each said an hour before the one above it in the list."""
    return [
        vault.turns.append(conversation.id, said(f"words {hour}", time=MORNING - timedelta(hours=hour)), terms="x").node
        for hour in range(5)
    ]


def test_a_concept_comes_back_with_the_turns_it_rests_on(vault: Vault, nodes: list[int]) -> None:
    concept = vault.concepts.add(
        text="Åsa lives in Tromsø",
        terms="åsa live tromsø",
        maker=Maker.MODEL,
        category=Category.IDENTITY,
        confidence=0.75,
        support=[nodes[3], nodes[1], nodes[3]],
    )

    assert (concept.text, concept.maker, concept.category) == ("Åsa lives in Tromsø", Maker.MODEL, Category.IDENTITY)
    assert (concept.confidence, concept.support) == (0.75, (nodes[1], nodes[3]))
    assert (concept.first, concept.last) == (MORNING - timedelta(hours=3), MORNING - timedelta(hours=1))
    assert vault.concepts.get(concept.id[:8]) == concept
    assert vault.concepts.by_nodes([concept.node, nodes[0], 999]) == [concept]
    assert vault.status().concepts == vault.concepts.count() == 1


def test_a_time_is_given_with_the_offset_it_was_said_with(vault: Vault, conversation: Conversation) -> None:
    east = MORNING.astimezone(MORNING.tzinfo).replace(hour=23)
    turn = vault.turns.append(conversation.id, said("x", time=east), terms="x")

    concept = conceive(vault, "x", turn.node)

    assert concept.first == concept.last == east
    assert concept.first.utcoffset() == east.utcoffset()


def test_a_concept_without_support_does_not_exist(vault: Vault, nodes: list[int]) -> None:
    with pytest.raises(ValueError, match="one turn or more"):
        conceive(vault, "groundless")
    with pytest.raises(NotFound, match="turn"):
        conceive(vault, "half of it gone", nodes[0], 999)
    with pytest.raises(NotFound, match="turn"):
        conceive(vault, "made of a concept", conceive(vault, "real", nodes[0]).node)

    assert [concept.text for concept in vault.concepts.listing()] == ["real"]
    assert vault._database.value("select count(*) from node where kind = 'semantic'") == 1


@pytest.mark.parametrize("confidence", [-0.01, 1.01, float("nan")])
def test_a_confidence_out_of_range_is_refused(confidence: float, vault: Vault, nodes: list[int]) -> None:
    with pytest.raises(ValueError, match="from 0 to 1"):
        vault.concepts.add(
            text="x", terms="x", maker=Maker.MODEL, category=Category.EVENT, confidence=confidence, support=nodes
        )


def test_more_support_moves_first_and_last(vault: Vault, nodes: list[int]) -> None:
    concept = conceive(vault, "Heron", nodes[2])

    vault.concepts.reinforce(concept.node, [nodes[4], nodes[2]])
    vault.concepts.reinforce(concept.node, [nodes[0]])

    grown = vault.concepts.get(concept.id)
    assert grown.support == (nodes[0], nodes[2], nodes[4])
    assert (grown.first, grown.last) == (MORNING - timedelta(hours=4), MORNING)
    for node, support in ((concept.node, [nodes[1], 999]), (999, nodes)):
        with pytest.raises(NotFound, match="gone"):
            vault.concepts.reinforce(node, support)
    assert vault.concepts.get(concept.id) == grown


def test_many_findings_are_kept_as_concepts_all_or_none(vault: Vault, nodes: list[int]) -> None:
    def finding(text: str, *support: int) -> Finding:
        return Finding(text=text, terms=text, category=Category.TERM, confidence=0.5, support=support)

    made = vault.concepts.add_each(Maker.SALIENT, [finding("one", nodes[1], nodes[0]), finding("two", nodes[2], 999)])

    kept = vault.concepts.by_nodes(made)
    assert [(concept.text, concept.maker, concept.support) for concept in kept] == [
        ("one", Maker.SALIENT, (nodes[0], nodes[1])),
        ("two", Maker.SALIENT, (nodes[2],)),
    ]
    assert [node for node, _ in vault.lexical.search(["two"], limit=9)] == made[1:]
    with pytest.raises(NotFound, match="All turns"):
        vault.concepts.add_each(Maker.SALIENT, [finding("three", nodes[0]), finding("four", 999)])
    assert vault.concepts.count() == 2


def test_many_concepts_are_given_support_at_once_and_what_is_gone_is_left_out(vault: Vault, nodes: list[int]) -> None:
    one, other = conceive(vault, "one", nodes[4]), conceive(vault, "other", nodes[2])

    vault.concepts.reinforce_each({one.node: [nodes[0], nodes[4], 999], other.node: [nodes[3]], 998: [nodes[1]]})

    assert [concept.support for concept in vault.concepts.by_nodes([one.node, other.node])] == [
        (nodes[0], nodes[4]),
        (nodes[2], nodes[3]),
    ]
    assert vault.concepts.count() == 2


def test_concepts_are_found_by_their_words_and_by_their_turns(vault: Vault, nodes: list[int]) -> None:
    heron = conceive(vault, "Grey HERON", nodes[0], nodes[1])
    straw = conceive(vault, "Straße", nodes[1])
    conceive(vault, "Bittern", nodes[2], maker=Maker.MODEL)

    assert vault.concepts.by_text(Maker.SALIENT) == {"grey heron": heron.node, "strasse": straw.node}
    assert vault.concepts.of_turns([nodes[1]]) == [heron, straw]
    assert vault.concepts.of_turns([nodes[4], heron.node]) == []
    assert vault.concepts.support() == sorted(
        (concept.node, turn) for concept in vault.concepts.listing() for turn in concept.support
    )


def test_the_listing_can_be_narrowed(vault: Vault, nodes: list[int]) -> None:
    for text, maker, category in (
        ("red heron", Maker.SALIENT, Category.TERM),
        ("grey heron", Maker.MODEL, Category.EVENT),
        ("red herring", Maker.MODEL, Category.PREFERENCE),
    ):
        vault.concepts.add(text=text, terms=text, maker=maker, category=category, confidence=1.0, support=nodes[:1])

    def texts(**narrow: object) -> list[str]:
        return [one.text for one in vault.concepts.listing(**narrow)]  # type: ignore[arg-type]  # one helper for all

    assert texts() == ["red herring", "grey heron", "red heron"]
    assert texts(limit=1, offset=1) == ["grey heron"]
    assert texts(makers=[Maker.MODEL]) == ["red herring", "grey heron"]
    assert texts(categories=[Category.TERM, Category.EVENT]) == ["grey heron", "red heron"]
    assert texts(makers=[Maker.MODEL], categories=[Category.TERM]) == []
    assert texts(match_terms=["red", "her"]) == ["red herring", "red heron"]
    assert texts(match_terms=["?!"]) == []


def test_the_graphs_rows_are_ascending_with_the_times_of_their_turns(vault: Vault, nodes: list[int]) -> None:
    concepts = [conceive(vault, "Heron", nodes[2], nodes[4]), conceive(vault, "Bittern", nodes[0], maker=Maker.MODEL)]

    rows = vault.concepts.graph_rows()

    assert [row.node for row in rows] == [concept.node for concept in concepts]
    assert [row.terms for row in rows] == ["heron", "bittern"]
    assert [(row.maker, row.category) for row in rows] == [(one.maker, one.category) for one in concepts]
    assert [(row.first_us, row.last_us) for row in rows] == [
        (round(one.first.timestamp() * 1_000_000), round(one.last.timestamp() * 1_000_000)) for one in concepts
    ]


def test_a_concept_and_a_turn_are_never_taken_for_one_another(vault: Vault, nodes: list[int]) -> None:
    concept = conceive(vault, "Heron", nodes[0])
    turn = vault.turns.by_nodes([nodes[0]])[0]

    with pytest.raises(NotFound):
        vault.turns.get(concept.id)
    with pytest.raises(NotFound):
        vault.concepts.get(turn.id)
    with pytest.raises(NotFound):
        vault.recollections.put(concept.id, [])
    assert vault.turns.by_nodes([concept.node]) == []
    assert [row.node for row in vault.turns.graph_rows()] == nodes
    assert len(vault.turns.listing()) == vault.turns.count() == 5


def test_identifiers_that_begin_alike_are_ambiguous_among_concepts_only(vault: Vault, nodes: list[int]) -> None:
    one, two = conceive(vault, "one", nodes[0]), conceive(vault, "two", nodes[0])
    for uid, node in (("aaaa1", nodes[0]), ("aaaa2", one.node)):
        vault._database.run("update node set uid = ? where id = ?", (uid, node))

    assert vault.turns.get("aaaa").node == nodes[0]
    assert vault.concepts.get("aaaa").node == one.node

    vault._database.run("update node set uid = 'aaaa3' where id = ?", (two.node,))
    with pytest.raises(AmbiguousId):
        vault.concepts.get("aaaa")


def test_indexes_hold_turns_and_concepts_alike(vault: Vault, nodes: list[int]) -> None:
    vault.vectors.begin_space(SPACE)
    concept = conceive(vault, "Heron", nodes[0])
    assert vault.vectors.missing(SPACE, limit=9) == [*nodes, concept.node]

    vault.vectors.put(concept.node, [passage(1)], space=SPACE)
    vault.turns.revise_terms(concept.node, "egret")

    assert vault.vectors.missing(SPACE, limit=9) == nodes
    assert [node for node, _ in vault.vectors.nearest(SPACE, vector(1), k=3)] == [concept.node]
    assert [node for node, _ in vault.lexical.search(["egret", "x"], limit=9)] == [concept.node, *nodes]


def test_removed_concepts_leave_no_entry_behind(vault: Vault, nodes: list[int]) -> None:
    vault.vectors.begin_space(SPACE)
    one, two, three = (conceive(vault, text, nodes[0]) for text in ("one", "two", "three"))
    for concept in (one, two):
        vault.vectors.put(concept.node, [passage(concept.node)], space=SPACE)
    vault.associations.put_cosines([(one.node, two.node, 0.5), (two.node, three.node, 0.5)])
    vault.traces.note_active([one.node], 1)

    assert vault.concepts.remove([one.node, one.node, nodes[0], 999]) == 1

    assert vault.concepts.listing() == [three, two]
    assert vault.vectors.matrix(SPACE) == ([two.node], vector(two.node))
    assert vault.lexical.search(["one"], limit=5) == []
    assert [edge.low for edge in vault.associations.listing()] == [two.node]
    assert vault.traces.of() == {}
    assert vault.turns.count() == 5
    vault.lexical.check()


def test_each_maker_has_its_own_turns_to_wait_for(vault: Vault, conversation: Conversation, nodes: list[int]) -> None:
    vault.concepts.note_consolidated(Maker.SALIENT, nodes[:3])
    vault.concepts.note_consolidated(Maker.SALIENT, [nodes[2], nodes[4], 999])
    conceive(vault, "not a turn", nodes[0])

    assert vault.concepts.pending(Maker.SALIENT, limit=9) == [nodes[3]]
    assert vault.concepts.pending(Maker.MODEL, limit=9) == nodes
    assert vault.concepts.pending(Maker.MODEL, limit=2) == nodes[:2]
    later = say(vault, conversation, "later").node
    assert vault.concepts.pending(Maker.SALIENT, limit=9) == [nodes[3], later]


def test_new_words_of_a_turn_take_along_what_was_made_of_the_old_ones(vault: Vault, nodes: list[int]) -> None:
    read = conceive(vault, "the old words", nodes[0], nodes[1], maker=Maker.MODEL)
    kept = conceive(vault, "Heron", nodes[0], nodes[2])
    alone = conceive(vault, "Bittern", nodes[0])
    other = conceive(vault, "of another turn", nodes[1], maker=Maker.DISTILLED)
    for maker in Maker:
        vault.concepts.note_consolidated(maker, nodes)
    vault.successions.put(nodes[0], nodes[3], "home")
    vault.successions.put(nodes[2], nodes[3], "work")

    vault.turns.revise(vault.turns.by_nodes([nodes[0]])[0].id, text="new words", terms="new word")

    assert vault.concepts.by_nodes([read.node, alone.node]) == []
    assert vault.concepts.get(kept.id).support == (nodes[2],)
    assert vault.concepts.get(other.id) == other
    assert vault.concepts.pending(Maker.MODEL, limit=9) == nodes[:2]
    assert vault.concepts.pending(Maker.SALIENT, limit=9) == nodes[:1]
    assert [succession.slot for succession in vault.successions.listing()] == ["work"]


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    made=st.lists(st.tuples(st.sampled_from(Maker), st.sets(st.integers(0, 4), min_size=1)), max_size=8),
    gone=st.sets(st.integers(0, 4)),
)
def test_what_stays_when_turns_go_is_what_a_rule_picked_and_another_turn_holds(
    made: list[tuple[Maker, set[int]]], gone: set[int], vault: Vault, nodes: list[int]
) -> None:
    concepts = {
        conceive(vault, "x", *(nodes[row] for row in support), maker=maker).node: (maker, support)
        for maker, support in made
    }

    going = resting_on(vault._database, [nodes[row] for row in gone])

    stays = {
        node
        for node, (maker, support) in concepts.items()
        if not support & gone or (maker is Maker.SALIENT and support - gone)
    }
    assert going == sorted(concepts.keys() - stays)
    assert [concept.node for concept in vault.concepts.resting_on([nodes[row] for row in gone])] == going
    vault.concepts.remove(list(concepts))


def test_a_concept_comes_from_the_memory_itself(vault: Vault, nodes: list[int]) -> None:
    concept = conceive(vault, "Heron", nodes[0])

    source = vault._database.value("select source from node where id = ?", (concept.node,))

    assert Source(source) is Source.MEMORY
