"""`assistant completion`: a script for a shell, in which all commands stand, so that completing starts no program."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from assistant.cli import streams
from assistant.cli.shape import single

if TYPE_CHECKING:
    from typer._click.core import Context, Parameter

    from assistant.cli.tree import Entry


PATHS = {"FILE", "FOLDER", "PATH", "MODEL"}
"""What stands for files and folders in the help."""


class Shell(StrEnum):
    """A shell that can complete."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


INSTALL = {
    Shell.BASH: "assistant completion bash > ~/.local/share/bash-completion/completions/assistant",
    Shell.ZSH: 'assistant completion zsh > "${fpath[1]}/_assistant"',
    Shell.FISH: "assistant completion fish > ~/.config/fish/completions/assistant.fish",
}

app, command = single(
    """
    eval "$(assistant completion bash)"
    assistant completion bash > ~/.bash_completion
    assistant completion zsh > "${fpath[1]}/_assistant"
    assistant completion fish > ~/.config/fish/completions/assistant.fish
    """
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """What can stand for one argument or after one option."""

    choices: tuple[str, ...] = ()
    files: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One option of a command."""

    names: tuple[str, ...]
    help: str
    value: Value | None
    """None: it takes none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """What can come after the words of one command."""

    path: tuple[str, ...]
    commands: tuple[tuple[str, str], ...]
    """Names with their summaries."""
    options: tuple[Option, ...]
    arguments: tuple[Value, ...]

    @property
    def name(self) -> str:
        """The words."""
        return " ".join(self.path)


@command
def completion(shell: Annotated[Shell, typer.Argument(metavar="SHELL", help="bash, zsh or fish.")]) -> None:
    """Let a shell complete the commands.

    Prints a script with all commands, options and choices in it. No vault is
    opened, and nothing out of one is ever offered. Make it anew after an update.
    """
    from assistant.cli.completion_scripts import bash, fish, zsh

    made = list(places())
    match shell:
        case Shell.BASH:
            lines = bash(made)
        case Shell.ZSH:
            lines = zsh(made)
        case Shell.FISH:
            lines = fish(made)
    head = ["#compdef assistant"] if shell is Shell.ZSH else []
    for line in (*head, f"# install: {INSTALL[shell]}", *lines):
        streams.say(line)


def places() -> Iterator[Place]:
    """Give all commands with what can come after them."""
    from assistant.cli.options import HELP
    from assistant.cli.tree import walk

    common = tuple(
        Option(
            names=(told.split()[0],),
            help=meaning,
            value=Value(files="FILE" in told) if len(told.split()) > 1 else None,
        )
        for told, meaning in HELP
    )
    entries = list(walk())
    for entry in entries:
        inner = [one for one in entries if one.path[:-1] == entry.path]
        yield Place(
            path=entry.path,
            commands=tuple((one.path[-1], one.summary) for one in inner),
            options=(*_options(entry), *common),
            arguments=tuple(_value(argument, entry.context) for argument in entry.arguments),
        )


def _options(entry: "Entry") -> Iterator[Option]:
    for option in entry.options:
        value = None if option.is_flag else _value(option, entry.context)
        yield Option(names=(*option.opts, *option.secondary_opts), help=option.help or "", value=value)


def _value(parameter: "Parameter", context: "Context") -> Value:
    items = parameter.shell_complete(context, "")
    choices = tuple(item.value for item in items if item.value)
    return Value(choices=choices, files=parameter.metavar in PATHS)
