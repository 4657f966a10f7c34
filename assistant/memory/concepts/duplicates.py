"""Whether two facts can be one: vectors of two names, numbers or dates that differ lie close together."""

import re
import unicodedata
from enum import IntEnum

from assistant.memory.concepts.mentions import is_unspaced
from assistant.memory.concepts.stop_words import DAYS, MONTHS, NEGATIONS, NUMBERS, STOP_WORDS
from assistant.memory.terms import terms

_WORD = re.compile(r"\w+(?:[.,:/'’\u2010-]\w+)*")
_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th)", re.IGNORECASE)
_POSSESSIVE = re.compile(r"['’]s?$")


def differ(one: str, other: str) -> bool:
    """Whether one of two texts holds a name, a number, a date or a negation that the other does not.

    Names in another order differ, too: who did it to whom. A word with a capital counts as a name, also at the
    beginning, where it may be none: then a duplicate stays, which does less harm than two people becoming one.
    """
    words, others = words_of(one), words_of(other)
    if any(words.get(word, Sort.PLAIN) or others.get(word, Sort.PLAIN) for word in words.keys() ^ others.keys()):
        return True
    names = {word for found in (words, others) for word, sort in found.items() if sort is Sort.NAME}
    return [word for word in words if word in names] != [word for word in others if word in names]


class Sort(IntEnum):
    """What a word does in a fact."""

    PLAIN = 0
    NAME = 1
    FIGURE = 2
    """A number, a date, a negation."""


def words_of(text: str) -> dict[str, Sort]:
    """Give each word as it is compared, in the order in which they first stand, and what it does."""
    found: dict[str, Sort] = {}
    for written in _WORD.findall(unicodedata.normalize("NFKC", text)):
        word = _POSSESSIVE.sub("", written)
        compared = _compared(word)
        found[compared] = max(found.get(compared, Sort.PLAIN), _sort(word, compared))
    return found


def _compared(word: str) -> str:
    """Give a word without its ending; a number by its value, and one with points in it as it stands."""
    folded = word.casefold().replace("’", "'")
    if folded.endswith("n't"):
        return "not"
    if folded in NUMBERS:
        return NUMBERS[folded]
    if any(map(str.isdigit, folded)):
        return _ORDINAL.sub(r"\1", folded)
    return " ".join(terms(word)) or folded


def _sort(word: str, compared: str) -> Sort:
    folded = word.casefold()
    if folded in MONTHS or folded in DAYS or folded in NEGATIONS or compared == "not":
        return Sort.FIGURE
    if any(map(str.isdigit, compared)):
        return Sort.FIGURE
    return Sort.NAME if is_unspaced(word) or (word[0].isupper() and folded not in STOP_WORDS) else Sort.PLAIN
