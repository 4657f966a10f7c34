"""What is known of the models there are, how one is chosen, and how one is checked."""

import hashlib
import os
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from assistant import model_files
from assistant.config import Config
from assistant.errors import BadInput, ModelMissing, ModelNotLoadable
from assistant.language import catalogue
from assistant.language.catalogue import CHUNK_BYTES, ModelFile, PackageModel, resolve
from assistant.language.model import LoadedModel
from assistant.model_files import Checked, check_model, choose_model, facts, held_bytes, list_models
from assistant.paths import Paths
from tests.assistant.language.gguf_files import gguf, write

CONTENT = bytes(2 * CHUNK_BYTES) + b"end"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PackageModel:
    """The one model that comes as a package, in two parts."""
    half = len(CONTENT) // 2
    for number, content in enumerate((CONTENT[:half], CONTENT[half:]), 1):
        data = tmp_path / "site" / f"split_model_part{number}" / "data"
        data.mkdir(parents=True)
        (data / f"part{number:02}.bin").write_bytes(content)
        (data.parent / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path / "site")
    made = PackageModel(
        name="tiny",
        title="Tiny",
        extra="tiny-extra",
        packages=("split_model_part1", "split_model_part2"),
        version="1.0",
        file_bytes=len(CONTENT),
        digest=hashlib.sha256(CONTENT).hexdigest(),
    )
    for module in (catalogue, model_files):
        monkeypatch.setattr(module, "PACKAGE_MODELS", (made,))
    return made


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    places = {kind: tmp_path / kind for kind in ("config", "data", "state", "cache", "runtime")}
    (tmp_path / "cache" / "models").mkdir(parents=True)
    return Paths(**places)


def quiet(what: str, share: float | None) -> None:
    """Take progress, and tell nobody."""


def test_packages_files_and_the_chosen_file_wherever_it_is_are_listed(paths: Paths, package: PackageModel) -> None:
    inside = write(paths.models, gguf())
    elsewhere = paths.data / "other.gguf"
    listed = list_models(Config(model=str(elsewhere)), paths.models)
    assert [one.name for one in listed] == [package.name, str(inside), str(elsewhere)]
    assert [one.chosen for one in listed] == [False, False, True]
    assert [(one.installed, one.ready, one.usable) for one in listed] == [
        (True, False, True),
        (True, True, True),
        (False, False, False),
    ]
    assert [one.chosen for one in list_models(Config(model="tiny"), paths.models)] == [True, False]


def test_a_file_in_the_folder_may_be_called_by_its_name_alone(
    paths: Paths, package: PackageModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = write(paths.models, gguf())
    monkeypatch.chdir(tmp_path)
    for name in ("model", "model.gguf", str(inside)):
        assert resolve(name, paths.models).path == inside
        assert [one.name for one in list_models(Config(model=name), paths.models) if one.chosen] == [str(inside)]
    assert resolve(package.name, paths.models).package is package
    here = write(tmp_path, gguf())
    assert resolve("model.gguf", paths.models).path == Path(here.name)
    with pytest.raises(ModelMissing, match="no model 'other'"):
        resolve("other", paths.models)


def test_the_choice_is_saved_unless_the_model_cannot_answer(paths: Paths, package: PackageModel) -> None:
    page = paths.models / "page.gguf"
    page.write_text("<!doctype html>")
    for name in ("page", "absent.gguf"):
        with pytest.raises((ModelNotLoadable, ModelMissing)):
            choose_model(name, paths, {})
    odd = paths.models / os.fsdecode(b"\xff.gguf")
    odd.write_bytes(gguf())
    with pytest.raises(BadInput, match=r"rename .*udcff"):
        choose_model(str(odd), paths, {})
    assert not paths.config_file.exists()
    inside = write(paths.models, gguf())
    assert choose_model("model", paths, {}).model == str(inside)
    assert paths.config_file.read_text() == f'model = "{inside}"\n'
    chosen = choose_model(package.name, paths, {"ASSISTANT_MODEL": "model"})
    assert (chosen.model, chosen.beaten_by) == (package.name, "ASSISTANT_MODEL")
    assert choose_model(package.name, paths, {"ASSISTANT_MODEL": package.name}).beaten_by == ""


def test_what_limits_the_context_is_told_and_what_becomes_free_counts(
    paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = ModelFile(name="model", path=write(paths.models, gguf()))
    free = facts(model, Config(context=1024))
    assert (free.context_here, free.limited_by, free.ready) == (1024, "wanted", True)
    needed = free.memory_needed or 0
    assert facts(model, Config(context=4096)).limited_by == "trained"
    monkeypatch.setattr("assistant.model_files.available_memory", lambda: needed + 1)
    assert facts(model, Config(context=2048)).limited_by == "memory"
    assert facts(model, Config(context=2048), freed=needed).limited_by == "wanted"
    monkeypatch.setattr("assistant.model_files.available_memory", lambda: 1)
    small = facts(model, Config(context=2048))
    assert small.context_here == 0
    assert "close other programs" in (small.limited_by or "")
    assert facts(model, Config(context=2048), on_gpu=True).context_here == 2048


def test_what_a_running_model_holds_is_more_with_more_context_and_nothing_when_its_file_went(paths: Paths) -> None:
    file = write(paths.models, gguf())
    loaded = LoadedModel(
        name="model",
        path=str(file),
        architecture="llama",
        context=256,
        trained_context=2048,
        gpu="no (CPU build)",
        threads=1,
        load_seconds=0.0,
    )
    assert 0 < held_bytes(loaded) < held_bytes(replace(loaded, context=2048))
    file.unlink()
    assert held_bytes(loaded) == 0


def test_the_real_small_model_tells_what_it_is(small_model: Path) -> None:
    known = facts(ModelFile(name="small", path=small_model), Config(context=2048))
    assert (known.architecture, known.quantisation, known.trained_context) == ("qwen2", "Q4_K_M", 32768)
    assert known.chat_template is True
    assert known.file_bytes == small_model.stat().st_size


def test_a_model_is_joined_and_compared_and_then_compared_again(paths: Paths, package: PackageModel) -> None:
    model = resolve(package.name, paths.models)
    assert facts(model, Config()).note == "joined at the first use"
    shares: list[float | None] = []
    for _ in range(2):
        assert check_model(model, paths.models, lambda _, share: shares.append(share)) is Checked.COMPARED
        assert model.path.read_bytes() == CONTENT
    assert shares.count(1.0) == 2
    model.path.write_bytes(CONTENT[:-1] + b"x")
    with pytest.raises(ModelNotLoadable, match="checksum is wrong"):
        check_model(model, paths.models, quiet)
    other = ModelFile(name="model", path=write(paths.models, gguf()))
    assert check_model(other, paths.models, quiet) is Checked.WHOLE


@pytest.mark.parametrize("joined", [True, False])
def test_a_check_that_is_stopped_leaves_the_folder_as_it_was(paths: Paths, package: PackageModel, joined: bool) -> None:
    model = resolve(package.name, paths.models)
    if joined:
        model.path.write_bytes(CONTENT)
    cancel = threading.Event()
    shares: list[float | None] = []

    def tell(_: str, share: float | None) -> None:
        shares.append(share)
        cancel.set()

    assert check_model(model, paths.models, tell, cancel=cancel) is Checked.STOPPED
    assert len(shares) == 1
    assert {file.name for file in paths.models.iterdir()} - {"tiny.gguf.lock"} == ({"tiny.gguf"} if joined else set())
