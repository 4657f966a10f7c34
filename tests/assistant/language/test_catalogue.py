import errno
import hashlib
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from assistant.errors import ModelMissing, ModelNotLoadable
from assistant.language import catalogue
from assistant.language.catalogue import PACKAGE_MODELS, PackageModel, installed, prepare, resolve, verify

PARTS = [b"first" * 1000, b"second" * 1000, b"third" * 10]


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PackageModel:
    """A small package model whose packages refuse to be imported."""
    for number, content in enumerate(PARTS, 1):
        data = tmp_path / "site" / f"tiny_model_part{number}" / "data"
        data.mkdir(parents=True)
        (data / f"part{number:02}.bin").write_bytes(content)
        (data.parent / "__init__.py").write_text("raise RuntimeError('code of a package was run')")
    monkeypatch.syspath_prepend(tmp_path / "site")
    whole = b"".join(PARTS)
    return PackageModel(
        name="tiny",
        title="Tiny",
        extra="tiny-extra",
        packages=tuple(f"tiny_model_part{number}" for number in range(1, 4)),
        version="1.0",
        file_bytes=len(whole),
        digest=hashlib.sha256(whole).hexdigest(),
    )


def part_of(tmp_path: Path, number: int) -> Path:
    return tmp_path / "site" / f"tiny_model_part{number}" / "data" / f"part{number:02}.bin"


def left(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {"tiny.gguf.lock"}


def test_parts_are_joined_in_order_with_progress(tmp_path: Path, package: PackageModel) -> None:
    told: list[tuple[str, float | None]] = []
    path = prepare(package, tmp_path / "models", lambda what, share: told.append((what, share)))
    assert path.read_bytes() == b"".join(PARTS)
    shares = [share for _, share in told if share is not None]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert left(tmp_path / "models") == {"tiny.gguf"}


def test_what_is_there_is_not_joined_again(tmp_path: Path, package: PackageModel) -> None:
    path = prepare(package, tmp_path / "models")
    before = path.stat().st_mtime_ns
    part_of(tmp_path, 2).unlink()
    assert prepare(package, tmp_path / "models") == path
    assert path.stat().st_mtime_ns == before


@pytest.mark.parametrize("leftover", ["tiny.gguf", "tiny.gguf.part"])
def test_a_leftover_or_a_wrong_size_is_redone(tmp_path: Path, package: PackageModel, leftover: str) -> None:
    folder = tmp_path / "models"
    folder.mkdir()
    (folder / leftover).write_bytes(b"half")
    assert prepare(package, folder).read_bytes() == b"".join(PARTS)
    assert left(folder) == {"tiny.gguf"}


def test_damaged_parts_are_refused_and_nothing_is_left(tmp_path: Path, package: PackageModel) -> None:
    part_of(tmp_path, 2).write_bytes(b"Second" + PARTS[1][6:])
    with pytest.raises(ModelNotLoadable, match=r"the parts of tiny are damaged; pip install 'assistant\[tiny-extra\]'"):
        prepare(package, tmp_path / "models")
    assert left(tmp_path / "models") == set()


def test_a_missing_part_is_a_missing_model(tmp_path: Path, package: PackageModel) -> None:
    part_of(tmp_path, 3).unlink()
    assert not installed(package)
    with pytest.raises(ModelMissing, match=r"install it: pip install 'assistant\[tiny-extra\]'"):
        prepare(package, tmp_path / "models")


def test_a_full_disk_is_told_in_one_line_and_the_part_is_removed(tmp_path: Path, package: PackageModel) -> None:
    program = (
        "import resource, signal, sys\n"
        "from pathlib import Path\n"
        "from assistant.language.catalogue import PackageModel, prepare\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (5000, resource.RLIM_INFINITY))\n"
        f"model = {package!r}\n"
        f"prepare(model, Path({str(tmp_path / 'models')!r}))\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path / "site"), *filter(None, sys.path)])}
    environment.pop("COVERAGE_PROCESS_START", None)
    environment.pop("COVERAGE_PROCESS_CONFIG", None)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, env=environment)
    assert "ModelNotLoadable" in done.stderr.splitlines()[-1]
    assert "has no room for tiny" in done.stderr.splitlines()[-1]
    assert left(tmp_path / "models") == set()
    assert resource.getrlimit(resource.RLIMIT_FSIZE) != (5000, resource.RLIM_INFINITY)


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path, package: PackageModel) -> None:
    (tmp_path / "models").write_text("a file where a folder should be")
    with pytest.raises(ModelNotLoadable, match=os.strerror(errno.EEXIST)):
        prepare(package, tmp_path / "models")


