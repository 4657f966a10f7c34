"""The page on what one meets in daily use names for each of its lines the tests that hold it."""

import re
from pathlib import Path

import pytest

from tests.named import REPOSITORY, collected, named_in

PAGE = (REPOSITORY / "tests" / "CASES.md").read_text()
NAMED = sorted(set(named_in(PAGE)))
ROWS = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith("| What ")]


@pytest.mark.parametrize(("file", "test"), NAMED)
def test_each_test_that_the_page_names_is_there_and_runs(file: str, test: str) -> None:
    assert Path(file).name.startswith("test_")
    assert test in collected(file)


def test_no_line_is_without_a_test() -> None:
    assert len(ROWS) >= 50
    for row in ROWS:
        _, met, held, _ = re.split(r"(?<!\\)\|", row)
        assert met.strip()
        assert named_in(held), row


def test_what_looks_like_the_name_of_a_test_is_one() -> None:
    assert len(named_in(PAGE)) == PAGE.count("::")
