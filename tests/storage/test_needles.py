import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storage.needles import Needles, of_terms, of_text, of_vector
from tests.storage.making import vector


@settings(deadline=None)
@given(st.lists(st.binary(min_size=8, max_size=40), max_size=8), st.binary(max_size=300), st.data())
def test_each_needle_is_counted_wherever_it_lies(needles: list[bytes], noise: bytes, data: st.DataObject) -> None:
    haystack = noise
    for needle in needles:
        at = data.draw(st.integers(0, len(haystack)))
        haystack = haystack[:at] + needle + haystack[at:]

    found = Needles(needles).count(haystack)

    for needle in set(needles):
        places = sum(haystack.startswith(needle, at) for at in range(len(haystack)))
        assert found[needle] == places


def test_needles_that_begin_alike_are_told_apart() -> None:
    found = Needles([b"abcdefgh", b"abcdefghij", b"abcdefghxx"]).count(b"..abcdefghij..")

    assert found == {b"abcdefgh": 1, b"abcdefghij": 1}


@pytest.mark.parametrize("haystack", [b"", b"short"])
def test_nothing_is_found_in_what_is_too_short(haystack: bytes) -> None:
    assert not Needles([b"something"]).count(haystack)
    assert not Needles([]).count(b"anything at all")


def test_a_needle_too_short_to_mean_anything_is_left_out() -> None:
    needles = Needles([b"yes", b"long enough"])

    assert len(needles) == 1
    assert not needles.count(b"yes yes yes")


def test_pieces_of_a_text_are_spread_from_beginning_to_end() -> None:
    text = "The first words are here, then much else that goes on for a while, and these are the last words"

    pieces = of_text(text)

    assert text[:16].encode() in pieces
    assert text[-16:].encode() in pieces
    assert all(piece in text.encode() for piece in pieces)
    assert of_text("short") == {b"short"}
    assert of_text("-" * 100) == set(), "a line of dashes is met anywhere"


def test_the_longest_terms_are_looked_for() -> None:
    assert of_terms("a heron zebrafinch quillabeth") == {b"zebrafinch", b"quillabeth"}


def test_mostly_zeros_are_not_looked_for_in_a_vector() -> None:
    dense = vector(1, 384)

    assert len(of_vector(dense)) >= 4
    assert all(len(piece) == 32 and piece in dense for piece in of_vector(dense))
    assert of_vector(bytes(1536)) == set()
    assert of_vector(b"") == set()
