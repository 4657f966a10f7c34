"""Where a text that grows is cut."""

import random

import pytest

from tui.stretches import WHOLE_WINDOWS, Cutter, Part
from tui.widgets.answer_text import LinkingParser

WINDOW = 60
KINDS = {
    "paragraphs": "".join(f"A paragraph about heron {number}.\n\n" for number in range(9)),
    "code": "Do:\n\n```python\n" + "".join(f"step({number})\n\n" for number in range(60)) + "```\n\nDone.\n",
    "code that is closed where the window ends": "~~~\n"
    + "x = 1\n" * 8
    + "~~~\n"
    + "Then a paragraph follows here.\n" * 3,
    "code that is never closed": "```\n" + "x = 1\n" * 90,
    "indented code": "    x = 1\n" * 60,
    "a list": "".join(f"{number}. item\n    - inner\n    - more\n" for number in range(1, 20)),
    "a quotation": "".join(f"> part {number}\n>\n" for number in range(20)),
    "a table": "| a | b |\n|---|---|\n" + "".join(f"| {number} | x |\n" for number in range(30)),
    "one line": "word " * 60,
    "blank lines": "\n" * 70 + "end",
}


def cut(text: str) -> list[Part]:
    return list(Cutter(LinkingParser(), WINDOW).parts(text))


def cut_as_it_comes(text: str, seed: int) -> list[Part]:
    chance, cutter, place = random.Random(seed), Cutter(LinkingParser(), WINDOW), 0
    parts = [Part(text="")]
    while place < len(text):
        length = chance.randint(1, 30)
        parts[-1:] = cutter.parts(parts[-1].text + text[place : place + length])
        place += length
    return parts


@pytest.mark.parametrize("kind", KINDS)
def test_a_text_is_cut_where_it_is_cut_when_it_comes_in_pieces(kind: str) -> None:
    text = KINDS[kind]
    for seed in range(5):
        assert cut_as_it_comes(text, seed) == cut(text)


@pytest.mark.parametrize("kind", sorted(set(KINDS) - {"one line", "blank lines"}))
def test_no_part_is_much_longer_than_the_window(kind: str) -> None:
    parts = cut(KINDS[kind])
    assert len(parts) > 1
    assert max(len(part.text) for part in parts) <= (WHOLE_WINDOWS + 1) * WINDOW


@pytest.mark.parametrize("kind", sorted(set(KINDS) - {"code", "code that is never closed", "a table"}))
def test_nothing_is_lost_and_nothing_told_twice(kind: str) -> None:
    assert "".join(part.text for part in cut(KINDS[kind])) == KINDS[kind]


def test_code_goes_on_in_its_language_and_a_table_under_its_head() -> None:
    code = cut(KINDS["code"])
    assert code[0] == Part(text="Do:\n\n")
    assert {part.text.splitlines()[0] for part in code[1:]} == {"```python"}
    assert [part.goes_on for part in code[1:]] == [True] * (len(code) - 2) + [False]
    assert all(part.text.startswith("| a | b |\n|---|---|\n| ") for part in cut(KINDS["a table"]))
    told = [line for part in code for line in part.text.splitlines() if line.startswith("step")]
    assert told == [f"step({number})" for number in range(60)]


def test_numbers_of_a_list_go_on() -> None:
    assert all(part.text[0].isdigit() for part in cut(KINDS["a list"]))


def test_a_block_is_cut_only_where_it_is_left_when_others_stand_before_it() -> None:
    assert next(iter(cut("One.\n\n" * 8 + "- a\n- b\n" * 9))) == Part(text="One.\n\n" * 8)
