"""From the words of a question to what the triggers need: its core, whom it asks about, and the time it names."""

import re
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta

from assistant.language.encoder import Encoder
from assistant.memory.concepts.stop_words import NUMBERS, STOP_WORDS
from assistant.memory.engines import Question
from assistant.memory.terms import terms
from assistant.memory.when import asked_about
from storage.instants import to_columns
from storage.records import Role

FUNCTION_WORDS = STOP_WORDS - frozenset(NUMBERS)
_ENGLISH_I = "i", "i'm", "i've", "i'd", "i'll", "me", "my", "mine", "myself"
_GERMAN_I = "ich", "mich", "mir", "mein", "meine", "meinen", "meinem", "meiner", "meines"
_FRENCH_I = "je", "moi", "mon", "ma", "mes"
FIRST_PERSON = frozenset({*_ENGLISH_I, *_GERMAN_I, *_FRENCH_I})
FIRST_PERSON_UNSPACED = ("我", "私", "僕", "俺", "自分", "わたし", "ぼく", "ボク")
SHORTEST_NUMBER = 5
"""Digits that name somebody by themselves, as those of a telephone do; fewer stand in too many questions."""
_WORD = re.compile(r"[\w'’-]+")
_POSSESSIVE = re.compile(r"['’]s$")


def read_question(text: str, *, speakers: Mapping[str, Role], encoder: Encoder, now: datetime) -> Question:
    """Give the question as the triggers see it.

    Parameters
    ----------
    text
        As it was asked.
    speakers
        Those of the memory by name, with their roles.
    encoder
        Of the memory: the question and its core are encoded.
    now
        When it is asked; what "last week" means follows from it.
    """
    whole = terms(text)
    named = {name for name in speakers if _is_named(name, text, set(whole))}
    asked = named | ({name for name, role in speakers.items() if role is Role.USER} if _is_personal(text) else set())
    names = {term for name in named for term in _naming(name)}
    core_words = [word for word in _WORD.findall(text) if _is_core(word, names)]
    core = [term for word in core_words for term in terms(word)]
    rest = Counter(whole)
    rest.subtract(core)
    vectors = encoder.encode([text, " ".join(core_words)] if core_words else [text])
    span = asked_about(text, now)
    return Question(
        terms=whole,
        vector=vectors[0],
        speakers=frozenset(asked),
        microseconds=to_columns(now)[0],
        core_terms=core or whole,
        function_terms=[term for term in rest.elements() if core and term not in names],
        core_vector=vectors[-1],
        span_us=None if span is None else (_microseconds(span[0], now), _microseconds(span[1], now, whole_day=True)),
    )


def _is_personal(text: str) -> bool:
    words = {word.casefold().replace("’", "'") for word in _WORD.findall(text)}
    return bool(words & FIRST_PERSON) or any(sign in text for sign in FIRST_PERSON_UNSPACED)


def _is_named(name: str, text: str, asked: set[str]) -> bool:
    """Whether a question names somebody: by any part of the name that is no little word, or by a name like Will whole.

    "When will it rain?" does not name Will: such a name has its capital, elsewhere than where a sentence begins.
    """
    if any(word.casefold() not in FUNCTION_WORDS for word in _WORD.findall(name)):
        return bool(asked & _naming(name))
    return bool(name) and re.search(rf"(?<=[^.!?\s] ){re.escape(name)}(?!\w)", text) is not None


def _naming(name: str) -> set[str]:
    """Give the terms of a name by which a question may name its bearer."""
    words = [word for word in _WORD.findall(name) if word.casefold() not in FUNCTION_WORDS]
    named = terms(" ".join(words or [name]))
    return {term for term in named if not term.isdigit() or len(term) >= SHORTEST_NUMBER}


def _is_core(word: str, names: set[str]) -> bool:
    bare = _POSSESSIVE.sub("", word.casefold())
    return bare not in FUNCTION_WORDS and word.casefold() not in FUNCTION_WORDS and not set(terms(bare)) & names


def _microseconds(day: date, now: datetime, *, whole_day: bool = False) -> int:
    """Give the beginning, or the end, of a day where the question is asked."""
    if day <= date(1970, 1, 1):
        return 0
    if day.year >= 9999:
        day = date(9998, 12, 31)
    begins = datetime.combine(day, time(), tzinfo=now.tzinfo or UTC)
    return to_columns(begins + timedelta(days=1) if whole_day else begins)[0]
