import numpy as np
import pytest

from storage.records import Association, Conversation
from storage.vault import Vault
from tests.storage.making import conceive, say


@pytest.fixture
def nodes(vault: Vault, conversation: Conversation) -> list[int]:
    turns = [say(vault, conversation, word).node for word in ("one", "two", "three")]
    return [*turns, conceive(vault, "four", turns[0]).node]


def edge(low: int, high: int, *, cosine: float = 0.0, hebbian: float = 0.0, updated_us: int = 0) -> Association:
    return Association(low=low, high=high, cosine=cosine, hebbian=hebbian, updated_us=updated_us)


def test_likeness_and_what_was_learned_are_kept_beside_one_another(vault: Vault, nodes: list[int]) -> None:
    one, two, three, four = nodes
    vault.associations.put_cosines([(four, one, 0.5), (one, two, 0.25)])
    vault.associations.put_learned([(one, four, 0.02, 7), (two, three, 0.04, 8)])

    assert vault.associations.listing() == [
        edge(one, two, cosine=0.25),
        edge(one, four, cosine=0.5, hebbian=0.02, updated_us=7),
        edge(two, three, hebbian=0.04, updated_us=8),
    ]

    vault.associations.put_learned([(four, one, 0.06, 9)])
    vault.associations.put_cosines([(one, four, 0.75)])

    assert vault.associations.listing()[1] == edge(one, four, cosine=0.75, hebbian=0.06, updated_us=9)


def test_pairs_are_found_in_whatever_order_they_are_asked_for(vault: Vault, nodes: list[int]) -> None:
    one, two, three, _ = nodes
    vault.associations.put_cosines([(one, two, 0.5), (two, three, 0.25)])

    found = vault.associations.of([(two, one), (one, three), (two, two), (three, 999)])

    assert found == {(one, two): edge(one, two, cosine=0.5)}
    assert vault.associations.of([]) == {}


def test_numbers_of_numpy_are_taken_too(vault: Vault, nodes: list[int]) -> None:
    one, two = np.array(nodes[:2])

    vault.associations.put_cosines([(two, one, 0.5)])

    assert vault.associations.listing() == [edge(nodes[0], nodes[1], cosine=0.5)]
    assert list(vault.associations.of([(two, one)])) == [(nodes[0], nodes[1])]


def test_edges_of_nodes_that_are_gone_are_left_out(vault: Vault, nodes: list[int]) -> None:
    vault.associations.put_cosines([(nodes[0], 999, 0.5)])
    vault.associations.put_learned([(999, nodes[0], 0.5, 1), (nodes[0], nodes[1], 0.5, 1)])

    assert [(found.low, found.high) for found in vault.associations.listing()] == [(nodes[0], nodes[1])]


def test_a_node_is_not_associated_with_itself_and_nothing_of_the_rest_is_kept(vault: Vault, nodes: list[int]) -> None:
    one, two, *_ = nodes
    with pytest.raises(ValueError, match="two nodes"):
        vault.associations.put_cosines([(one, two, 0.5), (one, one, 1.0)])
    with pytest.raises(ValueError, match="two nodes"):
        vault.associations.put_learned([(one, two, 0.5, 1), (two, two, 1.0, 1)])

    assert vault.associations.listing() == []


def test_removed_associations_are_forgotten_with_what_was_learned(vault: Vault, nodes: list[int]) -> None:
    one, two, three, _ = nodes
    vault.associations.put_learned([(one, two, 0.5, 1), (two, three, 0.5, 1)])

    vault.associations.remove([(two, one), (one, three)])

    assert vault.associations.listing() == [edge(two, three, hebbian=0.5, updated_us=1)]


def test_an_association_goes_with_either_node(vault: Vault, nodes: list[int]) -> None:
    one, two, three, four = nodes
    vault.associations.put_learned([(one, two, 0.5, 1), (two, three, 0.5, 1), (three, four, 0.5, 1)])

    vault.erase([two])

    assert [(found.low, found.high) for found in vault.associations.listing()] == [(three, four)]
