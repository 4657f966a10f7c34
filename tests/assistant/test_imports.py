"""Importing has no effect and costs little; each fact is found out in a fresh interpreter."""

import json
import os
import pkgutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import assistant
import storage
import tui

REPOSITORY = Path(__file__).parents[2]
MODELS = {"torch", "llama_cpp", "onnxruntime", "tokenizers", "sentence_transformers", "keyring"}
HEAVY = MODELS | {"numpy", "scipy", "textual"}
NOT_FOR_ALL = HEAVY | {"apsw", "cryptography", "pydantic", "rich"}
NEEDS = {"assistant.cli.memory_tools": "mcp", "assistant.cli.web": "textual_serve"}
"""Modules that only an extra can load; the commands that use them say so where it is not there."""
MODULES = sorted(
    name
    for package in (assistant, tui, storage)
    for _, name, _ in pkgutil.walk_packages(package.__path__, package.__name__ + ".")
    if not name.endswith("__main__") and find_spec(NEEDS.get(name, "sys")) is not None
)
COMMANDS = [name for name in MODULES if name.startswith("assistant.cli")]

WATCHED = """
import importlib, json, logging, sys
effects = []
def watch(event, arguments):
    if event == "open" and isinstance(arguments[1], str) and set(arguments[1]) & set("wax+"):
        effects.append(f"opens {arguments[0]} to write")
    elif event in {"os.mkdir", "os.rename", "os.remove", "socket.connect", "socket.bind", "subprocess.Popen"}:
        effects.append(f"{event} {arguments}")
sys.dont_write_bytecode = True
handlers, level = list(logging.root.handlers), logging.root.level
sys.addaudithook(watch)
for name in json.loads(sys.argv[1]):
    importlib.import_module(name)
if logging.root.handlers != handlers or logging.root.level != level:
    effects.append("sets logging up")
loaded = sorted({name.partition(".")[0] for name in sys.modules})
print(json.dumps({"effects": effects, "loaded": loaded}))
"""


def fresh(tmp_path: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    environment |= {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, env=environment, cwd=REPOSITORY, check=True
    )


def imported(tmp_path: Path, modules: list[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = json.loads(fresh(tmp_path, "-c", WATCHED, json.dumps(modules)).stdout)
    return found


def test_no_module_does_anything_when_it_is_imported(tmp_path: Path) -> None:
    found = imported(tmp_path, MODULES)
    assert found["effects"] == []
    assert not set(found["loaded"]) & MODELS
    assert list(tmp_path.iterdir()) == []


def test_the_command_and_all_its_modules_load_no_heavy_library(tmp_path: Path) -> None:
    assert not set(imported(tmp_path, COMMANDS)["loaded"]) & HEAVY


def test_only_tui_draws(tmp_path: Path) -> None:
    others = [name for name in MODULES if not name.startswith("tui")]
    assert "textual" not in imported(tmp_path, others)["loaded"]


@pytest.mark.parametrize("module", ["assistant.cli", "assistant.events", "assistant.config", "storage.records"])
def test_light_modules_stay_light(tmp_path: Path, module: str) -> None:
    assert not set(imported(tmp_path, [module])["loaded"]) & (NOT_FOR_ALL | {"typer"})


@pytest.mark.parametrize("option", ["--version", "--help", "version"])
def test_version_and_help_load_neither_vault_nor_validation(tmp_path: Path, option: str) -> None:
    told = fresh(tmp_path, "-X", "importtime", "-m", "assistant", option).stderr
    loaded = {line.rpartition("|")[2].strip().partition(".")[0] for line in told.splitlines()}
    assert "assistant" in loaded
    assert ("typer" in loaded) is (option != "--version")
    assert not loaded & (NOT_FOR_ALL | {"platformdirs"})


@pytest.mark.parametrize(("option", "seconds"), [("--version", 0.15), ("--help", 0.3)])
def test_version_and_help_are_told_at_once(tmp_path: Path, option: str, seconds: float) -> None:
    """In CPU seconds over those of the interpreter alone, the best of five: another process may be in the way."""
    taken = min(_cpu_seconds(tmp_path, "-m", "assistant", option) for _ in range(5))
    bare = min(_cpu_seconds(tmp_path, "-c", "pass") for _ in range(5))
    assert taken - bare < seconds


def _cpu_seconds(tmp_path: Path, *arguments: str) -> float:
    before = os.times()
    fresh(tmp_path, *arguments)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system
