"""NO_COLOR: the screens show no colour, and what is chosen can be told all the same."""

import re

from tests.assistant.cli.support import Home, Terminal

F4, DOWN = "\x1bOS", "\x1b[B"
COLOURS = {*range(30, 39), *range(40, 49), *range(90, 98), *range(100, 108)}
"""Codes that choose a colour; 39 and 49 are the terminal's own."""
CHOSEN = r"\x1b\[1;4[\d;]*m[^\x1b]*We sail on Friday"
"""The newest memory, bold and underlined."""


def codes(written: str) -> list[set[int]]:
    """Give what each change of style asks for."""
    return [{int(code or 0) for code in found.split(";")} for found in re.findall(r"\x1b\[([\d;]*)m", written)]


def test_without_colours_the_screens_show_none_and_what_is_chosen_is_told_otherwise(full: Home) -> None:
    terminal = Terminal(full, *full.arguments([]), environment={"NO_COLOR": "1"})
    terminal.wait_for("Write a message")
    terminal.send(F4)
    terminal.wait_for("The spare key is with Ada.")
    terminal.send(DOWN)
    terminal.wait_for("said by")
    terminal.process.terminate()
    assert terminal.end() == 143
    assert [code for code in codes(terminal.seen) if code & COLOURS] == []
    assert re.search(CHOSEN, terminal.seen)
