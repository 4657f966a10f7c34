"""Bars of block characters, an eighth of a cell exact."""

from collections.abc import Sequence

from textual.content import Content

EIGHTHS = " ▏▎▍▌▋▊▉"
FULL = "█"
NOTHING = "none yet"
LEAST_CELLS = 4
"""A bar that is shorter tells nothing: then only the numbers are shown."""


def bars(figures: Sequence[tuple[str, int]], *, width: int) -> list[Content]:
    """Give a line for each figure: its name, its number, and a bar; the longest bar is as long as there is room."""
    if not figures:
        return [Content.styled(NOTHING, "$secondary")]
    names = max(len(name) for name, _ in figures)
    numbers = max(len(f"{number:,}") for _, number in figures)
    most = max(number for _, number in figures)
    room = width - names - numbers - 3
    lines = []
    for name, number in figures:
        drawn = bar(number / most, room) if most and room >= LEAST_CELLS else ""
        lines.append(
            Content.assemble((f"{name:<{names}}", "$secondary"), f" {number:>{numbers},} ", (drawn, "$primary"))
        )
    return lines


def bar(share: float, cells: int) -> str:
    """Give a bar of a share of the cells; whatever is above nought shows at least an eighth of one."""
    eighths = max(int(share * cells * 8), 1 if share > 0 else 0)
    return (FULL * (eighths // 8) + EIGHTHS[eighths % 8]).rstrip()
