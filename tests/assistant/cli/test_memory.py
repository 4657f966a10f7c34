"""memory and history: what is shown and changed."""

import json
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.cli.output import cut, short_ids
from storage.records import Role, Source, Utterance
from tests.assistant.cli.support import Here, Home, Terminal
from tests.conftest import NOON

NOTE = Utterance(role=Role.USER, speaker="User", text="x", time=NOON, source=Source.CHAT)
SCRIPTED = "tests.assistant.cli.scripted"


def ids(home: Home) -> list[str]:
    """Give the ids of all memories, oldest first."""
    with home.opened() as memory:
        return [turn.id for turn in reversed(memory.vault.turns.listing())]


def all_texts(home: Home) -> list[str]:
    with home.opened() as memory:
        return [turn.text for turn in reversed(memory.vault.turns.listing())]


# what is shown


def test_texts_of_others_are_shown_inert_and_on_one_line(here: Here) -> None:
    here.run("remember", "-", stdin="evil \x1b[2J key\r\nnext \x00 line \u202e end")
    for command in (["recall", "evil key"], ["memory", "list"]):
        ran = here.run(*command)
        line = next(line for line in ran.out.splitlines() if "evil" in line)
        assert "evil ␛[2J key↵next ␀ line � end" in line
    shown = here.run("memory", "show", ids(here.home)[-1]).out
    assert "evil ␛[2J key\nnext ␀ line � end" in shown


def test_lines_are_cut_by_cells_on_a_terminal_and_whole_in_a_pipe(here: Here) -> None:
    text = "海" * 100 + " wide"
    here.run("remember", text)
    assert text in here.run("memory", "list").out
    terminal = Terminal(here.home, *here.home.arguments(["memory", "list", "wide"]))
    assert terminal.end() == 0
    (line,) = terminal.seen.splitlines()
    assert line.endswith("…")
    assert len(line) < 60


def test_cutting_counts_cells() -> None:
    assert cut("ab漢字", 6) == "ab漢字"
    assert cut("ab漢字x", 6) == "ab漢…"
    assert cut("e\u0301e\u0301e\u0301", 3) == "e\u0301e\u0301e\u0301"
    assert cut("abc", 0) == ""


def test_short_ids_tell_all_apart() -> None:
    same = ["0123456789ab", "0123456789cd", "ffffffffffff"]
    assert set(short_ids(same).values()) == {"0123456789a", "0123456789c", "fffffffffff"}
    assert short_ids([]) == {}


# memory


def test_memories_are_listed_latest_first_and_filtered_by_words(here: Here) -> None:
    lines = here.run("memory", "list").out.splitlines()
    assert [line.split(": ", 1)[1][:7] for line in lines] == ["We sail", "The boa", "The spa"]
    assert here.run("memory", "list", "harb").out.endswith("The boat lies in the northern harbour.\n")
    none = here.run("memory", "list", "submarine")
    assert (none.code, none.out) == (0, "")
    assert "no memory of 3 fits" in none.err
    assert here.run("memory", "list", "?!").code == 2


def test_a_limit_is_told_and_lifted(here: Here) -> None:
    ran = here.run("memory", "list", "--limit", "2")
    assert (len(ran.out.splitlines()), ran.err) == (2, "")
    terminal = Terminal(here.home, *here.home.arguments(["memory", "list", "--limit", "2"]))
    assert terminal.end() == 0
    assert "--limit 0" in terminal.seen


def test_a_pipe_gets_all_memories(here: Here) -> None:
    with here.home.opened() as memory:
        first = memory.vault.turns.listing()[-1]
        for number in range(60):
            memory.hear(first.conversation, replace(NOTE, text=f"note {number}"))
    ran = here.run("memory", "list")
    assert (len(ran.out.splitlines()), ran.err) == (63, "")


def test_memories_of_one_conversation(here: Here) -> None:
    here.run("remember", "A note.")
    notes = json.loads(here.run("history", "list", "--json", "notes").out)[0]["id"]
    assert here.run("memory", "list", "--conversation", notes[:8]).out.endswith("User: A note.\n")
    assert here.run("memory", "list", "--conversation", "ffff0000").code == 3


def test_a_memory_is_shown_whole(here: Here) -> None:
    (first, *_) = ids(here.home)
    ran = here.run("memory", "show", first[:6])
    assert first in ran.out
    assert "2026-05-12 12:00:00+00:00" in ran.out
    assert ran.out.endswith("\n\nThe spare key is with Ada.\n")
    shown = json.loads(here.run("memory", "show", "--json", first).out)
    assert set(shown) == {
        "id", "conversation", "position", "role", "speaker", "time", "text", "source", "origin", "external_id",
        "state", "model", "seed", "tags", "expires", "held_back", "trust", "pinned", "archived", "used", "last_used",
        "concepts", "superseded_by", "supersedes",
    }  # fmt: skip


