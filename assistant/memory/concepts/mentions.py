"""The salient terms of a text: names, numbers with what they count, dates, noun phrases and rare words. No model.

A term is told by its key, its stemmed words in the order of the alphabet, so that "May 7" and "7 May" are one. How rare
it is in all that was said decides whether it is worth keeping, and not here.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from assistant.memory.concepts.stop_words import CUES, JOINTS, MONTHS, NUMBERS, STOP_WORDS
from assistant.memory.terms import terms

SHORTEST_WORD = 3
LONGEST_NAME = 4
"""Words of a name, those that join it included."""
LONGEST_PHRASE = 3
LONGEST_RUN = 12
"""Characters of a word in a script that sets no spaces between words: a longer run is a sentence."""

_NOT_SAID = re.compile(r"```.*?(?:```|\Z)|^[ \t]*>[^\n]*|(?:https?://|www\.)\S+|\S+@\S+\.\w+", re.DOTALL | re.MULTILINE)
"""Code, quoted lines and addresses: nothing that a person says."""
_MARKS = (
    r"\u0300-\u036f\u064b-\u065f\u0900-\u0963\u0970-\u0dff"
    r"\u0e30-\u0e4e\u0eb0-\u0ecd\u102b-\u103e\u17b4-\u17d3"
)
"""Accents, vowels and tones that are no letters for Python, and without which words fall apart."""
_LETTER = rf"(?:[^\W\d_]|[{_MARKS}])"
_TOKEN = re.compile(
    r"(?P<date>\d{4}-\d{2}-\d{2}|\d{1,2}\.\d{1,2}\.\d{4}|\d{1,2}/\d{1,2}/\d{4})"
    r"|(?P<mixed>[^\W\d_]+-?\d+(?:\.\d+)*)"
    r"|(?P<number>\d+(?:[.,:]\d+)*)(?:st|nd|rd|th)?(?P<unit>%|[^\W\d_]{1,3}(?!\w))?"
    rf"|(?P<word>{_LETTER}+(?:['’\u2010-]{_LETTER}+)*)"
    r"|(?P<end>[.!?…。！？;:\n]+)"
    r"|(?P<pause>[^\s\w])"
)
_SAME_NUMBER = re.compile(r"\b(\d+)(?:st|nd|rd|th)\b|\b(" + "|".join(NUMBERS) + r")\b", re.IGNORECASE)
_POSSESSIVE = re.compile(r"['’]s?$")
_UNSPACED = re.compile(
    r"(?P<katakana>[\u30a1-\u30ff\u31f0-\u31ff]{2,})"
    r"|(?P<han>[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff々]{2,})"
    r"|(?P<hangul>[\uac00-\ud7af]{2,})"
    r"|(?P<other>[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]{2,})"
    r"|(?P<latin>[A-Za-z]{3,})"
)
_HAS_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff\uac00-\ud7af]"
)
_PARTICLE = re.compile(r"(?<=..)(?:에서|에게|한테|으로|까지|부터|[은는이가을를에의도로와과])$")
"""What a Korean word carries at its end."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A term as it stands in a text."""

    key: str
    """What makes it the same term as another."""
    text: str
    """As it was written."""
    certain: bool = True
    """Whether its capitals are its own, and not those of a sentence's first word."""


class _Token(NamedTuple):
    """A word, a number, or a pause."""

    kind: str
    text: str
    folded: str
    first: bool
    """Whether a sentence begins with it."""
    unit: str = ""
    telling: bool = False
    """Whether it is a word that says something by itself."""
    capital: bool = False
    """Whether it may belong to a name."""
    unspaced: bool = False


@lru_cache(maxsize=65_536)
def key_of(text: str) -> str:
    """Give what makes a term the same as another: its stemmed words, each once, in the order of the alphabet.

    Numbers count by their value: "two cats" is "2 cats", and "7th" is "7".
    """
    counted = _SAME_NUMBER.sub(lambda found: found[1] or NUMBERS[found[2].casefold()], text)
    return " ".join(sorted(set(terms(counted))))


def mentions(text: str) -> list[Mention]:
    """Give the terms of a text, each once, in the order in which they first stand there."""
    found: dict[str, Mention] = {}
    spoken = _NOT_SAID.sub(" . ", unicodedata.normalize("NFC", text))
    for sentence in _sentences(spoken):
        for written, certain in _in_sentence(sentence):
            key = key_of(written)
            if key and (key not in found or (certain and not found[key].certain)):
                found[key] = Mention(key, written, certain)
    return list(found.values())


_END = _Token("pause", ".", ".", first=False)


def is_unspaced(word: str) -> bool:
    """Whether a word holds letters of a script that sets no spaces between words, or lets them carry particles."""
    return _HAS_UNSPACED.search(word) is not None


