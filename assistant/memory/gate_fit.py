"""Fits the gate to questions of which it is known whether the memory holds the answer."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit

from assistant.errors import BadInput
from assistant.memory.gate import chance
from assistant.memory.gate_parameters import GateParameters, Logistic, SignalWeight
from assistant.memory.gate_signals import BESIDE_SOURCE, PERSONAL, SOURCE, STRENGTH, Signals

Vector = NDArray[np.float64]
BOUND = 0.025
"""Answerable questions that may be refused, as a share. 0 to 1. SYNAPSE, appendix C.2."""
DOUBT = 0.15
"""Answerable questions that may be refused or doubted, as a share. `BOUND` to 1."""
RIDGE = 3.0
"""L2: what a squared weight costs, beside the sum of all questions. Above 0."""
FEWEST_GROUPS = 2
"""Memories from which on a gate is tested on the one it was not fitted to. 2 and up: where it was fitted it seems so
good that its thresholds would refuse several times as much as they may."""
CONSTANT = 1e-9
"""A signal that varies less is the same everywhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A question, as the gate sees it, and what is right."""

    signals: Signals
    answerable: bool
    foreign: bool
    """Whether it is unanswerable because the memory holds no such thing, not because of whom it asks about."""
    group: str = ""
    """The memory that was asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvePoint:
    """What a threshold brings."""

    threshold: float
    false_refusals: float
    """Share of answerable questions below it."""
    foreign_refused: float | None
    """Share of those of other dialogues; None without any."""
    adversarial_refused: float | None
    """Share of those about the wrong person."""


def fit(examples: Sequence[Example], *, encoder: str, bound: float = BOUND, doubt: float = DOUBT) -> GateParameters:
    """Give the gate that tells these questions apart, with thresholds that keep false refusals within the bound.

    Parameters
    ----------
    examples
        Answerable questions and others.
    encoder
        Its name: the figures hold for no other.
    bound
        Share of answerable questions that may be refused, 0 to 1.
    doubt
        Share of them that may be refused or doubted.

    Raises
    ------
    BadInput
        There is no answerable question, or no other one.
    """
    fitted = _fit(examples, encoder=encoder)
    named, personal = _chances(examples, fitted)
    return replace(
        fitted,
        refuse_below=_at(named or personal, bound),
        sure_from=_at(named or personal, doubt),
        personal_refuse_below=_at(personal or named, bound),
        personal_sure_from=_at(personal or named, doubt),
    )


def held_out(examples: Sequence[Example], *, encoder: str) -> list[tuple[Example, float]]:
    """Give each example with its chance by a gate that was fitted to all other memories than the one it asks."""
    groups = sorted({one.group for one in examples})
    found: list[tuple[Example, float]] = []
    for group in groups:
        gate = _fit([one for one in examples if one.group != group], encoder=encoder)
        found.extend((one, chance(one.signals, gate)) for one in examples if one.group == group)
    return found


def _fit(examples: Sequence[Example], *, encoder: str) -> GateParameters:
    """Give a gate without thresholds."""
    right = [one for one in examples if one.answerable]
    foreign = [one for one in examples if not one.answerable and (one.foreign or "words" not in one.signals)]
    wrong = [one for one in examples if not one.answerable and not one.foreign and "words" in one.signals]
    if not right or not (foreign or wrong):
        raise BadInput("the gate is fitted to questions of both kinds: some that can be answered, some that cannot")
    compared = [one for one in right if "words" in one.signals]
    return GateParameters(
        encoder=encoder,
        strength=_logistic(_by_name(right) or right, _by_name(foreign) or foreign, STRENGTH),
        personal=_logistic(_in_first_person(right), _in_first_person(foreign), STRENGTH),
        source=_logistic(compared, wrong, SOURCE + BESIDE_SOURCE),
        refuse_below=0.0,
        sure_from=0.0,
        personal_refuse_below=0.0,
        personal_sure_from=0.0,
    )


def _in_first_person(examples: Sequence[Example]) -> list[Example]:
    return [one for one in examples if one.signals.get(PERSONAL, 0.0) > 0]


def _by_name(examples: Sequence[Example]) -> list[Example]:
    return [one for one in examples if not one.signals.get(PERSONAL, 0.0) > 0]


def _chances(examples: Sequence[Example], fitted: GateParameters) -> tuple[list[float], list[float]]:
    """Give the chances of the answerable questions, ascending: of others, and of those in the first person.

    Held out where there are two memories or more.

    By the gate that was fitted to them they come out too high, and so would the thresholds.
    """
    if len({one.group for one in examples}) >= FEWEST_GROUPS:
        judged = held_out(examples, encoder=fitted.encoder)
    else:
        judged = [(one, chance(one.signals, fitted)) for one in examples]
    right = [(one, by) for one, by in judged if one.answerable]
    personal = [one.signals.get(PERSONAL, 0.0) > 0 for one, _ in right]
    return (
        sorted(by for (_, by), first in zip(right, personal, strict=True) if not first),
        sorted(by for (_, by), first in zip(right, personal, strict=True) if first),
    )


def curve(judged: Sequence[tuple[Example, float]], bounds: Sequence[float]) -> list[CurvePoint]:
    """Give what is refused at each share of false refusals, of examples with their chances."""
    right = sorted(by for one, by in judged if one.answerable)
    foreign = np.array([by for one, by in judged if not one.answerable and one.foreign])
    wrong = np.array([by for one, by in judged if not one.answerable and not one.foreign])
    points = []
    for bound in bounds:
        threshold = _at(right, bound)
        points.append(
            CurvePoint(
                threshold=threshold,
                false_refusals=float(np.mean(np.array(right) < threshold)),
                foreign_refused=float(np.mean(foreign < threshold)) if foreign.size else None,
                adversarial_refused=float(np.mean(wrong < threshold)) if wrong.size else None,
            )
        )
    return points


def _logistic(right: Sequence[Example], wrong: Sequence[Example], names: Sequence[str]) -> Logistic:
    """Give the logistic regression with L2 of these signals; without weights where there is nothing to tell apart."""
    if not right or not wrong:
        return Logistic(bias=0.0, weights=())
    signals = np.array([[one.signals[name] for name in names] for one in (*right, *wrong)])
    label = np.concatenate([np.ones(len(right)), np.zeros(len(wrong))])
    mean, deviation = signals.mean(axis=0), signals.std(axis=0)
    deviation[deviation < CONSTANT] = 1.0
    standard = (signals - mean) / deviation

    def loss(free: Vector) -> tuple[float, Vector]:
        total = free[0] + standard @ free[1:]
        cost = np.logaddexp(0, total).sum() - label @ total + RIDGE * (free[1:] @ free[1:]) / 2
        miss = expit(total) - label
        return float(cost), np.concatenate([[miss.sum()], standard.T @ miss + RIDGE * free[1:]])

    best = minimize(loss, np.zeros(1 + len(names)), jac=True, method="L-BFGS-B").x
    weights = zip(names, mean, deviation, best[1:], strict=True)
    return Logistic(
        bias=float(best[0]),
        weights=tuple(
            SignalWeight(name=name, mean=float(centre), deviation=float(spread), weight=float(weight))
            for name, centre, spread, weight in weights
        ),
    )


def _at(chances: Sequence[float], share: float) -> float:
    """Give the highest threshold below which no more than this share of the chances, ascending, lie."""
    allowed = int(share * len(chances) + CONSTANT)
    return float(chances[min(allowed, len(chances) - 1)])
