"""How long a passphrase holds."""

import pytest

from assistant.strength import LONGEST, strength_of
from storage.keys import DEFAULT_COST, FLOOR_COST


@pytest.mark.parametrize("passphrase", ["", "a", "password", "summer2024", "qwertyuiop"])
def test_what_everybody_takes_is_weak(passphrase: str) -> None:
    strength = strength_of(passphrase, FLOOR_COST)

    assert strength.weak
    assert "more words" in strength.line


def test_several_unrelated_words_hold() -> None:
    strength = strength_of("seven grey herons at low tide", FLOOR_COST)

    assert not strength.weak
    assert strength.line == (
        "somebody with 1,000 computers would guess this passphrase in more than a million years, roughly"
    )


def test_a_guess_that_costs_more_takes_longer() -> None:
    cheap, dear = (strength_of("herons99", cost).seconds for cost in (FLOOR_COST, DEFAULT_COST))

    assert dear == pytest.approx(4 * cheap)


def test_the_time_is_told_in_the_unit_that_fits() -> None:
    texts = ("", "kx7qpw", "kx7qpw0t", "kx7qpw0tb", "kx7qpw0tbuz2")
    told = [strength_of(text, DEFAULT_COST).line for text in texts]

    units = ["less than a minute", "4 minutes", "7 hours", "3 days", "6 years"]
    assert [unit for line, unit in zip(told, units, strict=True) if unit in line] == units
    assert all("roughly" in line for line in told)


def test_of_a_very_long_one_the_beginning_is_enough() -> None:
    long = "unrelated words of every kind, " * 400

    assert strength_of(long, FLOOR_COST).seconds == strength_of(long[:LONGEST], FLOOR_COST).seconds
