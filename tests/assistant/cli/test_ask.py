"""`assistant ask` with a scripted model: what is asked, what is printed where, and how it ends early."""

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from assistant.cli.reply import AnswerLines
from assistant.errors import ModelMissing
from assistant.events import Token
from storage.records import Role, TurnState
from tests.assistant.cli import scripted
from tests.assistant.cli.support import LONGEST_SECONDS, Here, Home, Terminal
from tests.conftest import PASSPHRASE
from tests.doubles import DIED, ScriptedModel

SCRIPTED = "tests.assistant.cli.scripted"
LONG_ANSWER = " ".join(f"word{number}" for number in range(400))


def texts(home: Home) -> list[tuple[Role, str, TurnState]]:
    with home.opened() as memory:
        found = memory.vault.turns.listing()
    return [(turn.role, turn.text, turn.state) for turn in reversed(found)][3:]


def events(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


def prompt(model: ScriptedModel) -> str:
    return model.requests[-1][-1].content


# asking


def test_only_the_answer_goes_to_stdout_and_both_turns_are_kept(here: Here) -> None:
    ran = here.run("ask", "Where", "is", "the boat?", model=ScriptedModel(["In the northern harbour."]))
    assert (ran.code, ran.out, ran.err) == (0, "In the northern harbour.\n", "")
    assert texts(here.home) == [
        (Role.USER, "Where is the boat?", TurnState.COMPLETE),
        (Role.ASSISTANT, "In the northern harbour.", TurnState.COMPLETE),
    ]


def test_an_answer_that_ends_its_line_gets_no_second_line_end(here: Here) -> None:
    assert here.run("ask", "x", model=ScriptedModel(["One line.\n"])).out == "One line.\n"


def test_piped_text_is_context_and_is_not_kept(here: Here) -> None:
    model = ScriptedModel(["A fix."])
    ran = here.run("ask", "What is this?", stdin="diff --git a b\n", model=model)
    assert ran.code == 0
    assert "diff --git a b" in prompt(model)
    assert "What is this?" in prompt(model)
    assert texts(here.home)[0][1] == "What is this?"


def test_piped_text_alone_is_the_question(here: Here) -> None:
    model = ScriptedModel(["Yes."])
    assert here.run("ask", stdin="Is it so?\n", model=model).out == "Yes.\n"
    assert texts(here.home)[0][1] == "Is it so?"


def test_files_are_read_with_the_question(here: Here, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("alpha notes")
    (tmp_path / "b.txt").write_text("beta notes")
    model = ScriptedModel(["Two."])
    here.run("ask", "-f", str(tmp_path / "a.txt"), "-f", str(tmp_path / "b.txt"), "Sum?", stdin="gamma", model=model)
    asked = prompt(model)
    assert asked.index("alpha notes") < asked.index("beta notes") < asked.index("gamma")


@pytest.mark.parametrize(
    ("arguments", "stdin", "what"),
    [
        ([], b"", "there is nothing to ask"),
        ([" "], b" \n", "there is nothing to ask"),
        (["-f", "/nonexistent.txt", "x"], b"", "/nonexistent.txt cannot be read"),
        (["x"], b"\xff\xfe", "not UTF-8"),
        (["--seed", "-1", "x"], b"", "--seed"),
    ],
)
def test_a_question_that_cannot_be_asked_is_refused(here: Here, arguments: list[str], stdin: bytes, what: str) -> None:
    ran = here.run("ask", *arguments, stdin=stdin)
    assert (ran.code, ran.out) == (2, "")
    assert what in ran.err
    assert texts(here.home) == []


def test_a_binary_file_is_refused(here: Here, tmp_path: Path) -> None:
    (tmp_path / "picture").write_bytes(b"\x89PNG\xff")
    ran = here.run("ask", "-f", str(tmp_path / "picture"), "x")
    assert ran.code == 2
    assert "no text in UTF-8" in ran.err


def test_memories_are_recalled_unless_they_are_not_wanted(here: Here) -> None:
    model = ScriptedModel(["With Ada.", "I can not tell."])
    here.run("ask", "Who has the spare key?", model=model)
    assert "The spare key is with Ada." in prompt(model)
    here.run("ask", "-n", "--no-memory", "Who has the spare key?", model=model)
    assert "Ada" not in "".join(message.content for message in model.requests[-1])


@pytest.mark.parametrize("option", ["-n", "--no-memory"])
def test_a_temporary_question_and_one_without_memory_leave_nothing(here: Here, option: str) -> None:
    with here.home.opened() as memory:
        before = memory.vault.change_counter()
    assert here.run("ask", option, "A secret matter?", model=ScriptedModel(["Indeed."])).out == "Indeed.\n"
    assert texts(here.home) == []
    with here.home.opened() as memory:
        assert memory.vault.change_counter() == before


def test_while_learning_is_paused_nothing_is_kept_and_one_is_told(here: Here) -> None:
    with here.home.opened() as memory:
        before = memory.vault.change_counter()
    here.home.configure("learning = false\n")
    ran = here.run("ask", "A secret matter?", model=ScriptedModel(["Indeed."]))
    assert ran.out == "Indeed.\n"
    assert "learning is paused in the settings: nothing of this is kept" in ran.err
    assert texts(here.home) == []
    with here.home.opened() as memory:
        assert memory.vault.change_counter() == before


def test_the_latest_chat_goes_on(here: Here) -> None:
    model = ScriptedModel(["First answer.", "Second answer."])
    here.run("ask", "First question?", model=model)
    here.run("ask", "-c", "Second question?", model=model)
    sent = [message.content for message in model.requests[-1]]
    assert any("First question?" in content for content in sent)
    assert any("First answer." in content for content in sent)
    with here.home.opened() as memory:
        assert [one.turns for one in memory.vault.conversations.listing()] == [4, 3]


def test_going_on_without_a_chat_finds_nothing(here_new: Here) -> None:
    here_new.run("remember", "A note is no chat.")
    ran = here_new.run("ask", "-c", "And then?")
    assert (ran.code, ran.out) == (3, "")
    assert "no chat to go on with" in ran.err


def test_instructions_reach_the_model(here: Here) -> None:
    model = ScriptedModel(["Arr."])
    here.run("ask", "-s", "Answer like a pirate.", "Well?", model=model)
    assert any("Answer like a pirate." in message.content for message in model.requests[-1])


def test_why_tells_on_stderr_what_was_recalled_and_used(here: Here) -> None:
    ran = here.run("ask", "--why", "Who has the spare key?", model=ScriptedModel(["The spare key is with Ada."]))
    assert ran.out == "The spare key is with Ada.\n"
    assert "used" in ran.err
    assert "The spare key is with Ada." in ran.err
    assert "cosine" in ran.err
    assert "memory was not asked" in here.run("ask", "--why", "--no-memory", "x", model=ScriptedModel(["y"])).err


# JSON


def test_json_is_one_event_a_line_with_stable_names(here: Here) -> None:
    model = ScriptedModel(["With Ada I think."])
    ran = here.run("ask", "--json", "--seed", "7", "Who has the spare key?", model=model)
    assert ran.code == 0
    told = events(ran.out)
    names = [event["type"] for event in told]
    assert names[:2] == ["kept", "recalled"]
    assert names[-1] == "finished"
    assert "".join(event["text"] for event in told if event["type"] == "token") == "With Ada I think."
    assert told[0]["turn"]["text"] == "Who has the spare key?"
    assert told[0]["turn"]["time"].endswith("Z")
    assert told[1]["hits"][0]["text"] == "The spare key is with Ada."
    assert set(told[1]["hits"][0]["parts"]) >= {"cosine", "bm25", "energy", "received"}
    assert told[-1]["turn"]["role"] == "assistant"
    assert told[-1]["figures"]["seed"] == 7
    assert told[-1]["cut"] is False


def test_json_of_a_failure_tells_it_as_an_event_too(here: Here) -> None:
    ran = here.run("ask", "--json", "x", model=ScriptedModel([("Half an", DIED)]))
    assert ran.code == 5
    assert events(ran.out)[-1]["type"] == "failed"
    assert "model process ended" in events(ran.out)[-1]["message"]
    assert ran.err.startswith("assistant: ")


# ending early


def test_a_model_that_dies_keeps_the_part_and_exits_5(here: Here) -> None:
    ran = here.run("ask", "x", model=ScriptedModel([("Half an answer", DIED)]))
    assert (ran.code, ran.out) == (5, "Half an answer\n")
    assert "the model process ended" in ran.err
    assert texts(here.home)[-1] == (Role.ASSISTANT, "Half an answer", TurnState.FAILED)


def test_a_model_that_is_missing_exits_5_and_the_question_is_kept(here: Here) -> None:
    ran = here.run("ask", "x", model=Missing([]))
    assert (ran.code, ran.out) == (5, "")
    assert ran.err == "assistant: it is not there; install it\n"
    assert [text for _, text, _ in texts(here.home)] == ["x"]


class Missing(ScriptedModel):
    """A model that is not installed."""

    def load(self, progress: Any = None) -> Any:
        raise ModelMissing("it is not there; install it")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_stops_the_answer_and_keeps_the_part(full: Home, number: signal.Signals, code: int) -> None:
    full.environment |= {scripted.ANSWER: LONG_ANSWER, scripted.DELAY: "0.05"}
    process = full.start("ask", "Tell me.", module=SCRIPTED)
    assert process.stdout is not None
    begun = os.read(process.stdout.fileno(), 1000)
    process.send_signal(number)
    out, err = process.communicate(timeout=LONGEST_SECONDS)
    assert process.returncode == code
    told = (begun + out).decode()
    assert told.endswith("\n")
    assert LONG_ANSWER.startswith(told.strip())
    assert told.strip() != LONG_ANSWER, "it did not wait for the rest"
    assert b"Traceback" not in err
    assert b"what was written is kept" in err
    (_, question, _), (role, text, state) = texts(full)
    assert question == "Tell me."
    assert (role, text, state) == (Role.ASSISTANT, told.strip(), TurnState.STOPPED)


def test_an_answer_that_nobody_reads_on_is_kept_and_silent(full: Home) -> None:
    full.environment |= {scripted.ANSWER: LONG_ANSWER, scripted.DELAY: "0.02"}
    process = full.start("ask", "Tell me.", module=SCRIPTED)
    assert process.stdout is not None
    assert process.stderr is not None
    os.read(process.stdout.fileno(), 100)
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(timeout=LONGEST_SECONDS) == 141
    process.stderr.close()
    role, text, state = texts(full)[-1]
    assert (role, state) == (Role.ASSISTANT, TurnState.STOPPED)
    assert LONG_ANSWER.startswith(text)


def test_a_kill_in_the_middle_of_an_answer_loses_no_question(full: Home) -> None:
    full.environment |= {scripted.ANSWER: LONG_ANSWER, scripted.DELAY: "0.05"}
    process = full.start("ask", "Tell me.", module=SCRIPTED)
    assert process.stdout is not None
    os.read(process.stdout.fileno(), 100)
    process.kill()
    process.communicate(timeout=LONGEST_SECONDS)
    assert texts(full) == [(Role.USER, "Tell me.", TurnState.COMPLETE)]


def test_the_passphrase_on_stdin_is_no_context(full: Home) -> None:
    ran = full.run("ask", "--passphrase-fd", "0", "x", stdin=PASSPHRASE, module=SCRIPTED, unlocking=False)
    assert (ran.code, ran.out, ran.err) == (0, "Yes.\n", "")
    both = full.run("remember", "--passphrase-fd", "0", "-", stdin=PASSPHRASE, unlocking=False)
    assert both.code == 2
    assert "cannot give the passphrase and a text" in both.err


def test_tokens_come_as_they_are_written(full: Home) -> None:
    full.environment |= {scripted.ANSWER: LONG_ANSWER, scripted.DELAY: "0.05"}
    process = full.start("ask", "Tell me.", module=SCRIPTED)
    assert process.stdout is not None
    first = os.read(process.stdout.fileno(), 1000)
    assert process.poll() is None
    assert len(first) < len(LONG_ANSWER) / 2
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=LONGEST_SECONDS)


def test_ctrl_c_on_a_terminal_stops_the_answer(full: Home) -> None:
    terminal = Terminal(
        full,
        *full.arguments(["ask", "Tell me."]),
        module=SCRIPTED,
        environment={scripted.ANSWER: LONG_ANSWER, scripted.DELAY: "0.05"},
    )
    terminal.wait_for("word3")
    terminal.send("\x03")
    assert terminal.end() == 130
    assert "stopped; what was written is kept" in terminal.seen
    assert texts(full)[-1][2] is TurnState.STOPPED


# streams


def test_an_escape_in_an_answer_cannot_act(here: Here) -> None:
    ran = here.run("ask", "x", model=ScriptedModel(["red \x1b[31m and \x9b2J then\r\nmore"]))
    assert ran.out == "red ␛[31m and �2J then\nmore\n"


def test_emoji_that_are_joined_stay_joined_over_pieces(capsys: pytest.CaptureFixture[str]) -> None:
    lines = AnswerLines()
    for piece in ("\U0001f468", "\u200d", "\U0001f469", "a", "\u200d", "b"):
        lines.show(Token(text=piece))
    assert capsys.readouterr().out == "\U0001f468\u200d\U0001f469a\ufffdb"


def test_progress_is_told_on_a_terminal_only(full: Home) -> None:
    terminal = Terminal(full, *full.arguments(["ask", "Tell me."]), module=SCRIPTED)
    assert terminal.end() == 0
    assert "loading scripted" in terminal.seen
    assert "Yes." in terminal.seen
    assert "\x1b" not in terminal.seen
    piped = full.run("ask", "Tell me.", module=SCRIPTED)
    assert (piped.out, piped.err) == ("Yes.\n", "")


@pytest.mark.parametrize("stdin", [subprocess.DEVNULL, "closed"])
def test_an_empty_or_closed_stdin_does_not_hang(full: Home, stdin: Any) -> None:
    if stdin == "closed":
        reading, writing = os.pipe()
        os.close(writing)
        stdin = reading
    process = full.start("ask", "Well?", module=SCRIPTED, stdin=stdin)
    out, err = process.communicate(timeout=LONGEST_SECONDS)
    assert (process.returncode, out, err) == (0, b"Yes.\n", b"")


def test_json_survives_a_reader_that_takes_five_bytes(full: Home) -> None:
    full.environment |= {scripted.ANSWER: LONG_ANSWER, scripted.DELAY: "0.01"}
    process = full.start("ask", "--json", "Well?", module=SCRIPTED)
    assert process.stdout is not None
    assert process.stderr is not None
    assert os.read(process.stdout.fileno(), 5) == b'{"typ'
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(timeout=LONGEST_SECONDS) == 141
    process.stderr.close()
