import pytest

from storage.errors import VaultDamaged
from storage.records import Conversation
from storage.vault import Vault
from tests.storage.making import say


def test_rarer_terms_count_for_more(vault: Vault, conversation: Conversation) -> None:
    for text in ("heron lake", "heron reed", "heron mud"):
        say(vault, conversation, text)
    rare = say(vault, conversation, "bittern reed").node

    found = vault.lexical.search(["heron", "bittern"], limit=10)

    assert found[0][0] == rare
    assert len(found) == 4
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)
    assert len(vault.lexical.search(["heron", "bittern"], limit=2)) == 2


def test_terms_of_any_script_are_found(vault: Vault, conversation: Conversation) -> None:
    node = say(vault, conversation, "東京 京都 привет straße été").node

    for term in ("東京", "привет", "straße", "été"):
        assert [found for found, _ in vault.lexical.search([term], limit=5)] == [node]
    assert vault.lexical.search(["ete"], limit=5) == []


def test_no_terms_find_nothing(vault: Vault, conversation: Conversation) -> None:
    say(vault, conversation, "heron")

    assert vault.lexical.search([], limit=5) == []
    assert vault.lexical.search(["", "?!", "  "], limit=5) == []
    assert vault.turns.listing(match_terms=["?!"]) == []


def test_an_index_that_differs_from_the_nodes_is_named_and_built_anew(vault: Vault, conversation: Conversation) -> None:
    node = say(vault, conversation, "heron lake").node
    vault.lexical.check()
    vault._database.run("insert into lexical(lexical, rowid, terms) values ('delete', ?, 'heron lake')", (node,))

    with pytest.raises(VaultDamaged, match="index"):
        vault.lexical.check()
    assert vault.lexical.mend()

    assert not vault.lexical.mend()
    assert [found for found, _ in vault.lexical.search(["heron"], limit=5)] == [node]
