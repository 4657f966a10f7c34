"""Writes the reference of all commands as the program tells them: packaging/COMMANDS.md and packaging/assistant.1.

python packaging/reference.py          write them
python packaging/reference.py --check  exit 1 and say so when they are not what the program tells
"""

import inspect
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from typer.core import TyperArgument, TyperOption

from assistant import __version__, cli
from assistant.cli.options import HELP
from assistant.cli.tree import Entry, walk

FOLDER = Path(__file__).parent
CODE = re.compile(r"\| (?P<codes>[\d, ]+) \| (?P<meaning>.*?) \|")
FILES = (
    ("ASSISTANT_CONFIG_DIR", "The folder of the settings, config.toml."),
    ("ASSISTANT_DATA_DIR", "The folder of the vaults, one for each profile."),
    ("ASSISTANT_STATE_DIR", "The folder of figures measured on this machine."),
    ("ASSISTANT_CACHE_DIR", "The folder of what can be made again, such as joined models."),
    ("ASSISTANT_RUNTIME_DIR", "The folder of the socket of the process that holds keys."),
    ("ASSISTANT_PROFILE", "The profile, where --profile is not given."),
    ("ASSISTANT_<SETTING>", "A setting of config.toml, such as ASSISTANT_MODEL; it beats the file."),
    ("VISUAL, EDITOR", "The editor of memory edit and config edit."),
    ("TERM", "With dumb, the chat is one in lines, without colours."),
    ("NO_COLOR", "Nothing is coloured."),
)


def markdown() -> Iterator[str]:
    """Give the lines of COMMANDS.md: the help of each command as it is printed."""
    yield "# Commands"
    yield ""
    yield "Written by `python packaging/reference.py` from the program itself. Exit codes and the options of every"
    yield "command stand under the first."
    for entry in walk():
        yield ""
        yield f"{'#' * (len(entry.path) + 1)} {entry.name}"
        yield ""
        yield "```text"
        yield from entry.command.get_help(entry.context).strip().splitlines()
        yield "```"


def roff() -> Iterator[str]:
    """Give the lines of the manual page."""
    entries = list(walk())
    root = entries[0]
    yield f'.TH ASSISTANT 1 "" "assistant {__version__}" "User Commands"'
    yield ".SH NAME"
    yield rf"assistant \- {_escaped(root.summary[:1].lower() + root.summary[1:].rstrip('.'))}"
    yield ".SH SYNOPSIS"
    yield ".B assistant"
    yield r"[\fIOPTIONS\fR] [\fICOMMAND\fR [\fIARGUMENTS\fR]]"
    yield ".SH DESCRIPTION"
    yield "Without a command, the chat opens."
    yield from _examples(root)
    yield ".SH OPTIONS"
    yield from _defined([record for one in root.options if (record := _record(one, root)) and not _is_help(one)])
    yield ".SH OPTIONS OF EVERY COMMAND"
    yield "Before or after its name."
    yield from _defined([*HELP, ("-h, --help", "Show what it takes, with examples.")])
    yield ".SH COMMANDS"
    for entry in entries[1:]:
        yield from _command(entry)
    yield ".SH EXIT STATUS"
    yield from _defined(CODE.findall(cli.__doc__ or ""))
    yield ".SH ENVIRONMENT"
    yield from _defined(FILES)


def _command(entry: Entry) -> Iterator[str]:
    yield f".SS {_escaped(entry.name)}"
    yield _escaped(entry.command.get_usage(entry.context).removeprefix("Usage: "))
    yield ".PP"
    summary, _, rest = inspect.cleandoc(entry.command.help or "").partition("\n")
    yield _escaped(summary)
    yield from _examples(entry)
    for paragraph in filter(None, rest.strip().split("\n\n")):
        yield ".PP"
        yield from map(_escaped, paragraph.splitlines())
    yield from _defined([(_taken(one), one.help or "") for one in entry.arguments])
    yield from _defined([record for one in entry.options if (record := _record(one, entry)) and not _is_help(one)])


def _taken(argument: TyperArgument) -> str:
    return (argument.metavar or argument.name.upper()) + ("..." if argument.nargs != 1 else "")


def _record(option: TyperOption, entry: Entry) -> tuple[str, str] | None:
    return option.get_help_record(entry.context)


def _is_help(option: TyperOption) -> bool:
    """Whether it is the one that every command has."""
    return "--help" in option.opts


def _examples(entry: Entry) -> Iterator[str]:
    if entry.command.epilog:
        yield ".PP"
        yield ".RS 4"
        yield ".EX"
        yield from map(_escaped, inspect.cleandoc(entry.command.epilog).splitlines())
        yield ".EE"
        yield ".RE"


def _defined(records: "list[tuple[str, str]] | tuple[tuple[str, str], ...]") -> Iterator[str]:
    for name, meaning in records:
        yield ".TP"
        yield rf"\fB{_escaped(name)}\fR"
        yield _escaped(" ".join(meaning.split()) or name)


def _escaped(text: str) -> str:
    r"""Give text for roff: a backslash and a hyphen are meant as they are, and no line begins a request."""
    escaped = text.replace("\\", r"\e").replace("-", r"\-").replace("`", r"\(ga").replace("'", r"\(aq")
    escaped = escaped.replace("~", r"\(ti").replace("^", r"\(ha").replace('"', r"\(dq")
    return rf"\&{escaped}" if escaped.startswith(".") else escaped


def main() -> int:
    """Write both, or with --check compare them."""
    os.environ["COLUMNS"] = "80"
    for name, lines in (("COMMANDS.md", markdown()), ("assistant.1", roff())):
        file, made = FOLDER / name, "\n".join(line.rstrip() for line in lines) + "\n"
        if "--check" not in sys.argv:
            file.write_text(made, encoding="utf-8")
        elif not file.exists() or file.read_text(encoding="utf-8") != made:
            told = f"packaging/{name} is not what the program tells: run python packaging/reference.py"
            print(told, file=sys.stderr)  # noqa: T201
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
