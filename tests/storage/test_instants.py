from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storage.instants import from_columns, to_columns
from tests.storage.making import MORNING

OFFSETS = st.integers(-86399, 86399).map(lambda seconds: timezone(timedelta(seconds=seconds)))


def wall(time: datetime) -> datetime:
    return time.replace(tzinfo=None, fold=0)


@settings(deadline=None)
@given(st.datetimes(timezones=OFFSETS))
def test_any_time_with_any_offset_comes_back_exactly(time: datetime) -> None:
    again = from_columns(*to_columns(time))

    assert again == time
    assert wall(again) == wall(time)
    assert again.utcoffset() == time.utcoffset()


@settings(deadline=None)
@given(
    st.datetimes(datetime(1970, 1, 1), datetime(2090, 1, 1)),  # noqa: DTZ001  # the zone comes after
    st.sampled_from(["Europe/Berlin", "America/St_Johns", "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Apia"]),
    st.sampled_from([0, 1]),
)
def test_a_zones_times_keep_their_wall_clock_and_offset(naive: datetime, zone: str, fold: int) -> None:
    time = naive.replace(tzinfo=ZoneInfo(zone), fold=fold)

    again = from_columns(*to_columns(time))

    assert (wall(again), again.utcoffset()) == (wall(time), time.utcoffset())
    assert again.timestamp() == time.timestamp()


@pytest.mark.parametrize("fold", [0, 1])
def test_a_wall_clock_that_a_zone_jumped_over_is_kept_as_written(fold: int) -> None:
    skipped = datetime(2026, 3, 29, 2, 30, 0, 123456, tzinfo=ZoneInfo("Europe/Berlin"), fold=fold)

    again = from_columns(*to_columns(skipped))

    assert (wall(again), again.utcoffset()) == (wall(skipped), skipped.utcoffset())


def test_the_columns_are_utc_microseconds_and_the_offset_in_seconds() -> None:
    kathmandu = timezone(timedelta(hours=5, minutes=45))

    assert to_columns(datetime(1970, 1, 1, 5, 45, 0, 7, tzinfo=kathmandu)) == (7, 20700)
    assert from_columns(-1, 0) == datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)


def test_a_naive_time_is_refused() -> None:
    with pytest.raises(ValueError, match="time zone"):
        to_columns(MORNING.replace(tzinfo=None))


def test_an_offset_of_a_fraction_of_a_second_is_refused() -> None:
    with pytest.raises(ValueError, match="whole seconds"):
        to_columns(datetime(2026, 1, 1, tzinfo=timezone(timedelta(microseconds=1))))
