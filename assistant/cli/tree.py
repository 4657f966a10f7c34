"""All commands with what they take: for completion, the reference, and the tests of both."""

from collections.abc import Iterator
from dataclasses import dataclass

import typer
from typer._click.core import Command, Context
from typer.core import TyperArgument, TyperGroup, TyperOption

from assistant.cli import PROGRAM
from assistant.cli.root import app
from assistant.cli.shape import COMMANDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One command or group."""

    path: tuple[str, ...]
    """Its words, the program's own the first."""
    command: Command
    context: Context

    @property
    def name(self) -> str:
        """How it is typed."""
        return " ".join(self.path)

    @property
    def summary(self) -> str:
        """The first line of its help."""
        return (self.command.help or "").strip().partition("\n")[0].strip()

    @property
    def arguments(self) -> list[TyperArgument]:
        """What stands after it, in order."""
        return [one for one in self.command.get_params(self.context) if isinstance(one, TyperArgument)]

    @property
    def options(self) -> list[TyperOption]:
        """Its options, `--help` the last."""
        return [one for one in self.command.get_params(self.context) if isinstance(one, TyperOption)]


def walk() -> Iterator[Entry]:
    """Give the program itself, then each command in the order of the help, a group before what is in it."""
    root = typer.main.get_command(app)
    yield from _within((PROGRAM,), root, None)


def _within(path: tuple[str, ...], command: Command, parent: Context | None) -> Iterator[Entry]:
    context = Context(command, info_name=path[-1], parent=parent, **command.context_settings)
    yield Entry(path=path, command=command, context=context)
    if not isinstance(command, TyperGroup):
        return
    for name in COMMANDS if parent is None else command.commands:
        inner = command.get_command(context, name)
        if inner is not None:
            yield from _within((*path, name), inner, context)
