"""Settings as a user sees them."""

import ast
import inspect
import itertools
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest

from assistant.config import Config, load_config
from assistant.memory.parameters import Parameters
from assistant.settings import entries_of_tables, listing, said_under_fields


def kinds(parameters: Any) -> Iterator[type]:
    yield type(parameters)
    for field in fields(parameters):
        value = getattr(parameters, field.name)
        if is_dataclass(value):
            yield from kinds(value)


@pytest.mark.parametrize("kind", dict.fromkeys([Config, *kinds(Parameters())]))
def test_what_stands_under_each_field_is_what_python_reads_there(kind: type) -> None:
    (described,) = ast.parse(inspect.getsource(kind)).body
    assert isinstance(described, ast.ClassDef)
    read = {
        field.target.id: " ".join(ast.literal_eval(text.value).split())
        for field, text in itertools.pairwise(described.body)
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(text, ast.Expr)
    }
    assert said_under_fields(kind) == read


def test_every_setting_says_what_it_does(tmp_path: Path) -> None:
    settings = listing(load_config(tmp_path / "none", {}))
    assert [setting.key for setting in settings if not setting.help] == []
    assert {setting.origin for setting in settings} == {"default"}


def test_the_entries_of_tables_are_told_whether_they_are_set_or_not(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("[memory.synapse]\ninhibition = 0.3\n[memory]\ngate = false\n")
    loaded = load_config(tmp_path / "config.toml", {})
    entries = {entry.key: entry for entry in entries_of_tables(loaded)}
    changed, same = entries["memory.synapse.inhibition"], entries["memory.hebbian.rate"]
    assert (changed.value, changed.default != 0.3, changed.origin) == (0.3, True, f"{tmp_path / 'config.toml'}:2")
    assert (same.value, same.origin) == (same.default, "default")
    listed = {setting.key: setting.value for setting in listing(loaded)}
    assert (listed["memory.synapse.inhibition"], listed["memory.gate"]) == (0.3, False)
    assert "memory.hebbian.rate" not in listed
