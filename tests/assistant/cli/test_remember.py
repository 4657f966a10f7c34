"""remember: notes with their time, tags and expiry, and notes from files."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from storage.records import Source
from tests.assistant.cli.support import Here
from tests.assistant.cli.test_memory import ids


def test_a_note_is_kept_and_its_id_told(here: Here) -> None:
    here.home.configure('user_name = "Mara"\n')
    ran = here.run("remember", "Tea", "is", "in the blue tin.")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == f"remembered {ids(here.home)[-1][:8]}\n"
    with here.home.opened() as memory:
        turn = memory.vault.turns.listing(limit=1)[0]
    assert (turn.text, turn.speaker, turn.source) == ("Tea is in the blue tin.", "Mara", Source.NOTE)


def test_a_note_comes_through_a_pipe_and_has_a_time(here: Here) -> None:
    ran = here.run("remember", "-", "--at", "2026-03-01T18:00:00+01:00", "--json", stdin="Met Jo.\nAt the pier.\n")
    kept = json.loads(ran.out)
    assert (kept["text"], kept["time"]) == ("Met Jo.\nAt the pier.", "2026-03-01T17:00:00Z")


def test_a_note_of_yesterday_stands_before_one_of_today(here_new: Here) -> None:
    times = {}
    for word in ("now", "yesterday", "2 hours ago"):
        ran = here_new.run("remember", "--json", "--at", word, "x")
        times[word] = json.loads(ran.out)["time"]
    assert times["yesterday"] < times["now"]
    assert times["2 hours ago"] < times["now"]


@pytest.mark.parametrize("arguments", [["remember", " "], ["remember", "-"], ["remember", "--at", "2026-13-01", "x"]])
def test_a_note_without_words_or_with_a_wrong_time_is_refused(here: Here, arguments: list[str]) -> None:
    ran = here.run(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert len(ids(here.home)) == 3


def test_a_note_has_tags_and_a_time_after_which_it_goes(here: Here) -> None:
    ran = here.run(
        "remember", "--tag", "Work", "--tag", "sea", "--tag", "work", "--expires", "2099-03-01", "A badge.", "--json"
    )
    told = json.loads(ran.out)
    assert told["tags"] == ["work", "sea"]
    end = datetime.fromisoformat(told["expires"])
    assert end.astimezone().date().isoformat() == "2099-03-01"
    shown = json.loads(here.run("memory", "show", "--json", told["id"]).out)
    assert (shown["tags"], shown["expires"], shown["pinned"]) == (["sea", "work"], told["expires"], False)
    lines = here.run("memory", "show", told["id"]).out
    assert "tags    sea, work" in lines
    assert "expires 2099-03-01 23:59" in lines


def test_days_ahead_are_counted_from_now(here_new: Here) -> None:
    told = json.loads(here_new.run("remember", "--expires", "in 30 days", "x", "--json").out)
    ahead = datetime.fromisoformat(told["expires"]) - datetime.now(UTC)
    assert timedelta(days=29, hours=23) < ahead <= timedelta(days=30)


def test_a_note_can_be_pinned_at_once(here: Here) -> None:
    here.run("remember", "--pin", "x")
    with here.home.opened() as memory:
        assert [trace.pinned for trace in memory.vault.traces.of().values()] == [True]
        assert memory.vault.turns.by_nodes(list(memory.vault.traces.of()))[0].text == "x"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--tag", "two words", "x"], "--tag two words: a tag is one word"),
        (["--tag", "a,b", "x"], "without blanks and commas"),
        (["--expires", "2020-01-01", "x"], "over already"),
        (["--expires", "soon", "x"], "not a time"),
        (["--expires", "in 9999 weeks", "--pin", "x"], "choose one"),
        (["-f", "none.txt"], "cannot be read: No such file"),
        (["-f", "none.txt", "x"], "either the words of the note"),
        ([], "either the words of the note"),
    ],
)
def test_what_cannot_be_kept_is_named_and_nothing_is(here: Here, arguments: list[str], message: str) -> None:
    ran = here.run("remember", *arguments)
    assert ran.code == 2
    assert message in ran.err
    assert len(ran.err.splitlines()) == 1
    assert len(ids(here.home)) == 3


def test_a_file_is_one_note_that_says_where_it_is_from(here: Here, tmp_path: Path) -> None:
    file = tmp_path / "recipe.md"
    file.write_text("\ufeff# Soup\n\nLeek, salt.\n", encoding="utf-8")
    told = json.loads(here.run("remember", "-f", str(file), "--tag", "food", "--json").out)
    assert (told["text"], told["source"], told["origin"]) == ("# Soup\n\nLeek, salt.", "file", "recipe.md")
    assert here.run("recall", "leek", "-k", "1").out.endswith("# Soup↵↵Leek, salt.\n")


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"\xff\xfe", "not UTF-8 (byte 1)"), (b" \n", "nothing to remember"), (b"x" * 1_000_001, "too large")],
)
def test_a_file_that_is_no_text_or_too_long_is_refused(
    here: Here, tmp_path: Path, content: bytes, message: str
) -> None:
    file = tmp_path / "odd"
    file.write_bytes(content)
    ran = here.run("remember", "-f", str(file))
    assert ran.code == 2
    assert message in ran.err
    assert len(ids(here.home)) == 3
