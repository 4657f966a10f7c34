"""Texts of others cannot act on a terminal."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.text import inert


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text, ünïcode, 漢字, עברית", "plain text, ünïcode, 漢字, עברית"),
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("\x1b]0;title\x07", "␛]0;title␇"),
        ("nul\x00 del\x7f", "nul␀ del␡"),
        ("\x9b31m", "�31m"),
        ("abc\u202egnp.exe", "abc�gnp.exe"),
        ("a\u2066b\u2069c\u200ed", "a�b�c�d"),
        ("zero\u200bwidth\ufeff", "zero�width�"),
        ("hid\U000e0041\U000e0042den", "hid��den"),
        ("half \ud83d", "half �"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("windows\r\nlines", "windows\nlines"),
        ("over\rwritten", "over␍written"),
        ("\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f468\u200d\U0001f469\u200d\U0001f467"),
        ("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"),
        ("pass\u200dword", "pass�word"),
        ("\U0001f3f4\U000e0067\U000e0062\U000e007f", "\U0001f3f4\U000e0067\U000e0062\U000e007f"),
    ],
)
def test_what_acts_is_shown_instead(text: str, shown: str) -> None:
    assert inert(text) == shown


def test_a_text_can_be_held_on_one_line() -> None:
    assert inert("two\r\nlines\nand\ta tab", keep="") == "two↵lines↵and␉a tab"


@given(st.text())
def test_no_control_character_is_left_but_those_that_stay(text: str) -> None:
    left = {character for character in inert(text) if unicodedata.category(character) in {"Cc", "Cs"}}
    assert left <= {"\n", "\t"}


@given(st.text(alphabet=st.characters(max_codepoint=0x2100)))
def test_making_it_inert_again_changes_nothing(text: str) -> None:
    assert inert(inert(text)) == inert(text)


@given(st.text())
def test_one_line_is_one_line(text: str) -> None:
    assert len(inert(text, keep="").splitlines()) <= 1


@given(st.text(alphabet=st.characters(categories=["L", "N", "P", "S", "Zs"])))
def test_what_only_shows_is_left_alone(text: str) -> None:
    assert inert(text) == text
