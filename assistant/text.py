"""Texts made safe to show: nothing in them can move a cursor, reorder a line or hide."""

import re

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
BLACK_FLAG = "\U0001f3f4"
NEWLINE_SIGN = "\N{DOWNWARDS ARROW WITH CORNER LEFTWARDS}"
DELETE_SIGN = "\N{SYMBOL FOR DELETE}"
CONTROL_SIGNS = 0x2400
"""Where Unicode's pictures of the control characters begin."""

REGION = re.compile("\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f")
"""The flag of a region: a black flag, country and region in tags of small letters and digits, and the end."""

_ODD = re.compile(
    "\U0001f3f4[\U000e0020-\U000e007f]+"  # the flag of a region: a black flag and tags, left as it is
    "|\r\n"
    "|[\x00-\x1f\x7f-\x9f]"  # C0, DEL and C1
    "|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"  # turns the direction of what follows
    "|[\u00ad\u180e\u200b\u2028\u2029\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"  # not seen
    "|(?<![^\x00-\x7f\u200b-\u200f])[\u200c\u200d]"  # joins what need not be joined
    "|[\ud800-\udfff]"  # half of a character
)


def inert(text: str, *, keep: str = "\n\t") -> str:
    r"""Give the text with every control character, bidirectional mark and invisible character shown as a visible one.

    Joiners stay inside emoji and in the scripts that need them. `keep` are the control characters that stay; a newline
    that does not stay becomes an arrow, so that a text takes one line. All other characters, and their number but for
    `\r\n`, stay as they are.
    """

    def shown(match: re.Match[str]) -> str:
        odd = match[0]
        if odd in {"\r\n", "\n"}:
            return "\n" if "\n" in keep else NEWLINE_SIGN
        if len(odd) > 1 or odd in keep:
            return odd
        if odd < " ":
            return chr(CONTROL_SIGNS + ord(odd))
        return DELETE_SIGN if odd == "\x7f" else REPLACEMENT

    return _ODD.sub(shown, text)


def unhidden(text: str, *, keep: str = "") -> str:
    r"""Give the text with nothing hidden in it: what is not seen and what turns the direction is left out.

    Line ends and other control characters become a blank, but for those in `keep`; `\r\n` becomes `\n` first. Joiners
    and flags stay where `inert` leaves them.
    """

    def left(match: re.Match[str]) -> str:
        odd = "\n" if match[0] == "\r\n" else match[0]
        if odd in keep:
            return odd
        if odd[0] == BLACK_FLAG:
            return odd if REGION.fullmatch(odd) else BLACK_FLAG  # other tags say something else
        return " " if odd < " " or "\x7f" <= odd <= "\x9f" or odd in "\u2028\u2029" else ""

    return _ODD.sub(left, text)
