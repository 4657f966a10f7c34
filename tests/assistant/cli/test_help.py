"""Help: short, with examples first, and true."""

from collections.abc import Iterator

import pytest
import typer
from typer.core import TyperGroup

from assistant.cli.options import HELP
from assistant.cli.root import app
from assistant.cli.shape import COMMANDS
from assistant.cli.tree import walk
from tests.assistant.cli.support import Here


def paths() -> Iterator[list[str]]:
    """Give every command as it is typed."""
    root = typer.main.get_command(app)
    with root.make_context("assistant", ["version"]) as context:
        for name in COMMANDS:
            command = root.get_command(context, name)  # type: ignore[attr-defined]  # the root is a group
            yield [name]
            yield from ([name, inner] for inner in getattr(command, "commands", ()))


ALL = list(paths())
WITHOUT_JSON = {
    "chat",  # a chat
    "mcp",  # speaks a protocol
    "serve",  # runs until it is ended
    "completion",  # prints a script
    "export",  # has --format
    "vault init",  # asks for a passphrase, and gives nothing
    "config edit",  # opens an editor
}


@pytest.mark.parametrize("path", [[], *ALL], ids=" ".join)
@pytest.mark.parametrize("option", ["-h", "--help"])
def test_every_command_has_help_with_examples_before_options(here_empty: Here, path: list[str], option: str) -> None:
    ran = here_empty.run(*path, option, unlocking=False)
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0].startswith(" ".join(["Usage: assistant", *path]))
    assert lines.index("  Examples:") < lines.index("Options:")
    examples = lines[lines.index("  Examples:") + 1 :]
    assert any(" ".join(["assistant", *path]) in line for line in examples[:4])
    assert max(len(line) for line in lines) <= 80
    assert all(name in ran.out for name, _ in HELP)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_line_in_the_list_is_the_first_line_of_the_help(here_empty: Here, name: str) -> None:
    lines = here_empty.run(name, "--help", unlocking=False).out.splitlines()
    assert lines[2].strip() == COMMANDS[name][1]


def test_the_list_of_commands_is_complete_and_in_order(here_empty: Here) -> None:
    out = here_empty.run("--help", unlocking=False).out
    listed = out.split("Commands:\n")[1].split("\n\n")[0]
    assert [line.split()[0] for line in listed.splitlines() if line[2] != " "] == list(COMMANDS)


def test_exit_codes_are_told(here_empty: Here) -> None:
    out = " ".join(here_empty.run("--help", unlocking=False).out.split())
    assert "3 nothing has this id, 4 locked, 5 no model, 6 storage, 7 busy, 130 interrupted" in out


def test_every_command_that_prints_something_can_print_json() -> None:
    leaves = [entry for entry in walk() if not isinstance(entry.command, TyperGroup)]
    silent = {
        " ".join(entry.path[1:]) for entry in leaves if "--json" not in {n for o in entry.options for n in o.opts}
    }
    assert silent == WITHOUT_JSON