def _sentences(text: str) -> Iterator[list[_Token]]:
    tokens: list[_Token] = []
    first = True
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind == "end":
            yield tokens
            tokens, first = [], True
        elif kind == "pause":
            tokens.append(_Token("pause", match[0], match[0], first=False))
        else:
            tokens.append(_token(match, first=first))
            first = False
    yield tokens


def _token(match: re.Match[str], *, first: bool) -> _Token:
    number = match["number"]
    if number:
        return _Token("number", number, number, first, match["unit"] or "")
    kind, text = match.lastgroup or "", match[0]
    if not text.isalnum():
        text = _POSSESSIVE.sub("", text)
    folded = text.casefold()
    stops = folded in STOP_WORDS
    unspaced = not text.isascii() and is_unspaced(text)
    telling = kind == "word" and not stops and not unspaced and len(text) >= SHORTEST_WORD and not _contracted(text)
    capital = kind != "date" and not stops and text[0].isupper()
    return _Token(kind, text, folded, first, telling=telling, capital=capital, unspaced=unspaced)


def _in_sentence(tokens: Sequence[_Token]) -> Iterator[tuple[str, bool]]:
    """Give each term and whether its capitals are its own."""
    capitals = sum(token.capital for token in tokens)
    shouted = capitals > 3 and capitals > 0.6 * sum(token.kind == "word" for token in tokens)
    if not shouted:  # a title, or capitals throughout, tell no names
        yield from _names(tokens)
    yield from _phrases(tokens)
    for place, token in enumerate(tokens):
        match token.kind:
            case "word" if token.unspaced:
                yield from _unspaced(token.text)
            case "word" if token.folded in NUMBERS:
                yield from _counted(token.text, tokens[place + 1 : place + 2])
            case "word" if token.telling:
                yield token.text, not token.first
            case "date" | "mixed":
                yield token.text, True
            case "number":
                yield from _numbers(tokens, place)


def _names(tokens: Sequence[_Token]) -> Iterator[tuple[str, bool]]:
    """Give names of several words; those of one are words like others."""
    run: list[str] = []
    for place, token in enumerate(tokens):
        joined = run and token.folded in JOINTS
        if token.capital or (joined and _name_goes_on(tokens[place + 1 : place + 2])):
            run.append(token.text)
        else:
            yield from _whole_name(run)
            run = []
    yield from _whole_name(run)


def _name_goes_on(following: Sequence[_Token]) -> bool:
    return bool(following) and (following[0].capital or following[0].folded in JOINTS)


def _whole_name(run: Sequence[str]) -> Iterator[tuple[str, bool]]:
    while run and run[-1].casefold() in JOINTS:
        run = run[:-1]
    if 2 <= len(run) <= LONGEST_NAME and not any(map(is_unspaced, run)):
        yield " ".join(run), True


def _phrases(tokens: Sequence[_Token]) -> Iterator[tuple[str, bool]]:
    """Give runs of two or three telling words after a word that announces a noun, and the last two of three."""
    run: list[str] = []
    announced = False
    for token in [*tokens, _END]:
        if token.telling:
            run.append(token.text)
            continue
        if announced and 2 <= len(run) <= LONGEST_PHRASE:
            yield from ((" ".join(run[-length:]), True) for length in range(2, len(run) + 1))
        run, announced = [], token.folded in CUES or token.folded in NUMBERS


def _numbers(tokens: Sequence[_Token], place: int) -> Iterator[tuple[str, bool]]:
    """Give a date, a number with what it counts, and a number that is long enough to tell something by itself."""
    token = tokens[place]
    after, before = tokens[place + 1 : place + 3], tokens[max(place - 1, 0) : place]
    if after and after[0].kind == "pause" and after[0].text == ",":
        after = after[1:]
    month = next((near.text for near in (*after[:1], *before) if near.folded in MONTHS and near.text[0].isupper()), "")
    if month:
        yield (f"{month} {token.text}" if before and before[0].text == month else f"{token.text} {month}"), True
    elif token.unit:
        yield f"{token.text} {token.unit}", True
    else:
        yield from _counted(token.text, after[:1])
    if sum(map(str.isdigit, token.text)) >= 3:
        yield token.text, True


def _counted(number: str, following: Sequence[_Token]) -> Iterator[tuple[str, bool]]:
    if following and following[0].kind == "word" and following[0].folded not in STOP_WORDS:
        yield f"{number} {following[0].text}", True


def _unspaced(text: str) -> Iterator[tuple[str, bool]]:
    """Give the words that a change of script tells apart, where spaces do not."""
    for match in _UNSPACED.finditer(text):
        word = match[0]
        if match.lastgroup == "hangul":
            word = _PARTICLE.sub("", word)
        if len(word) <= LONGEST_RUN:
            yield word, True


def _contracted(word: str) -> bool:
    """Whether it is something like "don't" or "I'm", and not "O'Brien"."""
    head, apostrophe, tail = word.replace("’", "'").partition("'")
    return bool(apostrophe and head) and not tail[:1].isupper()
