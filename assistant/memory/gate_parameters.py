"""The numbers of the gate, and those calibrated for the default encoder."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalWeight:
    """What one signal of the gate counts."""

    name: str
    """As in `gate_signals`."""
    mean: float
    deviation: float
    """Among the questions of the calibration; above 0."""
    weight: float
    """In the logarithm of the odds, for one deviation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Logistic:
    """A logistic regression: p = 1 / (1 + exp(-bias - sum of weight (signal - mean) / deviation))."""

    bias: float
    weights: tuple[SignalWeight, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GateParameters:
    """How sure a memory is that it holds the answer: two chances, multiplied. Made by `assistant bench calibrate`."""

    encoder: str
    """The encoder whose vectors they hold for."""
    strength: Logistic
    """That there is such a thing at all."""
    personal: Logistic
    """The same for a question in the first person, which names nobody: a name in it would bring it nearer to turns."""
    source: Logistic
    """That it is of those who are asked about, where a question asks about some people and not about others."""
    refuse_below: float
    """Probability below which a question is refused. 0 to 1."""
    sure_from: float
    """Probability from which the memory is sure. `refuse_below` to 1."""
    personal_refuse_below: float
    personal_sure_from: float
    """The same for a question in the first person."""
    fewest_turns: int = 30
    """Turns below which nothing is refused, but doubted: the memory has heard too little to go by, and all of it fits
    into a prompt. 0 and up."""


def _weights(*rows: tuple[str, float, float, float]) -> tuple[SignalWeight, ...]:
    return tuple(
        SignalWeight(name=name, mean=mean, deviation=deviation, weight=weight) for name, mean, deviation, weight in rows
    )


MINILM_GATE = GateParameters(
    encoder="all-MiniLM-L6-v2",
    strength=Logistic(
        bias=0.8542,
        weights=_weights(
            ("cosine", 0.5146, 0.1557, 3.8217),
            ("core_cosine", 0.4378, 0.1295, -0.7567),
            ("cosine_stands_out", 3.2152, 0.7227, -1.0158),
            ("core_stands_out", 4.086, 1.2606, 1.2447),
            ("unseen", 0.3536, 0.3334, -0.3168),
            ("held", 0.6003, 0.3462, 0.2414),
            ("best_coverage", 0.4965, 0.3288, 1.1438),
            ("coverage", 0.2736, 0.2155, -0.1114),
            ("core_terms", 1.5629, 0.3619, 0.0668),
        ),
    ),
    personal=Logistic(
        bias=0.5257,
        weights=_weights(
            ("cosine", 0.4607, 0.1346, 1.1507),
            ("core_cosine", 0.4312, 0.1386, 0.5015),
            ("cosine_stands_out", 4.146, 1.1179, 0.1399),
            ("core_stands_out", 4.269, 1.2036, -0.2711),
            ("unseen", 0.2922, 0.3231, 0.2867),
            ("held", 0.6501, 0.3392, 0.4442),
            ("best_coverage", 0.5425, 0.3192, 1.2374),
            ("coverage", 0.3008, 0.2178, -0.2067),
            ("core_terms", 1.4712, 0.367, 0.3249),
        ),
    ),
    source=Logistic(
        bias=1.9323,
        weights=_weights(
            ("words", 0.025, 0.0734, 0.395),
            ("words_widely", 0.0139, 0.0469, 0.8969),
            ("best_words", 0.1119, 0.3503, 0.9542),
            ("best_bm25", 1.3583, 5.7861, -0.6097),
            ("bm25_widely", 0.2891, 0.8611, -0.3605),
            ("meaning", 0.0127, 0.0448, 0.3834),
            ("words_in_first_person", -0.9312, 0.2002, 0.2222),
            ("others_in_first_person", -1.067, 0.2323, -0.1464),
            ("spoken_to_others", -4.65, 2.1034, -0.5983),
            ("habit", 1.0984, 3.3839, 0.437),
            ("only_others", 0.0731, 0.1809, -0.1043),
            ("first_ten", 0.3508, 0.1184, 0.3106),
            ("core_terms", 1.4841, 0.362, -0.3096),
            ("core_cosine", 0.5051, 0.1168, 0.2199),
            ("best_coverage", 0.7001, 0.2703, -0.4481),
            ("coverage", 0.3741, 0.2011, 0.7123),
            ("core_stands_out", 4.7104, 1.2659, -0.1072),
        ),
    ),
    refuse_below=0.2504,
    sure_from=0.6033,
    personal_refuse_below=0.1233,
    personal_sure_from=0.4723,
)
"""Calibrated on five conversations of LoCoMo, as they are and asked in the first person, to refuse 2.5 % of what can be
answered."""
