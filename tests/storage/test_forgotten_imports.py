"""What was forgotten is known again when it is imported again, by nothing but a keyed digest."""

from dataclasses import replace
from datetime import timedelta

import pytest

from storage.records import Source, Turn
from storage.vault import Vault
from tests.storage.making import MORNING, plain_bytes, said

HERONS = "jsonl:herons"


@pytest.fixture
def turns(vault: Vault) -> list[Turn]:
    """Two imported turns, and one of a chat that has an identifier too."""
    imported = vault.conversations.create(source=Source.IMPORTED, external_id=HERONS)
    chat = vault.conversations.create(source=Source.CHAT, external_id="chat-1")
    told = [(imported, "m-1"), (imported, "m-2"), (chat, "m-3")]
    return [
        vault.turns.append(
            conversation.id,
            replace(said(f"words of {external_id}", external_id=external_id), source=conversation.source),
            terms="words",
        )
        for conversation, external_id in told
    ]


def test_what_was_erased_is_known_and_the_rest_is_not(vault: Vault, turns: list[Turn]) -> None:
    imports = vault.forgotten_imports
    assert not imports.holds(HERONS, "m-1")

    vault.erase([turns[0].node, turns[2].node])

    assert imports.holds(HERONS, "m-1")
    assert not imports.holds(HERONS, "m-2")
    assert not imports.holds("chat-1", "m-3")
    assert not imports.holds("jsonl:hero", "nsm-1")
    assert imports.among(HERONS, ["m-2", "m-1", "m-9"]) == {"m-1"}
    assert imports.count() == 1


def test_what_waits_is_known_until_it_is_taken_back(vault: Vault, turns: list[Turn]) -> None:
    before = vault.settings.database.rows("select * from setting")
    first = vault.put_aside([turns[0].node], now=MORNING, until=MORNING + timedelta(days=1))
    second = vault.put_aside([turns[1].node], now=MORNING, until=MORNING + timedelta(days=1))

    vault.take_back(first.id)
    assert vault.forgotten_imports.among(HERONS, ["m-1", "m-2"]) == {"m-2"}

    vault.take_back(second.id)
    assert vault.forgotten_imports.count() == 0
    assert vault.settings.database.rows("select * from setting") == before


def test_all_can_be_imported_again_when_the_user_wants_that(vault: Vault, turns: list[Turn]) -> None:
    vault.erase([turn.node for turn in turns])

    vault.forgotten_imports.clear()

    assert vault.forgotten_imports.among(HERONS, ["m-1", "m-2"]) == set()


def test_only_digests_are_kept_and_another_vault_has_others(vault: Vault, turns: list[Turn]) -> None:
    vault.erase([turn.node for turn in turns])
    digests = vault._database.rows("select digest from forgotten_import")

    content = plain_bytes(vault)
    assert [len(digest) for (digest,) in digests] == [16, 16]
    assert HERONS.encode() not in content
    assert b"m-1" not in content

    vault.forgotten_imports.clear()
    imported = vault.conversations.create(source=Source.IMPORTED, external_id=HERONS)
    again = vault.turns.append(imported.id, said("words", external_id="m-1"), terms="words")
    vault.erase([again.node])
    assert not {*vault._database.rows("select digest from forgotten_import")} & {*digests}
