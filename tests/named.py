"""Pages that name tests: which ones they name, and whether those are there."""

import ast
import re
from functools import cache
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]


def named_in(page: str) -> list[tuple[str, str]]:
    """Give file and name of each test that a page names: `tests/test_x.py::test_y`."""
    return re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", page)


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
