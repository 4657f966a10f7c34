"""`assistant export`, and the way back in, as a user sees it."""

import json
import shutil
import stat
from pathlib import Path

import pytest

from tests.assistant.cli.support import Here, Home


def test_an_export_is_told_to_be_plain_text_and_comes_in_again(
    here: Here, home_of_another: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "memories.jsonl"
    ran = here.run("export", "-o", str(path))
    assert (ran.code, ran.out) == (0, f"wrote {path}\n")
    assert "this is plain text: whoever has it can read it" in ran.err
    assert stat.S_IMODE(path.stat().st_mode) == 0o600

    listed = here.run("memory", "list", "--json").out
    other = Here(home_of_another, monkeypatch)
    taken = other.run("import", "jsonl", str(path))
    assert (taken.code, taken.out) == (0, "took in 3 turns and 0 concepts\n")
    again = json.loads(other.run("import", "jsonl", "--json", str(path)).out)
    assert again == {"added": 0, "known": 3, "concepts": 0}
    assert other.run("memory", "list", "--json").out == listed
    assert other.run("import", "jsonl", "--dry-run", str(path)).code == 2


def test_an_export_goes_to_stdout_for_a_pipe(here: Here) -> None:
    lines = [json.loads(line) for line in here.run("export").out.splitlines()]
    assert [line["type"] for line in lines] == ["export", "conversation", "turn", "turn", "turn"]
    markdown = here.run("export", "--format", "markdown").out
    assert "**User**, 12:01:\n\nThe boat lies in the northern harbour.\n" in markdown


def test_an_export_replaces_no_file_and_leaves_none_behind_when_it_fails(here: Here, tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.write_text("mine")
    ran = here.run("export", "-o", str(there))
    assert ran.code == 2
    assert "is there already, and was left as it is" in ran.err
    assert there.read_text() == "mine"
    assert here.run("export", "-o", str(tmp_path / "no" / "folder")).code == 2
    missing = here.run("export", "--format", "markdown", "--conversation", "ffffffff", "-o", str(tmp_path / "new"))
    assert missing.code == 3
    assert not (tmp_path / "new").exists()


def test_one_conversation_is_written_in_markdown_only(here: Here) -> None:
    ran = here.run("export", "--conversation", "ffffffff")
    assert (ran.code, ran.err) == (
        2,
        "assistant: one conversation can be written in markdown only: add --format markdown\n",
    )


@pytest.fixture
def home_of_another(tmp_path: Path, vaults: Path) -> Home:
    """A second user, whose vault is empty."""
    home = Home(tmp_path / "another")
    shutil.copytree(vaults / "new" / "data", home.folder / "data")
    return home