def test_an_id_that_is_too_short_or_means_several_is_refused(here: Here) -> None:
    assert here.run("memory", "show", ids(here.home)[0][:2]).code == 3


def test_editing_with_words_changes_text_and_recall(here: Here) -> None:
    (first, *_) = ids(here.home)
    ran = here.run("memory", "edit", first, "The", "spare key is with Jo.")
    assert ran.out == f"changed {first[:8]}\n"
    assert here.run("recall", "-k", "1", "spare key").out.endswith("The spare key is with Jo.\n")
    assert "Ada" not in here.run("memory", "list").out


EDITOR = """
import os, stat, sys
from pathlib import Path
file = Path(sys.argv[1])
Path(os.environ["TEST_SEEN"]).write_text(
    f"{file}\\n{stat.S_IMODE(file.stat().st_mode):o} {stat.S_IMODE(file.parent.stat().st_mode):o}\\n{file.read_text()}"
)
file.with_suffix(".swp").write_text("left by the editor")
file.write_text(os.environ["TEST_TEXT"])
sys.exit(int(os.environ.get("TEST_CODE", "0")))
"""


@pytest.mark.parametrize(
    ("text", "ended", "code", "kept"),
    [
        ("The spare key is with Jo.\n", "0", 0, "The spare key is with Jo."),
        ("The spare key is with Ada.\n", "0", 2, "The spare key is with Ada."),
        ("\n", "0", 2, "The spare key is with Ada."),
        ("Something else.", "3", 2, "The spare key is with Ada."),
    ],
)
def test_the_editor_opens_on_a_private_file_in_memory(
    full: Home, tmp_path: Path, text: str, ended: str, code: int, kept: str
) -> None:
    editor, seen = tmp_path / "editor.py", tmp_path / "seen"
    editor.write_text(EDITOR)
    (first, *_) = ids(full)
    terminal = Terminal(
        full,
        *full.arguments(["memory", "edit", first]),
        module=SCRIPTED,
        environment={
            "EDITOR": f"{sys.executable} {editor}",
            "TEST_SEEN": str(seen),
            "TEST_TEXT": text,
            "TEST_CODE": ended,
        },
    )
    assert terminal.end() == code
    assert all_texts(full)[0] == kept
    place, modes, content = seen.read_text().split("\n", 2)
    assert (modes, content) == ("600 700", "The spare key is with Ada.\n")
    assert place.startswith("/dev/shm/")
    assert not Path(place).parent.exists()


def test_without_an_editor_or_a_terminal_it_says_what_to_do(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)
    (first, *_) = ids(here.home)
    assert "$EDITOR" in here.run("memory", "edit", first).err
    monkeypatch.setenv("EDITOR", "true")
    ran = here.run("memory", "edit", first)
    assert ran.code == 2
    assert "no terminal" in ran.err


# history


def test_conversations_are_listed_and_shown(here: Here) -> None:
    line = here.run("history", "list").out
    assert "3  chat" in line
    assert line.endswith("The spare key is with Ada.\n")
    shown = here.run("history", "show").out
    assert [text in shown for text in ("The spare key", "The boat lies", "We sail on Friday")] == [True] * 3
    (one,) = json.loads(here.run("history", "list", "--json").out)
    assert (one["turns"], one["started"], one["source"]) == (3, "2026-05-12T12:00:00Z", "chat")
    whole = json.loads(here.run("history", "show", "--json", one["id"][:8]).out)
    assert [turn["position"] for turn in whole["history"]] == [0, 1, 2]


def test_there_is_no_history_yet(here_new: Here) -> None:
    assert here_new.run("history", "show").code == 3
    ran = here_new.run("history", "list")
    assert (ran.code, ran.out) == (0, "")
    assert "no conversations yet" in ran.err


def test_nothing_of_a_vault_can_be_read_by_others(here: Here) -> None:
    here.run("remember", "x")
    for path in (here.home.paths.data, *here.home.paths.data.iterdir()):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0


def test_no_word_stands_in_a_file(full: Home) -> None:
    full.run("remember", "a-word-like-xylophone")
    done = subprocess.run(["grep", "-r", "-l", "xylophone", str(full.folder)], capture_output=True, check=False)
    assert done.stdout == b""
