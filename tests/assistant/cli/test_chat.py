"""`assistant chat --plain`: a chat in lines, for screen readers and dumb terminals."""

import subprocess

import pytest

from storage.records import TurnState
from tests.assistant.cli import scripted
from tests.assistant.cli.support import Here, Home, Terminal
from tests.doubles import DIED, ScriptedModel

SCRIPTED = "tests.assistant.cli.scripted"


def said(home: Home) -> list[str]:
    with home.opened() as memory:
        return [turn.text for turn in reversed(memory.vault.turns.listing())][3:]


def test_lines_are_answered_until_the_input_ends(here: Here) -> None:
    model = ScriptedModel(["One.", "Two."])
    ran = here.run("chat", "--plain", stdin="first\n\nsecond\n", model=model)
    assert (ran.code, ran.out) == (0, "One.\nTwo.\n")
    assert said(here.home) == ["first", "One.", "second", "Two."]


def test_quit_ends_and_nothing_after_it_is_read(here: Here) -> None:
    ran = here.run("chat", "--plain", stdin="/quit\nnot read\n")
    assert (ran.code, ran.out) == (0, "")
    assert said(here.home) == []


def test_a_temporary_chat_leaves_nothing(here: Here) -> None:
    here.run("chat", "--plain", "-n", stdin="secret\n", model=ScriptedModel(["Yes."]))
    here.run("chat", "--plain", stdin="/temp\nsecret too\n", model=ScriptedModel(["Yes."]))
    assert said(here.home) == []


def test_a_new_chat_is_a_new_conversation(here: Here) -> None:
    here.run("chat", "--plain", stdin="first\n/new\nsecond\n", model=ScriptedModel(["One.", "Two."]))
    with here.home.opened() as memory:
        assert [one.turns for one in memory.vault.conversations.listing()] == [2, 2, 3]


def test_why_tells_of_the_last_answer(here: Here) -> None:
    ran = here.run("chat", "--plain", stdin="Who has the spare key?\n/why\n/nonsense\n", model=ScriptedModel(["Ada."]))
    assert "cosine" in ran.err
    assert ran.err.count("/new a new chat") == 2


def test_a_failure_ends_the_answer_and_not_the_chat(here: Here) -> None:
    model = ScriptedModel([("Half", DIED), "Whole."])
    ran = here.run("chat", "--plain", stdin="first\nsecond\n", model=model)
    assert (ran.code, ran.out) == (0, "Half\nWhole.\n")
    assert "the model process ended" in ran.err


def test_a_conversation_goes_on(here: Here) -> None:
    with here.home.opened() as memory:
        conversation = memory.vault.conversations.listing()[0].id
    here.run("chat", "--plain", "--conversation", conversation[:8], stdin="more\n", model=ScriptedModel(["Yes."]))
    with here.home.opened() as memory:
        assert [one.turns for one in memory.vault.conversations.listing()] == [5]


@pytest.mark.parametrize("environment", [{"TERM": "dumb"}, {"TERM": ""}])
def test_a_dumb_terminal_gets_lines_without_an_escape(full: Home, environment: dict[str, str]) -> None:
    terminal = Terminal(full, *full.arguments([]), module=SCRIPTED, environment=environment)
    terminal.wait_for("You: ")
    terminal.send("Hello?\n")
    terminal.wait_for("Yes.")
    terminal.send("\x04")
    assert terminal.end() == 0
    assert "\x1b" not in terminal.seen


def test_ctrl_d_that_is_typed_ahead_ends_the_chat_after_the_line_before_it(full: Home) -> None:
    terminal = Terminal(full, *full.arguments(["chat", "--plain", "-n"]), module=SCRIPTED)
    terminal.wait_for("You: ")
    terminal.send("Hello?\n\x04")
    terminal.wait_for("Yes.")
    assert terminal.end() == 0


def test_ctrl_d_at_the_passphrase_ends_in_one_line(full: Home) -> None:
    terminal = Terminal(full, environment={"TERM": "dumb"})
    terminal.wait_for("Passphrase: ")
    terminal.send("\x04")
    assert terminal.end() == 4
    assert "no passphrase was typed" in terminal.seen
    assert "Traceback" not in terminal.seen


@pytest.mark.parametrize("command", [[], ["chat"]])
def test_with_stderr_redirected_there_are_no_screens(full: Home, command: list[str]) -> None:
    terminal = Terminal(full, *full.arguments(command), stderr=subprocess.DEVNULL)
    assert terminal.end() == 2
    assert terminal.seen == ""


def test_on_a_terminal_the_screens_open_and_a_signal_puts_the_terminal_back(full: Home) -> None:
    terminal = Terminal(full, *full.arguments([]))
    terminal.wait_for("\x1b[?1049h")
    terminal.wait_for("Write a message")
    terminal.process.terminate()
    assert terminal.end() == 143
    assert "\x1b[?1049l" in terminal.seen
    assert "Traceback" not in terminal.seen


def test_ctrl_c_stops_an_answer_then_twice_ends_the_chat(full: Home) -> None:
    long = " ".join(f"word{number}" for number in range(400))
    terminal = Terminal(
        full,
        *full.arguments(["chat", "--plain"]),
        module=SCRIPTED,
        environment={scripted.ANSWER: long, scripted.DELAY: "0.05"},
    )
    terminal.wait_for("You: ")
    terminal.send("Tell me.\n")
    terminal.wait_for("word2")
    terminal.send("\x03")
    terminal.wait_for("what was written is kept")
    terminal.wait_for("You: ", times=2)
    terminal.send("\x03")
    terminal.wait_for("once more")
    terminal.send("\x03")
    assert terminal.end() == 130
    assert "Traceback" not in terminal.seen
    with full.opened() as memory:
        assert memory.vault.turns.listing(limit=1)[0].state is TurnState.STOPPED
