"""Text that reads as an instruction to the assistant: the signs of it, in words.

For text that somebody else wrote, or may have written: imports, files, tools. The user's own chat is full of orders to
the assistant, and rightly so. What is found is held back until the user accepts it; so a sign has to be worth that, and
an ordinary request in an old chat ("Please write a poem", "Act as my teacher") is none. The text itself is never
changed: folding letters and decoding serves the search alone.
"""

import base64
import binascii
import re
import unicodedata
from collections.abc import Iterable

from assistant.memory.suspicion_patterns import HEADERS, KINDS, TOKENS
from assistant.text import REGION
from storage.records import Source, Utterance

UNTRUSTED = frozenset({Source.IMPORTED, Source.FILE, Source.TOOL})
"""Where words of others come in."""
STRETCH = 50_000
"""Characters looked through at once; a book is many of them."""
OVERLAP = 2_000
"""Characters that two stretches share: more than any sign takes."""
LONGEST_NAME = 80
"""Characters of a speaker's name: with titles and an organisation some fifty."""
HIDDEN_RUN = 4
"""Invisible characters in a row: an emoji joins its parts with one at a time, a flag of a region apart."""
SPLIT_WORDS = 3
"""Invisible characters within Latin words: one may come from a web page, which allows a word to break there."""
SPELLED_OUT = 5
"""Letters one by one, as in "i g n o r e": shorter ones are initials."""

_UNSEEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0"
)
_SUPPLEMENTARY = "\U000e0000-\U000e0fff"  # tags and further variation selectors
_HIDDEN = re.compile(f"[{_UNSEEN}{_SUPPLEMENTARY}]")
_HIDDEN_RUN = re.compile(f"[\u200b-\u200d\u2060-\u2064\u034f\u180e\u3164\ufe00-\ufe0f\ufeff]{{{HIDDEN_RUN},}}")
_TAGS = re.compile(f"[{_SUPPLEMENTARY}]")
_SPLIT = re.compile("(?<=[A-Za-z])[\u200b-\u200d\u2060-\u2064\ufeff\u00ad](?=[A-Za-z])")
_TURNED = re.compile("[\u202d\u202e]")
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/_-]{24,4000}={0,2}(?![A-Za-z0-9+/=_-])")
_SPELLED = re.compile(rf"(?<![^\W_])[^\W\d_](?:[ ._*-][^\W\d_]){{{SPELLED_OUT - 1},}}(?![^\W_])")
_FIGURED = re.compile(r"\b(?=\w*[a-z])(?=\w*[013457])[a-z013457]{4,}\b")
_LAST_WITH_ACCENTS = "\u0530"
_FIGURES = str.maketrans("013457", "oieast")
_LOOK_ALIKES = str.maketrans(
    "АВЕЗКМНОРСТУХІЈЅԚԜѴавеһіјкӏмносрԁԛѕтуѵԝхпгиьΑΒΕΖΗΙΚΜΝΟΡΤΥΧαβγεζηικμνορτυχωɑɡɩʟʀᴀᴇᴏᴛɪɴꜱ",
    "ABEZKMHOPCTYXIJSQWVabehijklmhocpdqstyvwxnrubABEZHIKMNOPTYXabyeznikuvoptuxwagilraeotins",
)
"""Letters of other scripts that look like Latin ones."""


def suspicions(text: str) -> tuple[str, ...]:
    """Give the signs that a text wants to be obeyed, each in words and once; none for an ordinary text."""
    found: dict[str, None] = {}
    for start in range(0, max(1, len(text)), STRETCH):
        found |= dict.fromkeys(_suspicions(text[start : start + STRETCH + OVERLAP]))
    return tuple(found)


def suspicions_of(utterance: Utterance) -> tuple[str, ...]:
    """Give why an utterance is to be held back: what its words and its speaker's name show; none of the user's own."""
    if utterance.source not in UNTRUSTED:
        return ()
    return (*suspicions(utterance.text), *name_suspicions(utterance.speaker))


