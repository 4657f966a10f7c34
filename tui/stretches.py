"""Where a long text in Markdown can be cut, so that what is drawn of it while it grows never takes longer.

A stretch is drawn by itself, as if nothing stood around it. What a cut goes through is begun anew behind it: a block of
code with its first line, a table with its head. A cut depends only on what stands before it and in a window behind it,
not on how the text came: a text that grows is cut where the whole is cut.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token

WINDOW_CHARACTERS = 800
"""In which a cut is looked for, and about as much as is drawn at once: the time of one painting grows with it."""
WHOLE_WINDOWS = 4
"""So many windows code and tables may fill before they are cut: that can be seen, and they are drawn fast."""
HEAD_LINES = 2
"""Of a table: the names of its columns, and the line under them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """A place between two lines."""

    at: int
    """Characters before it."""
    again: str = ""
    """What is to be drawn before the rest, for it to go on as it began."""
    inside: bool = False
    """Whether it goes through code, a list or a quotation: then nothing is to be seen of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What is drawn by itself."""

    text: str
    goes_on: bool = False
    """Whether what stands behind it belongs to the same code, list or quotation."""


class Cutter:
    """Cuts a text, which may grow at its end. A window without a cut is looked at once, and then doubled."""

    def __init__(self, parser: MarkdownIt, window: int = WINDOW_CHARACTERS) -> None:
        self._parser = parser
        self._least = self._window = window

    def parts(self, text: str) -> Iterator[Part]:
        """Give the parts of a text; the last of them may still grow."""
        cut = self._first(text)
        while cut is not None:
            yield Part(text=text[: cut.at], goes_on=cut.inside)
            text = cut.again + text[cut.at :]
            cut = self._first(text)
        yield Part(text=text)

    def _first(self, text: str) -> Cut | None:
        """Give the first cut; None while there is none, or less text than a window."""
        while len(text) >= self._window:
            seen = text[: text.rfind("\n", 0, self._window) + 1]
            through_code = self._window >= WHOLE_WINDOWS * self._least
            cut = first_cut(self._parser.parse(seen), seen, through_code=through_code)
            if cut is not None:
                self._window = self._least
                return cut
            self._window *= 2
        return None


def first_cut(tokens: Sequence[Token], text: str, *, through_code: bool) -> Cut | None:
    """Give the last place in some whole lines behind which nothing changes what stands before; None without one.

    Parameters
    ----------
    tokens
        What the parser made of the text.
    text
        Whole lines.
    through_code
        Whether code and tables may be cut.
    """
    lines = [f"{line}\n" for line in text.split("\n")[:-1]]
    blocks = [token for token in tokens if token.level == 0 and token.map is not None]
    if not blocks:
        return None
    if _begin(blocks[-1]) > _begin(blocks[0]):
        return _cut(lines, _begin(blocks[-1]))
    if blocks[0].type in {"fence", "code_block", "table_open"} and not through_code:
        return None
    return _cut_inside(blocks[0], tokens, lines)


def _cut_inside(block: Token, tokens: Sequence[Token], lines: Sequence[str]) -> Cut | None:
    """Cut the only block that there is."""
    first = _begin(block)
    match block.type:
        case "fence":
            return _cut_of_fence(block, lines)
        case "code_block":
            return _cut(lines, len(lines), inside=True)
        case "table_open":
            rows = [_begin(token) for token in tokens if token.type == "tr_open" and _begin(token) > first + HEAD_LINES]
            return _cut(lines, rows[-1], again="".join(lines[first : first + HEAD_LINES])) if rows else None
        case "bullet_list_open" | "ordered_list_open" | "blockquote_open":
            parts = [_begin(token) for token in tokens if token.level == 1 and token.map is not None]
            return _cut(lines, parts[-1], inside=True) if parts and parts[-1] > first else None
        case _:
            return None


def _cut_of_fence(fence: Token, lines: Sequence[str]) -> Cut | None:
    """Go on with the language that the code has, unless it is closed just there."""
    first, content = _begin(fence), fence.content.count("\n")
    if content == 0:
        return None
    closed = content + 1 < len(lines) - first
    return _cut(lines, len(lines)) if closed else _cut(lines, len(lines), again=lines[first], inside=True)


def _begin(token: Token) -> int:
    return token.map[0] if token.map is not None else 0


def _cut(lines: Sequence[str], line: int, *, again: str = "", inside: bool = False) -> Cut:
    return Cut(at=sum(map(len, lines[:line])), again=again, inside=inside)
