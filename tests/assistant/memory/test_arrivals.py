import json

from assistant.memory.arrivals import ARRIVED, here_since, note_arrivals
from assistant.memory.units import MICROSECONDS_A_DAY
from storage.vault import Vault
from tests.assistant.memory.test_archive import tell


def note(vault: Vault, day: float) -> None:
    note_arrivals(vault, round(day * MICROSECONDS_A_DAY), horizon_days=90)


def days(vault: Vault, nodes: list[int], *, now: float) -> list[float]:
    """Give on which day each was here for certain."""
    return [since / MICROSECONDS_A_DAY for since in here_since(vault, nodes, round(now * MICROSECONDS_A_DAY))]


def kept(vault: Vault) -> list[list[int]]:
    found: list[list[int]] = json.loads(vault.settings.get(ARRIVED) or "[]")
    return found


def test_a_memory_is_here_since_the_first_note_after_it_came(vault: Vault) -> None:
    early = tell(vault, 2)
    note(vault, 10)
    late = tell(vault, 2)
    note(vault, 20)
    unnoted = tell(vault, 1)
    assert days(vault, [*early, *late, *unnoted], now=30) == [10, 10, 20, 20, 30]


def test_of_one_day_the_last_note_is_kept_and_nothing_new_needs_none(vault: Vault) -> None:
    nodes = tell(vault, 1)
    note(vault, 10)
    nodes += tell(vault, 1)
    note(vault, 10.5)
    assert days(vault, nodes, now=30) == [10.5, 10.5]
    before = vault.digest()
    note(vault, 20)
    assert vault.digest() == before


def test_notes_taken_more_than_once_a_day_do_not_make_what_is_here_younger_for_ever(vault: Vault) -> None:
    (first,) = tell(vault, 1)
    for step in range(20):
        note(vault, 10 + 0.6 * step)
        tell(vault, 1)
    assert days(vault, [first], now=30)[0] < 11


def test_what_is_here_for_longer_than_the_horizon_is_not_told_apart(vault: Vault) -> None:
    nodes = []
    for day in (0, 20, 40, 105, 111):
        nodes += tell(vault, 1)
        note(vault, day)
    assert [time / MICROSECONDS_A_DAY for time, _ in kept(vault)] == [20, 40, 105, 111]
    assert days(vault, nodes, now=111) == [20, 20, 40, 105, 111]


def test_an_empty_vault_notes_nothing(vault: Vault) -> None:
    note(vault, 1)
    assert kept(vault) == []
    assert days(vault, [1], now=5) == [5]


def test_a_clock_set_back_makes_nothing_older_than_it_is(vault: Vault) -> None:
    nodes = tell(vault, 1)
    note(vault, 50)
    nodes += tell(vault, 1)
    note(vault, 10)
    assert days(vault, nodes, now=60) == [50, 50]
