"""Lengths of time as they are typed: 30m, 8h, 1h30m, 30d, 2w."""

import re
from datetime import timedelta

from assistant.cli.output import flat
from assistant.errors import BadInput

_PARTS = re.compile(
    r"(?:(?P<weeks>\d{1,4})w)?(?:(?P<days>\d{1,5})d)?(?:(?P<hours>\d{1,6})h)?"
    r"(?:(?P<minutes>\d{1,8})m)?(?:(?P<seconds>\d{1,9})s)?"
)


def read_duration(text: str, *, option: str) -> timedelta:
    """Give the length of time that was typed.

    Raises
    ------
    BadInput
        It is none, or no time at all.
    """
    length = length_of(text)
    if not length:
        message = f"{option} {flat(text)}: no length of time; write it like 30m, 8h or 1h30m"
        raise BadInput(message)
    return length


def length_of(text: str) -> timedelta:
    """Give the length of time that was typed; none at all when it is no such thing."""
    found = _PARTS.fullmatch("".join(text.lower().split()))
    return timedelta(**{unit: int(number) for unit, number in found.groupdict("0").items()}) if found else timedelta()


def in_words(length: timedelta) -> str:
    """Give a length of time as it can be typed, to the second: `1h30m`."""
    minutes, seconds = divmod(round(length.total_seconds()), 60)
    hours, minutes = divmod(minutes, 60)
    parts = ((hours, "h"), (minutes, "m"), (seconds, "s"))
    return "".join(f"{number}{unit}" for number, unit in parts if number) or "0s"
