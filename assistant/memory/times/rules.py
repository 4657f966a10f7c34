"""A rule: the words for a time in one language, and the way from them to the days they mean."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

from assistant.memory.times.periods import Period, Tense

YEAR = (
    r"(?P<year>(?:19|20)\d\d)(?![\d,.]\d|\w)"
    r"(?! ?(?:words|people|steps|calories|meters|metres|miles|dollars|euros|pounds|pieces|pages|%"
    r"|wort|leute|menschen|schritte|euro|meter|kilometer|seiten))"
)
"""Four digits that may be a year, and do not count what comes behind them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What a rule found in a text."""

    match: re.Match[str]
    said: date
    tense: Tense

    @property
    def words(self) -> str:
        """The words, as they stand."""
        return self.match[0]

    def __getitem__(self, name: str) -> str:
        """Give a part of the words; empty when it is not there."""
        return self.match.groupdict().get(name) or ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Words, and what they come to."""

    pattern: re.Pattern[str]
    """Its group `inner`, when it has one, is what tells the time; what is before it must be there too."""
    resolve: Callable[[Told], Period]
    is_relative: Callable[[Told], bool]
    """Whether one needs the day on which it was said to know the time."""
    unless: Tense | None
    """In such a sentence the words mean something else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """How one language tells times."""

    rules: tuple[Rule, ...]
    past: re.Pattern[str]
    """Words that show that a sentence tells what was."""
    future: re.Pattern[str]
    """Words that show that it tells what shall be."""


def rule(
    pattern: str,
    resolve: Callable[[Told], Period],
    *,
    relative: bool | Callable[[Told], bool] = True,
    unless: Tense | None = None,
) -> Rule:
    """Give the rule for a pattern, in which capitals do not count, and a blank is every kind of space."""
    return Rule(
        pattern=re.compile(pattern, re.IGNORECASE),
        resolve=resolve,
        is_relative=relative if callable(relative) else lambda _: bool(relative),
        unless=unless,
    )


def when_tense(tense: Tense, *, past: Period, future: Period, otherwise: Period) -> Period:
    """Give one of three periods."""
    return {Tense.PAST: past, Tense.FUTURE: future, Tense.UNKNOWN: otherwise}[tense]
