"""Words of others, made fit for a screen: cut by cells, put on one line, and nothing in them acts on the terminal."""

from datetime import datetime

from textual.content import Content

from assistant import text as safe

TAB = "    "


def inert(text: str) -> str:
    """Give the text with every character that would act on a terminal replaced by one that only shows it."""
    return safe.inert(text).replace("\t", TAB)


def one_line(text: str) -> str:
    """Give the inert text on one line, each run of blanks and line ends as one blank."""
    return " ".join(inert(text).split())


def fitted(text: str, cells: int) -> str:
    """Give the text on one line, cut or filled to a width in cells."""
    return Content(one_line(text)).truncate(cells, ellipsis=True, pad=True).plain


def excerpt(text: str, characters: int) -> str:
    """Give the beginning of the inert text, with an ellipsis when something is left out."""
    shown = inert(text).strip()
    return shown if len(shown) <= characters else f"{shown[:characters].rstrip()}…"


def day(time: datetime) -> str:
    """Give the day as it was called where the words were said: `2026-05-03`."""
    return f"{time:%Y-%m-%d}"


def minute(time: datetime) -> str:
    """Give day and minute as they were called where the words were said: `2026-05-03 14:02`."""
    return f"{time:%Y-%m-%d %H:%M}"


def moment(time: datetime) -> str:
    """Give the whole time with its offset: `2026-05-03 14:02:11 +02:00`."""
    return f"{time:%Y-%m-%d %H:%M:%S} {time.isoformat()[-6:]}"


def count(number: int, one: str, many: str = "") -> str:
    """Give a number with its noun: `1 memory`, `2 memories`, `no turns`."""
    noun = one if number == 1 else many or f"{one}s"
    return f"{number:,} {noun}" if number else f"no {noun}"
