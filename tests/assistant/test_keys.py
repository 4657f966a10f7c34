"""Which keys there are, and which the user can choose."""

from pathlib import Path

import pytest

from assistant.config import LoadedConfig, read_config
from assistant.errors import BadConfig
from assistant.keys import DEFAULT_KEYS, choose_keys, keys_of, normal_key, sent_everywhere, shown_key

FILE = Path("config.toml")


def read(*lines: str) -> LoadedConfig:
    return read_config("\n".join(["[keys]", *lines]), FILE, {})


def refusal(*lines: str) -> str:
    with pytest.raises(BadConfig) as caught:
        read(*lines)
    return str(caught.value)


@pytest.mark.parametrize(
    ("written", "normal", "shown"),
    [
        ("ctrl+N", "ctrl+n", "ctrl+n"),
        ("Control+n", "ctrl+n", "ctrl+n"),
        ("F4", "f4", "F4"),
        ("?", "question_mark", "?"),
        ("+", "plus", "+"),
        ("alt++", "alt+plus", "alt++"),
        ("shift+g", "G", "G"),
        ("G", "G", "G"),
        ("alt+N", "alt+shift+n", "alt+shift+n"),
        ("esc", "escape", "esc"),
        (" PgUp ", "pageup", "page up"),
        ("shift+ctrl+left", "ctrl+shift+left", "ctrl+shift+left"),
        ("alt+ctrl+x", "alt+ctrl+x", "ctrl+alt+x"),
        ("ctrl+\\", "ctrl+backslash", "ctrl+\\"),
        ("ä", "ä", "ä"),
    ],
)
def test_a_key_is_written_in_many_ways_and_shown_in_one(written: str, normal: str, shown: str) -> None:
    assert normal_key(written) == normal
    assert normal_key(normal) == normal
    assert shown_key(normal) == shown


@pytest.mark.parametrize("written", ["", "f25", "ctrl", "ctrl+", "hold+x", "escape key", "xy", "\x1b"])
def test_what_is_no_key_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match="is no key"):
        normal_key(written)


def test_terminals_without_the_kitty_protocol_send_these_keys_and_not_those() -> None:
    for key in ("a", "question_mark", "f4", "ctrl+t", "alt+x", "alt+shift+x", "shift+tab", "ctrl+left", "shift+f5"):
        assert sent_everywhere(key), key
    for key in ("ctrl+i", "ctrl+m", "ctrl+h", "ctrl+1", "alt+ctrl+n", "ctrl+shift+z", "shift+enter", "super+k"):
        assert not sent_everywhere(key), key


def test_each_action_that_has_a_key_has_one_that_every_terminal_sends() -> None:
    only_some = [
        action for action, keys in DEFAULT_KEYS.items() if keys and not any(map(sent_everywhere, keys.split(",")))
    ]
    assert only_some == []
    confusing = {"ctrl+b", "ctrl+i", "ctrl+m", "ctrl+h"}
    assert confusing.isdisjoint(key for keys in DEFAULT_KEYS.values() for key in keys.split(","))


def test_the_keys_that_are_set_are_themselves_a_choice_that_stands() -> None:
    assert choose_keys(DEFAULT_KEYS).keys == DEFAULT_KEYS


def test_keys_are_read_one_or_several_by_dotted_names_or_in_tables() -> None:
    loaded = read(
        'new_chat = "ctrl+X"',
        'copy_answer = ""',
        'lock = "f9, f10"',
        'memory.edit = ["m", "f11"]',
        "[keys.graph]",
        'look = "v"',
    )
    assert loaded.config.keys == {
        "new_chat": "ctrl+x",
        "copy_answer": "",
        "lock": "f9,f10",
        "memory.edit": "m,f11",
        "graph.look": "v",
    }
    assert loaded.warnings == ()
    assert loaded.origins["keys.lock"] == "config.toml:4"
    assert loaded.origins["keys.graph.look"] == "config.toml:7"
    assert keys_of("lock", loaded.config.keys) == ("f9", "f10")
    assert keys_of("copy_answer", loaded.config.keys) == ()
    assert keys_of("quit", loaded.config.keys) == ("ctrl+q",)


def test_two_actions_can_change_places() -> None:
    assert read('memory.edit = "p"', 'memory.pin = "e"').config.keys == {"memory.edit": "p", "memory.pin": "e"}


def test_the_same_key_can_do_different_things_on_screens_that_are_never_shown_together() -> None:
    assert read('graph.list = "e"').config.keys == {"graph.list": "e"}


def test_an_unknown_action_warns_with_its_line_and_a_name_that_is_near() -> None:
    loaded = read("", 'new_chatt = "ctrl+x"')
    assert loaded.warnings == ("config.toml:3: there is no action 'new_chatt'; did you mean new_chat?",)
    assert loaded.config.keys == {}


def test_a_key_that_only_some_terminals_send_is_taken_with_a_warning() -> None:
    loaded = read('lock = "ctrl+i,f9"')
    assert loaded.config.keys == {"lock": "ctrl+i,f9"}
    (warning,) = loaded.warnings
    assert warning.startswith("config.toml:2: only some terminals send ctrl+i")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('lock = "sausage"', "'sausage' is no key"),
        ("lock = 3", 'lock must be a key such as "ctrl+t", or a list of keys, not 3'),
        ('lock = "ctrl+t"', "ctrl+t is given to temporary_chat and to lock"),
        ('memory.pin = "e"', "e is given to memory.edit and to memory.pin"),
        ('memory.pin = "g"', "g is given to list.first and to memory.pin"),
        ('quit = ""', "quit must have a key that every terminal sends"),
        ('quit = "ctrl+i"', "quit must have a key that every terminal sends"),
        ('lock = "enter"', "enter cannot be given to lock"),
        ('lock = "esc"', "esc cannot be given to lock"),
        ('lock = "ctrl+c"', "ctrl+c cannot be given to lock"),
        ('lock = "x"', "x cannot be given to lock: it is typed into the message"),
        ('lock = "space"', "space cannot be given to lock: it is typed"),
        ('chat.redo = "?"', "? cannot be given to chat.redo: it is typed"),
        ('memory.pin = "down"', "down cannot be given to memory.pin"),
    ],
)
def test_a_key_that_cannot_be_had_is_refused_in_one_line_with_its_place(line: str, told: str) -> None:
    refused = refusal("", line)
    assert refused.startswith("config.toml:3: ")
    assert told in refused
    assert "\n" not in refused


def test_a_table_of_keys_has_to_be_one() -> None:
    with pytest.raises(BadConfig, match="keys must be a table"):
        read_config('keys = "ctrl+x"', FILE, {})


def test_a_theme_that_is_none_is_refused_and_one_that_is_taken() -> None:
    assert read_config('theme = "nord"', FILE, {}).config.theme == "nord"
    with pytest.raises(BadConfig, match=r"theme must be assistant-dark, .* or tokyo-night, not 'dusk'"):
        read_config('theme = "dusk"', FILE, {})
