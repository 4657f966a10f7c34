"""What a tag is: a word, the same however it is typed."""

import unicodedata

LONGEST_TAG = 64
"""Characters of a tag: it is a word to choose by, not a text."""


def normal_tag(text: str) -> str:
    """Give a tag as it is kept: composed (NFC), case-folded, without blanks around it.

    Raises
    ------
    ValueError
        It is not one word.

    """
    tag = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).strip().casefold())
    if not any(map(str.isalnum, tag)):
        raise ValueError("a tag needs a letter or a digit")
    if not tag.isprintable() or "," in tag or any(map(str.isspace, tag)):
        raise ValueError("a tag is one word, without blanks and commas")
    if len(tag) > LONGEST_TAG:
        message = f"a tag has {LONGEST_TAG} characters at most"
        raise ValueError(message)
    return tag
