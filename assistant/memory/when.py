"""When something happened, as a text tells it: "last Friday" is resolved against the day on which it was said.

Words that leave it open give a stretch of days and not a guess. English, German, Chinese and Japanese.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import islice

from assistant.language.prompt import MONTHS
from assistant.memory.times.digits import DIGITS
from assistant.memory.times.english import ENGLISH
from assistant.memory.times.german import GERMAN
from assistant.memory.times.han import HAN
from assistant.memory.times.periods import Period, Precision, Tense
from assistant.memory.times.rules import Language, Rule, Told

LONGEST_TEXT = 20_000
"""Characters that are read; of a longer text, which is no message any more, the rest tells no times."""
LONGEST_SENTENCE = 400
"""Characters before and behind a time in which words are looked for that show the tense."""

_ISO = re.compile(r"\b(\d{4})-(\d\d)(?:-(\d\d))?\b")
_Mark = tuple[int, int, Tense]
"""Where a word begins and ends that shows a tense."""
_CLOSE = 4
"""Words that show a tense looked at before and behind a time: the nearest may be part of the time itself."""
_LANGUAGES = (DIGITS, ENGLISH, GERMAN, HAN)
_SENTENCE_ENDS = re.compile(r"(?:(?<!\d)\.|[!?;])(?=\s|$)|[\n。！？；]")
"""The stop behind a number is none: 7. Mai."""
_BEFORE = re.compile(r"\b(?:before|prior to|vor)\s*(?:the\s+)?$", re.IGNORECASE)
_UNTIL = re.compile(r"\b(?:until|till|bis)\s*(?:the\s+)?$", re.IGNORECASE)
_AFTER = re.compile(r"\b(?:after|since|nach|seit)\s*(?:the\s+)?$", re.IGNORECASE)
_OWN_WORD = re.compile(r"(?:before|until|till|bis|after|since|seit)\b", re.IGNORECASE)
"""Where it belongs to the words of a time."""
_POSSESSIVE = re.compile(r"['’]s\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """Words of a text that tell a time."""

    start: int
    """First character."""
    stop: int
    """The one after its last character."""
    words: str
    period: Period
    relative: bool
    """Whether one needs the day on which it was said to know the time."""

    @property
    def first(self) -> date:
        """The first day it may have been."""
        return self.period.first

    @property
    def last(self) -> date:
        """The last day it may have been."""
        return self.period.last

    @property
    def precision(self) -> Precision:
        """How closely the words tell it."""
        return self.period.precision


def happened(text: str, said: datetime, *, otherwise: Tense = Tense.UNKNOWN) -> tuple[Mention, ...]:
    """Give the times that a text tells, in order; none overlaps another.

    Parameters
    ----------
    text
        What was said.
    said
        When. The day is that of its own offset.
    otherwise
        The tense of a sentence that does not show one.
    """
    plain = re.sub(r"\s", " ", text[:LONGEST_TEXT]).replace("’", "'")  # character by character: positions stay
    ends = [0, *(match.end() for match in _SENTENCE_ENDS.finditer(text[:LONGEST_TEXT])), len(plain)]
    found = []
    for language in _LANGUAGES:
        marks = _tense_marks(language, plain)
        for rule in language.rules:
            for match in rule.pattern.finditer(plain):
                mention = _mention(rule, match, said.date(), _tense(marks, match, ends) or otherwise)
                if mention:
                    found.append(mention)
    return tuple(sorted(_longest(found), key=lambda mention: mention.start))


def describe(mention: Mention) -> str:
    """Give the time in digits, compact, as a prompt quotes it: 2023-05-07, or week before 2023-06-09."""
    return mention.period.told


def worded(mention: Mention) -> str:
    """Give the same with the months by name, as people write and models read it best: `7 May 2023`."""
    return _ISO.sub(_in_words, describe(mention))


def annotated(text: str, said: datetime, *, tell: Callable[[Mention], str] = describe) -> str:
    """Give the text with the time in brackets behind words that only the day of saying makes a time."""
    parts, done = [], 0
    for mention in happened(text, said):
        if mention.relative:
            possessive = _POSSESSIVE.match(text, mention.stop)
            stop = possessive.end() if possessive else mention.stop
            parts.append(f"{text[done:stop]} [{tell(mention)}]")
            done = stop
    return "".join([*parts, text[done:]])


def asked_about(question: str, now: datetime) -> tuple[date, date] | None:
    """Give the first and the last day of the time that a question names; None when it names none.

    A question to a memory is about what was, unless it says otherwise. Several times give the stretch over all.
    """
    spans = []
    for mention in happened(question, now, otherwise=Tense.PAST):
        own = _OWN_WORD.match(mention.words)
        before = question[: mention.start] + (own[0] if own else "")
        if _BEFORE.search(before):
            spans.append((date.min, date.fromordinal(max(1, mention.first.toordinal() - 1))))
        elif _UNTIL.search(before):
            spans.append((date.min, mention.last))
        elif _AFTER.search(before):
            spans.append((mention.first, max(mention.last, now.date())))
        else:
            spans.append((mention.first, mention.last))
    return (min(first for first, _ in spans), max(last for _, last in spans)) if spans else None


def _tense_marks(language: Language, text: str) -> list[_Mark]:
    marks = [
        (mark.start(), mark.end(), tense)
        for pattern, tense in ((language.past, Tense.PAST), (language.future, Tense.FUTURE))
        for mark in pattern.finditer(text)
    ]
    return sorted(marks)


def _in_words(digits: re.Match[str]) -> str:
    year, month, day = digits.groups()
    return " ".join([*([str(int(day))] if day else []), MONTHS[int(month) - 1], year])


def _tense(marks: Sequence[_Mark], match: re.Match[str], ends: Sequence[int]) -> Tense | None:
    """Give the tense that the word nearest to a time shows, in the sentence of it; None when there is none."""
    place = bisect_right(ends, match.start())
    start = max(ends[place - 1], match.start() - LONGEST_SENTENCE)
    stop = min(ends[min(place, len(ends) - 1)], match.end() + LONGEST_SENTENCE)
    here = bisect_left(marks, (match.start(),))
    before = (
        mark for mark in reversed(marks[max(0, here - _CLOSE) : here]) if start <= mark[0] and mark[1] <= match.start()
    )
    behind = (mark for mark in marks[here : here + _CLOSE] if match.end() <= mark[0] and mark[1] <= stop)
    found = [(match.start() - mark[1], mark[2]) for mark in islice(before, 1)]
    found += [(mark[0] - match.end(), mark[2]) for mark in islice(behind, 1)]
    return min(found)[1] if found else None


def _mention(rule: Rule, match: re.Match[str], said: date, tense: Tense) -> Mention | None:
    """Give what a rule makes of its words; None when they are no time after all, such as the 30th of February."""
    if tense is rule.unless:
        return None
    told = Told(match=match, said=said, tense=tense)
    try:
        period = rule.resolve(told)
    except (ValueError, OverflowError):
        return None
    start, stop = match.span("inner" if "inner" in match.groupdict() else 0)
    words = match.string[start:stop]
    return Mention(start=start, stop=stop, words=words, period=period, relative=rule.is_relative(told))


def _longest(mentions: Sequence[Mention]) -> list[Mention]:
    """Give those that no longer one overlaps: "the Friday before 9 June" holds two other times."""
    kept: list[Mention] = []
    taken = bytearray(max((mention.stop for mention in mentions), default=0))
    for mention in sorted(mentions, key=lambda one: (one.start - one.stop, one.start)):
        if not any(taken[mention.start : mention.stop]):
            taken[mention.start : mention.stop] = b"\1" * (mention.stop - mention.start)
            kept.append(mention)
    return kept
