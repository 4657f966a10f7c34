"""Times as they are typed: ISO dates and times, and words such as `yesterday` or `3 days ago`."""

import re
from datetime import date, datetime, time, timedelta, tzinfo

from assistant.cli.durations import length_of
from assistant.cli.output import flat
from assistant.errors import BadInput
from assistant.memory.times.periods import Precision, Tense
from assistant.memory.when import happened

_CLOCK = re.compile(
    r"(?:(?P<days>.+?)(?: at |[ T]))?(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?", re.IGNORECASE
)
_AGO = re.compile(r"(?P<number>\d{1,4}) (?P<unit>minute|hour)s? ago", re.IGNORECASE)
_AHEAD = re.compile(r"in (?P<number>\d{1,4}) (?P<unit>minute|hour|day|week)s?", re.IGNORECASE)
_ISO_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_LIKE = "2026-03-01, 2026-03-01T18:00 or '3 days ago'"
_LIKE_AHEAD = "2027-03-01, 30d or 'in 30 days'"
_FRAMES = ("{}", "on {}", "in {}")
"""`Friday` and `2022` are times behind these words."""


def read_beginning(text: str, *, now: datetime, option: str) -> datetime:
    """Give the first moment of what was typed, for `--since` and `--at`; by this machine's clock without an offset.

    Parameters
    ----------
    text
        2026-03-01, 2026-03, 2026, 2026-03-01T18:00, 18:00, yesterday, yesterday 18:00, last week, 3 days ago.
    now
        When it was typed.
    option
        The option it was given to, for the message.

    Raises
    ------
    BadInput
        It is no time, or one of two.
    """
    return _span(text, now, option)[0]


def read_end(text: str, *, now: datetime, option: str) -> datetime:
    """Give the last moment of what was typed, for `--until` and `--as-of`: a day is taken whole.

    Raises
    ------
    BadInput
        It is no time, or one of two.
    """
    return _span(text, now, option)[1]


def read_expiry(text: str, *, now: datetime, option: str = "--expires") -> datetime:
    """Give the last moment of what was typed, for `--expires`: also `in 30 days`, `30d`, `tomorrow`, `next week`.

    Raises
    ------
    BadInput
        It is no time, one of two, or over already.
    """
    words = " ".join(text.split())
    if length := length_of(words):
        return now + length
    if ahead := _AHEAD.fullmatch(words):
        unit = ahead["unit"].lower()
        try:
            return now + int(ahead["number"]) * timedelta(**{f"{unit}s": 1})
        except OverflowError as error:
            message = f"{option} {flat(text)}: no calendar has it; write it like 2027-03-01"
            raise BadInput(message) from error
    time = _span(text, now, option, like=_LIKE_AHEAD)[1]
    if time <= now:
        message = f"{option} {flat(text)}: that is over already"
        raise BadInput(message)
    return time


def read_zone(name: str | None) -> tzinfo | None:
    """Give the time zone of this name; None, which is this machine's, without one.

    Raises
    ------
    BadInput
        There is none of this name here.
    """
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        return None if name is None else ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        message = f"--timezone {flat(name or '')}: there is no such zone here; give one such as Europe/Berlin"
        raise BadInput(message) from error


def _span(text: str, now: datetime, option: str, *, like: str = _LIKE) -> tuple[datetime, datetime]:
    words = " ".join(text.split())
    try:
        moment = _moment(words, now)
        if moment:
            return moment, moment
        first, last = _days(words, now)
        end = datetime.combine(last, time.max).astimezone()
        return datetime.combine(first, time.min).astimezone(), end
    except BadInput as error:
        message = f"{option} {flat(text)}: {error}; write it like {like}"
        raise BadInput(message) from error
    except (ValueError, OverflowError, OSError) as error:
        message = f"{option} {flat(text)}: no calendar has it; write it like 2026-03-01"
        raise BadInput(message) from error


def _moment(words: str, now: datetime) -> datetime | None:
    """Give the one moment that is meant; None when days are."""
    if words.casefold() == "now":
        return now
    if ago := _AGO.fullmatch(words):
        return now - int(ago["number"]) * timedelta(**{f"{ago['unit'].lower()}s": 1})
    if clock := _CLOCK.fullmatch(words):
        first, last = _days(clock["days"], now) if clock["days"] else (now.date(), now.date())
        if first != last:
            raise BadInput("a time of day needs one day")
        hour, minute, second = (int(clock[name] or 0) for name in ("hour", "minute", "second"))
        if hour > 23 or minute > 59 or second > 59:
            raise BadInput("not a time of day")
        return datetime.combine(first, time(hour, minute, second)).astimezone()
    try:
        return datetime.fromisoformat(words).astimezone() if len(words) > len("2026-03-01") else None
    except ValueError:
        return None


def _days(words: str, now: datetime) -> tuple[date, date]:
    """Give the first and the last day that are meant."""
    if _ISO_DAY.fullmatch(words):
        return date.fromisoformat(words), date.fromisoformat(words)
    for frame in _FRAMES:
        for cased in (words, words.title()):
            whole = frame.format(cased)
            for mention in happened(whole, now, otherwise=Tense.PAST):
                if len(mention.words) < len(cased):
                    continue
                if mention.precision is Precision.EITHER:
                    message = f"one of two days ({mention.period.told}): say which"
                    raise BadInput(message)
                return mention.first, mention.last
    raise BadInput("not a time")
