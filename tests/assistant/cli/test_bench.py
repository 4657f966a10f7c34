"""`assistant bench`: one command from a data set to its figures."""

import json
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from assistant import bootstrap
from assistant.cli.bench_calibrate import USUAL_BOUND
from assistant.memory.gate_file import gate_file, load_gate
from assistant.memory.gate_fit import BOUND
from tests.assistant.bench.invented import locomo, longmemeval, written
from tests.assistant.cli.support import Here, Home


def figures(here: Here, *arguments: str) -> dict[str, Any]:
    ran = here.run("bench", *arguments, "--json", unlocking=False)
    assert (ran.code, ran.err) == (0, "")
    found: dict[str, Any] = json.loads(ran.out)
    return found


def test_locomo_gives_its_figures_as_json_without_a_vault(here_empty: Here, tmp_path: Path) -> None:
    found = figures(here_empty, "locomo", str(written(locomo(), tmp_path)))
    assert (found["engine"], found["encoder"], found["questions"]) == ("associative", "all-MiniLM-L6-v2", 8)
    assert found["retrieval"]["share_at"]["30"] == 1.0
    assert list(found["retrieval"]["share_at"]) == ["5", "10", "30"]
    assert found["retrieval"]["by_category"]["2"]["share_at"]["10"] == 1.0
    assert set(found["abstention"]) >= {"false_refusal", "adversarial_refused", "foreign_refused"}
    assert set(found["recall_ms"]) == {"p50", "p95"}
    assert "answers" not in found
    assert not here_empty.home.paths.data.exists()


def test_engines_and_changed_numbers_stand_side_by_side(here_empty: Here, tmp_path: Path) -> None:
    found = figures(
        here_empty,
        *("locomo", str(written(locomo(), tmp_path)), "--engine", "hybrid", "--engine", "associative"),
        *("--samples", "1", "--sweep", "k1=1,2", "--foreign", "0"),
    )
    assert found["engine"] == "hybrid"
    assert list(found["engines"]) == ["hybrid", "associative"]
    assert len(found["variants"]) == 4
    assert (found["questions"], found["foreign_questions"]) == (3, 0)


def test_people_get_a_table(here_empty: Here, tmp_path: Path) -> None:
    ran = here_empty.run("bench", "locomo", str(written(locomo(), tmp_path)), "--limit", "1", unlocking=False)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("data.json: 2 conversations, 9 turns; 5 questions, 8 foreign ones; all-MiniLM-L6-v2\n")
    assert "multi-hop" in ran.out


def test_longmemeval_gives_its_figures(here_empty: Here, tmp_path: Path) -> None:
    found = figures(here_empty, "longmemeval", str(written(longmemeval(), tmp_path)))
    assert (found["questions"], found["foreign_questions"]) == (2, 2)
    assert list(found["retrieval"]["by_category"]) == ["single-session-user"]
    assert found["retrieval"]["share_at"]["5"] == found["retrieval"]["sessions"]["share_at"]["5"] == 1.0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--engine", "nowhere"], "there is no engine 'nowhere'"),
        (["--samples", "7"], "there is no conversation 7: the file has 2, numbered from 0"),
        (["--samples", "one"], "--samples one: give numbers with commas between them"),
        (["--categories", "6"], "no question has the category 6: there are 1, 2, 3, 4, 5"),
        (["--low-similarity", "0,5;1"], "--low-similarity 0,5;1: give numbers with commas between them"),
        (["--sweep", "k1"], "--sweep k1: give a parameter and its values"),
        (["--ablate", "gravity"], "--ablate gravity: in the engine associative"),
        (["--erc"], "--erc compares with the engine synaptic: add --engine synaptic"),
        (["--learn", "--resume", "state.jsonl"], "--learn cannot be resumed"),
        (["--model", "nowhere"], "there is no model 'nowhere'"),
        (["--limit", "0"], "invalid value for '--limit'"),
        (["--label-errors", "nowhere.json"], "nowhere.json cannot be read: No such file or directory"),
    ],
)
def test_what_cannot_be_is_told_in_one_line(here_empty: Here, tmp_path: Path, arguments: list[str], told: str) -> None:
    ran = here_empty.run("bench", "locomo", str(written(locomo(), tmp_path)), *arguments, unlocking=False)
    assert ran.code in {2, 5}
    assert ran.out == ""
    assert ran.err.startswith(f"assistant: {told}")
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize("command", ["locomo", "longmemeval"])
@pytest.mark.parametrize(
    ("content", "told"),
    [("", "data.json: not JSON"), ("{}", "data.json: this must be a list"), ("[]", "data.json: the list is empty")],
)
def test_a_damaged_data_set_is_told_in_one_line(
    here_empty: Here, tmp_path: Path, command: str, content: str, told: str
) -> None:
    path = tmp_path / "data.json"
    path.write_text(content)
    ran = here_empty.run("bench", command, str(path), unlocking=False)
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert ran.err.startswith(f"assistant: {told}")


