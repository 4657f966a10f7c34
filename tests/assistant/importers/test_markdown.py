"""Notes in Markdown: their day, their tags, and nothing but words."""

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from assistant.errors import BadInput
from assistant.importers.imported import Imported, ImportedTurn
from assistant.importers.markdown import read_markdown

EXPORTS = Path(__file__).parent / "exports"


def turns(imported: Iterable[Imported]) -> list[ImportedTurn]:
    return [one for one in imported if isinstance(one, ImportedTurn)]


def test_daily_notes_have_their_day_and_nothing_but_words() -> None:
    found = turns(read_markdown(EXPORTS / "obsidian" / "vault", zone=UTC))
    assert [(one.utterance.time, one.utterance.text) for one in found] == [
        (datetime(2024, 5, 3, 12, tzinfo=UTC), "call Nina about the boiler"),
        (datetime(2024, 5, 3, 14, 30, tzinfo=UTC), "14:30 met at the café"),
        (datetime(2024, 5, 3, 12, tzinfo=UTC), "Idea\nwrite to home project"),
        (datetime(2024, 5, 4, 12, tzinfo=UTC), "Saturday: Slept in. See 2024-05-03. #rest/weekend"),
    ]
    assert {one.utterance.origin for one in found} == {
        "markdown:Daily/2024-05-03.md",
        "markdown:Daily/2024-05-04.md",
    }


def test_daily_notes_in_folders_are_read_by_the_format_that_names_them() -> None:
    (found,) = read_markdown(EXPORTS / "obsidian" / "vault_nested", zone=UTC)
    assert found.utterance.time == datetime(2023, 1, 1, 12, tzinfo=UTC)


def test_the_front_matter_comes_before_the_name_and_the_name_before_the_file(tmp_path: Path) -> None:
    (tmp_path / "2020-01-02 trip.md").write_text("We went by train.\n")
    (tmp_path / "dated.md").write_text("---\ncreated: 2021-05-06T07:08:00+02:00\n---\nIt rained.\n")
    (tmp_path / "other.md").write_text("No day.\n")
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "not.md").write_text("hidden")
    times = {one.utterance.text: one.utterance.time for one in read_markdown(tmp_path, zone=UTC)}
    assert times["We went by train."] == datetime(2020, 1, 2, 12, tzinfo=UTC)
    assert times["It rained."] == datetime(2021, 5, 6, 5, 8, tzinfo=UTC)
    changed = datetime.fromtimestamp((tmp_path / "other.md").stat().st_mtime, UTC)
    assert times["No day."] == changed
    assert len(times) == 3


@pytest.mark.parametrize(
    ("front", "tags"),
    [
        ("tags: [daily, Home/Garden]", ("daily", "home/garden")),
        ("tags: daily, #home", ("daily", "home")),
        ('tags:\n  - "to read"\n  - daily\n  - daily\naliases: [x]', ("to-read", "daily")),
        ("title: x\nTag: daily", ("daily",)),
        ("tags: [\n  a,\n  b\n]", ("a", "b")),
        ("tags:\ntitle: x", ()),
        ("tags: []", ()),
        ("tags: ['#', '-', " + "x" * 65 + "]", ()),
        ("mytags: a", ()),
    ],
)
def test_tags_of_the_front_matter_are_those_of_each_note_and_words_with_a_cross_are_words(
    tmp_path: Path, front: str, tags: tuple[str, ...]
) -> None:
    (tmp_path / "note.md").write_text(f"---\n{front}\n---\nOne #word.\n\nTwo.\n")
    found = turns(read_markdown(tmp_path / "note.md"))
    assert [(one.utterance.text, one.tags) for one in found] == [("One #word.", tags), ("Two.", tags)]


@pytest.mark.parametrize(
    ("front", "time"),
    [
        ("date: 2021-05-06", datetime(2021, 5, 6, 12, tzinfo=UTC)),
        ('created: "2021-05-06 07:08"', datetime(2021, 5, 6, 7, 8, tzinfo=UTC)),
        ("date created: 2021-05-06T07:08:09Z", datetime(2021, 5, 6, 7, 8, 9, tzinfo=UTC)),
        ("created_at: 2021-05-06T07:08:00+02:00", datetime(2021, 5, 6, 5, 8, tzinfo=UTC)),
        ("created: 2021-05-06  # in spring", datetime(2021, 5, 6, 12, tzinfo=UTC)),
        ("date: 2021-05-99", datetime(2020, 1, 2, 12, tzinfo=UTC)),
        ("updated: 2021-05-06", datetime(2020, 1, 2, 12, tzinfo=UTC)),
    ],
)
def test_a_time_in_the_front_matter_is_read_as_it_is_written(tmp_path: Path, front: str, time: datetime) -> None:
    (tmp_path / "2020-01-02 trip.md").write_text(f"---\n{front}\n---\nIt rained.\n")
    (found,) = read_markdown(tmp_path, zone=UTC)
    assert found.utterance.time == time


def test_a_note_keeps_code_drops_comments_and_stays_the_same_when_lines_are_added(tmp_path: Path) -> None:
    path = tmp_path / "note.md"
    path.write_text(
        "# note\n\nOne **bold** _word_ and a [site](https://example.org).\n\n```sh\nls  *.md\n```\n"
        "<!-- secret -->\n## Shop\n1. milk\n2. [ ] eggs\n   and flour\n"
    )
    before = list(read_markdown(path, zone=UTC))
    assert [one.utterance.text for one in before] == [
        "One bold word and a site.",
        "```sh\nls  *.md\n```",
        "Shop: milk",
        "Shop: eggs\nand flour",
    ]
    path.write_text("A new beginning.\n\n" + path.read_text())
    after = {one.utterance.external_id for one in read_markdown(path, zone=UTC)}
    assert after >= {one.utterance.external_id for one in before}


def test_a_place_without_markdown_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"holds no file that ends in \.md"):
        list(read_markdown(tmp_path))
    with pytest.raises(BadInput, match="cannot be read: No such file"):
        list(read_markdown(tmp_path / "gone.md"))
    (tmp_path / "odd.md").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadInput, match="is no text in UTF-8"):
        list(read_markdown(tmp_path))
