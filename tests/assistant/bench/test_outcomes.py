"""The file that a run is resumed from."""

from pathlib import Path

import pytest

from assistant.bench.outcomes import Answered, OutcomeLog
from assistant.errors import BadInput
from tests.assistant.bench.outcomes import outcome

RUN = {"benchmark": "locomo", "data": "abc"}
ANSWERED = Answered(
    scores={"locomo": 0.5},
    refused=False,
    prompt_tokens=800,
    completion_tokens=4,
    first_token_seconds=1.5,
    seconds=2.0,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with two outcomes."""
    path = tmp_path / "state.jsonl"
    with OutcomeLog(path, RUN) as log:
        log.add(outcome(number=1, ranks=(3, 0), probability=0.25, verdict="unsure", answered=ANSWERED))
        log.add(outcome(number=2, home="elsewhere", ranks=()))
    return path


def test_outcomes_come_back_as_they_were(path: Path) -> None:
    with OutcomeLog(path, RUN) as log:
        first, second = log.outcomes.values()
    assert first == outcome(number=1, ranks=(3, 0), probability=0.25, verdict="unsure", answered=ANSWERED)
    assert second.foreign
    assert not first.foreign


@pytest.mark.parametrize("cut", [1, 30, 200])
def test_a_line_that_a_kill_cut_is_dropped_and_the_file_is_whole_again(path: Path, cut: int) -> None:
    path.write_bytes(path.read_bytes()[:-cut])
    with OutcomeLog(path, RUN) as log:
        assert [one.number for one in log.outcomes.values()] == [1]
        log.add(outcome(number=3))
    with OutcomeLog(path, RUN) as log:
        assert [one.number for one in log.outcomes.values()] == [1, 3]


def test_a_file_cut_within_its_first_line_begins_anew(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:10])
    with OutcomeLog(path, RUN) as log:
        log.add(outcome(number=7))
    with OutcomeLog(path, RUN) as log:
        assert [one.number for one in log.outcomes.values()] == [7]


def test_the_file_of_another_run_is_refused_and_left_alone(path: Path) -> None:
    before = path.read_bytes()
    with pytest.raises(BadInput, match="is of another run: other data, options or version"):
        OutcomeLog(path, {**RUN, "data": "other"})
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", ["x" * 500, "something else\nentirely\n"])
def test_a_file_that_is_no_such_file_is_refused_and_left_alone(tmp_path: Path, content: str) -> None:
    path = tmp_path / "letter.txt"
    path.write_text(content)
    with pytest.raises(BadInput, match=r"letter\.txt is "):
        OutcomeLog(path, RUN)
    assert path.read_text() == content


def test_a_line_that_is_no_outcome_is_named(path: Path) -> None:
    with path.open("a") as file:
        file.write('{"variant": "x"}\n')
    with pytest.raises(BadInput, match="line 4: this is no outcome"):
        OutcomeLog(path, RUN)


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be written"):
        OutcomeLog(tmp_path / "nowhere" / "state.jsonl", RUN)


def test_nobody_else_may_read_the_file(path: Path) -> None:
    assert path.stat().st_mode & 0o077 == 0


def test_without_a_file_outcomes_are_kept_all_the_same() -> None:
    with OutcomeLog(None, RUN) as log:
        log.add(outcome())
        assert len(log.outcomes) == 1
