import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.memory.terms import terms


def test_words_are_folded_and_stemmed() -> None:
    assert terms("Melanie's PAINTINGS, painted in 2022!") == ["melani", "paint", "paint", "in", "2022"]


def test_accents_of_latin_and_greek_do_not_count() -> None:
    assert terms("Café") == terms("cafe")
    assert terms("Straße") == terms("STRASSE")
    assert terms("Ένα") == terms("ενα")


def test_voiced_marks_of_japanese_do_count() -> None:
    assert terms("がき") != terms("かき")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("我喜欢北京", ["我喜", "喜欢", "欢北", "北京"]),
        ("猫", ["猫"]),
        ("東京タワー2024", ["東京", "京タ", "タワ", "ワー", "2024"]),
        ("mixed 北京 text", ["mix", "北京", "text"]),
    ],
)
def test_scripts_without_spaces_give_bigrams(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


def test_a_text_without_words_gives_none() -> None:
    assert terms(" \n\t!? 🙂") == []


@given(st.text())
def test_joining_with_blanks_and_splitting_gives_the_same_terms(text: str) -> None:
    found = terms(text)
    assert " ".join(found).split() == found
    assert all(term.isalnum() for term in found)
