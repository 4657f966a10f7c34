import pytest

from storage.errors import NotFound
from storage.records import Conversation, Maker
from storage.vault import Vault
from tests.storage.making import SPACE, conceive, passage, say, vector

REASONS = ("gives orders", "“so”; hides text")


@pytest.fixture
def nodes(vault: Vault, conversation: Conversation) -> list[int]:
    """Three turns with a vector each, the second of which is held back."""
    vault.vectors.begin_space(SPACE)
    vault.vectors.finish_space(SPACE)
    made = [say(vault, conversation, text).node for text in ("first harbour", "second harbour", "third harbour")]
    for node in made:
        vault.vectors.put(node, [passage(node)], space=SPACE)
    vault.quarantine.put(made[1], REASONS)
    return made


def test_what_is_held_back_has_its_reasons_until_it_is_accepted(vault: Vault, nodes: list[int]) -> None:
    assert vault.quarantine.waiting() == {nodes[1]: REASONS}
    assert vault.quarantine.waiting([nodes[0]]) == {}
    assert (vault.quarantine.count(), vault.quarantine.accepted()) == (1, [])
    assert vault.quarantine.accept(nodes) == [nodes[1]]
    assert vault.quarantine.accept(nodes) == []
    assert (vault.quarantine.count(), vault.quarantine.accepted()) == (0, [nodes[1]])


def test_what_is_held_back_is_in_no_row_of_the_graph_and_beside_nobody(vault: Vault, nodes: list[int]) -> None:
    first, second, third = nodes
    assert [row.node for row in vault.turns.graph_rows()] == [first, third]
    assert vault.turns.graph_rows(nodes=[second]) == []
    assert vault.turns.neighbours([first], reach=1) == [first]
    vault.quarantine.accept([second])
    assert [row.node for row in vault.turns.graph_rows(active_only=True)] == nodes
    assert vault.turns.neighbours([first], reach=1) == [first, second]


def test_neither_index_finds_it(vault: Vault, nodes: list[int]) -> None:
    first, second, third = nodes
    assert {node for node, _ in vault.lexical.search(["harbour"], limit=9)} == {first, third}
    assert {node for node, _ in vault.vectors.nearest(SPACE, vector(second), k=2)} == {first, third}
    vault.quarantine.accept([second])
    assert {node for node, _ in vault.lexical.search(["harbour"], limit=9)} == set(nodes)
    assert vault.vectors.nearest(SPACE, vector(second), k=1)[0][0] == second


def test_it_waits_for_no_maker_of_concepts(vault: Vault, nodes: list[int]) -> None:
    assert vault.concepts.pending(Maker.SALIENT, limit=9) == [nodes[0], nodes[2]]
    vault.quarantine.accept(nodes)
    assert vault.concepts.pending(Maker.SALIENT, limit=9) == nodes


def test_it_is_seen_where_memories_are_listed_unless_it_is_not_to_be(vault: Vault, nodes: list[int]) -> None:
    assert len(vault.turns.listing(match_terms=["harbour"])) == len(nodes)
    assert [turn.node for turn in vault.turns.listing(held_back=False)] == [nodes[2], nodes[0]]
    (conversation,) = {turn.conversation for turn in vault.turns.listing()}
    assert len(vault.turns.in_conversation(conversation)) == len(nodes)
    assert [turn.node for turn in vault.turns.in_conversation(conversation, held_back=False)] == [nodes[0], nodes[2]]


def test_it_goes_with_its_turn_and_when_the_words_are_others(vault: Vault, nodes: list[int]) -> None:
    vault.quarantine.lift(nodes[1])
    assert vault.quarantine.waiting() == {}
    vault.quarantine.put(nodes[1], REASONS)
    vault.erase([nodes[1]])
    assert vault.quarantine.waiting() == {}


def test_only_a_turn_is_held_back_and_for_a_reason(vault: Vault, nodes: list[int]) -> None:
    with pytest.raises(NotFound, match="is gone"):
        vault.quarantine.put(999, REASONS)
    with pytest.raises(NotFound, match="is gone"):
        vault.quarantine.put(conceive(vault, "harbour", nodes[0]).node, REASONS)
    with pytest.raises(ValueError, match="a reason"):
        vault.quarantine.put(nodes[0], [])


def test_accepting_is_seen_by_whoever_looks_for_changes(vault: Vault, nodes: list[int]) -> None:
    before = vault.change_counter()
    vault.quarantine.accept([nodes[1]])
    assert vault.change_counter() > before


def test_orphans_are_found(vault: Vault, nodes: list[int]) -> None:
    assert (vault.orphans.concepts(), vault.orphans.conversations(), vault.orphans.passages()) == ([], [], [])
    concept = conceive(vault, "harbour", nodes[0])
    vault._database.run("delete from support")
    vault._database.run("insert into conversation(uid, title, source, origin) values ('empty', '', 'chat', '')")
    vault._database.run("delete from vectors_1 where passage = (select id from passage where node = ?)", (nodes[2],))
    assert vault.orphans.concepts() == [concept.id]
    assert vault.orphans.conversations() == ["empty"]
    assert vault.orphans.passages() == [turn.id for turn in vault.turns.by_nodes([nodes[2]])]
