"""Engines with something switched off or changed."""

from dataclasses import replace

import pytest

from assistant.bench.ablation import ABLATIONS, plan_variants
from assistant.errors import BadInput
from assistant.memory.engines import NAMES
from assistant.memory.parameters import Parameters
from assistant.memory.tuning import with_changes


def test_each_engine_comes_as_it_is_and_once_for_each_change() -> None:
    variants = plan_variants(
        ["associative", "hybrid"], Parameters(), sweeps=["associative.spread_share=0.5,0.9", "synapse.inhibitors = 3"]
    )
    assert [variant.name for variant in variants] == [
        "associative",
        "associative associative.spread_share=0.5",
        "associative associative.spread_share=0.9",
        "associative synapse.inhibitors=3",
        "hybrid",
        "hybrid associative.spread_share=0.5",
        "hybrid associative.spread_share=0.9",
        "hybrid synapse.inhibitors=3",
    ]
    assert [variant.parameters.associative.spread_share for variant in variants[1:3]] == [0.5, 0.9]
    assert variants[3].parameters.synapse.inhibitors == 3
    assert not variants[0].changed


def test_an_engine_named_twice_is_asked_once() -> None:
    assert len(plan_variants(["hybrid", "hybrid"], Parameters())) == 1


@pytest.mark.parametrize(("engine", "name"), [(engine, name) for engine, known in ABLATIONS.items() for name in known])
def test_every_ablation_changes_parameters_that_there_are(engine: str, name: str) -> None:
    assert with_changes(Parameters(), ABLATIONS[engine][name]) != Parameters()


@pytest.mark.parametrize("engine", NAMES)
def test_every_engine_can_do_without_the_gate(engine: str) -> None:
    _, without = plan_variants([engine], Parameters(), ablations=["gate"])
    assert without.parameters == replace(Parameters(), gate=None)


def test_an_ablation_leaves_the_rest_as_it_is() -> None:
    _, without = plan_variants(["associative"], Parameters(), ablations=["activation"])
    assert without.name == "associative without activation"
    steps = Parameters().associative.spread_steps
    assert with_changes(without.parameters, {"associative.spread_steps": steps}) == Parameters()


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"engines": ["assoziativ"]}, "there is no engine 'assoziativ'"),
        ({"ablations": ["gravity"]}, "--ablate gravity: in the engine associative there "),
        (
            {"engines": ["hybrid"], "ablations": ["graph"]},
            "--ablate graph: in the engine hybrid there gate can be switched off",
        ),
        ({"sweeps": ["b"]}, "--sweep b: give a parameter and its values"),
        ({"sweeps": ["b="]}, "--sweep b=: give a parameter and its values"),
        (
            {"sweeps": ["associative.spread_shore=1"]},
            "there is no parameter associative.spread_shore; did you mean spread_share?",
        ),
        ({"sweeps": ["synapse=1"]}, "synapse is no number: name a parameter such as synapse.inhibition"),
        ({"sweeps": ["k1.k2=1"]}, "k1.k2 is no number"),
        ({"sweeps": ["b=much"]}, "--sweep b: 'much' is neither a number nor true or false"),
        ({"sweeps": ["synapse.steps=1.5"]}, "synapse.steps takes int values, not 1.5"),
        ({"sweeps": ["synapse.spares_anchors=1"]}, "synapse.spares_anchors takes bool values, not 1"),
    ],
)
def test_what_there_is_not_is_named(given: dict[str, list[str]], told: str) -> None:
    wanted = {"engines": ["associative"], **given}
    with pytest.raises(BadInput) as refused:
        plan_variants(
            wanted["engines"], Parameters(), ablations=wanted.get("ablations", ()), sweeps=wanted.get("sweeps", ())
        )
    assert str(refused.value).startswith(told)
