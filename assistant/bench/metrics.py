"""The score of an answer beside the right one: three F1s, since the literature mixes them, and two BLEU-1s.

They differ in what a word is, and in whether one that stands twice counts twice.
"""

import math
import re
import string
from collections import Counter
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Any

from assistant.bench.words import treebank_words

F1_NAMES = ("locomo", "a_mem", "hela")
BLEU_NAMES = ("a_mem_bleu_1", "hela_bleu_1")
REFUSALS = ("not mentioned", "no information available")
"""What LoCoMo takes for a refusal."""
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_FILLERS = re.compile(r"\b(a|an|the|and)\b")
_ARTICLES = re.compile(r"\b(a|an|the)\b")
_NO_WORD = re.compile(r"[^\w\s]")
_STOPS = str.maketrans(dict.fromkeys(".,!?", " "))


def scores(right: str, given: str, *, category: str) -> dict[str, float]:
    """Give every score, 0 to 1, of an answer to a question of one of LoCoMo's categories 1 to 4, or of any other."""
    return {
        "locomo": locomo_f1(right, given, category=category),
        "a_mem": f1(set(_a_mem_words(right)), set(_a_mem_words(given))),
        "hela": f1(_hela_words(right), _hela_words(given)),
        "a_mem_bleu_1": bleu_1(treebank_words(right.lower()), treebank_words(given.lower())),
        "hela_bleu_1": bleu_1(_hela_words(right), _hela_words(given)),
    }


def locomo_f1(right: str, given: str, *, category: str) -> float:
    """Give LoCoMo's F1: of stems; in category 1 the mean over the parts of a list, in 3 of what stands before a ;."""
    if category == "1":
        parts = [_locomo_words(part) for part in given.split(",")]
        wanted = [_locomo_words(part) for part in right.split(",")]
        return sum(max(f1(one, part) for part in parts) for one in wanted) / len(wanted)
    wanted_words = right.partition(";")[0] if category == "3" else right
    return f1(_locomo_words(wanted_words), _locomo_words(given))


def f1(right: Collection[str], given: Collection[str]) -> float:
    """Give the harmonic mean of precision and recall of words; a word counts as often as it stands in both."""
    shared = (Counter(right) & Counter(given)).total()
    return 2 * shared / (len(right) + len(given)) if shared else 0.0


def bleu_1(right: Sequence[str], given: Sequence[str]) -> float:
    """Give the clipped precision of words, less where the answer is shorter than the right one: e^(1 - right / given).

    A precision of 0 stays 0, as NLTK has it: its smoothing method 1 is for longer n-grams, which weigh nothing here.
    """
    shared = (Counter(right) & Counter(given)).total()
    if not shared:
        return 0.0
    return min(1.0, math.exp(1 - len(right) / len(given))) * shared / len(given)


def is_refusal(answer: str, *, own: Collection[str] = ()) -> bool:
    """Give whether an answer refuses: LoCoMo's phrases, or those that this program was told to refuse with."""
    said = answer.lower().replace("’", "'")
    return any(phrase.lower() in said for phrase in (*REFUSALS, *own))


def _locomo_words(text: str) -> list[str]:
    """Lower case without punctuation, which is deleted and not spaced: 'self-care' is one word."""
    stem = _porter().stemWord
    return [str(stem(word)) for word in _FILLERS.sub(" ", text.lower().translate(_PUNCTUATION)).split()]


def _a_mem_words(text: str) -> list[str]:
    return text.lower().translate(_STOPS).split()


def _hela_words(text: str) -> list[str]:
    return _ARTICLES.sub(" ", _NO_WORD.sub(" ", text.lower())).split()


@lru_cache(maxsize=1)
def _porter() -> Any:
    import snowballstemmer  # 20 ms

    return snowballstemmer.stemmer("porter")
