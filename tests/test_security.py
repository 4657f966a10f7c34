"""The page on security names for each claim the test that holds it."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]
PAGE = (REPOSITORY / "SECURITY.md").read_text()
NAMED = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)
PROTECTED, NOT_PROTECTED = PAGE.split("## Against whom")[1].split("## What is not protected")


@cache
def collected(file: str) -> frozenset[str]:
    """Give the tests of a file that pytest collects and does not skip in any case."""
    functions = [
        one
        for one in ast.parse((REPOSITORY / file).read_text()).body
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    return frozenset(
        one.name
        for one in functions
        if one.name.startswith("test_") and not any("skip(" in ast.unparse(mark) for mark in one.decorator_list)
    )


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
