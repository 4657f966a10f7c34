from pathlib import Path

import pytest

from assistant.errors import AssistantError
from assistant.language.speed import ReadingSpeed


def test_before_the_first_measurement_the_budget_is_moderate(tmp_path: Path) -> None:
    speed = ReadingSpeed(tmp_path / "speed.json")
    assert speed.tokens_per_second("model.gguf") is None
    assert speed.memory_budget("model.gguf") == 400


def test_the_budget_follows_the_measured_speed_of_each_model(tmp_path: Path) -> None:
    speed = ReadingSpeed(tmp_path / "state" / "speed.json")
    speed.add("/somewhere/fast.gguf", tokens=200, seconds=1.0)
    speed.add("slow.gguf", tokens=100, seconds=10.0)
    speed.add("monster.gguf", tokens=64, seconds=0.01)
    again = ReadingSpeed(tmp_path / "state" / "speed.json")
    assert again.tokens_per_second("fast.gguf") == 200
    assert again.memory_budget("fast.gguf") == 800
    assert again.memory_budget("fast.gguf", seconds=2) == 400
    assert again.memory_budget("slow.gguf") == 200
    assert again.memory_budget("monster.gguf") == 1500


def test_one_slow_minute_does_not_decide(tmp_path: Path) -> None:
    speed = ReadingSpeed(tmp_path / "speed.json")
    for _ in range(5):
        speed.add("model.gguf", tokens=100, seconds=1.0)
    speed.add("model.gguf", tokens=100, seconds=10.0)
    assert speed.tokens_per_second("model.gguf") == pytest.approx(73)


@pytest.mark.parametrize(("tokens", "seconds"), [(63, 1.0), (100, 0.0), (100, -1.0), (100, float("nan"))])
def test_samples_that_say_nothing_are_left_out(tmp_path: Path, tokens: int, seconds: float) -> None:
    speed = ReadingSpeed(tmp_path / "speed.json")
    speed.add("model.gguf", tokens=tokens, seconds=seconds)
    assert speed.tokens_per_second("model.gguf") is None


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b'{"model.gguf": "fast"}', b'{"model.gguf": -3}', b"\xff"])
def test_a_damaged_file_counts_as_nothing_measured(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "speed.json"
    path.write_bytes(content)
    speed = ReadingSpeed(path)
    assert speed.memory_budget("model.gguf") == 400
    speed.add("model.gguf", tokens=100, seconds=1.0)
    assert speed.tokens_per_second("model.gguf") == 100
    assert [child.name for child in tmp_path.iterdir()] == ["speed.json"]


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("no folder")
    with pytest.raises(AssistantError, match="cannot be written"):
        ReadingSpeed(tmp_path / "state" / "speed.json").add("model.gguf", tokens=100, seconds=1.0)
