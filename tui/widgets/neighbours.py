"""A memory in the middle and what it is tied to beside it, drawn with lines of characters."""

from collections.abc import Sequence
from dataclasses import dataclass

from textual.content import Content

from tui.text import fitted

MOST_NODES = 30
"""Drawn at most, the one in the middle included: more can't be told apart."""
LETTERS = {"temporal": "t", "abstraction": "c", "association": "a", "learned": "l"}
STYLES = {"t": "$primary", "c": "$text-success", "a": "$text-warning", "l": "$text-accent"}
LEGEND = (("t", "said next to it"), ("c", "concept"), ("a", "alike"), ("l", "used together"))
SMALLEST = (56, 9)
"""Columns and rows below which only the list is shown."""
MIDDLE_SHARE = 0.24
LEAST_MIDDLE = 14
TIE_CELLS = 11
"""Of letters and weight, with their lines: `─ tal 0.98 `."""
STEM_CELLS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Tied:
    """The other end of one or more edges."""

    id: str
    words: str
    concept: bool
    ties: tuple[tuple[str, float], ...]
    """Kind and weight of each edge, the strongest first."""

    @property
    def letters(self) -> str:
        """A letter for each kind, the strongest first."""
        return "".join(LETTERS.get(kind, "?") for kind, _ in self.ties)

    @property
    def weight(self) -> float:
        """Of the strongest edge."""
        return self.ties[0][1]


def sides(tied: Sequence[Tied], rows: int) -> tuple[list[int], list[int]]:
    """Give the places of those that stand left and right of the middle, each from the top; as many as there is room."""
    shown = range(min(len(tied), MOST_NODES - 1, 2 * rows))
    return [place for place in shown if place % 2 == 0], [place for place in shown if place % 2]


def drawing(middle: str, tied: Sequence[Tied], *, chosen: int, width: int, height: int) -> Content:
    """Give the picture: at each side a line for each neighbour, its tie, and a stem to the box in the middle."""
    left, right = sides(tied, height)
    box_cells = max(LEAST_MIDDLE, int(width * MIDDLE_SHARE))
    side_cells = (width - box_cells - 2 * STEM_CELLS) // 2
    box = _box(middle, box_cells, height)
    before = _side(tied, left, height=height, cells=side_cells, chosen=chosen, turned=False)
    after = _side(tied, right, height=height, cells=side_cells, chosen=chosen, turned=True)
    rows = []
    for row in range(height):
        stem = "───" if row == height // 2 else "   "
        rows.append(
            Content.assemble(
                before[row],
                (stem if left else "   ", "$secondary"),
                (box[row], "bold"),
                (stem if right else "   ", "$secondary"),
                after[row],
            )
        )
    return Content("\n").join(rows)


def _box(words: str, cells: int, height: int) -> list[str]:
    """Give the middle, three to five lines high, with blank lines above and below."""
    inner = cells - 4
    lines = [line.plain for line in Content(words).wrap(inner)[: max(1, min(5, height - 2))]] or [""]
    drawn = [f"╭{'─' * (cells - 2)}╮", *(f"│ {fitted(line, inner)} │" for line in lines), f"╰{'─' * (cells - 2)}╯"]
    above = max(0, height // 2 - len(drawn) // 2)
    rows = [" " * cells] * above + drawn
    return (rows + [" " * cells] * height)[:height]


def _side(
    tied: Sequence[Tied], places: Sequence[int], *, height: int, cells: int, chosen: int, turned: bool
) -> list[Content]:
    """Give the lines of one side, its neighbours around the middle row and a bracket that joins them."""
    top = max(0, height // 2 - len(places) // 2)
    rows = []
    for row in range(height):
        place = places[row - top] if 0 <= row - top < len(places) else None
        bracket = _bracket(row, top=top, bottom=top + len(places) - 1, middle=height // 2, turned=turned)
        if not places:
            rows.append(Content(" " * cells))
        elif place is None:
            blank = " " * (cells - 1)
            rows.append(Content.assemble((bracket + blank if turned else blank + bracket, "$secondary")))
        else:
            rows.append(_line(tied[place], bracket, cells=cells, chosen=place == chosen, turned=turned))
    return rows


def _line(one: Tied, bracket: str, *, cells: int, chosen: bool, turned: bool) -> Content:
    sign = "◆" if one.concept else "●"
    words = fitted(one.words, cells - TIE_CELLS - 4)
    style = STYLES.get(one.letters[:1], "")
    mark = "bold reverse" if chosen else ""
    tie = f"{one.letters} {one.weight:.2f}"
    if turned:
        return Content.assemble(
            (bracket, "$secondary"), (f"{f'─{tie}':─<{TIE_CELLS}}", style), (sign, style), " ", (words, mark), " "
        )
    return Content.assemble(
        " ", (words, mark), " ", (sign, style), (f"{f'{tie}─':─>{TIE_CELLS}}", style), (bracket, "$secondary")
    )


def _bracket(row: int, *, top: int, bottom: int, middle: int, turned: bool) -> str:
    """Give the character where a neighbour's line, the stem, and the stroke that joins all meet."""
    up, down = min(top, middle) < row <= max(bottom, middle), min(top, middle) <= row < max(bottom, middle)
    outer, inner = top <= row <= bottom, row == middle
    west, east = (inner, outer) if turned else (outer, inner)
    return _CROSSINGS[up, down, west, east]


_CROSSINGS = {
    (up, down, west, east): " ╶╴─╷╭╮┬╵╰╯┴│├┤┼"[8 * up + 4 * down + 2 * west + east]
    for up in (False, True)
    for down in (False, True)
    for west in (False, True)
    for east in (False, True)
}
