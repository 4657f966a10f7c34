"""Stretches of days, and how the words of any language lead to one from the day on which they were said.

What is not said is not guessed: "two weeks ago" gives a week, "last year" a year, "on Friday" in a sentence without a
tense both Fridays.
"""

from calendar import monthrange
from dataclasses import dataclass, replace
from datetime import date, timedelta
from enum import StrEnum

DAY = timedelta(days=1)
WEEK_DAYS = 7
SEASONS = ("spring", "summer", "autumn", "winter")
"""Of the northern half of the earth, each of three whole months from March on."""
A_FEW = (2, 6)
"""What "a few" may come to."""

Count = tuple[int, int]
"""The least and the most that a number word may mean."""


class Precision(StrEnum):
    """How closely a stretch tells when something was."""

    DAY = "day"
    WEEKEND = "weekend"
    WEEK = "week"
    MONTH = "month"
    SEASON = "season"
    YEAR = "year"
    RANGE = "range"
    """Some days, from the first to the last."""
    EITHER = "either"
    """The first or the last of them."""
    SINCE = "since"
    """Began on the first of them, and went on until the last."""


class Tense(StrEnum):
    """Whether a sentence tells what was or what shall be."""

    PAST = "past"
    FUTURE = "future"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """A stretch of days."""

    first: date
    last: date
    precision: Precision
    told: str
    """In digits, compact."""


def day(which: date) -> Period:
    """Give one day."""
    return Period(first=which, last=which, precision=Precision.DAY, told=which.isoformat())


def days(first: date, last: date) -> Period:
    """Give all days from the first to the last."""
    return Period(first=first, last=last, precision=Precision.RANGE, told=f"{first} to {last}")


def weekend(saturday: date) -> Period:
    """Give a Saturday and a Sunday."""
    return Period(first=saturday, last=saturday + DAY, precision=Precision.WEEKEND, told=f"weekend of {saturday}")


def week(monday: date) -> Period:
    """Give a week from Monday to Sunday."""
    return Period(first=monday, last=monday + 6 * DAY, precision=Precision.WEEK, told=f"week of {monday}")


def week_before(which: date) -> Period:
    """Give what "the week before" may mean: the seven days before a day, and the week before that day's own."""
    first = min(which - WEEK_DAYS * DAY, monday_of(which) - WEEK_DAYS * DAY)
    return Period(first=first, last=which - DAY, precision=Precision.WEEK, told=f"week before {which}")


def month(year: int, number: int) -> Period:
    """Give a month; its number is counted on beyond December and before January."""
    year, number = year + (number - 1) // 12, (number - 1) % 12 + 1
    last = date(year, number, monthrange(year, number)[1])
    return Period(first=date(year, number, 1), last=last, precision=Precision.MONTH, told=f"{year:04}-{number:02}")


def season(year: int, number: int) -> Period:
    """Give a season; the winter of a year begins in its December."""
    first, last = month(year, 3 * number + 3), month(year, 3 * number + 5)
    name = f"{SEASONS[number]} {year}" + (f"/{last.last.year % 100:02}" if last.last.year > year else "")
    return Period(first=first.first, last=last.last, precision=Precision.SEASON, told=name)


def year(number: int) -> Period:
    """Give a year."""
    return Period(first=date(number, 1, 1), last=date(number, 12, 31), precision=Precision.YEAR, told=f"{number:04}")


def about(period: Period, *, first: date, last: date, told: str) -> Period:
    """Give a stretch around another."""
    return replace(period, first=first, last=last, precision=Precision.RANGE, told=f"about {told}")


def either(one: Period, other: Period) -> Period:
    """Give both, when it is one of them."""
    if one == other:
        return one
    told = f"{one.told} or {other.told.removeprefix('weekend of ')}"
    return Period(first=one.first, last=other.last, precision=Precision.EITHER, told=told)


def since(period: Period, said: date) -> Period:
    """Give the time from when a stretch began until the day that it was told."""
    return Period(first=period.first, last=said, precision=Precision.SINCE, told=f"since {period.told}")


def joined(one: Period, other: Period) -> Period:
    """Give the time from the beginning of one to the end of the other."""
    if one.told == other.told:
        return one
    told = f"{one.told} to {other.told.removeprefix('about ')}"
    return Period(first=one.first, last=other.last, precision=Precision.RANGE, told=told)


def monday_of(which: date) -> date:
    """Give the Monday of a day's week."""
    return which - which.weekday() * DAY
