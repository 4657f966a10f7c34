"""Writes the parts of the README that the program itself tells: help texts and settings.

python packaging/readme.py          write them
python packaging/readme.py --check  exit 1 and say so when they are not what the program tells
"""

import json
import os
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

from assistant import config
from assistant.settings import said_under_fields

README = Path(__file__).parents[1] / "README.md"
PART = re.compile(r"<!-- (?P<what>help|settings): (?P<of>.*?) -->\n.*?<!-- end -->", re.DOTALL)


def with_parts(text: str) -> str:
    """Give the README with every part as the program tells it."""
    return PART.sub(lambda part: f"<!-- {part['what']}: {part['of']} -->\n{_part(part)}\n<!-- end -->", text)


def _part(part: re.Match[str]) -> str:
    return f"```text\n{_help(part['of'])}\n```" if part["what"] == "help" else _settings()


def _help(command: str) -> str:
    arguments = [sys.executable, "-m", *command.split()]
    environment = {**os.environ, "COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb"}
    shown = subprocess.run(arguments, capture_output=True, text=True, check=True, env=environment)
    return shown.stdout.strip()


def _settings() -> str:
    """Give a table of all settings: the string under each field says what it does."""
    said, default = said_under_fields(config.Config), config.Config()
    rows = [
        f"| `{one.name}` | `{_default(getattr(default, one.name))}` | {said[one.name]} |" for one in fields(default)
    ]
    return "\n".join(["| setting | default | what it does |", "|---|---|---|", *rows])


def _default(value: object) -> str:
    return "none" if value in ((), {}) else json.dumps(value)


def main() -> int:
    """Write the parts, or with --check compare them."""
    text = README.read_text(encoding="utf-8")
    made = with_parts(text)
    if "--check" not in sys.argv:
        README.write_text(made, encoding="utf-8")
    elif made != text:
        print("README.md is not what the program tells: run python packaging/readme.py", file=sys.stderr)  # noqa: T201
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