def test_a_file_that_is_not_there_is_named(here_empty: Here, tmp_path: Path) -> None:
    ran = here_empty.run("bench", "locomo", str(tmp_path / "none.json"), unlocking=False)
    assert (ran.code, ran.err) == (
        2,
        f"assistant: {tmp_path / 'none.json'} cannot be read: No such file or directory\n",
    )


def test_a_run_is_resumed_by_the_same_command_and_no_other(here_empty: Here, tmp_path: Path) -> None:
    command = ["locomo", str(written(locomo(), tmp_path)), "--resume", str(tmp_path / "state.jsonl")]
    first, again = figures(here_empty, *command), figures(here_empty, *command)
    assert first == again
    other = here_empty.run("bench", *command, "--no-consolidate", unlocking=False)
    assert (other.code, other.out) == (2, "")
    assert "is of another run" in other.err


def test_the_run_is_known_by_the_digest_of_the_gate_and_not_by_its_numbers(here_empty: Here, tmp_path: Path) -> None:
    state = tmp_path / "state.jsonl"
    figures(here_empty, "locomo", str(written(locomo(), tmp_path)), "--limit", "1", "--resume", str(state))
    head = state.read_text().splitlines()[0]
    assert "refuse_below" not in head
    assert len(json.loads(head)["gates"]["associative"]) == 64


def test_without_the_gate_nothing_is_refused_and_as_much_is_found(here_empty: Here, tmp_path: Path) -> None:
    found = figures(here_empty, "locomo", str(written(locomo(), tmp_path)), "--ablate", "gate")
    without = found["variants"]["associative without gate"]
    assert found["abstention"]["false_refusal"] is not None
    assert without["abstention"]["false_refusal"] is without["abstention"]["own"] is None
    assert without["retrieval"] == found["retrieval"]


def test_a_calibration_is_kept_beside_the_settings_and_used_by_the_next_recall(here_new: Here, tmp_path: Path) -> None:
    def probability() -> float:
        ran = here_new.run("recall", "What did I buy at the market?", "--json", unlock=bootstrap.unlock)
        return float(json.loads(ran.out)["verdict"]["probability"])

    assert here_new.run("remember", "I bought a kayak at the market.", unlock=bootstrap.unlock).code == 0
    before = probability()
    command = ["calibrate", str(written(locomo(), tmp_path)), "--bound", "0.1"]
    tried = figures(here_new, *command, "--dry-run")
    assert tried["file"] is None
    assert probability() == before
    made = figures(here_new, *command)
    file = gate_file(here_new.home.paths.config, "all-MiniLM-L6-v2")
    assert made == {**tried, "file": str(file)}
    kept = load_gate(file)
    assert kept is not None
    assert made["thresholds"]["personal_refuse_below"] == kept.personal_refuse_below
    assert (made["encoder"], made["bound"]) == (kept.encoder, 0.1)
    assert [point["false_refusals"] for point in made["curve"]] == sorted(
        point["false_refusals"] for point in made["curve"]
    )
    assert made["personal_curve"]
    assert made["false_refusals"] <= 0.1
    assert probability() != before


