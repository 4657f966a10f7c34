"""The table of actions."""

from assistant.keys import DEFAULT_KEYS
from tui.app import AssistantApp
from tui.commands import COMMANDS, slash_command, slash_matches


def test_every_command_has_an_action_of_the_app() -> None:
    assert [command.action for command in COMMANDS if not hasattr(AssistantApp, f"action_{command.action}")] == []


def test_no_key_is_given_twice_and_none_is_a_key_that_terminals_confuse() -> None:
    keys = [key for command in COMMANDS for key in DEFAULT_KEYS[command.action].split(",") if key]
    assert len(keys) == len(set(keys))
    assert not {"ctrl+b", "ctrl+i", "ctrl+m", "ctrl+h"} & set(keys)


def test_a_slash_command_is_the_whole_line() -> None:
    found = slash_command(" /quit ")
    assert found is not None
    assert (found[0].action, found[1]) == ("quit", "")
    told = slash_command("/remember  the spare key is with Ada ")
    assert told is not None
    assert (told[0].action, told[1]) == ("remember", "the spare key is with Ada")
    assert slash_command("/quit now") is None
    assert slash_command("say /quit") is None
    assert slash_command("/") is None


def test_commands_are_offered_while_a_word_is_typed() -> None:
    assert [command.slash for command in slash_matches("/he")] == ["help"]
    assert len(slash_matches("/")) == len([command for command in COMMANDS if command.slash])
    assert slash_matches("/help me") == ()
    assert slash_matches("help") == ()
