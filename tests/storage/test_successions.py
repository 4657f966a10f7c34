import pytest

from storage.errors import NotFound
from storage.records import Conversation, Succession
from storage.vault import Vault
from tests.storage.making import conceive, say


@pytest.fixture
def nodes(vault: Vault, conversation: Conversation) -> list[int]:
    return [say(vault, conversation, place).node for place in ("Lisbon", "Porto", "Faro")]


def test_a_succession_is_found_from_either_end(vault: Vault, nodes: list[int]) -> None:
    lisbon, porto, faro = nodes
    vault.successions.put(faro, porto, "home")
    vault.successions.put(porto, lisbon, "city")
    vault.successions.put(porto, lisbon, "home")

    first = Succession(newer=porto, older=lisbon, slot="home")
    second = Succession(newer=faro, older=porto, slot="home")
    assert vault.successions.listing() == [first, second]
    assert vault.successions.of([porto]) == [first, second]
    assert vault.successions.of([lisbon]) == [first]
    assert vault.successions.of([999]) == []


def test_forgetting_the_newer_brings_the_older_back(vault: Vault, nodes: list[int]) -> None:
    lisbon, porto, faro = nodes
    vault.successions.put(porto, lisbon, "home")
    vault.successions.put(faro, porto, "home")

    vault.erase([faro])

    assert vault.successions.of([porto]) == [Succession(newer=porto, older=lisbon, slot="home")]
    vault.erase([lisbon])
    assert vault.successions.listing() == []


def test_only_two_turns_follow_one_another(vault: Vault, nodes: list[int]) -> None:
    concept = conceive(vault, "Lisbon", nodes[0]).node

    with pytest.raises(ValueError, match="itself"):
        vault.successions.put(nodes[0], nodes[0], "home")
    for newer, older in ((nodes[0], 999), (999, nodes[0]), (nodes[1], concept)):
        with pytest.raises(NotFound, match="gone"):
            vault.successions.put(newer, older, "home")
    assert vault.successions.listing() == []
