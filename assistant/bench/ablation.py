"""Engines with one mechanism switched off, or one number changed: what SYNAPSE's tables 3, 6 and 7 compare."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assistant.errors import BadInput
from assistant.memory.engines import find_engine
from assistant.memory.parameters import PUBLISHED_SYNAPTIC, Parameters
from assistant.memory.tuning import with_changes

Changes = Mapping[str, float | bool]
"""New values of parameters, each by its name, with that of its mechanism before a point."""

EVERYWHERE: Mapping[str, Changes] = {"gate": {"gate": False}}
"""What can be switched off in every engine."""
ABLATIONS: Mapping[str, Mapping[str, Changes]] = {
    "synapse": {
        "inhibition": {"synapse.inhibition": 0.0},
        "fan": {"synapse.fan_power": 0.0},
        "decay": {"synapse.decay": 0.0},
        "activation": {"synapse.activation_weight": 0.0},
        "graph": {"synapse.share": 0.0, "synapse.prior_weight": 0.0},
        "vectors-only": {"synapse.activation_weight": 0.0, "synapse.prior_weight": 0.0},
    },
    "associative": {
        "activation": {"associative.spread_steps": 0},
        "decay": {"temporal_decay": 0.0},
        "graph": {"associative.spread_steps": 0, "associative.session_weight": 0.0, "associative.concept_weight": 0.0},
        "concepts": {"associative.concept_weight": 0.0, "associative.abstraction_share": 0.0},
        "person": {"associative.person_factor": 1.0, "associative.person_prior": 0.0},
        "time": {"associative.time_energy": 0.0},
        "vectors-only": {
            "associative.core_weight": 0.0,
            "associative.bm25_weight": 0.0,
            "associative.function_weight": 0.0,
            "associative.session_weight": 0.0,
            "associative.concept_weight": 0.0,
            "associative.person_factor": 1.0,
            "associative.person_prior": 0.0,
            "associative.time_energy": 0.0,
            "associative.spread_steps": 0,
        },
    },
    "synaptic": {
        "activation": {"synaptic.least_stimulus": 1e9},
        "calibration": {
            f"synaptic.{name}": getattr(PUBLISHED_SYNAPTIC, name)
            for name in ("time_scale", "threshold", "rest_potential", "rest_current")
        },
    },
    "hela": {
        "activation": {"hela.lifted": 0},
        "vectors-only": {"hela.lifted": 0, "hela.keyword_weight": 0.0, "hela.days": 1e9},
    },
}
"""What else can be switched off, by engine. Each leaves all the rest as it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """An engine with its numbers."""

    name: str
    engine: str
    parameters: Parameters
    changed: Mapping[str, float | bool]
    """What is not as usual; empty for the engine as it is."""


def plan_variants(
    engines: Sequence[str], parameters: Parameters, *, ablations: Sequence[str] = (), sweeps: Sequence[str] = ()
) -> list[Variant]:
    """Give each engine as it is, and once for each ablation and each value of each sweep (`name=value,value`).

    Raises
    ------
    BadInput
        There is no such engine or parameter, the engine has no such mechanism, or a value cannot be used.
    """
    for engine in engines:
        find_engine(engine)
    swept = [one for text in sweeps for one in _sweep(text, parameters)]
    variants = []
    for engine in dict.fromkeys(engines):
        variants.append(Variant(name=engine, engine=engine, parameters=parameters, changed={}))
        changes = [(f"without {name}", _ablation(engine, name)) for name in ablations] + swept
        for what, changed in changes:
            varied = with_changes(parameters, changed)
            variants.append(Variant(name=f"{engine} {what}", engine=engine, parameters=varied, changed=changed))
    return variants


def _ablation(engine: str, name: str) -> Changes:
    known = {**EVERYWHERE, **ABLATIONS.get(engine, {})}
    if name not in known:
        message = f"--ablate {name}: in the engine {engine} there {', '.join(known)} can be switched off"
        raise BadInput(message)
    return known[name]


def _sweep(text: str, parameters: Parameters) -> list[tuple[str, Changes]]:
    name, equals, values = text.partition("=")
    given = [value.strip() for value in values.split(",") if value.strip()]
    if not equals or not given:
        message = f"--sweep {text}: give a parameter and its values, such as associative.spread_share=0.6,0.8"
        raise BadInput(message)
    found: list[tuple[str, Changes]] = []
    for value in given:
        changes = {name.strip(): _parsed(value, whole=name)}
        with_changes(parameters, changes)
        found.append((f"{name.strip()}={value}", changes))
    return found


def _parsed(text: str, *, whole: str) -> float | bool:
    if text in {"true", "false"}:
        return text == "true"
    try:
        return int(text) if text.lstrip("-").isdecimal() else float(text)
    except ValueError as error:
        message = f"--sweep {whole}: {text!r} is neither a number nor true or false"
        raise BadInput(message) from error
