"""`assistant import`, as a user sees it."""

import json
import shutil
import signal
import time
from pathlib import Path

import pytest

from tests.assistant.cli.support import LONGEST_SECONDS, Here, Home, Terminal

EXPORTS = Path(__file__).parents[1] / "importers" / "exports"
SCRIPTED = "tests.assistant.cli.scripted"


def lines(count: int, **changes: str) -> str:
    fields = {"conversation": "c", "speaker": "Ada", "role": "other", "time": "2024-05-03T18:20:00+02:00", **changes}
    return "".join(json.dumps({**fields, "text": f"line {number}"}) + "\n" for number in range(count))


def count(home: Home) -> int:
    with home.opened() as memory:
        return memory.vault.turns.count()


def test_a_file_is_imported_once_and_told_in_a_sentence(here_new: Here, tmp_path: Path) -> None:
    (tmp_path / "talk.jsonl").write_text(lines(3))
    ran = here_new.run("import", "jsonl", str(tmp_path / "talk.jsonl"))
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == "imported 3 turns from 1 conversation; 2024-05-03 to 2024-05-03\n"
    again = here_new.run("import", "jsonl", str(tmp_path / "talk.jsonl"))
    assert "imported 0 turns" in again.out
    assert "3 turns known already" in again.out
    assert count(here_new.home) == 3


def test_a_pipe_is_imported_and_told_as_json(here_new: Here) -> None:
    ran = here_new.run("import", "jsonl", "--json", "-", stdin=lines(2))
    assert json.loads(ran.out) == {
        "conversations": 1,
        "added": 2,
        "known": 0,
        "forgotten": 0,
        "dry_run": False,
        "skipped_conversations": 0,
        "reasons": [],
        "first": "2024-05-03T16:20:00Z",
        "last": "2024-05-03T16:20:00Z",
    }


def test_a_bad_line_imports_nothing_and_is_named(here_new: Here, tmp_path: Path) -> None:
    (tmp_path / "talk.jsonl").write_text(lines(200) + lines(1, role="robot"))
    ran = here_new.run("import", "jsonl", str(tmp_path / "talk.jsonl"))
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("assistant: talk.jsonl, line 201: role 'robot'")
    assert count(here_new.home) == 0


def test_what_is_imported_comes_back(here_new: Here) -> None:
    here_new.run("import", "jsonl", "-", stdin=lines(5))
    assert "Ada: line 3" in here_new.run("recall", "-k", "1", "what was line 3").out


@pytest.mark.parametrize("kind", ["folder", "file", "zip"])
def test_a_chatgpt_export_is_imported_in_each_form(here_new: Here, tmp_path: Path, kind: str) -> None:
    here_new.home.configure('user_name = "Mara"\n')
    path = EXPORTS / "chatgpt" / "sharded_2026"
    if kind == "file":
        path /= "conversations-000.json"
    elif kind == "zip":
        path = Path(shutil.make_archive(str(tmp_path / "export"), "zip", path))
    ran = here_new.run("import", "chatgpt", str(path))
    assert (ran.code, ran.err) == (0, "")
    assert "imported 8 turns from 3 conversations" in ran.out
    assert ("1 conversation skipped" in ran.out) is (kind != "file")
    assert "Mara: Suggest a dinner" in here_new.run("memory", "list").out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["claude", "claude"], "4 turns from 1 conversation; 2026-03-29 to 2026-03-29"),
        (["whatsapp", "whatsapp/ios_de/_chat.txt", "--me", "Anna"], "3 turns from 1 conversation; 2023-12-29"),
        (
            ["whatsapp", "whatsapp/ambiguous_dates/chat.txt", "--date-order", "dmy"],
            "3 turns from 1 conversation; 2024-02-01",
        ),
        (["telegram", "telegram/full_account"], "3 turns from 2 conversations; 2024-02-10 to 2024-02-11"),
        (["llm", "llm/logs_mixed.db"], "8 turns from 2 conversations; 2026-12-01 to 2026-12-01"),
        (
            ["openwebui", "openwebui/chat-export.json"],
            "2 turns from 1 conversation; 2023-11-14 to 2023-11-14; 1 conversation skipped",
        ),
        (
            ["markdown", "obsidian/vault", "--timezone", "Europe/Berlin"],
            "4 turns from 2 conversations; 2024-05-03 to 2024-05-04",
        ),
    ],
)
def test_each_programs_export_is_tried_imported_and_known_again(
    here_new: Here, arguments: list[str], told: str
) -> None:
    kind, path, *options = arguments
    command = ["import", kind, str(EXPORTS / path), *options]
    turns = int(told.split(maxsplit=1)[0])

    assert here_new.run(*command, "--dry-run").out.startswith(f"would import {told}")
    assert count(here_new.home) == 0
    ran = here_new.run(*command)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(f"imported {told}")
    assert count(here_new.home) == turns
    again = json.loads(here_new.run(*command, "--json").out)
    assert (again["added"], again["known"]) == (0, turns)
    assert count(here_new.home) == turns


