"""The page on security names for each claim the test that holds it."""

import re
from pathlib import Path

import pytest

from tests.named import REPOSITORY, collected, named_in

PAGE = (REPOSITORY / "SECURITY.md").read_text()
NAMED = named_in(PAGE)
PROTECTED, NOT_PROTECTED = PAGE.split("## Against whom")[1].split("## What is not protected")


@pytest.mark.parametrize(("file", "test"), NAMED)
def test_each_test_that_the_page_names_is_there_and_runs(file: str, test: str) -> None:
    assert Path(file).name.startswith("test_")
    assert test in collected(file)


def test_there_is_a_test_behind_each_claim_and_each_adversary() -> None:
    parts = [part for part in re.split(r"\n\n(?=\*\*)", PROTECTED.strip()) if part.strip()]
    assert len(parts) >= 10
    for part in parts:
        assert re.search(r"`tests/[\w/]+\.py::\w+`", part), part
        for claim in re.findall(r"^- (.+?)(?=^- |\Z)", part, flags=re.MULTILINE | re.DOTALL):
            assert "`tests/" in claim, claim


def test_what_looks_like_the_name_of_a_test_is_one() -> None:
    assert len(NAMED) == PAGE.count("::")
    assert len(set(NAMED)) == len(NAMED)
    assert "tests/" not in NOT_PROTECTED
