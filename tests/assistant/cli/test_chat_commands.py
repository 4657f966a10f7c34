"""The orders of `assistant chat --plain`, and what is told of remembering and forgetting in passing."""

import re
from pathlib import Path

from storage.records import Source
from tests.assistant.cli.conftest import SAID
from tests.assistant.cli.support import Here, Home, Terminal
from tests.assistant.cli.test_chat import SCRIPTED, said
from tests.doubles import ScriptedModel


def everything(home: Home) -> list[str]:
    with home.opened() as memory:
        return [turn.text for turn in reversed(memory.vault.turns.listing())]


def talk(here: Here, *lines: str, model: ScriptedModel | None = None, options: tuple[str, ...] = ()) -> tuple[str, str]:
    ran = here.run("chat", "--plain", *options, stdin="".join(f"{line}\n" for line in lines), model=model)
    assert ran.code == 0, ran.err
    return ran.out, ran.err


def test_a_note_is_kept_with_its_id_and_taken_back(here: Here) -> None:
    _, err = talk(here, "/remember The code is 4711.", "/remember Another one.", "/undo")
    short, _ = re.findall(r"remembered ([0-9a-f]{8}); /undo takes it back", err)
    with here.home.opened() as memory:
        note = memory.vault.turns.get(short)
        assert (note.text, note.source) == ("The code is 4711.", Source.NOTE)
    assert "forgot 1 memory; /undo brings it back until" in err
    assert said(here.home) == ["The code is 4711."]


def test_an_order_to_forget_asks_and_does_it_after_a_yes(here: Here) -> None:
    model = ScriptedModel([])
    out, err = talk(here, "Delete everything about Ada", "y", model=model)
    assert "The spare key is with Ada." in out
    assert "forgot 1 memory; /undo brings it back until" in err
    assert everything(here.home) == list(SAID[1:])
    assert model.requests == []


def test_anything_but_a_yes_forgets_nothing_and_is_heeded(here: Here) -> None:
    model = ScriptedModel(["Hello."])
    out, err = talk(here, "Forget Ada", "n", "Forget Ada", "Good morning.", "Forget Ada", model=model)
    assert err.count("nothing was forgotten") == 3
    assert "Hello.\n" in out
    assert everything(here.home) == [*SAID, "Good morning.", "Hello."]


def test_to_forget_everything_that_word_is_wanted(here: Here) -> None:
    order = "Forget everything you know about me"
    out, err = talk(here, order, "y", "/memory", order, "everything", "/memory")
    assert "nothing was forgotten" in err
    assert out.count(SAID[0]) == 3
    assert everything(here.home) == []


def test_words_or_ids_choose_what_is_forgotten_and_it_comes_back(here: Here) -> None:
    with here.home.opened() as memory:
        ids = [turn.id[:8] for turn in memory.vault.turns.listing() if "boat" not in turn.text]
    _, err = talk(here, "/forget boat harbour", "y", "/undo", f"/forget {' '.join(ids)}", "yes")
    assert "brought back 1 memory" in err
    assert everything(here.home) == [SAID[1]]


def test_what_fits_nothing_is_told_and_the_chat_goes_on(here: Here) -> None:
    out, err = talk(
        here, "/forget zebra", "/forget", "/export", "/retry", "/keep", "first", model=ScriptedModel(["One."])
    )
    assert out == "One.\n"
    for told in ("nothing was forgotten", "say what to forget", "say where to", "no question", "kept already"):
        assert told in err


def test_what_was_said_last_is_taken_back(here: Here) -> None:
    model = ScriptedModel(["One.", "Two."])
    _, err = talk(here, "My pin is 4821.", "My dog is called Rex.", "/undo", model=model)
    assert "forgot 2 memories" in err
    assert said(here.home) == ["My pin is 4821.", "One."]


def test_a_temporary_chat_is_kept_on_request(here: Here) -> None:
    _, err = talk(here, "first", "/keep", "second", model=ScriptedModel(["One.", "Two."]), options=("-n",))
    assert "kept 2 turns; from here on all of this chat is kept" in err
    assert said(here.home) == ["first", "One.", "second", "Two."]


def test_while_learning_is_paused_no_chat_can_be_kept(here: Here) -> None:
    here.home.configure("learning = false\n")
    _, err = talk(here, "first", "/keep", model=ScriptedModel(["One."]))
    assert "learning is paused in the settings: nothing is kept" in err
    assert said(here.home) == []


def test_the_last_question_gets_another_answer(here: Here) -> None:
    out, _ = talk(here, "first", "/retry", model=ScriptedModel(["One.", "Two."]))
    assert out == "One.\nTwo.\n"
    assert said(here.home) == ["first", "Two."]


