"""Where a text names somebody or something."""

import pytest

from assistant.errors import BadInput
from assistant.memory.names import Name


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Ann", "I met Ann."),
        ("Ann", "ANN called"),
        ("ann", "Ann's cat"),
        ("Ann", "Ann’s and Bo's"),
        ("José", "jose came"),
        ("Jose", "Jos\u0065\u0301 came"),
        ("Weiß", "Frau WEISS"),
        ("Anna Maria", "anna-maria sang"),
        ("Jo", "Jo_and_I"),
        ("boat", "two boats"),
        ("box", "three boxes"),
        ("田中", "昨日、田中さんと話した"),
        ("김", "김이 왔다"),
        ("C-3", "the C 3 valve"),
    ],
)
def test_a_text_names_who_stands_in_it_as_a_whole_word(name: str, text: str) -> None:
    assert Name(name).is_in(text)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Ann", "Anna, Annabel and Joann"),
        ("Anne", "Ann called"),
        ("Ann", "Anne called"),
        ("Jo", "Joe, Jon and Mojo"),
        ("Andrea", "Andreas kam"),
        ("andrea", "Andreas kam"),
        ("Luca", "lucas called"),
        ("boat", "the boathouse"),
        ("Anna Maria", "Maria and Anna"),
        ("7", "the 17th of 1977"),
    ],
)
def test_names_inside_longer_words_are_others(name: str, text: str) -> None:
    assert not Name(name).is_in(text)


def test_longer_words_that_begin_like_a_name_are_told() -> None:
    assert Name("ann").look_alikes(["Anna and Ann's Anns", "Hannah, Annabel; anns"]) == {"anna", "annabel"}


@pytest.mark.parametrize("name", ["", " ", "?!", "—"])
def test_a_name_without_a_word_is_refused(name: str) -> None:
    with pytest.raises(BadInput, match="no word"):
        Name(name)
