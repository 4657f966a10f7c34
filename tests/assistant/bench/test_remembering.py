"""An encoder that encodes each text once."""

import numpy as np

from assistant.bench.remembering import RememberingEncoder
from tests.doubles import HashEncoder


def test_a_text_is_encoded_once_and_keeps_its_vector() -> None:
    encoder = HashEncoder()
    remembering = RememberingEncoder(encoder)
    first = remembering.encode(["the boat", "the key", "the boat"])
    again = remembering.encode(["the key", "the boat"])
    assert encoder.encoded == 2
    assert np.array_equal(first[[1, 0]], again)
    assert np.array_equal(again, HashEncoder().encode(["the key", "the boat"]))


def test_what_was_saved_is_told_once() -> None:
    remembering = RememberingEncoder(HashEncoder())
    remembering.encode(["the boat"])
    assert remembering.take_saved() == 0.0
    remembering.encode(["the boat", "the key"])
    assert remembering.take_saved() > 0.0
    assert remembering.take_saved() == 0.0


def test_what_is_forgotten_is_encoded_again() -> None:
    encoder = HashEncoder()
    remembering = RememberingEncoder(encoder)
    remembering.encode(["the boat"])
    remembering.forget()
    remembering.encode(["the boat"])
    assert encoder.encoded == 2
    assert remembering.take_saved() == 0.0


def test_no_text_gives_no_vector() -> None:
    remembering = RememberingEncoder(HashEncoder(dimension=8))
    assert remembering.encode([]).shape == (0, 8)
    assert remembering.space == HashEncoder(dimension=8).space
    assert remembering.passages("the boat") == [(0, 8)]
