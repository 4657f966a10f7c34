"""Calibrates the gate: fits it to the outcomes of a benchmark, and tells what it refuses where it was not fitted."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from assistant.bench.ablation import Variant
from assistant.bench.outcomes import Outcome
from assistant.bench.run import Plan
from assistant.bench.samples import Asked, Round
from assistant.errors import BadInput
from assistant.memory.gate_fit import BOUND, CurvePoint, Example, curve, fit, held_out
from assistant.memory.gate_parameters import GateParameters, Logistic
from assistant.memory.gate_signals import PERSONAL
from assistant.memory.parameters import Parameters
from storage.records import Role

SEEN_BY = ", seen by "
"""What stands between the names of a dialogue and of the speaker who is the user in it."""
CURVE = (0.0, 0.01, BOUND, 0.05, 0.1, 0.2, 0.3)
NOTHING = Logistic(bias=0.0, weights=())
"""Of a gate that tells nothing."""
_AUXILIARIES = {"does": "do", "has": "have", "is": "am"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """A gate, and how well it tells questions apart."""

    gate: GateParameters
    bound: float
    """Answerable questions that may be refused, as a share."""
    questions: int
    false_refusals: float
    """Share of the answerable questions that these thresholds refuse, of dialogues that the gate was not fitted to."""
    others: tuple[CurvePoint, ...]
    """Of questions that name somebody or nobody; each asked of a dialogue that the gate was not fitted to."""
    personal: tuple[CurvePoint, ...]
    """The same of questions in the first person."""

    def as_json(self) -> dict[str, Any]:
        """Give the figures."""
        return {
            "encoder": self.gate.encoder,
            "bound": self.bound,
            "questions": self.questions,
            "false_refusals": self.false_refusals,
            "thresholds": {
                "refuse_below": self.gate.refuse_below,
                "sure_from": self.gate.sure_from,
                "personal_refuse_below": self.gate.personal_refuse_below,
                "personal_sure_from": self.gate.personal_sure_from,
            },
            "curve": [asdict(point) for point in self.others],
            "personal_curve": [asdict(point) for point in self.personal],
        }


def calibrate(outcomes: Iterable[Outcome], *, encoder: str, bound: float = BOUND) -> Calibration:
    """Give the gate fitted to these outcomes; those that no gate saw are left out.

    Raises
    ------
    BadInput
        They are of fewer than two dialogues, or all of one kind: answerable, or not.
    """
    given = examples(outcomes)
    if len({one.group for one in given}) < 2:
        raise BadInput("the gate is tested on dialogues that it was not fitted to: give two or more")
    gate = fit(given, encoder=encoder, bound=bound)
    judged = held_out(given, encoder=encoder)
    return Calibration(
        gate=gate,
        bound=bound,
        questions=len(given),
        false_refusals=_refused(judged, gate),
        others=_curve([pair for pair in judged if not pair[0].signals.get(PERSONAL)]),
        personal=_curve([pair for pair in judged if pair[0].signals.get(PERSONAL)]),
    )


def examples(outcomes: Iterable[Outcome]) -> list[Example]:
    """Give what the gate saw of each question, where it saw anything, and what is right.

    A memory holds the answer of the answerable questions about its own dialogue. It does not of adversarial ones, and
    not of those about another dialogue. However many speakers see a dialogue, it is one.
    """
    return [
        Example(
            signals=one.signals,
            answerable=one.answerable and not one.foreign,
            foreign=one.foreign,
            group=one.sample.partition(SEEN_BY)[0],
        )
        for one in outcomes
        if one.signals
    ]


def calibration_plan(rounds: Sequence[Round], *, engine: str, parameters: Parameters, encoder: str) -> Plan:
    """Give what is asked for a calibration: each round as it is, and once more for each of its speakers as the user.

    The gate that is asked knows nothing yet, so that one can be made for any encoder: only its signals are of use.
    """
    names = sorted({name for one in rounds for name in _speakers(one)})
    seen = [each for one in rounds for each in (one, *(seen_by(one, name, names) for name in _speakers(one)))]
    unknowing = GateParameters(
        encoder=encoder,
        strength=NOTHING,
        personal=NOTHING,
        source=NOTHING,
        refuse_below=0.0,
        sure_from=0.0,
        personal_refuse_below=0.0,
        personal_sure_from=0.0,
    )
    variant = Variant(name=engine, engine=engine, parameters=replace(parameters, gate=unknowing), changed={})
    return Plan(rounds=[one for one in seen if one.own or one.foreign], variants=[variant])


def in_first_person(text: str, names: Sequence[str]) -> str:
    """Give a question about one of these people as that person would ask it; as it is where it names nobody."""
    if not names:
        return text
    anyone = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    owned = re.sub(rf"\b(?:{anyone})['’]s\b", "my", text)
    said = re.sub(rf"\b(?:{anyone})\b", "I", owned)
    verbs = "|".join(_AUXILIARIES)
    return re.sub(rf"\b({verbs}) I\b", lambda found: f"{_AUXILIARIES[found[1]]} I", said)


def seen_by(one: Round, name: str, names: Sequence[str]) -> Round:
    """Give a round in which one speaker is the user and asks, in the first person, what is asked about that speaker.

    `names` are the speakers of all dialogues: what is asked about those of others becomes a question about the user,
    too, of which this dialogue knows nothing. Adversarial questions are left out: without the name they may be right.
    """

    def own(asked: Asked) -> Asked:
        return replace(asked, text=in_first_person(asked.text, [name]))

    def foreign(asked: Asked) -> Asked:
        return replace(asked, text=in_first_person(asked.text, names))

    turns = tuple(
        replace(turn, utterance=replace(turn.utterance, role=Role.USER)) if turn.utterance.speaker == name else turn
        for turn in one.sample.turns
    )
    return Round(
        sample=replace(one.sample, name=f"{one.sample.name}{SEEN_BY}{name}", turns=turns),
        own=tuple(own(asked) for asked in one.own if asked.answerable and own(asked).text != asked.text),
        foreign=tuple((home, foreign(asked)) for home, asked in one.foreign if foreign(asked).text != asked.text),
    )


def _refused(judged: Sequence[tuple[Example, float]], gate: GateParameters) -> float:
    """Give the share of the answerable ones that lies below its threshold."""
    refused = [
        by < (gate.personal_refuse_below if one.signals.get(PERSONAL) else gate.refuse_below)
        for one, by in judged
        if one.answerable
    ]
    return round(sum(refused) / len(refused), 4)


def _speakers(one: Round) -> list[str]:
    return sorted({turn.utterance.speaker for turn in one.sample.turns})


def _curve(judged: Sequence[tuple[Example, float]]) -> tuple[CurvePoint, ...]:
    return tuple(curve(judged, CURVE)) if any(one.answerable for one, _ in judged) else ()
