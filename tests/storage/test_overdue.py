"""What has had its time, as the vault tells it."""

from dataclasses import replace
from datetime import timedelta

import pytest

from storage.instants import to_columns
from storage.overdue import AgeLimit
from storage.records import Conversation, Source
from storage.vault import Vault
from tests.storage.making import MORNING, said, say

LIMIT = AgeLimit(said_us=to_columns(MORNING)[0], last_node=10**9)
HOUR = timedelta(hours=1)


def keep(vault: Vault, conversation: Conversation, source: Source, *, hours: int = 0) -> int:
    utterance = replace(said("x", time=MORNING + hours * HOUR), source=source)
    return vault.turns.append(conversation.id, utterance, terms="x").node


def test_only_what_is_old_enough_and_fits_is_given(vault: Vault, conversation: Conversation) -> None:
    chat, note = keep(vault, conversation, Source.CHAT), keep(vault, conversation, Source.NOTE)
    keep(vault, conversation, Source.CHAT, hours=1)
    vault.tags.add([note], ["sea", "work"])
    assert [turn.node for turn in vault.overdue.aged([LIMIT])] == [chat, note]
    assert [turn.tags for turn in vault.overdue.aged([LIMIT])] == [frozenset(), {"sea", "work"}]
    assert [turn.node for turn in vault.overdue.aged([replace(LIMIT, source=Source.NOTE)])] == [note]
    assert [turn.node for turn in vault.overdue.aged([replace(LIMIT, tag="work")])] == [note]
    assert vault.overdue.aged([replace(LIMIT, tag="wor")]) == []
    assert [turn.node for turn in vault.overdue.aged([LIMIT, replace(LIMIT, tag="work")])] == [chat, note]
    assert vault.overdue.aged([]) == []


def test_what_was_not_said_in_a_chat_must_have_come_in_by_then_too(vault: Vault, conversation: Conversation) -> None:
    note, chat = keep(vault, conversation, Source.NOTE), keep(vault, conversation, Source.CHAT)
    assert [turn.node for turn in vault.overdue.aged([replace(LIMIT, last_node=note - 1)])] == [chat]


def test_pinned_ones_and_those_with_a_time_of_their_own_are_left_out(vault: Vault, conversation: Conversation) -> None:
    pinned, timed, both = (keep(vault, conversation, Source.CHAT) for _ in range(3))
    vault.traces.pin([pinned, both], pinned=True)
    vault.tags.expire([timed, both], MORNING)
    assert vault.overdue.aged([LIMIT]) == []
    assert vault.overdue.expired(to_columns(MORNING)[0]) == [timed]
    assert vault.overdue.expired(to_columns(MORNING - HOUR)[0]) == []


@pytest.mark.parametrize(("hours", "pressing"), [(-1, True), (0, False), (1, False), (2, True)])
def test_what_waits_presses_when_it_is_due_or_was_put_aside_in_the_future(
    vault: Vault, conversation: Conversation, hours: int, pressing: bool
) -> None:
    node = say(vault, conversation, "x").node
    vault.put_aside([node], now=MORNING, until=MORNING + 2 * HOUR)
    assert vault.overdue.is_pressing(to_columns(MORNING + hours * HOUR)[0]) is pressing


def test_a_time_that_is_over_presses(vault: Vault, conversation: Conversation) -> None:
    vault.tags.expire([say(vault, conversation, "x").node], MORNING)
    assert not vault.overdue.is_pressing(to_columns(MORNING - HOUR)[0])
    assert vault.overdue.is_pressing(to_columns(MORNING)[0])
