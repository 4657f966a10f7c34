"""A run over two invented dialogues, without a neural network."""

import json
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assistant.bench.ablation import plan_variants
from assistant.bench.dialogue import MemoryChanged, opened
from assistant.bench.locomo import read_locomo
from assistant.bench.outcomes import Outcome, OutcomeLog
from assistant.bench.remembering import RememberingEncoder
from assistant.bench.report import About, report
from assistant.bench.run import Plan, run
from assistant.bench.samples import Selection, select
from assistant.bench.table import lines
from assistant.errors import BadInput
from assistant.memory.parameters import Parameters
from tests.assistant.bench.invented import locomo, written
from tests.doubles import HashEncoder, ScriptedModel

ABOUT = About(benchmark="locomo", file="data.json", encoder="hash", corrected=True, low_similarity=(0.9,))


def quiet(_: str) -> None:
    """Tell nobody how far it is."""


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    """Both dialogues, with all questions."""
    samples = read_locomo(written(locomo(), tmp_path))
    return Plan(
        rounds=select(samples, Selection(foreign=2)), variants=plan_variants(["associative", "hybrid"], Parameters())
    )


def ran(plan: Plan, **given: Any) -> list[Outcome]:
    """Run it all, and give what came of it."""
    with OutcomeLog(None, {}) as log:
        run(plan, log, encoder=HashEncoder(), progress=given.pop("progress", quiet), **given)
    return list(log.outcomes.values())


def of(outcomes: Sequence[Outcome], variant: str, *, foreign: bool = False) -> dict[tuple[str, int], Outcome]:
    """Give the outcomes of a variant by dialogue and question."""
    those = [one for one in outcomes if one.variant == variant and one.foreign is foreign]
    return {(one.home, one.number): one for one in those}


def test_every_variant_is_asked_every_question_and_finds_the_evidence(plan: Plan) -> None:
    told: list[str] = []
    outcomes = ran(plan, progress=told.append)
    for variant in ("associative", "hybrid"):
        own = of(outcomes, variant)
        assert len(own) == 8
        assert len(of(outcomes, variant, foreign=True)) <= 4
        assert own["talk-Greta", 2].ranks == (1,)
        assert own["talk-Noor", 1].ranks == (1,)
        assert own["talk-Greta", 1].session_ranks[0] in {1, 2, 3}
        assert all(one.milliseconds > 0 for one in own.values())
    assert "talk-Greta: 6 of 6 turns" in told
    assert "talk-Noor, hybrid: 0 of 5 questions" in told


def test_foreign_questions_have_no_evidence_to_find(plan: Plan) -> None:
    foreign = [one for one in ran(plan) if one.foreign]
    assert len(foreign) == 8
    assert all((one.ranks, one.session_ranks, one.nearest) == ((), (), None) for one in foreign)


def test_the_nearest_evidence_is_told_as_a_cosine(plan: Plan) -> None:
    own = of(ran(plan), "hybrid")
    assert all(one.nearest is not None and -1 <= one.nearest <= 1 for one in own.values())
    assert own["talk-Noor", 1].nearest > own["talk-Greta", 3].nearest  # type: ignore[operator]  # told above


def test_turns_and_questions_are_encoded_once_for_all_engines(plan: Plan) -> None:
    encoded = []
    for variants in (plan.variants[:1], plan.variants):
        encoder = HashEncoder()
        with OutcomeLog(None, {}) as log:
            run(replace(plan, variants=variants), log, encoder=encoder, progress=quiet)
        encoded.append(encoder.encoded)
    assert encoded[0] == encoded[1] > 9 + 8


def test_nothing_of_a_run_is_left_on_disk(plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    seen: list[int] = []
    ran(plan, progress=lambda _: seen.append(len(list(folder.iterdir()))))
    assert max(seen) == 1
    assert list(folder.iterdir()) == []


def test_a_run_that_was_stopped_goes_on_where_it_was(plan: Plan, tmp_path: Path) -> None:
    state = tmp_path / "state.jsonl"
    told = 0

    def stop(_: str) -> None:
        nonlocal told
        told += 1
        if told == 6:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), OutcomeLog(state, {}) as log:
        run(plan, log, encoder=HashEncoder(), progress=stop)
    done = len(log.outcomes)
    assert 0 < done < 24
    with OutcomeLog(state, {}) as log:
        assert len(log.outcomes) == done
        run(plan, log, encoder=HashEncoder(), progress=quiet)
    resumed = {key: replace(one, milliseconds=0.0) for key, one in log.outcomes.items()}
    whole = {one.key: replace(one, milliseconds=0.0) for one in ran(plan)}
    assert resumed == whole
    assert len(state.read_bytes().splitlines()) == 25


def test_a_run_that_is_done_makes_no_vault_again(plan: Plan, tmp_path: Path) -> None:
    with OutcomeLog(tmp_path / "state.jsonl", {}) as log:
        run(plan, log, encoder=HashEncoder(), progress=quiet)
        told: list[str] = []
        run(plan, log, encoder=HashEncoder(), progress=told.append)
    assert told == []


