"""Which memories rules let go of, and since when their time counts."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.config import RetentionRule
from assistant.memory.arrivals import HORIZON_DAYS, note_arrivals
from assistant.memory.associative import AssociativeMemory
from assistant.memory.retention import let_go, past_their_time
from assistant.memory.units import MICROSECONDS_A_DAY as DAY_US
from storage.instants import to_columns
from storage.overdue import AgedTurn
from storage.records import Role, Source, Utterance
from tests.conftest import NOON

NOW_US = 1000 * DAY_US
SAID = Utterance(role=Role.USER, speaker="User", text="Something.", time=NOON, source=Source.CHAT)


def aged(*, days: float, source: Source = Source.CHAT, tags: str = "", node: int = 1) -> AgedTurn:
    said_us = NOW_US - round(days * DAY_US)
    return AgedTurn(node=node, source=source, said_us=said_us, tags=frozenset(tags.split()))


def rule(days: float | None, *, source: str = "", tag: str = "") -> RetentionRule:
    return RetentionRule(keep_days=days, source=source, tag=tag)


def goes(turn: AgedTurn, *rules: RetentionRule, here_days: float = 900) -> bool:
    """Whether it is let go when it has been here for so long."""
    return let_go([turn], rules, now_us=NOW_US, arrived={turn.node: NOW_US - round(here_days * DAY_US)}) == [turn.node]


def test_the_first_rule_that_fits_decides() -> None:
    work, rest = rule(None, tag="work"), rule(30)
    assert goes(aged(days=31), work, rest)
    assert not goes(aged(days=29), work, rest)
    assert not goes(aged(days=900, tags="work sea"), work, rest)
    assert goes(aged(days=31, tags="work"), rest, work)


def test_what_no_rule_fits_is_kept() -> None:
    rules = rule(1, source="imported"), rule(1, tag="scrap")
    assert not goes(aged(days=900), *rules)
    assert not goes(aged(days=900, tags="scrapbook"), *rules)
    assert goes(aged(days=900, tags="scrap"), *rules)
    assert not goes(aged(days=900))


def test_source_and_tag_of_a_rule_have_to_fit_both() -> None:
    both = rule(1, source="file", tag="scrap")
    assert goes(aged(days=9, source=Source.FILE, tags="scrap"), both)
    assert not goes(aged(days=9, source=Source.FILE), both)
    assert not goes(aged(days=9, tags="scrap"), both)


@pytest.mark.parametrize("source", [Source.NOTE, Source.IMPORTED, Source.FILE, Source.TOOL])
def test_what_was_not_said_here_ages_since_it_came_in(source: Source) -> None:
    assert not goes(aged(days=900, source=source), rule(30), here_days=29)
    assert goes(aged(days=900, source=source), rule(30), here_days=30)
    assert goes(aged(days=31), rule(30), here_days=1)  # but a chat since it was said


@given(
    days=st.floats(0, 2000),
    limits=st.lists(st.one_of(st.none(), st.floats(0.1, 2000)), max_size=4),
    later=st.floats(0, 500),
)
def test_what_goes_at_a_time_goes_at_a_later_one_too(days: float, limits: list[float | None], later: float) -> None:
    rules = [rule(limit) for limit in limits]
    gone = let_go([aged(days=days)], rules, now_us=NOW_US, arrived={1: 0})
    gone_later = let_go([aged(days=days)], rules, now_us=NOW_US + round(later * DAY_US), arrived={1: 0})
    assert set(gone) <= set(gone_later)


def keep(memory: AssociativeMemory, source: Source, *, days: float = 0) -> int:
    """Keep a turn that was said so many days after noon; gives its node."""
    conversation = memory.vault.conversations.create(source=Source.CHAT)
    utterance = replace(SAID, source=source, time=NOON + timedelta(days=days))
    return memory.hear(conversation.id, utterance).node


def test_the_vault_gives_the_same_as_the_rules(memory: AssociativeMemory) -> None:
    chat, note, late = (
        keep(memory, source, days=day) for source, day in ((Source.CHAT, 0), (Source.NOTE, 0), (Source.CHAT, 9))
    )
    pinned, tagged, own = (keep(memory, Source.CHAT) for _ in range(3))
    memory.vault.traces.pin([pinned], pinned=True)
    memory.vault.tags.add([tagged], ["work"])
    memory.vault.tags.expire([own], NOON + timedelta(days=90))
    note_arrivals(memory.vault, to_columns(NOON + timedelta(days=5))[0], horizon_days=HORIZON_DAYS)
    rules = [rule(None, tag="work"), rule(10)]

    def gone(day: float) -> list[int]:
        return past_their_time(memory.vault, rules, NOON + timedelta(days=day))

    assert gone(9.9) == []
    assert gone(10) == [chat]
    assert gone(15) == [chat, note]
    assert gone(20) == [chat, note, late]
    assert gone(91) == [chat, note, late, own]
    assert past_their_time(memory.vault, [rule(10, tag="work")], NOON + timedelta(days=11)) == [tagged]
    assert past_their_time(memory.vault, [], NOON + timedelta(days=89)) == []


def test_an_import_of_old_words_is_not_past_its_time_when_it_comes_in(memory: AssociativeMemory) -> None:
    rules = [rule(30)]
    keep(memory, Source.CHAT)
    note_arrivals(memory.vault, to_columns(NOON)[0], horizon_days=HORIZON_DAYS)
    old = keep(memory, Source.IMPORTED, days=-2000)
    assert old not in past_their_time(memory.vault, rules, NOON + timedelta(days=29))
    assert old not in past_their_time(memory.vault, rules, NOON + timedelta(days=400)), "nobody knows since when"
    note_arrivals(memory.vault, to_columns(NOON + timedelta(days=3))[0], horizon_days=HORIZON_DAYS)
    assert old not in past_their_time(memory.vault, rules, NOON + timedelta(days=32))
    assert old in past_their_time(memory.vault, rules, NOON + timedelta(days=33))


def test_a_clock_that_steps_back_lets_nothing_go(memory: AssociativeMemory) -> None:
    keep(memory, Source.CHAT, days=30)
    assert past_their_time(memory.vault, [rule(1)], NOON) == []
