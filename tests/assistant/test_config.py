from pathlib import Path

import pytest

from assistant.config import Config, RetentionRule, load_config, save_setting
from assistant.errors import BadConfig, BadInput
from assistant.paths import find_paths


def written(folder: Path, text: str) -> Path:
    path = folder / "config.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    assert load_config(tmp_path / "none.toml", {}).config == Config()


def test_the_environment_beats_the_file_which_beats_the_defaults(tmp_path: Path) -> None:
    path = written(tmp_path, 'user_name = "Mara"\nthreads = 3\ntemperature = 1\n')
    config = load_config(path, {"ASSISTANT_THREADS": "5"}).config
    assert (config.user_name, config.threads, config.temperature) == ("Mara", 5, 1.0)


def test_an_unknown_key_is_told_with_its_line_and_a_guess(tmp_path: Path) -> None:
    path = written(tmp_path, "# mine\n\nthread = 3\n")
    (warning,) = load_config(path, {}).warnings
    assert warning == f"{path}:3: there is no setting 'thread'; did you mean threads?"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("threads = ", "not valid TOML"),
        ('threads = "many"', "threads must be a whole number, not 'many'"),
        ("user_name = 3", "user_name must be text, not 3"),
        ("threads = true", "threads must be a whole number, not True"),
        ('fading = "erase"', "fading must be propose or archive, not 'erase'"),
        ("grace_hours = -1", "grace_hours must be from 0 to 876,600, not -1.0"),
        ("lock_at_most_hours = nan", "lock_at_most_hours must be from 0 to 876,600, not nan"),
        ("memory = 3", "memory must be a table of numbers, not 3"),
        ('[memory.synapse]\ndecay = "much"', "memory.synapse.decay must be a number, not 'much'"),
    ],
)
def test_what_cannot_be_used_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(BadConfig, match=message):
        load_config(written(tmp_path, text), {})


def test_numbers_of_the_memory_are_named_with_a_point(tmp_path: Path) -> None:
    path = written(tmp_path, "[memory]\nk1 = 2\nassociative.spread_steps = 3\n[memory.synapse]\ndecay = 0.4\n")
    loaded = load_config(path, {})
    assert loaded.config.memory == (("k1", 2), ("associative.spread_steps", 3), ("synapse.decay", 0.4))
    assert loaded.warnings == ()


def test_rules_of_retention_stand_in_order(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        '[[retention]]\nkeep = "forever"\ntag = "Work"\n[[retention]]\nkeep_days = 90\nsource = "imported"\n'
        "[[retention]]\nkeep_days = 0.5\n",
    )
    loaded = load_config(path, {"ASSISTANT_RETENTION": "nothing"})
    assert loaded.warnings == ()
    assert loaded.config.retention == (
        RetentionRule(keep_days=None, tag="work"),
        RetentionRule(keep_days=90.0, source="imported"),
        RetentionRule(keep_days=0.5),
    )


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("tag = 'a'", r":4: retention rule 2: give either keep_days = N or keep = \"forever\""),
        ("keep = 'forever'\nkeep_days = 3", "give either"),
        ("keep = 'long'", "keep must be 'forever', not 'long'"),
        ("keep_days = 0", "a number of days up to 3650, not 0"),
        ("keep_days = 4000", "not 4000"),
        ("keep_days = nan", "not nan"),
        ("keep_days = true", "not True"),
        ("keep_days = '3'", "not '3'"),
        ("keep_days = 3\nsource = 'memory'", "source must be chat, note, imported, file or tool, not 'memory'"),
        ("keep_days = 3\nsource = 1", "source must be"),
        ("keep_days = 3\ntag = 1", "tag must be text, not 1"),
        ("keep_days = 3\ntag = 'two words'", "a tag is one word"),
        ("keep_days = 3\ntags = 'a'", "there is no 'tags'"),
    ],
)
def test_a_rule_that_cannot_be_used_is_named_with_its_line_and_number(tmp_path: Path, rule: str, message: str) -> None:
    path = written(tmp_path, f"# mine\n[[retention]]\nkeep_days = 1\n[[retention]]\n{rule}\n")
    with pytest.raises(BadConfig, match=message):
        load_config(path, {})


@pytest.mark.parametrize("text", ["retention = 3", "retention = [1]", "[retention]\nkeep_days = 3"])
def test_retention_is_written_as_tables(tmp_path: Path, text: str) -> None:
    with pytest.raises(BadConfig, match=r"config.toml:1: retention is written as tables"):
        load_config(written(tmp_path, text), {})


def test_a_variable_that_cannot_be_used_is_named() -> None:
    with pytest.raises(BadConfig, match="ASSISTANT_THREADS: threads must be a whole number, not 'two'"):
        load_config(Path("none.toml"), {"ASSISTANT_THREADS": "two"})


def test_saving_a_setting_leaves_comments_and_the_rest_alone(tmp_path: Path) -> None:
    path = written(tmp_path, '# my settings\nuser_name = "Mara"  # me\n')
    save_setting(path, "model", "qwen")
    assert path.read_text(encoding="utf-8") == '# my settings\nuser_name = "Mara"  # me\nmodel = "qwen"\n'
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_saving_makes_the_folder(tmp_path: Path) -> None:
    path = tmp_path / "new" / "config.toml"
    save_setting(path, "threads", 2)
    assert load_config(path, {}).config.threads == 2


def test_a_file_that_is_no_toml_is_never_overwritten(tmp_path: Path) -> None:
    path = written(tmp_path, "what is this")
    with pytest.raises(BadConfig):
        save_setting(path, "threads", 2)
    assert path.read_text(encoding="utf-8") == "what is this"


def test_each_profile_has_a_vault_of_its_own() -> None:
    assert find_paths({}, profile="work").data != find_paths({}, profile="home").data
    assert find_paths({"ASSISTANT_PROFILE": "work"}) == find_paths({}, profile="work")


def test_folders_follow_the_variables(tmp_path: Path) -> None:
    paths = find_paths({"ASSISTANT_DATA_DIR": str(tmp_path), "ASSISTANT_CACHE_DIR": "~/there"})
    assert paths.data == tmp_path / "default"
    assert paths.models == Path.home() / "there" / "models"


@pytest.mark.parametrize("name", ["../elsewhere", "a b", "a/b", "."])
def test_a_profile_is_one_plain_word(name: str) -> None:
    with pytest.raises(BadInput, match="letters, digits"):
        find_paths({}, profile=name)
