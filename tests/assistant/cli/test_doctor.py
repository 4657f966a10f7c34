from assistant.language.speed import ReadingSpeed
from tests.assistant.cli.support import Home


def test_the_memories_that_fit_are_told_with_the_reason(full: Home) -> None:
    def budget() -> str:
        (line,) = [line for line in full.run("doctor").out.splitlines() if " budget " in line]
        return line

    assert "400 tokens of memories in a prompt (not measured yet)" in budget()
    ReadingSpeed(full.paths.speed_file).add("qwen2.5-coder-1.5b.gguf", tokens=2000, seconds=10)
    assert "800 tokens of memories in a prompt (it reads 200 a second here)" in budget()
    full.configure("memory_tokens = 700\n")
    assert "700 tokens of memories in a prompt (by the settings)" in budget()
