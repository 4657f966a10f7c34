"""Whether a text names a person or a thing: by whole words, so that Ann is neither Anna nor Joanna."""

import re
import unicodedata
from collections.abc import Iterable

from assistant.errors import BadInput
from assistant.memory.concepts.mentions import is_unspaced

_WORD = re.compile(r"[^\W_]+")


class Name:
    """A name, and where it stands in texts.

    Case and accents do not count, and neither does what follows an apostrophe. What is written in small letters names a
    thing, and where a text writes it so, too, its plural on -s or -es is the same thing: "boat" is in "two boats", and
    "Andrea" is not in "Andreas". Where a script sets no spaces between words it counts wherever it stands.

    Raises
    ------
    BadInput
        There is neither a letter nor a digit in it.
    """

    def __init__(self, name: str) -> None:
        words = _WORD.findall(_plain(name))
        if not words:
            raise BadInput("there is no word in this name: give letters or digits")
        whole = r"[\W_]+".join(map(re.escape, words))
        endings = r"(?P<plural>s|es)?" if words[-1] == words[-1].lower() else r"(?P<plural>)"
        if is_unspaced(name):
            self._pattern = re.compile(f"{whole}(?P<plural>)", re.IGNORECASE)
        else:
            self._pattern = re.compile(rf"(?<![^\W_]){whole}{endings}(?![^\W_])", re.IGNORECASE)
        self._beginning = re.compile(rf"(?<![^\W_]){whole}[^\W_]+", re.IGNORECASE)

    def is_in(self, text: str) -> bool:
        """Whether a text names it."""
        return any(not found["plural"] or found[0][0].islower() for found in self._pattern.finditer(_plain(text)))

    def look_alikes(self, texts: Iterable[str]) -> set[str]:
        """Give the longer words that begin like it and are taken for others, in small letters."""
        longer = {found[0].casefold() for text in texts for found in self._beginning.finditer(_plain(text))}
        return {word for word in longer if not self.is_in(word)}


def _plain(text: str) -> str:
    """Give a text without accents, as the index has its words, but in its own case."""
    spread = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text).replace("ß", "ss").replace("ẞ", "SS"))
    return unicodedata.normalize("NFC", "".join(c for c in spread if not unicodedata.combining(c) or c > "\u0530"))
