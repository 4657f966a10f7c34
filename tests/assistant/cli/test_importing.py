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


def test_what_was_brought_in_says_where_it_came_from_and_why_it_is_believed_less(here_new: Here) -> None:
    here_new.run("import", "claude", str(EXPORTS / "claude"))
    listed = json.loads(here_new.run("memory", "list", "--json").out)
    shown = {one["text"]: here_new.run("memory", "show", one["id"]).out for one in listed}
    asked = shown["How do I organise my week?"]
    assert "source  imported, claude:conversations.json" in asked
    assert "trust   imported user: you said it, as far as what was brought in can be believed" in asked
    document = shown["The boiler is serviced in May."]
    assert "source  file, claude:notes.md" in document
    assert "trust   file: it stood in a file" in document


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


FIXTURES: dict[str, tuple[list[str], str]] = {
    "chatgpt/legacy_single": ([], "8 turns from 3 conversations; 2025-06-15 to 2025-06-15; 1 conversation skipped"),
    "chatgpt/sharded_2026": ([], "8 turns from 3 conversations; 2025-06-15 to 2025-06-15; 1 conversation skipped"),
    "claude": ([], "6 turns from 2 conversations; 2026-01-01 to 2026-03-29"),
    "llm/logs_llm026_legacy.db": ([], "4 turns from 1 conversation; 2026-12-01 to 2026-12-01"),
    "llm/logs_llm036.db": ([], "4 turns from 1 conversation; 2026-12-01 to 2026-12-01"),
    "llm/logs_mixed.db": ([], "8 turns from 2 conversations; 2026-12-01 to 2026-12-01"),
    "openwebui/chat-export.json": (
        [],
        "2 turns from 1 conversation; 2023-11-14 to 2023-11-14; 1 conversation skipped: it tells no time",
    ),
    "markdown:obsidian/vault": (["--timezone", "UTC"], "4 turns from 2 conversations; 2024-05-03 to 2024-05-04"),
    "markdown:obsidian/vault_nested": (["--timezone", "UTC"], "1 turn from 1 conversation; 2023-01-01 to 2023-01-01"),
    "telegram/full_account": ([], "3 turns from 2 conversations; 2024-02-10 to 2024-02-11"),
    "telegram/single_chat": (["--me", "Me"], "2 turns from 1 conversation; 2024-02-10 to 2024-02-10"),
    "whatsapp/ambiguous_dates/chat.txt": (
        ["--date-order", "dmy", "--timezone", "UTC"],
        "3 turns from 1 conversation; 2024-02-01 to 2024-02-03",
    ),
    "whatsapp/android_en_gb": (["--timezone", "UTC"], "4 turns from 1 conversation; 2017-03-06 to 2017-03-13"),
    "whatsapp/android_en_us_12h": (["--timezone", "UTC"], "3 turns from 1 conversation; 2019-08-08 to 2019-08-09"),
    "whatsapp/ios_de": (["--timezone", "UTC", "--me", "Anna"], "3 turns from 1 conversation; 2023-12-29 to 2023-12-30"),
    "whatsapp/ios_en_us_12h": (["--timezone", "UTC"], "1 turn from 1 conversation; 2017-12-31 to 2017-12-31"),
}
"""Each export that lies beside the tests, by its format and place, with its options and what is brought in of it."""


@pytest.mark.parametrize("fixture", FIXTURES)
def test_each_programs_export_is_tried_imported_and_known_again(here_new: Here, fixture: str) -> None:
    options, told = FIXTURES[fixture]
    kind, path = fixture.split(":") if ":" in fixture else (fixture.split("/", maxsplit=1)[0], fixture)
    command = ["import", kind, str(EXPORTS / path), *options]
    turns = int(told.split(maxsplit=1)[0])

    tried = json.loads(here_new.run(*command, "--dry-run", "--json").out)
    assert here_new.run(*command, "--dry-run").out.startswith(f"would import {told}")
    assert count(here_new.home) == 0
    ran = here_new.run(*command)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(f"imported {told}")
    assert (tried["added"], count(here_new.home)) == (turns, turns)
    again = json.loads(here_new.run(*command, "--json").out)
    assert again == {**tried, "dry_run": False, "added": 0, "known": turns}
    assert count(here_new.home) == turns


def test_every_export_beside_the_tests_is_among_them() -> None:
    files = {path.relative_to(EXPORTS) for path in EXPORTS.rglob("*") if path.is_file()}
    places = [Path(name.split(":")[-1]) for name in FIXTURES]
    assert {path for path in files if not any(path == place or place in path.parents for place in places)} == {
        Path("chatgpt/expected.json")
    }


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
