"""model, doctor, paths: what is on this machine, found out without opening the vault."""

import json
from pathlib import Path

import pytest

from tests.assistant.cli.support import Here
from tests.assistant.language.gguf_files import gguf, write


def test_paths_are_told_and_nothing_is_made(here_empty: Here) -> None:
    folder = here_empty.home.folder
    told = json.loads(here_empty.run("paths", "--json", "--profile", "work", unlocking=False).out)
    assert told == {
        "config": str(folder / "config" / "config.toml"),
        "vault": str(folder / "data" / "work"),
        "state": str(folder / "state"),
        "cache": str(folder / "cache"),
        "models": str(folder / "cache" / "models"),
        "runtime": str(folder / "runtime"),
    }
    assert str(folder / "data" / "default") in here_empty.run("paths", unlocking=False).out
    assert {path.name for path in folder.iterdir()} == {"passphrase"}


def test_models_are_listed_with_the_chosen_one_marked(here_empty: Here) -> None:
    lines = here_empty.run("model", "list", unlocking=False).out.splitlines()
    assert [line[:2] for line in lines] == ["* ", "  "]
    assert "qwen2.5-coder-1.5b" in lines[0]
    listed = json.loads(here_empty.run("model", "list", "--json", unlocking=False).out)
    assert {"name", "title", "bytes", "chosen", "installed", "ready", "install"} == set(listed[0])


def test_a_file_that_was_chosen_is_listed_though_it_is_gone(here_empty: Here) -> None:
    here_empty.home.configure('model = "/models/gone.gguf"\n')
    last = here_empty.run("model", "list", unlocking=False).out.splitlines()[-1]
    assert last.startswith("* /models/gone.gguf")
    assert "not there" in last


@pytest.mark.parametrize("command", ["info", "verify", "use"])
def test_a_model_that_is_not_there_exits_5(here_empty: Here, command: str) -> None:
    ran = here_empty.run("model", command, "no-such-model", unlocking=False)
    assert (ran.code, ran.out) == (5, "")
    assert "no-such-model" in ran.err


def test_a_file_that_is_no_model_is_not_chosen(here_empty: Here, tmp_path: Path) -> None:
    (tmp_path / "page.gguf").write_text("<!doctype html><title>Not found</title>")
    ran = here_empty.run("model", "use", str(tmp_path / "page.gguf"), unlocking=False)
    assert ran.code == 5
    assert "web page" in ran.err
    assert not here_empty.home.paths.config_file.exists()


def test_a_model_is_chosen_in_the_settings_and_the_rest_of_them_stays(
    here_empty: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    here_empty.home.configure('# mine\nuser_name = "Mara"\n')
    ran = here_empty.run("model", "use", "qwen2.5-coder-0.5b", unlocking=False)
    if ran.code == 5:
        pytest.skip("the small model is not installed")
    assert (ran.code, ran.err) == (0, "")
    content = here_empty.home.paths.config_file.read_text()
    assert content.startswith('# mine\nuser_name = "Mara"\n')
    assert 'model = "qwen2.5-coder-0.5b"' in content
    monkeypatch.setenv("ASSISTANT_MODEL", "other")
    assert "ASSISTANT_MODEL" in here_empty.run("model", "use", "qwen2.5-coder-0.5b", unlocking=False).err


def test_a_file_among_the_models_is_called_by_its_name_and_told_of(here_empty: Here) -> None:
    models = here_empty.home.paths.models
    models.mkdir(parents=True)
    file = write(models, gguf())
    ran = here_empty.run("model", "use", "model", unlocking=False)
    assert (ran.code, ran.out) == (0, f"{file} answers from now on\n")
    known = json.loads(here_empty.run("model", "info", "--json", unlocking=False).out)
    assert (known["file"], known["quantisation"], known["trained_context"]) == (str(file), "F16", 2048)
    assert "trained context 2,048" in here_empty.run("model", "info", "model", unlocking=False).out
    ran = here_empty.run("model", "verify", "model", unlocking=False)
    assert ran.out == "model is a whole GGUF file; nobody told its checksum\n"


def test_the_doctor_names_each_failure_with_a_fix(here_empty: Here) -> None:
    here_empty.home.configure('model = "no-such-model"\n')
    ran = here_empty.run("doctor", unlocking=False)
    assert ran.code == 4
    lines = ran.out.splitlines()
    failing = {line.split()[1] for line in lines if line.startswith("FAIL")}
    assert failing == {"vault", "model"}
    assert "assistant vault init" in ran.out
    assert "assistant doctor --deep" in ran.out
    assert {line.split()[1] for line in lines if line.startswith("ok")} >= {"python", "storage", "encoder"}


def test_the_doctor_finds_what_others_may_read(here_new: Here) -> None:
    here_new.home.configure('model = "qwen2.5-coder-0.5b"\n')  # which the tests install
    here_new.home.paths.config_file.chmod(0o600)
    here_new.home.paths.config.chmod(0o700)
    (here_new.home.paths.data / "vault.db").chmod(0o644)
    ran = here_new.run("doctor", "--json", unlocking=False)
    found = {one["name"]: one for one in json.loads(ran.out)}
    assert ran.code == 0  # it is encrypted: this stops nothing
    assert found["vault"]["ok"] is True
    assert (found["rights"]["ok"], found["rights"]["level"]) == (False, "warning")
    assert found["rights"]["fix"].startswith("chmod 600")
    assert found["encoder"]["ok"] is True
    assert found["gpu"]["ok"] is None


def test_the_doctor_tells_a_wrong_setting_and_opens_nothing(here_new: Here) -> None:
    here_new.home.configure("context = 'large'\n")
    ran = here_new.run("doctor", unlocking=False)
    assert ran.code == 2
    assert "context must be a whole number" in ran.out


def test_the_doctor_does_not_hold_a_strange_encoder_for_good(here_new: Here) -> None:
    here_new.home.configure('encoder = "some/model"\n')
    ran = here_new.run("doctor", "--json", unlocking=False)
    assert {one["name"]: one["ok"] for one in json.loads(ran.out)}["encoder"] is None
