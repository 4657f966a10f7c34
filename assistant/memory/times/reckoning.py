"""The way from the day on which something was said to the days that the words of any language mean."""

from calendar import monthrange
from datetime import date

from assistant.memory.times.periods import (
    DAY,
    WEEK_DAYS,
    Count,
    Period,
    Tense,
    about,
    day,
    days,
    either,
    joined,
    monday_of,
    month,
    season,
    since,
    week,
    week_before,
    weekend,
    year,
)


def shifted(said: date, unit: str, count: Count, *, sign: int) -> Period:
    """Give the time that is so many units before (sign -1) or after (sign 1) a day.

    Parameters
    ----------
    said
        The day from which is counted.
    unit
        day, week, fortnight, weekend, month, or year.
    count
        The least and the most it may be.
    sign
        -1 for the past, 1 for the future.

    Raises
    ------
    ValueError, OverflowError
        The calendar does not reach that far.
    """
    near, far = (_one_shifted(said, unit, sign * number) for number in count)
    return near if near == far else joined(*((far, near) if sign < 0 else (near, far)))


def began(said: date, unit: str, count: Count) -> Period:
    """Give the time that has gone on for so many units until a day."""
    return since(shifted(said, unit, count, sign=-1), said)


def past_stretch(said: date, unit: str, count: Count) -> Period:
    """Give the last so many units up to a day: at any time in them."""
    match unit:
        case "year" | "month":
            first = _month_shifted(said, -count[1] * (12 if unit == "year" else 1))
        case _:
            first = said - count[1] * _DAYS[unit] * DAY
    return days(first, said)


def near(said: date, unit: str, place: int) -> Period:
    """Give the week, weekend, month or year that is so many places after the one of a day; below 0 before it."""
    match unit:
        case "week":
            return week_before(said) if place == -1 else week(monday_of(said) + place * WEEK_DAYS * DAY)
        case "weekend":
            return weekend(monday_of(said) + (5 + place * WEEK_DAYS) * DAY)
        case "month":
            return month(said.year, said.month + place)
        case _:
            return year(said.year + place)


def weekday_before(said: date, weekday: int) -> Period:
    """Give the last such weekday before a day; 0 is Monday."""
    return day(said - ((said.weekday() - weekday - 1) % WEEK_DAYS + 1) * DAY)


def weekday_after(said: date, weekday: int) -> Period:
    """Give the first such weekday after a day."""
    return day(said + ((weekday - said.weekday() - 1) % WEEK_DAYS + 1) * DAY)


def weekday_next(said: date, weekday: int) -> Period:
    """Give what "next Friday" may mean: the coming one, or that of the next week."""
    return either(weekday_after(said, weekday), day(monday_of(said) + (WEEK_DAYS + weekday) * DAY))


def on_weekday(said: date, weekday: int, tense: Tense) -> Period:
    """Give the weekday that a tense means: the last one up to the day, the first one from it on, or either."""
    if said.weekday() == weekday:
        return day(said)
    return _by_tense(weekday_before(said, weekday), weekday_after(said, weekday), tense)


def in_month(said: date, number: int, tense: Tense) -> Period:
    """Give the month of this name that a tense means."""
    if number == said.month:
        return month(said.year, number)
    before = month(said.year - (number > said.month), number)
    return _by_tense(before, month(before.first.year + 1, number), tense)


def last_month(said: date, number: int) -> Period:
    """Give the last month of this name that was over on a day."""
    return month(said.year - (number >= said.month), number)


def next_month(said: date, number: int) -> Period:
    """Give the first month of this name after that of a day."""
    return month(said.year + (number <= said.month), number)


def near_season(said: date, number: int, place: int) -> Period:
    """Give the season of this name: of a day's year or running on it (0), the last that was over (-1), the next (1)."""
    found = _seasons(said, number)
    if place < 0:
        return [one for one in found if one.last < said][-1]
    if place > 0:
        return next(one for one in found if one.first > said)
    return next((one for one in found if one.first <= said <= one.last), found[2])


def in_season(said: date, number: int, tense: Tense) -> Period:
    """Give the season of this name that a tense means."""
    found = _seasons(said, number)
    before = [one for one in found if one.first <= said][-1]
    after = next(one for one in found if one.last >= said)
    return _by_tense(before, after, tense)


def at_weekend(said: date, tense: Tense) -> Period:
    """Give the weekend that is running, or the one that a tense means."""
    last, this = near(said, "weekend", -1), near(said, "weekend", 0)
    return this if said >= this.first else _by_tense(last, this, tense)


def on_day_of_month(said: date, number: int, tense: Tense) -> Period:
    """Give the day of a month that a tense means: the last such day up to the day, the first from it on, or either.

    Raises
    ------
    ValueError
        There is no such day.
    """
    months = [month(said.year, said.month + place) for place in range(-2, 3)]
    found = [one.first + (number - 1) * DAY for one in months if 1 <= number <= one.last.day]
    if said in found or not found:
        return day(said.replace(day=number))
    before, after = [one for one in found if one < said], [one for one in found if one > said]
    return _by_tense(day(before[-1]), day(after[0]), tense)


def on_date(said: date, month_number: int, day_number: int, tense: Tense) -> Period:
    """Give the day of the year that a tense means.

    Raises
    ------
    ValueError
        There is no such day.
    """
    found = [day(date(y, month_number, day_number)) for y in _years_with(said.year, month_number, day_number)]
    before = [period for period in found if period.last <= said]
    after = [period for period in found if period.first >= said]
    if before and after and before[-1] == after[0]:
        return before[-1]
    return _by_tense(before[-1], after[0], tense)


_DAYS = {"day": 1, "week": 7, "fortnight": 14, "weekend": 7}


def _seasons(said: date, number: int) -> list[Period]:
    return [season(said.year + offset, number) for offset in (-2, -1, 0, 1, 2)]


def _by_tense(before: Period, after: Period, tense: Tense) -> Period:
    match tense:
        case Tense.PAST:
            return before
        case Tense.FUTURE:
            return after
        case Tense.UNKNOWN:
            return either(before, after)


def _one_shifted(said: date, unit: str, number: int) -> Period:
    match unit:
        case "day":
            return day(said + number * DAY)
        case "week" | "fortnight":
            middle = said + number * _DAYS[unit] * DAY
            return about(day(middle), first=middle - 3 * DAY, last=middle + 3 * DAY, told=middle.isoformat())
        case "weekend":
            return near(said, "weekend", number)
        case "month":
            return month(said.year, said.month + number)
        case _ if abs(number) == 1:
            target = month(said.year + number, said.month)
            first, last = month(target.first.year, said.month - 6), month(target.first.year, said.month + 5)
            return about(target, first=first.first, last=last.last, told=target.told)
        case _:
            return year(said.year + number)


def _month_shifted(said: date, months: int) -> date:
    found = month(said.year, said.month + months)
    return found.first + min(said.day, found.last.day) * DAY - DAY


def _years_with(around: int, month_number: int, day_number: int) -> list[int]:
    """Give the years near one that have such a day: the 29th of February is not in all of them."""
    if (month_number, day_number) != (2, 29):
        return [around - 1, around, around + 1]
    return [y for y in range(around - 8, around + 9) if monthrange(y, 2)[1] == 29]
