"""The gate: what it says of questions, why, and how it is fitted and kept."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from assistant.errors import BadConfig, BadInput
from assistant.memory.engines import Question, Ranking, find_engine
from assistant.memory.gate import Certainty, Judgement, chance, decide, judge
from assistant.memory.gate_file import gate_file, load_gate, save_gate
from assistant.memory.gate_fit import Example, curve, fit, held_out
from assistant.memory.gate_parameters import MINILM_GATE, GateParameters, Logistic, SignalWeight
from assistant.memory.gate_signals import BESIDE_SOURCE, PERSONAL, SOURCE, STRENGTH, measure, take_sides
from assistant.memory.graph import MemoryGraph
from assistant.memory.parameters import Parameters
from assistant.memory.question import read_question
from assistant.memory.stored import Stored
from storage.records import GraphRow, Role
from tests.conftest import NOON
from tests.doubles import HashEncoder

Line = tuple[str, str]
ENCODER = HashEncoder()
ROLES = {"Kai": Role.USER, "Assistant": Role.ASSISTANT}
SHARP = replace(MINILM_GATE, fewest_turns=0)
PAIR: list[Line] = [
    ("Ann", "I bought a helicopter last week."),
    ("Bob", "Congratulations! I only ride a bicycle."),
    ("Ann", "I fly my helicopter on Sundays, over the harbour."),
    ("Bob", "My bicycle is green, and I ride it to the bakery."),
    ("Ann", "I paint the helicopter red tomorrow."),
    ("Bob", "I will ride my bicycle through the forest."),
]


def graph_of(lines: Sequence[Line]) -> MemoryGraph:
    """Give the graph of a talk."""
    from assistant.memory.terms import terms

    texts = [f"{speaker}: {text}" for speaker, text in lines]
    rows = tuple(
        GraphRow(
            node=number + 1,
            conversation=1,
            position=number,
            role=ROLES.get(speaker, Role.OTHER),
            speaker=speaker,
            microseconds=number,
            terms=" ".join(terms(text)),
        )
        for number, ((speaker, _), text) in enumerate(zip(lines, texts, strict=True))
    )
    stored = Stored(rows=rows, owners=np.arange(1, len(rows) + 1), vectors=ENCODER.encode(texts))
    return MemoryGraph.build(stored, parameters=Parameters(), now_us=len(rows))


def asked(graph: MemoryGraph, text: str, *, engine: str = "associative") -> tuple[Question, Ranking]:
    """Give a question and what an engine makes of it."""
    speakers = {row.speaker: row.role for row in graph.rows}
    question = read_question(text, speakers=speakers, encoder=ENCODER, now=NOON)
    return question, find_engine(engine)(graph, question)


def judged(lines: Sequence[Line], text: str, *, parameters: GateParameters = SHARP) -> Judgement:
    """Give what the gate says of a question about a talk."""
    graph = graph_of(lines)
    return judge(graph, *asked(graph, text), parameters=parameters, text=text)


def test_what_was_said_is_known() -> None:
    judgement = judged(PAIR, "What colour does Ann paint the helicopter?")
    assert judgement.outcome is Certainty.KNOWN
    assert judgement.reasons == ("What was said holds 59% of what the question asks about.",)


def test_what_nobody_ever_said_is_unknown_and_its_words_are_named() -> None:
    judgement = judged(PAIR, "Which submarine did Zoe's grandmother sink?")
    assert judgement.outcome is Certainty.UNKNOWN
    assert judgement.reasons[0] == "Nobody here ever said “submarine”, “Zoe's”, “grandmother” and others."


def test_the_right_thing_of_the_wrong_person_is_less_sure_and_says_whose_it_is() -> None:
    right, wrong = judged(PAIR, "When does Ann fly the helicopter?"), judged(PAIR, "When does Bob fly the helicopter?")
    assert wrong.probability < 0.2
    assert right.probability > 0.6
    assert wrong.reasons[0] == "Ann spoke of “fly” and “helicopter”, Bob never did."


def test_a_new_user_who_told_a_name_is_not_refused_it() -> None:
    lines = [("Kai", "My name is Kai."), ("Assistant", "Nice to meet you!")]
    for text in ("What is my name?", "What am I called?", "Who am I?"):
        assert judged(lines, text, parameters=MINILM_GATE).outcome is not Certainty.UNKNOWN, text


def test_an_empty_memory_knows_nothing() -> None:
    graph = graph_of([])
    judgement = judge(graph, *asked(graph_of(PAIR), "What did Ann buy?"), parameters=MINILM_GATE)
    assert (judgement.outcome, judgement.probability) == (Certainty.UNKNOWN, 0.0)
    assert judgement.reasons == ("Nothing has been remembered yet.",)


def test_scripts_without_spaces_are_judged_by_their_bigrams() -> None:
    lines = [("Kai", "我叫小明，我住在上海。"), ("Kai", "我喜欢喝绿茶。"), ("Kai", "上周我去了北京出差。")]
    known, unknown = judged(lines, "我喜欢喝什么？"), judged(lines, "法国的首都？")
    assert known.probability > unknown.probability
    assert known.signals["held"] > 0.5 > unknown.signals["held"]


def test_the_assistant_is_not_held_against_the_user() -> None:
    graph = graph_of([("Kai", "I live in Lisbon."), ("Assistant", "Lisbon is lovely, I live nowhere.")])
    question, ranking = asked(graph, "Where do I live?")
    assert not take_sides(graph, question).opposed
    assert set(measure(graph, question, ranking)) == {*STRENGTH, PERSONAL}


def test_what_may_not_speak_for_an_answer_counts_for_nothing() -> None:
    lines = [*PAIR, ("Assistant", "A submarine costs a lot."), ("Ann", "What does a submarine cost?")]
    graph = graph_of(lines)
    question, ranking = asked(graph, "What did Ann pay for the submarine?")
    told = np.array([True] * len(PAIR) + [False, False])
    alone, whole = measure(graph, question, ranking, told), measure(graph, question, ranking)
    assert alone["held"] < whole["held"]
    assert alone["unseen"] > whole["unseen"]
    assert alone["cosine"] == float(ranking.cosine[: len(PAIR)].max()) < whole["cosine"]
    sides = take_sides(graph, question, told)
    assert (int(sides.asked.sum()), int(sides.others.sum()), sides.before.tolist()) == (3, 3, [0, 0, 1, 2, 3, 4])
    judgement = judge(graph, question, ranking, parameters=SHARP, text="What did Ann pay for the submarine?", told=told)
    assert "Nobody here ever said “pay” and “submarine”." in judgement.reasons


def test_with_nothing_that_may_speak_it_is_as_if_nothing_was_said() -> None:
    graph = graph_of(PAIR)
    judgement = judge(graph, *asked(graph, "What?"), parameters=SHARP, told=np.zeros(len(PAIR), dtype=bool))
    assert judgement.reasons == ("Nothing has been remembered yet.",)


@given(seed=st.integers(0, 99), count=st.integers(1, 5))
def test_the_turn_before_is_the_last_one_in_the_session_that_may_speak(seed: int, count: int) -> None:
    graph = graph_of(PAIR)
    rows = np.sort(np.random.default_rng(seed).choice(len(PAIR), size=count, replace=False))
    told = np.isin(np.arange(len(PAIR)), rows)
    question, _ = asked(graph, "What did Ann buy?")
    assert take_sides(graph, question, told).before.tolist() == [max(place - 1, 0) for place in range(count)]


def test_a_question_about_nobody_has_no_signals_of_source() -> None:
    graph = graph_of(PAIR)
    assert set(measure(graph, *asked(graph, "What colour is the bicycle?"))) == {*STRENGTH, PERSONAL}
    assert set(measure(graph, *asked(graph, "What did Ann and Bob ride?"))) == {*STRENGTH, PERSONAL}
    assert set(measure(graph, *asked(graph, "What did Ann ride?"))) == {*STRENGTH, *SOURCE, PERSONAL}


def test_what_one_person_says_counts_for_that_person() -> None:
    graph = graph_of(PAIR)
    ann, bob = (measure(graph, *asked(graph, f"Does {name} fly a helicopter?")) for name in ("Ann", "Bob"))
    assert ann["best_words"] == pytest.approx(1.0)
    for name in ("words", "best_words", "best_bm25", "habit", "words_in_first_person"):
        assert ann[name] > 0.0 > bob[name] or name.endswith("first_person"), name
    assert ann["words_in_first_person"] > bob["words_in_first_person"]
    assert (ann["only_others"], bob["only_others"]) == (0.0, 1.0)


def test_unseen_words_tell_little_in_a_small_memory() -> None:
    few, many = graph_of(PAIR[:1]), graph_of(PAIR * 4)
    unseen = [measure(graph, *asked(graph, "Which submarine sank?"))["unseen"] for graph in (few, many)]
    assert unseen[0] == 0.0
    assert unseen[1] > 0.9


@pytest.mark.parametrize("engine", ["associative", "synapse", "hela", "synaptic", "hybrid"])
def test_the_gate_takes_the_ranking_of_every_engine(engine: str) -> None:
    graph = graph_of(PAIR)
    for text in ("What did Ann buy?", "Which submarine?"):
        judgement = judge(graph, *asked(graph, text, engine=engine), parameters=MINILM_GATE)
        assert 0 <= judgement.probability <= 1
        assert judgement.reasons


def test_only_the_order_of_a_ranking_counts() -> None:
    graph = graph_of(PAIR)
    question, ranking = asked(graph, "What did Ann buy?")
    stretched = replace(ranking, score=np.expm1(3 * ranking.score))
    assert measure(graph, question, stretched) == measure(graph, question, ranking)


def test_only_a_question_in_the_first_person_is_personal() -> None:
    graph = graph_of([("Kai", "I live in Lisbon."), *PAIR])
    asks = {"Where do I live?": 1.0, "Where does Kai live?": 0.0, "Who lives in Lisbon?": 0.0}
    assert {text: measure(graph, *asked(graph, text))[PERSONAL] for text in asks} == asks


def test_the_first_person_has_thresholds_of_its_own() -> None:
    gate = replace(SHARP, refuse_below=0.5, sure_from=0.9, personal_refuse_below=0.1, personal_sure_from=0.3)
    assert decide(0.4, turns=99, personal=False, parameters=gate) is Certainty.UNKNOWN
    assert decide(0.4, turns=99, personal=True, parameters=gate) is Certainty.KNOWN


def test_without_a_calibration_the_first_person_is_judged_as_others_are() -> None:
    signals = dict.fromkeys(STRENGTH, 0.4) | {PERSONAL: 1.0}
    without = replace(MINILM_GATE, personal=Logistic(bias=0.0, weights=()))
    assert chance(signals, without) == chance({**signals, PERSONAL: 0.0}, MINILM_GATE) != chance(signals, MINILM_GATE)


def test_the_chance_is_the_product_of_both_by_hand() -> None:
    gate = replace(
        MINILM_GATE,
        strength=Logistic(bias=1.0, weights=(SignalWeight(name="cosine", mean=0.5, deviation=0.1, weight=2.0),)),
        source=Logistic(bias=0.0, weights=(SignalWeight(name="words", mean=0.0, deviation=0.5, weight=1.0),)),
    )
    assert chance({"cosine": 0.45}, gate) == pytest.approx(expit(0.0))
    assert chance({"cosine": 0.45, "words": 0.5}, gate) == pytest.approx(0.5 * expit(1.0))


@given(st.floats(0, 1), st.floats(0, 1), st.integers(0, 100), st.booleans())
def test_a_higher_chance_is_never_less_certain(one: float, other: float, turns: int, personal: bool) -> None:
    order = list(Certainty)[::-1]
    low, high = (
        order.index(decide(p, turns=turns, personal=personal, parameters=MINILM_GATE)) for p in sorted((one, other))
    )
    assert low <= high


def test_nothing_is_refused_before_there_is_something_to_go_by() -> None:
    assert decide(0.0, turns=29, personal=False, parameters=MINILM_GATE) is Certainty.UNSURE
    assert decide(0.0, turns=30, personal=False, parameters=MINILM_GATE) is Certainty.UNKNOWN


def examples(count: int, *, group: str = "", seed: int = 0) -> list[Example]:
    """Give questions of which `cosine` tells the foreign ones, and `words` those about the wrong person."""
    random = np.random.default_rng(seed)
    found = []
    for number in range(count):
        kind = number % 3
        signals = dict(zip([*STRENGTH, *SOURCE], random.normal(size=len(STRENGTH) + len(SOURCE)), strict=True))
        signals["cosine"] += -6 if kind == 1 else 0
        signals["words"] += -4 if kind == 2 else 0
        found.append(Example(signals=signals, answerable=kind == 0, foreign=kind == 1, group=group))
    return found


def test_the_fit_finds_what_tells_the_questions_apart() -> None:
    gate = fit(examples(600), encoder="e")
    strongest = [max(one.weights, key=lambda w: abs(w.weight)).name for one in (gate.strength, gate.source)]
    assert strongest == ["cosine", "words"]
    assert [w.name for w in gate.source.weights] == [*SOURCE, *BESIDE_SOURCE]


@pytest.mark.parametrize("bound", [0.0, 0.025, 0.1])
def test_the_threshold_keeps_false_refusals_within_the_bound(bound: float) -> None:
    given_ones = examples(600)
    gate = fit(given_ones, encoder="e", bound=bound)
    right = [chance(one.signals, gate) for one in given_ones if one.answerable]
    refused = np.mean(np.array(right) < gate.refuse_below)
    assert bound - 0.01 <= refused <= bound
    assert gate.refuse_below <= gate.sure_from


def test_the_curve_rises_and_counts_each_kind() -> None:
    groups = [one for number in range(3) for one in examples(150, group=str(number), seed=number)]
    judged_ones = held_out(groups, encoder="e")
    assert len(judged_ones) == len(groups)
    points = curve(judged_ones, [0.0, 0.02, 0.1])
    assert [p.false_refusals for p in points] == [0.0, 0.02, 0.1]
    foreign = [p.foreign_refused for p in points]
    assert None not in foreign
    assert foreign == sorted(foreign, key=lambda share: share or 0.0)
    assert (foreign[-1] or 0.0) > 0.9


def test_questions_in_the_first_person_are_fitted_apart() -> None:
    others = examples(300, seed=1)
    own = [
        replace(one, signals={**one.signals, PERSONAL: 1.0, "cosine": one.signals["cosine"] - 3})
        for one in examples(300, seed=2)
    ]
    gate = fit([*others, *own], encoder="e")
    assert gate.strength == fit(others, encoder="e").strength
    assert gate.personal.weights[0].mean == pytest.approx(gate.strength.weights[0].mean - 3, abs=0.5)
    for group, least in ((others, gate.refuse_below), (own, gate.personal_refuse_below)):
        refused = np.mean([chance(one.signals, gate) < least for one in group if one.answerable])
        assert refused == pytest.approx(0.02), least


def test_questions_of_one_kind_are_no_calibration() -> None:
    with pytest.raises(BadInput, match="of both kinds"):
        fit([one for one in examples(30) if one.answerable], encoder="e")


def test_a_gate_comes_back_from_its_file_as_it_was(tmp_path: Path) -> None:
    path = gate_file(tmp_path / "new", "sentence-transformers/a b")
    assert path.name == "gate-sentence-transformers-a-b.json"
    assert load_gate(path) is None
    save_gate(path, MINILM_GATE)
    assert load_gate(path) == MINILM_GATE
    assert [one.name for one in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize(
    "damage",
    [
        {"assistant-gate": 2},
        {"refuse_below": 0.9, "sure_from": 0.1},
        {"refuse_below": float("nan")},
        {"strength": {"bias": 0.0, "weights": [{"name": "age", "mean": 0, "deviation": 1, "weight": 1}]}},
        {"source": {"bias": 0.0, "weights": [{"name": "words", "mean": 0, "deviation": 0, "weight": 1}]}},
        {"more": 1},
    ],
)
def test_a_damaged_file_is_refused_and_named(tmp_path: Path, damage: dict[str, object]) -> None:
    path = tmp_path / "gate.json"
    save_gate(path, MINILM_GATE)
    path.write_text(json.dumps({**json.loads(path.read_text()), **damage}))
    with pytest.raises(BadConfig, match=r"gate\.json is no calibration of the gate"):
        load_gate(path)
