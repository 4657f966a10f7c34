from datetime import timedelta

import pytest

from storage.conversations import derived_title
from storage.errors import AlreadyThere, AmbiguousId, NotFound
from storage.records import Conversation, Role, Source
from storage.vault import Vault
from tests.storage.making import MORNING, said, say


def test_a_conversation_knows_its_turns_and_their_times(vault: Vault, conversation: Conversation) -> None:
    later = MORNING + timedelta(hours=3)
    vault.turns.append(conversation.id, said("First"), terms="first")
    vault.turns.append(conversation.id, said("Second", time=later), terms="second")

    found = vault.conversations.get(conversation.id)

    assert (found.turns, found.started, found.last) == (2, MORNING, later)
    assert (found.id, found.source, found.origin, found.external_id) == (conversation.id, Source.CHAT, "", None)


def test_a_conversation_without_turns_has_no_times(vault: Vault, conversation: Conversation) -> None:
    assert vault.conversations.get(conversation.id) == conversation
    assert (conversation.turns, conversation.started, conversation.last) == (0, None, None)


def test_a_title_is_read_off_the_first_turn_until_one_is_given(vault: Vault, conversation: Conversation) -> None:
    say(vault, conversation, "\n  Where do herons sleep?  \nI wonder.")
    say(vault, conversation, "In trees.", role=Role.ASSISTANT)
    assert vault.conversations.get(conversation.id).title == "Where do herons sleep?"

    assert vault.conversations.rename(conversation.id, "Herons").title == "Herons"
    assert vault.conversations.rename(conversation.id, "").title == "Where do herons sleep?"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("", ""),
        (" \n\t", ""),
        ("a" * 60, "a" * 60),
        ("a" * 61, "a" * 59 + "…"),
        ("one\ntwo", "one"),
        ("b" * 58 + " cc", "b" * 58 + "…"),
    ],
)
def test_a_derived_title_is_the_beginning_of_the_first_line(text: str, title: str) -> None:
    assert derived_title(text) == title


def test_the_listing_begins_with_the_latest_last_turn(vault: Vault) -> None:
    times = {"old": -5, "new": 5, "middle": 0}
    for title, days in times.items():
        made = vault.conversations.create(title=title, source=Source.IMPORTED)
        vault.turns.append(made.id, said("x", time=MORNING + timedelta(days=days)), terms="x")
    vault.conversations.create(title="empty", source=Source.CHAT)

    assert [one.title for one in vault.conversations.listing()] == ["new", "middle", "old", "empty"]
    assert [one.title for one in vault.conversations.listing(limit=2)] == ["new", "middle"]


def test_the_listing_matches_given_and_derived_titles_in_any_case(vault: Vault, conversation: Conversation) -> None:
    say(vault, conversation, "STRASSE nach Süden")
    vault.conversations.create(title="Die Straße", source=Source.CHAT)
    vault.conversations.create(title="100% wool", source=Source.CHAT)

    assert len(vault.conversations.listing(match="straße")) == 2
    assert [one.title for one in vault.conversations.listing(match="0% W")] == ["100% wool"]
    assert vault.conversations.listing(match="%") != vault.conversations.listing()


def test_an_imported_conversation_is_found_by_where_it_came_from(vault: Vault) -> None:
    made = vault.conversations.create(
        title="Old", source=Source.IMPORTED, origin="chatgpt:conversations.json", external_id="c-17"
    )

    assert vault.conversations.find(Source.IMPORTED, "c-17") == made
    assert vault.conversations.find(Source.CHAT, "c-17") is None
    with pytest.raises(AlreadyThere):
        vault.conversations.create(source=Source.IMPORTED, external_id="c-17")


def test_a_prefix_names_one_conversation_or_none(vault: Vault) -> None:
    for given in ("abcd11", "abcd12", "abce00", "abcd"):
        vault.conversations.create(id=given, source=Source.CHAT)

    assert vault.conversations.get("abce").id == "abce00"
    assert vault.conversations.get("abcd").id == "abcd"
    with pytest.raises(AmbiguousId, match="abcd1"):
        vault.conversations.get("abcd1")
    with pytest.raises(NotFound, match="beef"):
        vault.conversations.get("beef")
    with pytest.raises(NotFound, match="short"):
        vault.conversations.get("abc")
    with pytest.raises(NotFound, match="short"):
        vault.conversations.get("")


@pytest.mark.parametrize("prefix", ["%%%%", "____", "' or 1=1 --", "abcd*", "\0\0\0\0"])
def test_nothing_in_a_prefix_is_a_pattern(prefix: str, vault: Vault, conversation: Conversation) -> None:
    with pytest.raises(NotFound):
        vault.conversations.get(prefix)


def test_renaming_what_is_not_there_is_an_error(vault: Vault) -> None:
    with pytest.raises(NotFound):
        vault.conversations.rename("0" * 32, "x")
