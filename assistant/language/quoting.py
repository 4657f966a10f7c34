"""How the words of others stand in a prompt: quoted, on one line, with nothing in them that could pass for the prompt.

What could end the quotation, turn its direction or hide within it goes. The special tokens of a chat template stay
plain text by the template's own doing.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from assistant.text import unhidden
from storage.records import Source

if TYPE_CHECKING:
    from storage.records import Utterance

LONGEST_NAME = 40
"""Characters of a speaker's name; first and last name have some twenty."""
LONGEST_FORMAT = 20
"""Characters of the name of what something was imported from."""
ROLES = frozenset(
    (
        *("user", "assistant", "system", "developer", "tool", "model", "ai", "bot", "admin"),
        *("you", "i", "me", "said", "says", "known", "note", "notes", "memory", "today"),
    )
)
"""Words of the notes themselves: a name with one of them is put into quotation marks."""
QUOTATION_MARKS = re.compile('["\u201c-\u201f\u2033\u2036\u275d\u275e\u301d-\u301f\uff02\u00ab\u00bb]')
"""All that look like the ones around a memory."""
NO_PART_OF_A_NAME = re.compile(rf"{QUOTATION_MARKS.pattern}|[()\[\]{{}}<>:;|#*`=\\/\uff1a]")


def place_of(said: Utterance) -> str:
    """Give in a few words where it was said; nothing for what was said to this program."""
    match said.source:
        case Source.IMPORTED:
            format_name = _bare_name(said.origin.partition(":")[0])[:LONGEST_FORMAT].strip()
            return f"imported from {format_name}" if format_name else "imported"
        case Source.FILE:
            return "from a file"
        case Source.TOOL:
            return "from a tool"
        case _:
            return ""


def speaker_name(name: str) -> str:
    """Give a name as it may stand outside a quotation: short, nothing in it that reads as a part of the prompt."""
    bare = _bare_name(name)
    short = bare if len(bare) <= LONGEST_NAME else f"{bare[: LONGEST_NAME - 1].rstrip()}…"
    if not short:
        return "somebody"
    imitates = ROLES.intersection(re.findall(r"\w+", unicodedata.normalize("NFKC", short).casefold()))
    return f"somebody called '{short}'" if imitates else short


def within(text: str) -> str:
    """Give a text as it may stand between quotation marks, which it cannot close: on one line."""
    return QUOTATION_MARKS.sub("'", one_line(text))


def one_line(text: str) -> str:
    """Give a text on one line, without anything that is not seen."""
    return " ".join(unhidden(text).split())


def _bare_name(text: str) -> str:
    return " ".join(NO_PART_OF_A_NAME.sub(" ", one_line(text)).split())