def test_two_processes_at_once_do_not_break_each_other(tmp_path: Path, package: PackageModel) -> None:
    program = (
        "import sys\n"
        "from pathlib import Path\n"
        "from assistant.language.catalogue import PackageModel, prepare\n"
        f"path = prepare({package!r}, Path({str(tmp_path / 'models')!r}))\n"
        "print(path.stat().st_size)\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path / "site"), *filter(None, sys.path)])}
    processes = [
        subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, env=environment)
        for _ in range(3)
    ]
    assert [process.communicate()[0].strip() for process in processes] == [str(package.file_bytes)] * 3
    assert left(tmp_path / "models") == {"tiny.gguf"}


def test_verifying_reads_all_of_it_and_tells_damage(tmp_path: Path, package: PackageModel) -> None:
    path = prepare(package, tmp_path / "models")
    shares: list[float | None] = []
    verify(package, path, lambda _, share: shares.append(share))
    assert shares[-1] == 1.0
    damaged = bytearray(path.read_bytes())
    damaged[7] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(ModelNotLoadable, match="checksum is wrong; remove it"):
        verify(package, path)
    path.unlink()
    with pytest.raises(ModelMissing, match="is not there"):
        verify(package, path)


def test_a_name_or_a_path_gives_a_model(tmp_path: Path) -> None:
    model = PACKAGE_MODELS[1]
    found = resolve(model.name, tmp_path)
    assert (found.name, found.package, found.path) == (model.name, model, tmp_path / "qwen2.5-coder-0.5b.gguf")
    file = tmp_path / "other.gguf"
    file.write_bytes(b"GGUF")
    assert resolve(str(file), tmp_path) == catalogue.ModelFile(name="other", path=file)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gpt-5", "there is no model 'gpt-5'; known are qwen2.5-coder-1.5b, qwen2.5-coder-0.5b"),
        ("absent.gguf", "there is no file absent.gguf"),
        ("some/folder/model", "there is no file some/folder/model"),
    ],
)
def test_what_is_neither_is_refused(tmp_path: Path, name: str, message: str) -> None:
    with pytest.raises(ModelMissing) as caught:
        resolve(name, tmp_path)
    assert message in str(caught.value)


def test_when_another_model_is_installed_it_is_offered(
    tmp_path: Path, package: PackageModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    absent = PackageModel(
        name="absent", title="", extra="model", packages=("no_such_package_1",), version="1", file_bytes=1, digest=""
    )
    monkeypatch.setattr(catalogue, "PACKAGE_MODELS", (absent, package))
    with pytest.raises(ModelMissing) as caught:
        resolve("absent", tmp_path)
    assert str(caught.value) == (
        "the model absent is not installed; install it: pip install 'assistant[model]', or use the one that is"
        " installed: model = 'tiny'"
    )


def test_a_joined_file_is_enough(tmp_path: Path, package: PackageModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "PACKAGE_MODELS", (package,))
    path = prepare(package, tmp_path)
    part_of(tmp_path, 1).unlink()
    assert resolve("tiny", tmp_path).path == path


@pytest.mark.model
def test_the_small_model_is_installed_and_whole(small_model: Path) -> None:
    assert installed(PACKAGE_MODELS[1])
    verify(PACKAGE_MODELS[1], small_model)
