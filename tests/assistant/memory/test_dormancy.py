from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from assistant.memory.dormancy import active_share, base_levels, dormant, to_archive

SIZES = st.integers(0, 40)


@st.composite
def stores(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Base levels, and whether each is dormant and pinned."""
    size = draw(SIZES)
    level = draw(arrays(np.float64, size, elements=st.floats(-10, 5)))
    asleep, pinned = (draw(arrays(np.bool_, size)) for _ in range(2))
    return level, asleep, pinned


def test_the_base_level_by_hand() -> None:
    # told 8 days ago and used 3 days ago: 1/sqrt(9) + 1/sqrt(4) = 0.8333; told today: 1/sqrt(1) = 1
    level = base_levels([0, 0, 1], [8.0, 3.0, 0.0], size=3, decay=0.5)
    assert level[:2] == pytest.approx([log(0.8333), 0.0], abs=1e-4)
    assert level[2] == -np.inf


def test_many_old_uses_outweigh_a_single_late_one() -> None:
    level = base_levels([0] * 9 + [1], [99.0] * 9 + [24.0], size=2, decay=0.5)
    assert level == pytest.approx([log(9 / 10), log(1 / 5)])


def test_a_memory_is_dormant_after_ten_windows_of_silence() -> None:
    births, active = [1, 1, 1, 9], [0, 5, 6, 0]
    assert dormant(births, active, 15, windows=10).tolist() == [True, True, False, False]
    assert dormant(births, active, 10, windows=10).tolist() == [False] * 4


def test_what_was_recalled_with_a_hundredth_of_the_best_score_was_active() -> None:
    assert active_share([50.0, 0.5, 0.49, 0.0], epsilon=0.01).tolist() == [True, True, False, False]
    assert active_share([0.0, 0.0], epsilon=0.01).tolist() == [False, False]
    assert active_share([], epsilon=0.01).tolist() == []


def test_the_weakest_dormant_memories_go_until_the_floor_is_reached() -> None:
    level = np.array([0.0, -3.0, -1.0, -2.0, -9.0])
    asleep = np.array([True, True, True, True, False])
    nobody = np.zeros(5, dtype=bool)
    assert to_archive(level, asleep, nobody, floor=3, ceiling=10).tolist() == [1, 3]
    assert to_archive(level, asleep, nobody, floor=5, ceiling=10).tolist() == []


def test_above_the_ceiling_the_weakest_go_though_they_are_awake_and_pinned_ones_stay() -> None:
    level = np.array([0.0, -3.0, -1.0, -2.0, -9.0])
    awake, pinned = np.zeros(5, dtype=bool), np.array([False, False, False, False, True])
    assert to_archive(level, awake, pinned, floor=1, ceiling=3).tolist() == [1, 3]
    assert to_archive(level, awake, np.ones(5, dtype=bool), floor=1, ceiling=3).tolist() == []


@given(owners=st.lists(st.integers(0, 4), min_size=1), days=st.floats(0, 5_000), later=st.floats(0, 5_000))
def test_the_base_level_never_rises_by_waiting(owners: list[int], days: float, later: float) -> None:
    ages = np.full(len(owners), days)
    before = base_levels(owners, ages, size=5, decay=0.5)
    after = base_levels(owners, ages + later, size=5, decay=0.5)
    assert (after <= before + 1e-12).all()
    used = np.isin(np.arange(5), owners)
    assert (np.isfinite(before) == used).all()


@given(ages=st.lists(st.floats(0, 5_000), min_size=1), more=st.floats(0, 5_000))
def test_another_use_always_raises_the_base_level(ages: list[float], more: float) -> None:
    once = base_levels([0] * len(ages), ages, size=1, decay=0.5)
    again = base_levels([0] * (len(ages) + 1), [*ages, more], size=1, decay=0.5)
    assert again[0] > once[0]
    assert base_levels([0], [min(ages)], size=1, decay=0.5)[0] == pytest.approx(-log(sqrt(min(ages) + 1)))


@given(store=stores(), floor=SIZES, ceiling=SIZES)
def test_never_more_than_needed_leave_and_no_pinned_one(
    store: tuple[np.ndarray, np.ndarray, np.ndarray], floor: int, ceiling: int
) -> None:
    level, asleep, pinned = store
    floor, ceiling = min(floor, ceiling), max(floor, ceiling)
    gone = to_archive(level, asleep, pinned, floor=floor, ceiling=ceiling)
    left = len(level) - len(gone)
    assert len(set(gone.tolist())) == len(gone)
    assert not pinned[gone].any()
    assert left >= min(floor, len(level))
    assert left <= max(ceiling, int(pinned.sum()))
    if not asleep[gone].all():  # awake ones go only to come down to the ceiling, and after all that sleep
        assert left == max(ceiling, int(pinned.sum()))
        assert not np.setdiff1d(np.flatnonzero(asleep & ~pinned), gone).size


@given(store=stores(), floor=SIZES, ceiling=SIZES)
def test_of_those_that_sleep_none_stays_that_is_weaker_than_one_that_leaves(
    store: tuple[np.ndarray, np.ndarray, np.ndarray], floor: int, ceiling: int
) -> None:
    level, asleep, pinned = store
    floor, ceiling = min(floor, ceiling), max(floor, ceiling)
    gone = to_archive(level, asleep, pinned, floor=floor, ceiling=ceiling)
    for kind in (asleep, ~asleep):
        free = np.flatnonzero(kind & ~pinned)
        leaving, staying = np.intersect1d(free, gone), np.setdiff1d(free, gone)
        assert level[leaving].max(initial=-np.inf) <= level[staying].min(initial=np.inf)


@given(store=stores(), floor=SIZES, ceiling=SIZES)
def test_a_second_look_archives_nothing_more(
    store: tuple[np.ndarray, np.ndarray, np.ndarray], floor: int, ceiling: int
) -> None:
    level, asleep, pinned = store
    floor, ceiling = min(floor, ceiling), max(floor, ceiling)
    stay = np.ones(len(level), dtype=bool)
    stay[to_archive(level, asleep, pinned, floor=floor, ceiling=ceiling)] = False
    assert not to_archive(level[stay], asleep[stay], pinned[stay], floor=floor, ceiling=ceiling).size
