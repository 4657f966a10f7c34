"""What a vault does by itself: erase what waited long enough, put aside what has had its time."""

from datetime import timedelta

import pytest

from assistant.config import RetentionRule
from assistant.memory.associative import AssociativeMemory
from assistant.memory.choosing import Past, Selection
from assistant.memory.upkeep import SHORTEST_GRACE, keep_up
from storage.records import Source, Turn
from storage.vault import Vault
from tests.assistant.memory.told import note, talk
from tests.conftest import NOON

DAY = timedelta(days=1)
RULES = (RetentionRule(keep_days=None, tag="work"), RetentionRule(keep_days=30))


def kept_up(memory: AssociativeMemory, *, days: float, grace: timedelta = DAY) -> tuple[str, ...]:
    return keep_up(memory.vault, rules=RULES, now=NOON + days * DAY, grace=grace)


def texts(memory: AssociativeMemory) -> set[str]:
    return {turn.text for turn in memory.vault.turns.listing()}


@pytest.fixture
def said(memory: AssociativeMemory) -> list[Turn]:
    """Two notes, of which one is tagged."""
    turns = [note(memory, "The old boat."), note(memory, "The badge opens door 4.")]
    memory.vault.tags.add([turns[1].node], ["work"])
    kept_up(memory, days=0)
    return turns


def test_what_rules_let_go_waits_for_a_day_and_is_erased_then(memory: AssociativeMemory, said: list[Turn]) -> None:
    assert kept_up(memory, days=29) == ()
    (line,) = kept_up(memory, days=30)
    (waiting,) = memory.vault.forgettings()
    until = waiting.until.astimezone().strftime("%Y-%m-%d %H:%M")
    assert line == (
        f"1 memory past their time put aside, gone for good on {until};"
        f" undo with: assistant forget --undo {waiting.id[:8]}"
    )
    assert (waiting.until, texts(memory)) == (NOON + 31 * DAY, {"The badge opens door 4."})
    assert kept_up(memory, days=30.9) == ()
    (line,) = kept_up(memory, days=31)
    assert "1 memory erased" in line
    assert "0 traces" in line
    assert memory.vault.forgettings() == []
    assert memory.vault.ledger.listing()[-1].turns == 1


def test_what_has_a_time_of_its_own_goes_by_that(memory: AssociativeMemory, said: list[Turn]) -> None:
    memory.vault.tags.expire([said[0].node], NOON + 50 * DAY)
    memory.vault.tags.expire([said[1].node], NOON + 2 * DAY)
    assert len(kept_up(memory, days=2)) == 1
    assert texts(memory) == {"The old boat."}
    assert kept_up(memory, days=49)[0].startswith("the time to undo is over")
    assert len(kept_up(memory, days=50)) == 1
    assert texts(memory) == set()


def test_the_preview_is_what_goes(memory: AssociativeMemory, said: list[Turn]) -> None:
    now = NOON + 40 * DAY
    plan = memory.plan_forgetting(Selection(expired=Past(now=now, rules=RULES)))
    assert [turn.text for turn in plan.turns] == ["The old boat."]
    keep_up(memory.vault, rules=RULES, now=now, grace=DAY)
    assert memory.vault.forgettings()[0].turns == len(plan.turns)
    assert texts(memory) == {"The badge opens door 4."}


@pytest.mark.parametrize("hours", [0, 1, 72])
def test_what_nobody_named_waits_for_a_day_at_least(memory: AssociativeMemory, said: list[Turn], hours: int) -> None:
    kept_up(memory, days=40, grace=timedelta(hours=hours))
    (waiting,) = memory.vault.forgettings()
    assert waiting.until - waiting.time == max(SHORTEST_GRACE, timedelta(hours=hours))


def test_a_clock_that_was_wrong_once_costs_nothing(memory: AssociativeMemory, said: list[Turn]) -> None:
    before = texts(memory)
    kept_up(memory, days=4000)
    assert texts(memory) != before
    assert kept_up(memory, days=0.5) == ()
    memory.undo(memory.vault.forgettings()[0].id)
    assert texts(memory) == before
    assert kept_up(memory, days=1) == ()
    assert texts(memory) == before


def test_what_is_brought_back_past_its_time_is_pinned_and_stays(memory: AssociativeMemory, said: list[Turn]) -> None:
    kept_up(memory, days=40)
    memory.undo(memory.vault.forgettings()[0].id)
    assert [trace.pinned for trace in memory.vault.traces.of([said[0].node]).values()] == [True]
    assert kept_up(memory, days=41) == ()
    assert "The old boat." in texts(memory)
    memory.forget(memory.plan_forgetting([said[1].id]), now=NOON, grace=DAY)
    memory.undo(memory.vault.forgettings()[0].id)
    assert memory.vault.traces.of([said[1].node]) == {}, "what the user chose comes back as it was"


def test_with_nothing_to_do_nothing_is_written(memory: AssociativeMemory, said: list[Turn]) -> None:
    talk(memory, [("Ann", "More words.")])
    kept_up(memory, days=1)
    before = memory.vault.digest()
    assert kept_up(memory, days=1.2) == ()
    assert keep_up(memory.vault, rules=(), now=NOON + DAY, grace=DAY) == ()
    assert memory.vault.digest() == before


def test_without_rules_a_vault_is_left_as_it_is(memory: AssociativeMemory, said: list[Turn]) -> None:
    before = memory.vault.digest()
    assert keep_up(memory.vault, rules=(), now=NOON + 4000 * DAY, grace=DAY) == ()
    assert memory.vault.digest() == before


def test_what_the_user_forgot_is_erased_when_it_is_due(memory: AssociativeMemory, said: list[Turn]) -> None:
    memory.forget(memory.plan_forgetting([said[0].id]), now=NOON, grace=DAY)
    assert kept_up(memory, days=0.9) == ()
    (line,) = kept_up(memory, days=1)
    assert line.startswith("the time to undo is over: 1 memory erased")


def test_an_import_stays_for_its_whole_time(memory: AssociativeMemory, said: list[Turn]) -> None:
    (old,) = talk(memory, [("Ann", "Said long ago.")], since=NOON - 2000 * DAY)
    assert old.source is Source.IMPORTED
    kept_up(memory, days=5)
    assert kept_up(memory, days=29) == ()
    kept_up(memory, days=36)
    assert "Said long ago." not in texts(memory)


def test_a_full_disk_or_another_process_only_puts_it_off(memory: AssociativeMemory, said: list[Turn]) -> None:
    memory.forget(memory.plan_forgetting([said[0].id]), now=NOON, grace=DAY)
    other = Vault(memory.vault.folder, memory.vault._live_key())
    with other._database.transaction(), memory.vault._database.patience(10):
        (line,) = kept_up(memory, days=1)
    other.close()
    assert line.startswith("what is past its time stays until the vault is opened next: Another process")
    assert len(memory.vault.forgettings()) == 1
    assert kept_up(memory, days=1)[0].startswith("the time to undo is over")
