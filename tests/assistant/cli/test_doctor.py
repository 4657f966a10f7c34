"""What the doctor finds, and what it says to do."""

import json
from typing import Any

from assistant.language.speed import ReadingSpeed
from tests.assistant.cli.support import Here, Home


def test_the_memories_that_fit_are_told_with_the_reason(full: Home) -> None:
    def budget() -> str:
        (line,) = [line for line in full.run("doctor").out.splitlines() if " budget " in line]
        return line

    assert "400 tokens of memories in a prompt (not measured yet)" in budget()
    ReadingSpeed(full.paths.speed_file).add("qwen2.5-coder-1.5b.gguf", tokens=2000, seconds=10)
    assert "800 tokens of memories in a prompt (it reads 200 a second here)" in budget()
    full.configure("memory_tokens = 700\n")
    assert "700 tokens of memories in a prompt (by the settings)" in budget()


def findings(here: Here) -> tuple[int, dict[str, dict[str, Any]]]:
    ran = here.run("doctor", "--json", unlocking=False)
    return ran.code, {one["name"]: one for one in json.loads(ran.out)}


def test_whatever_is_wrong_has_a_fix_and_a_warning_stops_nothing(here: Here) -> None:
    full = here.home
    full.configure('model = "no-such-model"\n')
    full.paths.config_file.chmod(0o644)
    with (full.paths.data / "vault.db-journal").open("wb") as file:
        file.truncate(1 << 43)
    (full.paths.data / "vault.db-journal").chmod(0o600)
    full.paths.runtime.touch()
    code, found = findings(here)
    levels = {name: one["level"] for name, one in found.items()}
    assert code == 5  # of the model
    assert {name for name, level in levels.items() if level == "failure"} == {"model"}
    assert {name for name, level in levels.items() if level == "warning"} >= {"rights", "room", "runtime"}
    assert all(one["fix"] for one in found.values() if one["level"] in {"failure", "warning"})
    assert "MB more" in found["room"]["fix"]
    assert str(full.paths.config) in found["rights"]["fix"]
    told = here.run("doctor", unlocking=False).out
    assert all(found[name]["fix"] in told for name in ("rights", "runtime", "model"))
    assert "MB more on the disk of" in told


def test_all_is_well_with_a_vault_that_was_made_here(here: Here) -> None:
    code, found = findings(here)
    assert {found[name]["level"] for name in ("python", "config", "vault", "rights", "room", "runtime")} == {"ok"}
    assert found["keyring"]["ok"] is None  # nobody chose it
    assert code == next((5 for one in found.values() if one["level"] == "failure"), 0)