def test_what_was_forgotten_does_not_come_in_again_unless_it_is_asked_for(here_new: Here, tmp_path: Path) -> None:
    (tmp_path / "talk.jsonl").write_text(lines(3))
    command = ["import", "jsonl", str(tmp_path / "talk.jsonl")]
    here_new.run(*command)
    with here_new.home.opened() as memory:
        memory.vault.erase([turn.node for turn in memory.vault.turns.listing() if turn.text == "line 1"])

    ran = here_new.run(*command)
    assert "imported 0 turns from 1 conversation" in ran.out
    assert "2 turns known already; 1 turn forgotten once and left out, see --forgotten-too" in ran.out
    assert count(here_new.home) == 2
    assert "imported 1 turn" in here_new.run(*command, "--forgotten-too").out
    assert count(here_new.home) == 3


def test_a_zone_that_is_none_is_told(here_new: Here) -> None:
    ran = here_new.run("import", "markdown", str(EXPORTS / "obsidian" / "vault"), "--timezone", "Mars")
    assert ran.code == 2
    assert ran.err == "assistant: --timezone Mars: there is no such zone here; give one such as Europe/Berlin\n"


def test_another_programs_export_is_refused(here_new: Here, tmp_path: Path) -> None:
    (tmp_path / "conversations.json").write_text('[{"uuid": "1", "chat_messages": []}]')
    ran = here_new.run("import", "chatgpt", str(tmp_path))
    assert ran.code == 2
    assert "is it a ChatGPT export?" in ran.err


def test_ctrl_c_tells_what_is_kept_and_importing_again_goes_on(home: Home, tmp_path: Path) -> None:
    (tmp_path / "talk.jsonl").write_text(lines(6_000))
    terminal = Terminal(home, *home.arguments(["import", "jsonl", str(tmp_path / "talk.jsonl")]), module=SCRIPTED)
    terminal.wait_for("importing: 64 of 6,000 turns")
    terminal.send("\x03")
    assert terminal.end() == 130
    assert "turns are kept, and importing again goes on from there" in terminal.seen
    assert "Traceback" not in terminal.seen
    kept = count(home)
    assert 64 <= kept < 6_000
    told = terminal.seen.split("stopped; ")[1].split(" turns")[0]
    assert kept - 64 <= int(told.replace(",", "")) <= kept


def test_a_terminated_import_keeps_whole_batches(home: Home, tmp_path: Path) -> None:
    (tmp_path / "talk.jsonl").write_text(lines(6_000))
    process = home.start("import", "jsonl", str(tmp_path / "talk.jsonl"), module=SCRIPTED)
    end = time.monotonic() + LONGEST_SECONDS
    while count(home) == 0 and time.monotonic() < end:
        time.sleep(0.1)
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=LONGEST_SECONDS)
    assert (process.returncode, out, err) == (143, b"", b"")
    assert count(home) % 64 == 0