def name_suspicions(name: str) -> tuple[str, ...]:
    """Give the signs that a name, of a speaker or a conversation, is more than a name."""
    found = [f"its name {sign}" for sign in suspicions(name)]
    if len(name.strip()) > LONGEST_NAME and not found:
        found.append("its name is no name: it is too long")
    if "\n" in name.strip() or "\r" in name.strip():
        found.append("its name takes several lines")
    return tuple(found)


def seen(text: str) -> str:
    """Give a text as it is searched: what is not seen left out, forms and accents folded, in small letters."""
    return _plain(_shown(text))


def _suspicions(stretch: str) -> Iterable[str]:
    """Give the signs in a stretch of a text, some of them several times."""
    yield from _hidden(stretch)
    for view in _views(stretch):
        yield from _signs(view)
    for decoded in _decoded(stretch):
        yield from (f"{sign}, in base64" for view in _views(decoded) for sign in _signs(view))


def _signs(view: str) -> Iterable[str]:
    """Give the kinds of sign that a folded text shows."""
    for kind, pattern in _COMPILED.items():
        if pattern.search(view):
            yield kind
    if TOKENS.search(view):
        yield "holds marks of a chat template"
    if HEADERS.search(view):
        yield "passes for a message of the system or the assistant"


def _hidden(text: str) -> list[str]:
    """Give the signs of text that is there and not seen."""
    without_flags = REGION.sub("", text)
    hidden = _TAGS.search(without_flags) or _HIDDEN_RUN.search(text) or len(_SPLIT.findall(text)) >= SPLIT_WORDS
    found = ["hides text that is not seen"] if hidden else []
    if _TURNED.search(text):
        found.append("shows its letters in another order than they have")
    return found


def _views(text: str) -> list[str]:
    """Give a text as it may be meant: as it stands, look-alike letters folded, letters joined that were cut."""
    shown = _shown(text)
    views = [_plain(shown), _plain(shown.translate(_LOOK_ALIKES))]
    views.append(_FIGURED.sub(lambda match: match[0].translate(_FIGURES), views[1]))
    views.append(_SPELLED.sub(lambda match: re.sub(r"[ ._*-]", "", match[0]), re.sub(r" {2,}", "\t", views[1])))
    return list(dict.fromkeys(re.sub(r"[ \t]+", " ", view) for view in views))


def _decoded(text: str) -> Iterable[str]:
    """Give what runs that look like base64 say, where it is text."""
    for match in _BASE64.finditer(text):
        run = match[0].rstrip("=").replace("-", "+").replace("_", "/")
        try:
            said = base64.b64decode(run + "=" * (-len(run) % 4), validate=True).decode("utf-8")
        except (binascii.Error, UnicodeDecodeError):
            continue
        if " " in said and said.isprintable():
            yield said


def _shown(text: str) -> str:
    """Give a text in compatible forms, without what is not seen; what tags spell out is made to be seen."""
    tagged = _TAGS.sub(_untagged, REGION.sub(" ", text))
    return unicodedata.normalize("NFKC", _HIDDEN.sub("", tagged))


def _plain(text: str) -> str:
    folded = text.casefold().replace("’", "'").replace("：", ":")
    return _without_accents(folded)


def _without_accents(text: str) -> str:
    """Give the text without the accents of Latin, Greek and Cyrillic letters; in other scripts a mark is a letter."""
    if text.isascii():
        return text
    parts = unicodedata.normalize("NFD", text)
    kept = [
        part
        for before, part in zip(" " + parts, parts, strict=False)
        if not (unicodedata.combining(part) and before < _LAST_WITH_ACCENTS)
    ]
    return unicodedata.normalize("NFC", "".join(kept))


def _untagged(match: re.Match[str]) -> str:
    """Give the letter that an invisible tag stands for."""
    code = ord(match[0]) - 0xE0000
    return chr(code) if 0x20 <= code < 0x7F else ""


_COMPILED = {kind: re.compile(_without_accents(pattern)) for kind, pattern in KINDS.items()}
