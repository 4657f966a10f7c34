"""What people type for --since, --until, --as-of and --at."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.cli.dates import read_beginning, read_end, read_expiry
from assistant.errors import BadInput

NOON = datetime(2026, 5, 12, 12, 0, tzinfo=UTC)
"""A Tuesday."""


def local(*parts: int) -> datetime:
    return datetime(*parts).astimezone()  # type: ignore[arg-type]  # by this machine's clock


def days(text: str) -> tuple[str, str]:
    beginning, end = read_beginning(text, now=NOON, option="--since"), read_end(text, now=NOON, option="--until")
    assert beginning.time() == datetime.min.time()
    assert end.time() == datetime.max.time()
    return str(beginning.date()), str(end.date())


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2026-03-01", "2026-03-01", "2026-03-01"),
        ("2026-03", "2026-03-01", "2026-03-31"),
        ("2024", "2024-01-01", "2024-12-31"),
        ("today", "2026-05-12", "2026-05-12"),
        ("yesterday", "2026-05-11", "2026-05-11"),
        ("3 days ago", "2026-05-09", "2026-05-09"),
        ("last week", "2026-05-04", "2026-05-11"),
        ("friday", "2026-05-08", "2026-05-08"),
        ("last  Friday", "2026-05-08", "2026-05-08"),
        ("may", "2026-05-01", "2026-05-31"),
        ("7 may 2025", "2025-05-07", "2025-05-07"),
        ("gestern", "2026-05-11", "2026-05-11"),
        ("昨天", "2026-05-11", "2026-05-11"),
        ("9999-12-31", "9999-12-31", "9999-12-31"),
    ],
)
def test_days_are_taken_whole(text: str, first: str, last: str) -> None:
    assert days(text) == (first, last)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-03-01T18:00:00+01:00", datetime(2026, 3, 1, 17, 0, tzinfo=UTC)),
        ("2026-03-01T18:00Z", datetime(2026, 3, 1, 18, 0, tzinfo=UTC)),
        ("2026-03-01T18:00", local(2026, 3, 1, 18)),
        ("2026-03-01 18:00:30", local(2026, 3, 1, 18, 0, 30)),
        ("yesterday 7:05", local(2026, 5, 11, 7, 5)),
        ("yesterday at 19:30", local(2026, 5, 11, 19, 30)),
        ("8:15", local(2026, 5, 12, 8, 15)),
        ("now", NOON),
        ("2 hours ago", NOON - timedelta(hours=2)),
        ("90 minutes ago", NOON - timedelta(minutes=90)),
    ],
)
def test_a_moment_begins_and_ends_at_once(text: str, moment: datetime) -> None:
    assert read_beginning(text, now=NOON, option="--at") == read_end(text, now=NOON, option="--at") == moment


@pytest.mark.parametrize(
    "text",
    ["noon", "", "2026-13-01", "2026-02-30", "25:00", "yesterday 24:01", "last week 18:00", "soon", "hello yesterday",
     "0001-01-01x", "next friday", "5000000 days ago", "2026-03-01T25:00", "may be\nit \x1b[31m"],
)  # fmt: skip
@pytest.mark.parametrize("read", [read_beginning, read_end])
def test_what_is_no_time_is_refused_in_one_clear_line(text: str, read: object) -> None:
    assert callable(read)
    with pytest.raises(BadInput) as refused:
        read(text, now=NOON, option="--as-of")
    message = str(refused.value)
    assert message.startswith("--as-of ")
    assert "write it like 2026-03-01" in message
    assert message.isprintable()


def test_one_of_two_days_is_named_and_not_guessed() -> None:
    with pytest.raises(BadInput, match=r"one of two days \(2026-05-15 or 2026-05-22\)"):
        read_beginning("next friday", now=NOON, option="--since")


@given(day=st.dates(date(1900, 1, 2), date(2099, 12, 30)))
def test_every_iso_day_is_itself(day: date) -> None:
    assert days(day.isoformat()) == (str(day), str(day))


@given(text=st.text(max_size=40))
def test_any_text_is_a_time_or_refused(text: str) -> None:
    try:
        beginning = read_beginning(text, now=NOON, option="--since")
    except BadInput:
        return
    assert beginning <= read_end(text, now=NOON, option="--until")


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("30d", timedelta(days=30)),
        ("1w 2d", timedelta(days=9)),
        ("12h", timedelta(hours=12)),
        ("in 30 days", timedelta(days=30)),
    ],
)
def test_a_length_of_time_is_counted_from_now_for_an_expiry(text: str, length: timedelta) -> None:
    assert read_expiry(text, now=NOON) == NOON + length
