"""Messages that are an order to the memory itself: show what you remember, forget this.

Only a whole message is one. A question that the model may know better, a sentence that mentions forgetting, an idiom
("forget it, let's talk about boats") and work on a text ("delete the second paragraph") are none.
"""

import re
import unicodedata
from dataclasses import dataclass

from assistant.memory.request_patterns import (
    AROUND,
    EVERYTHING,
    FORGET_LAST,
    FORGET_NAMED,
    FORGET_TOPIC,
    FORGET_WORDS,
    OWN,
    SHOW,
    SHOW_KNOWN,
)

LONGEST = 160
"""Characters. An order to the memory is short; what is longer tells or asks something else."""
NUMBER = re.compile(r"\+?\d[\d \t/().-]{3,}\d")
"""A number as people write that of a phone or an account."""
_ARTICLE = re.compile(r"(?:the|a|an|der|die|das|den|dem|des|el|la|los|las|le|les)\s+|l'", re.IGNORECASE)
_LINK = re.compile(r"[\s,:]+(?:it's|it is|it was|is|was|namely|ist|war|lautet)?[\s,:]*$", re.IGNORECASE)
_SAY_NUMBER = frozenset(("number", "nummer"))
"""They only introduce the number itself: whatever else has the word is not meant."""
_NO_SUBJECTS = frozenset(
    (
        *("it", "that", "this", "them", "everything", "anything", "nothing", "all", "something", "whatever"),
        *("me", "i", "you", "us", "we", "myself", "yourself", "him", "her", "he", "she", "they"),
        *("yesterday", "today", "tomorrow", "heute", "gestern", "morgen"),
        *("es", "das", "dies", "alles", "nichts", "etwas", "dass", "daran", "darüber"),
        *("mich", "dich", "uns", "sie", "ihn", "ihm", "ihr"),
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowRequest:
    """The user wants to see what is remembered."""

    about: str = ""
    """A name, or words; empty: of the user, which is all there is."""
    only_of_speaker: bool = False
    """Whether it is meant only where somebody of this name speaks in the memory: "What do you know about France?" is
    for the model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetRequest:
    """The user wants something forgotten. One of these is told."""

    name: str = ""
    """A person or a thing: all that names it, or that they said."""
    words: str = ""
    """Words that stand in it."""
    number: str = ""
    """Digits that stand in it; beside words, either will do."""
    last: bool = False
    """What was said last."""
    everything: bool = False

    @property
    def about(self) -> str:
        """What is meant, in the user's words; empty for what was said last, and for everything."""
        return self.name or self.words or self.number


def read_request(text: str) -> ShowRequest | ForgetRequest | None:
    """Give what a message orders the memory to do; None for all others.

    English and German; the plainest forms in Spanish, French, Chinese and Japanese.
    """
    if len(text) > LONGEST or "\n" in text.strip():
        return None
    said = _bare(text)
    return _forgetting(said) or _showing(said)


def _showing(said: str) -> ShowRequest | None:
    for pattern in SHOW:
        if found := pattern.fullmatch(said):
            about = _subject(found.groupdict().get("about") or "")
            return ShowRequest(about=about) if _is_subject(about) else None
    for pattern in SHOW_KNOWN:
        if (found := pattern.fullmatch(said)) and _is_subject(about := _subject(found["about"])):
            return ShowRequest(about=about, only_of_speaker=OWN.match(found["about"]) is None)
    return None


def _forgetting(said: str) -> ForgetRequest | None:
    if any(pattern.fullmatch(said) for pattern in EVERYTHING):
        return ForgetRequest(everything=True)
    if any(pattern.fullmatch(said) for pattern in FORGET_LAST):
        return ForgetRequest(last=True)
    for pattern in (*FORGET_TOPIC, *FORGET_NAMED):
        if (found := pattern.fullmatch(said)) and (request := _of_topic(found["about"])):
            return request
    for pattern in FORGET_WORDS:
        if found := pattern.fullmatch(said):
            return _of_words(found["about"])
    return None


def _of_topic(about: str) -> ForgetRequest | None:
    """Give the order to forget all about something: what is the user's own, and numbers, by words; else by name."""
    subject = _subject(about)
    if not subject or not _is_subject(subject):
        return None
    return _of_words(about) if OWN.match(about) or NUMBER.search(about) else ForgetRequest(name=subject)


def _of_words(about: str) -> ForgetRequest | None:
    numbers = NUMBER.findall(about)
    words = _LINK.sub("", _subject(NUMBER.sub(" ", about)) + " ")
    if numbers and words.casefold() in _SAY_NUMBER:
        words = ""
    if not words and not numbers:
        return None
    return ForgetRequest(words=words, number=numbers[0].strip() if numbers else "")


def _subject(about: str) -> str:
    """Give what is named, without the article, or the word that says whose it is."""
    bare = about.strip(" \"'“”‘’«»「」")
    own = OWN.match(bare)
    return bare[own.end() :].strip() if own else bare[found.end() :] if (found := _ARTICLE.match(bare)) else bare


def _is_subject(subject: str) -> bool:
    return subject.casefold() not in _NO_SUBJECTS


def _bare(text: str) -> str:
    """Give a message on one form of its characters, without the politeness around it and the mark at its end."""
    said = unicodedata.normalize("NFKC", text).replace("’", "'").strip()
    before = ""
    while said != before:
        before = said
        said = AROUND.sub("", said).strip(" \t.!?¿¡。…")
    return said
