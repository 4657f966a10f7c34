"""What is typed wrongly is told in one line, with what to do, and does nothing."""

from pathlib import Path

import pytest

from assistant.cli.streams import LONGEST_LINE
from tests.assistant.cli.support import Here
from tests.assistant.cli.test_boundary import one_error
from tests.assistant.cli.test_memory import all_texts

HUGE = "x" * 100_000


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("memory list --conversation", "--conversation"),
        ("memory show", "ID"),
        ("memory pin", "ID"),
        ("memory expires", "ID"),
        ("memory tag --add", "--add"),
        ("remember x --expires", "--expires"),
        ("remember --file", "--file"),
        ("recall x --speaker", "--speaker"),
        ("recall x --engine", "--engine"),
        ("forget --query", "--query"),
        ("forget -y", "ID"),
        ("why", "TURN"),
        ("history show", "ID"),
        ("history delete -y", "ID"),
        ("vault backup", "PATH"),
        ("import jsonl", "PATH"),
        ("export -o", "--output"),
        ("model info", "MODEL"),
    ],
)
def test_an_empty_value_as_from_a_variable_that_is_not_set_is_refused(
    here_empty: Here, command: str, name: str
) -> None:
    for nothing in ("", " \t"):
        ran = here_empty.run(*command.split(), nothing)
        assert (ran.code, ran.out) == (2, "")
        assert one_error(ran.err) == f"assistant: {name} is empty: leave it out, or say what is meant\n"


def test_what_may_be_empty_is_taken_so(here: Here) -> None:
    with here.home.opened() as memory:
        conversation = memory.vault.conversations.listing()[0].id
    assert here.run("history", "rename", conversation, "").code == 0
    assert here.run("ask", "-n", "-s", "", "Hello?").code == 0


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["memory", "show", HUGE], 3),
        (["memory", "tag", "ffff", "--add", HUGE], 2),
        (["recall", "--since", HUGE, "x"], 2),
        (["remember", "-f", HUGE], 2),
        (["config", "get", HUGE], 2),
        (["model", "info", HUGE], 5),
        (["--profile", HUGE, "paths"], 2),
        ([HUGE], 2),
    ],
)
def test_a_huge_argument_is_not_told_back_whole(here_new: Here, arguments: list[str], code: int) -> None:
    ran = here_new.run(*arguments)
    assert ran.code == code
    assert len(one_error(ran.err)) < LONGEST_LINE + 20


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["recall", "-k", "0", "x"], "invalid value for '-k': it must be greater than or equal to 1; see assistant"),
        (["recall", "-k", "many", "x"], "invalid value for '-k': it must be a whole number; see assistant recall"),
        (["completion", "tcsh"], "'tcsh' is not one of 'bash', 'zsh', 'fish'; see assistant completion --help"),
        (["config", "set", "grace_hours", "-1"], "no such option: -1; a value that begins with - stands after --; see"),
        (["memory", "frob"], "no such command 'frob'; see assistant memory --help"),
    ],
)
def test_the_words_of_libraries_are_told_in_the_program_s_own(
    here_empty: Here, arguments: list[str], told: str
) -> None:
    ran = here_empty.run(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert told in one_error(ran.err)
    assert "Input should" not in ran.err
    assert "Value error" not in ran.err


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["remember", "-f", "FOLDER"], 2),
        (["ask", "-f", "FOLDER", "x"], 2),
        (["remember", "-f", "LATIN"], 2),
        (["ask", "-f", "LATIN", "x"], 2),
        (["import", "chatgpt", "FOLDER"], 2),
        (["import", "chatgpt", "LATIN"], 2),
        (["import", "whatsapp", "LATIN"], 2),
        (["import", "jsonl", "FOLDER"], 2),
        (["import", "jsonl", "LATIN"], 2),
        (["export", "-o", "FOLDER"], 2),
        (["export", "-o", "FOLDER/no/such/place"], 2),
        (["vault", "restore", "FOLDER"], 2),
        (["vault", "rescue", "FOLDER"], 2),
        (["model", "info", "FOLDER"], 5),
        (["model", "info", "LATIN"], 5),
        (["bench", "locomo", "FOLDER"], 2),
        (["bench", "longmemeval", "LATIN"], 2),
    ],
)
def test_a_folder_or_another_file_in_the_place_of_a_file_is_told_in_one_line(
    here_new: Here, tmp_path: Path, arguments: list[str], code: int
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "latin").write_bytes(b"Z\xfcrich \xff\xfe\n")
    places = {"FOLDER": str(tmp_path / "folder"), "LATIN": str(tmp_path / "latin")}
    words = [word.replace("FOLDER", places["FOLDER"]).replace("LATIN", places["LATIN"]) for word in arguments]
    ran = here_new.run(*words)
    assert (ran.code, ran.out) == (code, "")
    one_error(ran.err)


@pytest.mark.parametrize(
    "command", [["remember", "-"], ["ask", "-"], ["ask", "What is this?"], ["import", "jsonl", "-"]]
)
def test_input_that_is_not_utf_8_is_refused_where_it_is_kept(here: Here, command: list[str]) -> None:
    before = all_texts(here.home)
    ran = here.run(*command, stdin=b"Z\xfcrich \xff\xfe\n")
    assert (ran.code, ran.out) == (2, "")
    assert "is not UTF-8" in one_error(ran.err)
    assert all_texts(here.home) == before


def test_a_line_of_a_chat_that_is_not_utf_8_ends_nothing(here: Here) -> None:
    ran = here.run("chat", "--plain", "-n", stdin=b"Z\xfcrich?\n/quit\n")
    assert ran.code == 0
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("command", ["vault backup", "vault restore", "vault rescue", "model info", "model use"])
def test_the_home_of_nobody_is_told_in_one_line(here_new: Here, command: str) -> None:
    ran = here_new.run(*command.split(), "~nobody-is-called-so/place")
    assert (ran.code, ran.out) == (2, "")
    assert "there is no user of this name" in one_error(ran.err)
