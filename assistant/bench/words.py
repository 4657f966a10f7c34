"""The words of a text as NLTK's `word_tokenize(text, preserve_line=True)` gives them: Penn Treebank, without its data.

Only a score is made of them, so the rules stand in a form of their own, for texts in lower case.
"""

import re

_OPENING_QUOTE = re.compile(r"(?:^|(?<=[ (\[{<]))(?:\"|(?<!^)'')")
_QUOTING = re.compile(r"(?<!\w)'(?=\w)(?!(?:re|ve|ll|m|t|s|d|n)\b)")
"""An apostrophe before a word; before what is left of a verb it belongs to that."""
_LAST_STOP = re.compile(r"(?<=[^.])\.(?=[\])}>\"'»”’\s]*$)")
"""The full stop that ends the text; others may belong to an abbreviation."""
_APART = re.compile(r"\.{2,}|--|`+|''|[;@#$%&?!*()\[\]{}<>«»“”‘’„\"\u2012-\u2015]|[:,](?!\d)")
"""What stands alone wherever it is. A comma or colon before a digit does not: 3,500 and 10:30 are whole."""
_ENDING = re.compile(r"(?<=[^'])('s|'m|'d|'ll|'re|'ve|n't|')$")
_FUSED = re.compile(r"\b(can)(not)\b|\b(d)('ye)\b|\b(gim|lem)(me)\b|\b(gon|wan)(na)\b|\b(got)(ta)\b")


def treebank_words(text: str) -> list[str]:
    """Give the words and the punctuation of a text in lower case."""
    for pattern, instead in (
        (_OPENING_QUOTE, " `` "),
        (_QUOTING, "' "),
        (_LAST_STOP, " . "),
        (_APART, r" \g<0> "),
    ):
        text = pattern.sub(instead, text)
    found: list[str] = []
    for piece in text.replace('"', "''").split():
        for part in filter(None, _ENDING.split(piece)):
            found.extend(_FUSED.sub(lambda fused: f" {' '.join(filter(None, fused.groups()))} ", part).split())
    return found
