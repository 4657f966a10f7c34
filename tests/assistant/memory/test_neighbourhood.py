from datetime import timedelta

from assistant.memory.neighbourhood import neighbourhood
from assistant.memory.parameters import Parameters
from storage.records import Category, Maker
from storage.vault import Vault
from tests.assistant.memory.test_archive import tell
from tests.conftest import NOON

DAY = timedelta(days=1)


def edges(vault: Vault, node: int, *, days: float = 0) -> list[tuple[int, str, float]]:
    """Give the other end, the kind and the weight of each edge."""
    found = neighbourhood(vault, node, NOON + days * DAY, Parameters())
    return [(edge.node, edge.kind, round(edge.weight, 4)) for edge in found]


def bind(vault: Vault, one: int, other: int) -> None:
    vault.associations.put_learned([(one, other, 0.5, round(NOON.timestamp() * 1_000_000))])


def test_the_edges_of_a_turn_by_hand(vault: Vault) -> None:
    # neighbours a day away: exp(-0.01); learned 100 days ago: 0.5 * 0.995^100
    before, node, after, far = tell(vault, 4)
    concept = vault.concepts.add(
        text="boat", terms="boat", maker=Maker.SALIENT, category=Category.TERM, confidence=1, support=[node]
    )
    bind(vault, far, node)
    assert edges(vault, node, days=100) == [
        (before, "temporal", 0.99),
        (after, "temporal", 0.99),
        (concept.node, "abstraction", 0.8),
        (far, "learned", 0.3029),
    ]


def test_the_edges_of_a_concept_are_what_it_rests_on_and_what_is_alike(vault: Vault) -> None:
    nodes = tell(vault, 2)
    boat, ship = (
        vault.concepts.add(
            text=text, terms=text, maker=Maker.SALIENT, category=Category.TERM, confidence=1, support=nodes
        ).node
        for text in ("boat", "ship")
    )
    vault.associations.put_cosines([(ship, boat, 0.7)])
    assert edges(vault, boat) == [*((node, "abstraction", 0.8) for node in nodes), (ship, "association", 0.7)]


def test_two_nodes_may_be_tied_in_several_ways(vault: Vault) -> None:
    one, other = tell(vault, 2)
    bind(vault, one, other)
    assert edges(vault, one) == [(other, "temporal", 0.99), (other, "learned", 0.5)]


def test_when_a_turn_is_forgotten_those_around_it_become_neighbours(vault: Vault) -> None:
    first, middle, last = tell(vault, 3)
    vault.erase([middle])
    assert edges(vault, first) == [(last, "temporal", 0.9802)]


def test_looking_changes_nothing_and_what_is_gone_is_tied_to_nothing(vault: Vault) -> None:
    one, other = tell(vault, 2)
    bind(vault, one, other)
    before = vault.digest()
    edges(vault, one, days=50)
    assert vault.digest() == before
    assert edges(vault, 999) == []
