"""Gives points in time as two integers and back, exactly: UTC microseconds since 1970 and the offset in seconds."""

from datetime import datetime, timedelta, timezone

_EPOCH = datetime(1970, 1, 1)  # both sides of the arithmetic below are wall clocks  # noqa: DTZ001
_MICROSECOND = timedelta(microseconds=1)


def to_columns(time: datetime) -> tuple[int, int]:
    """Give the UTC microseconds and the offset in seconds of an aware time.

    The wall clock is kept as it was written, even where a zone's clock jumped over it.

    Raises
    ------
    ValueError
        The time is naive, or its offset is not of whole seconds.

    """
    offset = time.utcoffset()
    if offset is None:
        raise ValueError("a time without an offset names no moment: give it a time zone")
    if offset.microseconds:
        raise ValueError("an offset from UTC has whole seconds")

    wall = time.replace(tzinfo=None, fold=0) - _EPOCH
    return (wall - offset) // _MICROSECOND, offset // timedelta(seconds=1)


def from_columns(microseconds: int, offset_seconds: int) -> datetime:
    """Give back the aware time that `to_columns` took."""
    wall = _EPOCH + timedelta(microseconds=microseconds + offset_seconds * 1_000_000)
    return wall.replace(tzinfo=timezone(timedelta(seconds=offset_seconds)))
