"""Times in digits, which all languages write alike."""

import re
from datetime import date

from assistant.memory.times import periods
from assistant.memory.times.periods import Period
from assistant.memory.times.rules import Language, Told, rule

_NEVER = re.compile(r"(?!)")


def _iso(told: Told) -> Period:
    if told["day"]:
        return periods.day(date(int(told["year"]), int(told["month"]), int(told["day"])))
    return periods.month(int(told["year"]), int(told["month"]))


def _slashed(told: Told) -> Period:
    """Give the day of 5/7/2023: May or July; one of them where the other is none."""
    year, one, other = int(told["year"]), int(told["one"]), int(told["other"])
    if max(one, other) > 12:
        return periods.day(date(year, min(one, other), max(one, other)))
    return periods.either(*(periods.day(which) for which in sorted((date(year, one, other), date(year, other, one)))))


DIGITS = Language(
    past=_NEVER,
    future=_NEVER,
    rules=(
        rule(
            r"(?<![\w./-])(?P<year>(?:19|20)\d\d)-(?P<month>0[1-9]|1[0-2])(?:-(?P<day>[0-3]\d))?(?![\w-])",
            _iso,
            relative=False,
        ),
        rule(
            r"(?<![\w./-])(?P<one>[0-3]?\d)/(?P<other>[0-3]?\d)/(?P<year>(?:19|20)\d\d)(?![\w/-])",
            _slashed,
            relative=False,
        ),
    ),
)
"""2023-05-07, 2023-05, 5/7/2023."""
