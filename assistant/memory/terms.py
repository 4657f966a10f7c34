"""The words of a text as the lexical trigger compares them."""

import re
import unicodedata
from functools import lru_cache
from typing import Any

VERSION = "1"
"""Goes up with every change of what `terms` gives: a vault that holds others has its terms made again."""

_UNSPACED = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\u1780-\u17ff"  # Burmese, Khmer
    "\u3040-\u30ff\u31f0-\u31ff"  # Hiragana, Katakana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
    "\uac00-\ud7af"  # Hangul: spaced, but a word carries its particles
)
_POSSESSIVE = re.compile(r"['’]s\b")
_WORDS = re.compile(r"[^\W_]+")
_UNSPACED_RUN = re.compile(rf"[{_UNSPACED}]+")
_RUNS = re.compile(rf"[{_UNSPACED}]+|[^{_UNSPACED}]+")
_LAST_WITH_ACCENTS = "\u0530"
"""Below it stand Latin, Greek and Cyrillic, where accents do not make a word; above it a mark is a letter."""


def terms(text: str) -> list[str]:
    """Give the terms of a text, in order: folded and stemmed words (Porter), bigrams where a script has no spaces.

    Every term is alphanumeric, so that joining with blanks and splitting again gives the same terms, on disk too.
    """
    folded = _POSSESSIVE.sub("", unicodedata.normalize("NFKC", text).casefold())
    found: list[str] = []
    for word in _WORDS.findall(folded):
        for run in _RUNS.findall(word):
            found.extend(_bigrams(run) if _UNSPACED_RUN.match(run) else [_stem(run)])
    return found


def indexed(text: str, *, speaker: str = "") -> str:
    """Give the terms that the index holds of a text, separated by blanks.

    What somebody said is found by who said it, too, as its vector is of both.
    """
    return " ".join(terms(f"{speaker}: {text}" if speaker else text))


def _bigrams(run: str) -> list[str]:
    return [run] if len(run) == 1 else [run[i : i + 2] for i in range(len(run) - 1)]


@lru_cache(maxsize=65_536)
def _stem(word: str) -> str:
    if not word.isascii():
        return _without_accents(word)
    return str(_porter().stemWord(word)) or word if word.isalpha() else word


def _without_accents(word: str) -> str:
    kept = [c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c) or c > _LAST_WITH_ACCENTS]
    return unicodedata.normalize("NFC", "".join(kept))


@lru_cache(maxsize=1)
def _porter() -> Any:
    import snowballstemmer  # 20 ms

    return snowballstemmer.stemmer("porter")