def test_a_question_in_other_words_goes_on_in_a_branch_that_can_be_left_and_opened(here: Here) -> None:
    model = ScriptedModel([f"Answer {number}." for number in range(9)])
    lines = ("I have a boat.", "It is blue.", "/edit It is red.", "/versions", "And fast.")
    out, _ = talk(here, *lines, model=model)
    (old, words), (new, other) = re.findall(r"^[* ] \d/2  ([0-9a-f]{8})  (.*)$", out, re.MULTILINE)
    assert (words, other) == ("It is blue.", "It is red.")
    assert f"* 2/2  {new}" in out
    with here.home.opened() as memory:
        branch = memory.vault.conversations.get(new)
        assert branch.parent == memory.vault.conversations.get(old).id
        assert [turn.text for turn in memory.vault.turns.whole(branch.id)] == [
            "I have a boat.", "Answer 0.", "It is red.", "Answer 2.", "And fast.", "Answer 3.",
        ]  # fmt: skip
    _, err = talk(here, f"/open {old}", "/retry", "/versions", model=model)
    assert "going on with 'I have a boat.'" in err
    assert everything(here.home).count("It is blue.") == 1


def test_an_earlier_question_is_named_by_its_id(here: Here) -> None:
    model = ScriptedModel([f"Answer {number}." for number in range(9)])
    out, err = talk(
        here, "/edit", "I have a boat.", "It is blue.", "/edit", "/edit 00000000 x", "/versions", model=model
    )
    assert "nothing was asked" in err
    listed = re.findall(r"^([0-9a-f]{8})  (.*)$", out, re.MULTILINE)
    assert [text for _, text in listed][:2] == ["I have a boat.", "It is blue."]
    with here.home.opened() as memory:
        conversation = memory.vault.turns.get(listed[0][0]).conversation
    out, err = talk(here, f"/open {conversation}", f"/retry {listed[0][0]}", "/retry 00000000", model=model)
    assert "Answer 3." in out
    assert "has such an id" in err
    texts = everything(here.home)
    assert texts.count("I have a boat.") == 2
    assert texts.count("00000000 x") == 1


def test_a_temporary_chat_has_no_branches_and_drops_what_came_after(here: Here) -> None:
    before = everything(here.home)
    model = ScriptedModel(["One.", "Two."])
    _, err = talk(here, "/temp", "I have a boat.", "/edit I have a ship.", "/versions", "/keep", model=model)
    assert "no branches" in err
    assert everything(here.home) == [*before, "I have a ship.", "Two."]


def test_memories_are_listed_with_their_ids(here: Here) -> None:
    out, _ = talk(here, "/memory", "/memory Ada", "What do you remember about me?")
    assert out.count("The spare key is with Ada.") == 3
    assert out.count("We sail on Friday") == 2
    assert said(here.home) == []


def test_this_chat_alone_is_written_to_a_file(here: Here, tmp_path: Path) -> None:
    file = tmp_path / "talk.md"
    _, err = talk(here, f"/export {file}", "first", f"/export {file}", f"/export {file}", model=ScriptedModel(["One."]))
    text = file.read_text()
    assert "first" in text
    assert "One." in text
    assert SAID[0] not in text
    assert "nothing of this chat is kept" in err
    assert "is there already" in err


def test_the_model_and_all_orders_are_told(here: Here) -> None:
    here.home.configure('model = "no-such-model"\n')
    _, err = talk(here, "/model", "first", "/model", "/help", model=ScriptedModel(["One."]))
    assert "there is no model 'no-such-model'" in err
    assert "scripted: scripted.gguf" in err
    assert "/forget WORDS|ID" in err


def test_locking_ends_the_chat(here: Here) -> None:
    out, err = talk(here, "/lock", "not read", model=ScriptedModel(["One."]))
    assert out == ""
    assert "locked; assistant chat --plain opens it again" in err


def test_on_a_terminal_remembering_is_told_and_pasted_lines_are_no_orders(full: Home) -> None:
    terminal = Terminal(full, *full.arguments(["chat", "--plain"]), module=SCRIPTED, environment={"TERM": "dumb"})
    terminal.wait_for("You: ")
    terminal.send("My boat is called Gull.\n")
    terminal.wait_for("; /undo takes it back")
    terminal.wait_for("You: ", times=2)
    terminal.send("/quit\nIs this a paste?\n/forget Ada\n")
    terminal.wait_for("Yes.", times=2)
    terminal.wait_for("You: ", times=3)
    terminal.send("Forget Ada\n")
    terminal.wait_for("Forget it? [y/N] ")
    terminal.send("y\n")
    terminal.wait_for("/undo brings it back until")
    terminal.send("/quit\n")
    assert terminal.end() == 0
    assert terminal.seen.count("takes it back") == 2
    kept = everything(full)
    assert "/quit\nIs this a paste?\n/forget Ada" not in kept  # it names Ada, too
    assert SAID[0] not in kept
    assert "My boat is called Gull." in kept
