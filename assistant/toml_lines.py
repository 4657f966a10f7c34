"""On which line of a TOML file something stands: what reads such files does not tell."""

import re


def line_of(text: str, key: str) -> int:
    """Give the line on which a key of the first level, or the first table of that name, stands."""
    begins = re.compile(rf"\s*(\[+\s*)?[\"']?{re.escape(key)}\b[\"']?\s*[=.\]]")
    return next((number for number, line in enumerate(text.splitlines(), 1) if begins.match(line)), 1)


def line_within(text: str, table: str, name: str) -> int:
    """Give the line on which something with a dotted name stands in a table, by its last name."""
    *tables, last = name.split(".")
    header = line_of(text, ".".join([table, *tables])) if tables else line_of(text, table)
    lines = text.splitlines()
    begins = re.compile(rf".*\b{re.escape(last)}\b[\"']?\s*=")
    return next((number for number in range(header, len(lines) + 1) if begins.match(lines[number - 1])), header)
