"""What a user tells of themselves that can hold only once at a time: where they live, their phone number.

Only statements in the first person and in plain words count. A question, a wish, a memory of earlier times, somebody
else's words, or a thing of which one may have several (hobbies, friends, allergies) fills no slot: an older statement
that is taken for superseded by mistake costs more than two that are shown beside each other with their dates.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assistant.memory.slot_patterns import LOWER_CASE_PATTERNS, SLOT_PATTERNS, Pattern
from assistant.memory.slot_words import (
    ALIASES,
    CHANGE,
    DOUBTED,
    OTHERS_WORDS,
    PASTED_LENGTH,
    REQUEST,
    SENTENCE_END,
    UNSURE,
    VERBS,
    WRITES_CAPITALS,
)
from assistant.memory.terms import terms

_EMPTY = frozenset(terms("a an the my dr mr mrs ms now jetzt der die das ein eine herr frau"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """A statement of what holds only once at a time."""

    name: str
    """What is told: home, employer, phone number."""
    value: str
    """In the words of the user."""
    changed: bool
    """Whether the statement says that it was otherwise before: moved, now, new."""
    sentence: str
    """In which it stands."""

    @property
    def value_terms(self) -> frozenset[str]:
        """The terms by which values are compared."""
        return frozenset(terms(self.value)) - _EMPTY

    @property
    def search_terms(self) -> list[str]:
        """The terms of which every statement that fills this slot has one."""
        names = [self.name, *(alias for alias, name in ALIASES.items() if name == self.name)]
        words = VERBS.get(self.name) or " ".join(name.rpartition(" ")[2] for name in names)
        return list(dict.fromkeys(terms(f"{words} {words.replace('colour', 'color')}")))


def slot_of(text: str) -> tuple[Slot, ...]:
    """Give the slots that a text of a user fills, in order; none when it is long, or holds something to work on."""
    if len(text) > PASTED_LENGTH or REQUEST.search(text):
        return ()
    patterns = SLOT_PATTERNS if WRITES_CAPITALS.search(text) else (*SLOT_PATTERNS, *LOWER_CASE_PATTERNS)
    return tuple(slot for sentence in _statements(text.replace("’", "'")) for slot in _filled(sentence, patterns))


def _statements(text: str) -> Iterator[str]:
    """Give the sentences that state something, in the user's own words and about what is."""
    start = 0
    for end in [*SENTENCE_END.finditer(text), None]:
        sentence = text[start : end.start() if end else len(text)].strip()
        start = end.end() if end else len(text)
        asks = end is not None and "?" in end[0]
        if sentence and not asks and not UNSURE.search(sentence) and not OTHERS_WORDS.search(sentence):
            yield sentence


def _filled(sentence: str, patterns: Sequence[Pattern]) -> Iterator[Slot]:
    changed = CHANGE.search(sentence) is not None
    for pattern in patterns:
        match = pattern.expression.search(sentence)
        if match is None or DOUBTED.search(_clause_before(sentence, match)):
            continue
        groups = match.groupdict()
        value = (pattern.value or groups["value"]).strip(" .,'")
        if value and pattern.needs.search(value):
            name = _canonical(pattern.slot or groups["name"])
            yield Slot(name=name, value=value, changed=pattern.changed or changed, sentence=sentence)


def _clause_before(sentence: str, match: re.Match[str]) -> str:
    return re.split(r"[,:]|\b(?:and|but|und|aber)\b", sentence[: match.start()])[-1]


def _canonical(name: str) -> str:
    folded = " ".join(name.casefold().split()).replace("favorite", "favourite").replace("color", "colour")
    return ALIASES.get(folded, folded)
