"""Words on their way to the screen."""

from datetime import datetime, timedelta, timezone

import pytest
from textual.content import Content

from tui.text import count, excerpt, fitted, inert, moment, one_line

EVIL = "a\x1b[31mb\x00c\x07d\u202ee\u2066f\x9bg\ud800h\u2028i\tj"


def test_nothing_that_acts_on_a_terminal_is_left() -> None:
    shown = inert(EVIL)
    assert not set(shown) & set("\x1b\x00\x07\u202e\u2066\x9b\ud800\u2028\t")
    assert [character for character in shown if character in "abcdefghij"] == list("abcdefghij")
    shown.encode()


def test_lines_stay_and_windows_line_ends_become_plain_ones() -> None:
    assert inert("one\r\ntwo\nthree") == "one\ntwo\nthree"


def test_an_emoji_sequence_stays_whole() -> None:
    assert inert("👩‍👩‍👧") == "👩‍👩‍👧"


def test_one_line_has_no_line_end_and_no_run_of_blanks() -> None:
    assert one_line(" one \n\n two\tthree ") == "one two three"


@pytest.mark.parametrize("text", ["日本語テキスト", "👩‍👩‍👧 family", "e\u0301a\u0308", "short", "", "long " * 20])
@pytest.mark.parametrize("cells", [1, 2, 3, 7, 10])
def test_a_fitted_text_takes_exactly_its_cells(text: str, cells: int) -> None:
    assert Content(fitted(text, cells)).cell_length == cells


def test_an_excerpt_says_that_something_is_left_out() -> None:
    assert excerpt("  abc ", 5) == "abc"
    assert excerpt("abcdef", 3) == "abc…"


def test_a_moment_has_the_offset_of_where_it_was_said() -> None:
    summer = datetime(2026, 5, 3, 14, 2, 11, 5, tzinfo=timezone(timedelta(hours=2)))
    assert moment(summer) == "2026-05-03 14:02:11 +02:00"


def test_a_count_agrees_with_its_noun() -> None:
    assert [count(number, "memory", "memories") for number in (0, 1, 1200)] == [
        "no memories",
        "1 memory",
        "1,200 memories",
    ]
