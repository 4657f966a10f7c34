"""Whether turns say what a model read in them: who it is about, its names and figures, and its words.

Small models give one speaker's deeds to the other, and fill in names and numbers. Each rule here is there for what one
of them did.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from assistant.memory.concepts.duplicates import Sort, words_of
from assistant.memory.concepts.stop_words import FIRST_PERSON, SECOND_PERSON, STOP_WORDS, THIRD_PERSON
from assistant.memory.terms import terms

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_SENTENCE_END = re.compile(r"[.!?…。！？\n]+")
_CLITIC = re.compile(r"['’].*$")


class Flaw(StrEnum):
    """Why a fact is not taken."""

    NOBODY = "it is about somebody who neither speaks nor is named"
    ADDRESS = "it speaks to somebody instead of telling something"
    OTHER_PERSON = "somebody else did it"
    INVENTED = "a name, a number or a negation in it was not said"
    UNSAID = "most of its words were not said"


@dataclass(frozen=True, slots=True)
class Said:
    """What a turn gives as evidence."""

    speaker: str
    text: str


def coverage(subject: str, fact: str, evidence: Sequence[Said]) -> float:
    """Give the share, 0 to 1, of a fact's telling words, its subject left out, that the evidence holds."""
    wanted = _content(fact) - set(terms(subject)) - {word for said in evidence for word in terms(said.speaker)}
    held = {word for said in evidence for word in terms(said.text)}
    return len(wanted & held) / len(wanted) if wanted else 0.0


def narrowed(subject: str, fact: str, evidence: Sequence[Said]) -> list[int]:
    """Give the places of the turns that a fact rests on: of those a model names, the fewest that hold its words."""
    wanted = _content(fact) - set(terms(subject))
    chosen: list[int] = []
    while True:
        gains = [len(wanted & set(terms(said.text))) for said in evidence]
        best = gains.index(max(gains))
        if gains[best] == 0:
            return sorted(chosen)
        chosen.append(best)
        wanted -= set(terms(evidence[best].text))


def flaw(
    subject: str, fact: str, evidence: Sequence[Said], *, speakers: Sequence[str], least_coverage: float
) -> Flaw | None:
    """Give what is wrong with a fact, or None when the evidence says it.

    Parameters
    ----------
    subject, fact
        Who or what it is about, and what it says.
    evidence
        The turns that it names; all of them by people.
    speakers
        Everybody who speaks in the window.
    least_coverage
        Share of its words that the evidence must hold.
    """
    if not any(_is(subject, said.speaker) or _names(subject, said.text) for said in evidence):
        return Flaw.NOBODY
    if _invented(subject, fact, evidence):
        return Flaw.INVENTED
    if coverage(subject, fact, evidence) < least_coverage:
        return Flaw.UNSAID
    if _persons(fact) & SECOND_PERSON:
        return Flaw.ADDRESS
    if not _credited(subject, fact, evidence, speakers=speakers):
        return Flaw.OTHER_PERSON
    return None


def _invented(subject: str, fact: str, evidence: Sequence[Said]) -> bool:
    known = set(words_of(subject))
    for said in evidence:
        known |= words_of(said.text).keys() | words_of(said.speaker).keys()
    return any(sort is not Sort.PLAIN and word not in known for word, sort in words_of(fact).items())


def _credited(subject: str, fact: str, evidence: Sequence[Said], *, speakers: Sequence[str]) -> bool:
    """Whether the turn that says most of it says it of the subject."""
    wanted = _content(fact) - set(terms(subject))
    best = max(evidence, key=lambda said: len(wanted & set(terms(said.text))))
    if _persons(fact) & FIRST_PERSON and not _is(subject, best.speaker):
        return False
    return _doer(subject, wanted, best, speakers=speakers)


def _doer(subject: str, wanted: set[str], said: Said, *, speakers: Sequence[str]) -> bool:
    """Whether the last one named before the deed, by a name or a pronoun, is the subject.

    Without any the speaker speaks of themselves ("Went to the zoo"), or of what the sentence begins with.
    """
    is_speaker, named = _is(subject, said.speaker), _names(subject, said.text)
    own, people = set(terms(subject)), {word for name in speakers for word in terms(name)}
    for word in reversed(_before_deed(wanted, said.text)):
        folded, stems = word.casefold(), set(terms(word))
        if folded in FIRST_PERSON:
            return is_speaker
        if folded in SECOND_PERSON or folded in THIRD_PERSON:
            return named and not is_speaker
        if stems & own or stems & people:
            return bool(stems & own)
    return is_speaker or named


def _before_deed(wanted: set[str], text: str) -> list[str]:
    """Give the words before the first of the wanted ones in the sentence that holds most of them."""
    sentences = [[_CLITIC.sub("", word) for word in _WORD.findall(part)] for part in _SENTENCE_END.split(text)]
    held = [sum(not wanted.isdisjoint(terms(word)) for word in sentence) for sentence in sentences]
    best = held.index(max(held))
    deed = next((place for place, word in enumerate(sentences[best]) if not wanted.isdisjoint(terms(word))), 0)
    return [word for sentence in sentences[:best] for word in sentence] + sentences[best][:deed]


def _content(text: str) -> set[str]:
    """Give the terms of the words that tell something."""
    found: set[str] = set()
    for word in _WORD.findall(text):
        if word.casefold() not in STOP_WORDS and _CLITIC.sub("", word).casefold() not in STOP_WORDS:
            found.update(terms(word))
    return found


def _persons(text: str) -> set[str]:
    """Give the words of a text as pronouns are compared."""
    return {_CLITIC.sub("", word).casefold() for word in _WORD.findall(text)}


def _is(subject: str, speaker: str) -> bool:
    """Whether both names are those of one person: one may be the beginning of the other."""
    one, other = terms(subject), terms(speaker)
    return bool(one and other) and (one[: len(other)] == other or other[: len(one)] == one)


def _names(subject: str, text: str) -> bool:
    wanted = set(terms(subject))
    return bool(wanted) and wanted <= set(terms(text))