def test_no_text_stands_in_the_file_of_a_run(plan: Plan, tmp_path: Path) -> None:
    state = tmp_path / "state.jsonl"
    with OutcomeLog(state, {}) as log:
        run(plan, log, encoder=HashEncoder(), progress=quiet)
    content = state.read_text().lower()
    assert not [word for word in ("kayak", "market", "magda", "bergen", "goat") if word in content]


def test_a_memory_that_changes_while_it_is_asked_is_an_error(plan: Plan) -> None:
    with opened(plan.rounds[0].sample, RememberingEncoder(HashEncoder()), consolidate=True, progress=quiet) as dialogue:
        with dialogue.unchanged():
            dialogue.memory(plan.variants[0]).recall("What did Greta buy at the market?")
        with pytest.raises(MemoryChanged, match="asking changed the memory of talk-Greta"), dialogue.unchanged():
            dialogue.vault.settings.put("meddled", "yes")


def test_learning_asks_in_the_order_of_the_seed_and_each_variant_on_its_own(plan: Plan) -> None:
    learning = replace(plan, learn=True)
    told: list[str] = []
    outcomes = ran(learning, progress=told.append)
    orders = {
        seed: [asked.number for _, asked in replace(learning, seed=seed).questions(plan.rounds[0])] for seed in range(4)
    }
    assert [one.number for one in outcomes if one.variant == "hybrid" and one.home == one.sample == "talk-Greta"] == (
        orders[0][:5]
    )
    assert len({tuple(order) for order in orders.values()}) > 1
    assert told.count("talk-Greta: 6 of 6 turns") == 2
    assert len(outcomes) == 24


def test_equal_counts_need_the_engine_that_fires(plan: Plan) -> None:
    with pytest.raises(BadInput, match="--erc compares with the engine synaptic: add --engine synaptic"):
        replace(plan, equal_count=True)


def test_the_report_has_the_figures_of_the_first_engine_and_of_each(plan: Plan) -> None:
    varied = replace(plan, variants=plan_variants(["associative", "hybrid"], Parameters(), sweeps=["k1=0.5"]))
    found = report(varied, ran(varied), ABOUT)
    assert list(found["engines"]) == ["associative", "hybrid"]
    assert list(found["variants"]) == ["associative k1=0.5", "hybrid k1=0.5"]
    assert found["variants"]["hybrid k1=0.5"]["changed"] == {"k1": 0.5}
    assert found["retrieval"] == found["engines"]["associative"]["retrieval"]
    assert (found["engine"], found["encoder"], found["questions"]) == ("associative", "hash", 8)
    assert (found["turns"], found["evidence_dropped"]) == (9, 2)
    assert found["retrieval"]["share_at"]["30"] == 1.0
    assert found["retrieval"]["corrected"]["share_at"] == found["retrieval"]["share_at"]
    assert list(found["retrieval"]["by_category"]) == ["1", "2", "3", "4"]
    assert found["recall_ms"]["p50"] <= found["recall_ms"]["p95"]
    assert json.loads(json.dumps(found)) == found


def test_the_table_has_a_row_for_each_engine(plan: Plan) -> None:
    shown = list(lines(report(plan, ran(plan), ABOUT), {"1": "multi-hop"}))
    assert shown[0] == "data.json: 2 conversations, 9 turns; 8 questions, 4 foreign ones; hash"
    evidence = shown.index("evidence found, mean share (by category: @30)")
    assert shown[evidence + 1].split() == ["@5", "@10", "@30", "multi-hop", "2", "3", "4"]
    assert [row.split()[0] for row in shown[evidence + 2 : evidence + 4]] == ["associative", "hybrid"]
    assert shown[evidence + 2].split()[3:] == ["1.000"] * 5
    assert "the same with corrected labels" in shown
    assert "the same where no evidence is similar by 0.9" in shown
    assert len({len(row) for row in shown[evidence + 2 : evidence + 4]}) == 1


def test_a_models_answers_are_scored_and_counted(plan: Plan) -> None:
    asked = replace(plan, variants=plan.variants[:1], answers=1)
    model = ScriptedModel(["Not mentioned"] * 5)
    outcomes = ran(asked, model=model)
    found = report(asked, outcomes, replace(ABOUT, model="scripted"))
    assert len(model.requests) == found["answers"]["questions"] == 5
    assert found["answers"]["refused"]["by_category"] == dict.fromkeys("12345", 1.0)
    assert found["answers"]["locomo"]["by_category"] == {**dict.fromkeys("1234", 0.0), "5": 1.0}
    assert list(found["answers"]["a_mem"]["by_category"]) == ["1", "2", "3", "4"]
    assert found["tokens"]["prompt"] > 0
    assert any(row.startswith("answers: hela_bleu_1") for row in lines(found, {}))
