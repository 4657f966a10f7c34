"""The feeling of knowing: whether the memory holds the answer to a question, before anything is answered."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from scipy.special import expit

from assistant.memory.engines import Question, Ranking
from assistant.memory.gate_parameters import GateParameters, Logistic
from assistant.memory.gate_signals import (
    PERSONAL,
    Flags,
    Sides,
    Signals,
    Wording,
    measure,
    take_sides,
    told_rows,
    word,
)
from assistant.memory.graph import MemoryGraph
from assistant.memory.terms import terms

MOST_NAMED = 3
"""Words and speakers that one reason names at most."""


class Certainty(StrEnum):
    """What a gate says of a question."""

    KNOWN = "known"
    UNSURE = "unsure"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """How sure the memory is that it holds the answer."""

    outcome: Certainty
    probability: float
    """That it does, 0 to 1."""
    reasons: tuple[str, ...]
    """In words; they name words of the question and speakers."""
    signals: Signals
    """By name: what it went by."""


def judge(
    graph: MemoryGraph,
    question: Question,
    ranking: Ranking,
    *,
    parameters: GateParameters,
    text: str = "",
    told: Flags | None = None,
) -> Judgement:
    """Give how sure the memory is. Changes nothing.

    Parameters
    ----------
    graph
        The memory.
    question
        What is asked.
    ranking
        What the engine makes of it, of whatever engine: its order counts.
    parameters
        Calibrated for the encoder of the memory.
    text
        The question as it was asked: reasons then name its words as they stand there.
    told
        The turns (n,) that may speak for an answer, all by default.
    """
    rows = told_rows(graph, told)
    if not rows.size:
        return Judgement(
            outcome=Certainty.UNKNOWN, probability=0.0, reasons=("Nothing has been remembered yet.",), signals={}
        )
    signals = measure(graph, question, ranking, told)
    probability = chance(signals, parameters)
    outcome = decide(probability, turns=rows.size, personal=signals[PERSONAL] > 0, parameters=parameters)
    if outcome is Certainty.KNOWN:
        reasons: tuple[str, ...] = (f"What was said holds {signals['held']:.0%} of what the question asks about.",)
    else:
        wording, sides = word(graph, question, told), take_sides(graph, question, told)
        reasons = _doubts(wording, sides, signals, parameters=parameters, text=text)
    return Judgement(outcome=outcome, probability=probability, reasons=reasons, signals=signals)


def chance(signals: Mapping[str, float], parameters: GateParameters) -> float:
    """Give the chance, 0 to 1, that the memory holds the answer: there is such a thing, and it is of this person."""
    return _strength(signals, parameters) * part(signals, parameters.source)


def part(signals: Mapping[str, float], logistic: Logistic) -> float:
    """Give the chance, 0 to 1, by one of them; 1 where its signals are missing, or it tells nothing."""
    if not logistic.weights or not all(weight.name in signals for weight in logistic.weights):
        return 1.0
    total = sum(weight.weight * (signals[weight.name] - weight.mean) / weight.deviation for weight in logistic.weights)
    return float(expit(logistic.bias + total))


def _strength(signals: Mapping[str, float], parameters: GateParameters) -> float:
    """Give the chance that there is such a thing; without a calibration for the first person by that of the others."""
    personal = signals.get(PERSONAL, 0.0) > 0 and parameters.personal.weights
    return part(signals, parameters.personal if personal else parameters.strength)


def decide(probability: float, *, turns: int, personal: bool, parameters: GateParameters) -> Certainty:
    """Give what a probability amounts to in a memory of so many turns, of a question in the first person or not."""
    if probability >= (parameters.personal_sure_from if personal else parameters.sure_from):
        return Certainty.KNOWN
    least = parameters.personal_refuse_below if personal else parameters.refuse_below
    refused = probability < least and turns >= parameters.fewest_turns
    return Certainty.UNKNOWN if refused else Certainty.UNSURE


def _doubts(
    wording: Wording, sides: Sides, signals: Signals, *, parameters: GateParameters, text: str
) -> tuple[str, ...]:
    """Give why not, what weighs most first; at least one reason."""
    strength, source = _strength(signals, parameters), part(signals, parameters.source)
    nothing = [*_unseen(wording, text), f"The nearest memory has a cosine of {signals['cosine']:.2f}."]
    others = _whose(wording, sides, signals, text)
    return tuple([*others, *nothing] if source < strength else [*nothing, *others])


def _unseen(wording: Wording, text: str) -> list[str]:
    """Give the reason that nobody ever said a word, if so."""
    unseen = _as_asked(wording.unseen, text)
    return [f"Nobody here ever said {_listed(unseen)}."] if unseen else []


def _whose(wording: Wording, sides: Sides, signals: Signals, text: str) -> list[str]:
    """Give the reasons that it is somebody else's, if so."""
    if "words" not in signals:
        return []
    asked, others = (_listed(list(names), quoted=False) for names in (sides.asked_names, sides.other_names))
    theirs = wording.said_by(sides.others) & ~wording.said_by(sides.asked)
    only = _as_asked(tuple(term for term, there in zip(wording.terms, theirs, strict=True) if there), text)
    reasons = []
    if only:
        reasons.append(f"{others} spoke of {_listed(only)}, {asked} never did.")
    if signals["words"] < 0:
        reasons.append(f"{others} spoke more of this than {asked}.")
    return reasons


def _as_asked(wanted: tuple[str, ...], text: str) -> list[str]:
    """Give these terms as the words that they are in the question; as they are where it does not have them."""
    spelt: dict[str, str] = {}
    for one in text.split():
        for term in terms(one):
            spelt.setdefault(term, one.strip(".,;:!?\"'()"))
    return list(dict.fromkeys(spelt.get(term, term) for term in wanted))


def _listed(words: list[str], *, quoted: bool = True) -> str:
    """Give words as they are listed in a sentence; of many the first few."""
    shown = [f"“{one}”" if quoted else one for one in words[:MOST_NAMED]]
    if len(words) > MOST_NAMED:
        shown.append("others")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