def test_people_get_the_curve_of_a_calibration(here_empty: Here, tmp_path: Path) -> None:
    ran = here_empty.run("bench", "calibrate", str(written(locomo(), tmp_path)), "--dry-run", unlocking=False)
    assert (ran.code, ran.err) == (0, "")
    shown = ran.out.splitlines()
    assert shown[0].startswith("all-MiniLM-L6-v2: ")
    assert shown[0].endswith(" questions; at most 2.5% of the answerable ones may be refused")
    assert [line.split()[1:] for line in shown if line.startswith("by name")] == [
        ["name", "threshold", "adversarial", "foreign"]
    ]
    assert shown[-1].startswith("not kept: --dry-run; it would be ")
    assert not here_empty.home.paths.config_file.parent.exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--bound", "0.7"], "--bound 0.7: give a share from 0 to 0.5"),
        (["--samples", "1"], "the gate is tested on dialogues that it was not fitted to: give two or more"),
        (["--samples", "x"], "--samples x: give numbers with commas between them"),
    ],
)
def test_a_calibration_that_cannot_be_is_told_in_one_line(
    here_empty: Here, tmp_path: Path, arguments: list[str], told: str
) -> None:
    ran = here_empty.run("bench", "calibrate", str(written(locomo(), tmp_path)), *arguments, unlocking=False)
    assert (ran.code, ran.out, ran.err) == (2, "", f"assistant: {told}\n")


def test_the_usual_bound_is_that_of_the_fit() -> None:
    assert USUAL_BOUND == BOUND


def test_speed_tells_every_figure_with_its_unit_and_the_ratios_of_its_run(here_empty: Here) -> None:
    found = figures(here_empty, "speed", "--quick")
    small, large = found["sizes"]
    assert (small["active_turns"], large["active_turns"], large["concepts"]) == (40, 80, 24)
    assert list(large["recall_ms"]) == ["load", "encode", "score", "fetch", "gate", "all"]
    for spread in (*large["recall_ms"].values(), large["add_ms"]):
        assert 0 < spread["p50"] <= spread["p95"]
    assert large["recall_ms"]["all"]["p50"] > large["recall_ms"]["score"]["p50"]
    assert large["peak_memory_mib"] >= small["peak_memory_mib"] > 10
    assert small["file_bytes_a_turn"] > 384 * 4
    assert found["open_ms"]["key_derivation"] > 0
    starts = found["start_ms"]
    assert starts["recall"] > starts["version"]
    assert min(starts["version"], starts["python"]) > 0  # which is faster is chance: `--version` loads next to nothing
    assert found["ratios"]["--version beside python"] == pytest.approx(starts["version"] / starts["python"], abs=0.01)
    ratio = found["import"]["turns_per_second"] / found["import"]["encoder_texts_per_second"]
    assert found["ratios"]["import beside the encoder"] == pytest.approx(ratio, abs=0.01)
    assert not here_empty.home.paths.data.exists()


def test_people_get_the_speed_as_a_table(here_empty: Here) -> None:
    ran = here_empty.run("bench", "speed", "--quick", unlocking=False)
    assert (ran.code, ran.err) == (0, "")
    first, head, *rows = ran.out.splitlines()
    assert first == "recall, ms p50 / p95; all-MiniLM-L6-v2"
    assert head.split() == ["turns", "archived", "concepts", "load", "encode", "score", "fetch", "gate", "all"]
    assert [row.split()[0] for row in rows[:2]] == ["40", "80"]
    assert any(row.startswith("opening a vault: ") for row in rows)


@pytest.mark.parametrize(
    ("sizes", "told"),
    [("", " is empty"), ("0", " 0: give numbers"), ("10001", " 10001: give numbers"), ("many", " many: give numbers")],
)
def test_a_size_that_no_graph_has_is_refused(here_empty: Here, sizes: str, told: str) -> None:
    ran = here_empty.run("bench", "speed", "--sizes", sizes, unlocking=False)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"assistant: --sizes{told}")


def test_ctrl_c_keeps_what_is_done(empty: Home, tmp_path: Path) -> None:
    state = tmp_path / "state.jsonl"
    many = locomo()
    many[0]["qa"] *= 400
    command = ["bench", "locomo", str(written(many, tmp_path)), "--resume", str(state)]
    process = empty.start(*command)
    end = time.monotonic() + 60
    while not (state.exists() and state.read_bytes().count(b"\n") > 5):
        assert process.poll() is None
        assert time.monotonic() < end
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, b"")
    assert b"outcomes are kept in" in err
    kept = state.read_bytes().splitlines()
    assert all(json.loads(line) for line in kept)
    assert len(kept) > 5
