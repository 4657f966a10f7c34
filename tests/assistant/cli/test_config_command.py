"""The settings, as they are shown, changed and edited."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from assistant.settings import setting_names
from tests.assistant.cli.support import Here, Home, Terminal

MINE = '# mine\nuser_name = "Mara"  # me\n\n[memory.synapse]\ninhibition = 0.3\n'


def entries(here: Here) -> dict[str, dict[str, Any]]:
    shown = here.run("config", "show", "--json", unlocking=False)
    assert shown.code == 0
    return {entry["key"]: entry for entry in json.loads(shown.out)}


def test_every_setting_is_shown_with_where_it_is_set(here_empty: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    here_empty.home.configure(MINE)
    monkeypatch.setenv("ASSISTANT_THREADS", "3")
    shown = entries(here_empty)
    file = here_empty.home.paths.config_file
    assert [key for key in shown if "." not in key] == [
        name for name in setting_names() if name not in {"memory", "keys"}
    ]
    assert shown["user_name"] == {"key": "user_name", "value": "Mara", "origin": f"{file}:2"}
    assert shown["threads"] == {"key": "threads", "value": 3, "origin": "ASSISTANT_THREADS"}
    assert shown["learning"] == {"key": "learning", "value": True, "origin": "default"}
    assert shown["memory.synapse.inhibition"]["origin"] == f"{file}:5"
    lines = here_empty.run("config", "show", "--origin", unlocking=False).out.splitlines()
    assert f'{file}:2  user_name = "Mara"' in [" ".join(line.split()).replace(" user", "  user") for line in lines]


def test_a_value_is_given_as_it_is(here_empty: Here) -> None:
    here_empty.home.configure(MINE)
    assert here_empty.run("config", "get", "user_name", unlocking=False).out == "Mara\n"
    assert here_empty.run("config", "get", "memory.synapse.inhibition", unlocking=False).out == "0.3\n"
    default = json.loads(
        here_empty.run("config", "get", "--json", "memory.associative.spread_steps", unlocking=False).out
    )
    assert default["origin"] == "default"
    assert default["value"] > 0
    assert "did you mean" in here_empty.run("config", "get", "memory.synapse.inhibitionn", unlocking=False).err
    wrong = here_empty.run("config", "get", "usr_name", unlocking=False)
    assert (wrong.code, wrong.out) == (2, "")
    assert "did you mean user_name" in wrong.err


def test_a_value_is_set_and_the_rest_of_the_file_stays(here_empty: Here) -> None:
    here_empty.home.configure(MINE)
    for key, value in (("grace_hours", "48"), ("learning", "false"), ("memory.synapse.inhibition", "0.2")):
        assert here_empty.run("config", "set", key, value, unlocking=False).code == 0
    content = here_empty.home.paths.config_file.read_text()
    assert content.startswith('# mine\nuser_name = "Mara"  # me\n')
    shown = entries(here_empty)
    assert (shown["grace_hours"]["value"], shown["learning"]["value"]) == (48.0, False)
    assert shown["memory.synapse.inhibition"]["value"] == 0.2
    assert here_empty.home.paths.config_file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["threads", "many"], "threads must be a whole number"),
        (["learning", "perhaps"], "learning must be true or false"),
        (["fading", "erase"], "fading must be propose or archive"),
        (["lock_at_most_hours", "876601"], "lock_at_most_hours must be from 0 to 876,600"),
        (["lock_after_minutes", "52596001"], "lock_after_minutes must be from 0 to 52,596,000"),
        (["threads", "-1"], "threads must be from 0 to 1,024"),
        (["gpu_layers", "-2"], "gpu_layers must be from -1 to 10,000"),
        (["max_tokens", "0"], "max_tokens must be from 1 to"),
        (["temperature", "nan"], "temperature must be from 0 to 10"),
        (["engine", "steam"], "there is no engine 'steam': use associative"),
        (["grace_hours", "inf"], "grace_hours must be from 0 to 876,600"),
        (["memory.synapse.inhibitionn", "0.2"], "did you mean inhibition"),
        (["memory.synapse.inhibition", "much"], "must be a number"),
        (["memory", "3"], "set one number of it"),
        (["retention", "90"], "assistant config edit"),
        (["keys", "f9"], "set the keys of one action"),
        (["keys.new_chatt", "f9"], "did you mean keys.new_chat"),
        (["keys.new_chat", "enter"], "enter cannot be given to new_chat"),
        (["colour", "red"], "there is no setting 'colour'"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_written(here_empty: Here, arguments: list[str], what: str) -> None:
    ran = here_empty.run("config", "set", "--", *arguments, unlocking=False)
    assert (ran.code, ran.out) == (2, "")
    assert what in ran.err
    assert not here_empty.home.paths.config_file.exists()


def test_a_key_of_the_screens_is_set_and_shown_like_any_setting(here_empty: Here) -> None:
    assert here_empty.run("config", "get", "keys.new_chat", unlocking=False).out == "ctrl+n\n"
    assert here_empty.run("config", "set", "keys.new_chat", "f9", unlocking=False).code == 0
    file = here_empty.home.paths.config_file
    assert file.read_text().endswith("\n")
    assert entries(here_empty)["keys.new_chat"] == {"key": "keys.new_chat", "value": "f9", "origin": f"{file}:2"}


def test_what_is_wrong_is_told_with_a_line_only_where_it_stands_in_the_file(here_empty: Here) -> None:
    here_empty.home.configure(MINE)
    ran = here_empty.run("config", "set", "keys.new_chat", "ctrl+q", unlocking=False)
    assert ran.err == "assistant: ctrl+q is given to new_chat and to quit; give one another key\n"
    here_empty.home.configure(f"{MINE}rate = 3\n")
    ran = here_empty.run("config", "set", "learning", "false", unlocking=False)
    assert (ran.code, f"{here_empty.home.paths.config_file}:6: there is no parameter" in ran.err) == (2, True)
    here_empty.home.configure(f"threads = -1\n{MINE}")
    ran = here_empty.run("config", "set", "learning", "false", unlocking=False)
    assert (ran.code, f"{here_empty.home.paths.config_file}:1: threads must be" in ran.err) == (2, True)
    assert here_empty.home.paths.config_file.read_text() == f"threads = -1\n{MINE}"


@pytest.mark.parametrize("table", ["keys", "memory"])
def test_a_table_is_no_value(here_empty: Here, table: str) -> None:
    ran = here_empty.run("config", "get", table, unlocking=False)
    assert (ran.code, ran.out) == (2, "")
    assert f"{table} is a table: name " in ran.err


def test_the_path_is_told_whatever_the_file_holds(here_empty: Here) -> None:
    here_empty.home.configure("threads = \n")
    ran = here_empty.run("config", "path", unlocking=False)
    assert (ran.code, ran.out) == (0, f"{here_empty.home.paths.config_file}\n")


def edited(home: Home, by: str) -> Terminal:
    """Start `config edit` with an editor that does this to `file`."""
    script = home.folder / "editor.py"
    script.write_text(f"import pathlib, sys\nfile = pathlib.Path(sys.argv[1])\n{by}\n")
    return Terminal(home, "config", "edit", environment={"EDITOR": f"{sys.executable} {script}"})


def test_an_edited_copy_replaces_the_file_only_when_it_can_be_used(empty: Home) -> None:
    empty.configure(MINE)
    file = empty.paths.config_file
    bad = edited(empty, "file.write_text(file.read_text() + '\\n[[retention]]\\nkeep_days = 0\\n')")
    assert bad.end() == 2
    assert f"{file.name}:7: retention rule 1" in bad.seen
    assert file.read_text() == MINE
    kept = Path(f"{file}.refused")
    assert "keep_days = 0" in kept.read_text()

    good = edited(empty, "file.write_text(file.read_text().replace('keep_days = 0', 'keep_days = 90'))")
    assert good.end() == 0
    assert "keep_days = 90" in file.read_text()
    assert file.read_text().startswith("# mine\n")
    assert not kept.exists()


def test_without_an_editor_the_way_to_set_is_told(here_empty: Here) -> None:
    ran = here_empty.run("config", "edit", unlocking=False)
    assert ran.code == 2
    assert "assistant config set" in ran.err
