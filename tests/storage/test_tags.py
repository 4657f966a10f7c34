"""Tags and expiry times, and what goes with them."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from storage.records import Conversation
from storage.tag_names import LONGEST_TAG, normal_tag
from storage.vault import Vault
from tests.storage.making import plain_bytes, say

TIME = datetime(2027, 3, 1, 18, 30, tzinfo=timezone(timedelta(hours=1)))


@pytest.mark.parametrize(
    ("typed", "kept"),
    [("  Work ", "work"), ("STRASSE", "strasse"), ("Straße", "strasse"), ("u\u0308ber", "über"), ("a-b/2", "a-b/2")],
)
def test_a_tag_is_the_same_however_it_is_typed(typed: str, kept: str) -> None:
    assert normal_tag(typed) == kept
    assert normal_tag(kept) == kept


@pytest.mark.parametrize(
    "typed", ["", "  ", "-", "two words", "a,b", "a\u00a0b", "a\tb", "a\x1b", "x" * (LONGEST_TAG + 1)]
)
def test_what_is_not_one_word_is_no_tag(typed: str) -> None:
    with pytest.raises(ValueError, match="a tag"):
        normal_tag(typed)


def test_tags_are_given_taken_and_counted(vault: Vault, conversation: Conversation) -> None:
    one, two, three = (say(vault, conversation, text).node for text in ("one", "two", "three"))
    vault.tags.add([one, two, 999], ["work", "berlin"])
    vault.tags.add([two, three], ["work", "work"])
    assert vault.tags.of([one, two, three]) == {one: ("berlin", "work"), two: ("berlin", "work"), three: ("work",)}
    assert vault.tags.holding(["work"]) == [one, two, three]
    assert vault.tags.holding(["work", "berlin"]) == [one, two]
    assert vault.tags.holding([]) == []
    assert vault.tags.counts() == {"berlin": 2, "work": 3}
    vault.tags.remove([one, three], ["work", "never given"])
    assert vault.tags.of([one, three]) == {one: ("berlin",)}


def test_a_time_is_kept_changed_and_taken_away(vault: Vault, conversation: Conversation) -> None:
    one, two = (say(vault, conversation, text).node for text in ("one", "two"))
    vault.tags.expire([one, two, 999], TIME)
    assert vault.tags.expiry_of([one, two]) == {one: TIME, two: TIME}
    assert vault.tags.expiry_of([one])[one].tzinfo is UTC
    vault.tags.expire([one], TIME + timedelta(days=1))
    vault.tags.expire([two], None)
    assert vault.tags.expiry_of([one, two]) == {one: TIME + timedelta(days=1)}


def test_tags_go_with_their_node_without_a_trace(vault: Vault, conversation: Conversation) -> None:
    node = say(vault, conversation, "one").node
    vault.tags.add([node], ["quillabeth"])
    vault.tags.expire([node], TIME)
    assert b"quillabeth" in plain_bytes(vault)
    assert vault.erase([node]).residue == 0
    assert b"quillabeth" not in plain_bytes(vault)
    assert (vault.tags.counts(), vault.tags.expiry_of([node])) == ({}, {})


def test_a_tag_that_could_not_be_purged_is_counted_as_residue(vault: Vault, conversation: Conversation) -> None:
    node = say(vault, conversation, "one").node
    vault.tags.add([node], ["quillabeth"])
    vault._database.run("create table stowaway(content)")
    vault._database.run("insert into stowaway values ('quillabeth')")
    assert vault.erase([node]).residue > 0


def test_a_tag_that_another_memory_has_is_no_residue(vault: Vault, conversation: Conversation) -> None:
    one, two = (say(vault, conversation, text).node for text in ("one", "two"))
    vault.tags.add([one, two], ["quillabeth"])
    assert vault.erase([one]).residue == 0
    assert vault.tags.of([two]) == {two: ("quillabeth",)}
