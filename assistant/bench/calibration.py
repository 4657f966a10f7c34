"""What the gate is calibrated on: its signals for each question, and whether the memory holds the answer."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from assistant.bench.outcomes import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """The signals of questions (n of each), in one order."""

    rows: tuple[Mapping[str, float], ...]
    """Signals by name; the same names in every row."""
    labels: tuple[bool, ...]
    """Whether the memory holds the answer."""
    groups: tuple[str, ...]
    """The dialogue that was asked: a calibration is tested on those that it was not made on."""


def labelled(outcomes: Iterable[Outcome]) -> Labelled:
    """Give what the gate saw of each question, where it saw anything.

    A memory holds the answer of the answerable questions about its own dialogue. It does not of adversarial ones, and
    not of those about another dialogue.
    """
    seen = [one for one in outcomes if one.signals]
    return Labelled(
        rows=tuple(one.signals for one in seen),
        labels=tuple(one.answerable and not one.foreign for one in seen),
        groups=tuple(one.sample for one in seen),
    )
