"""How the commands are laid out: loaded when they are called, their help in plain text with examples first."""

import importlib
import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer
from typer._click.core import Command, Context
from typer._click.formatting import HelpFormatter
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from assistant.cli.options import HELP
from assistant.errors import BadInput

COMMANDS = {
    "ask": ("ask", "Ask once, and get one reply."),
    "chat": ("chat", "Open the chat."),
    "recall": ("recall", "See what memory gives; no model is needed."),
    "remember": ("remember", "Keep a note."),
    "forget": ("forget", "Erase memories, every trace of them."),
    "why": ("why", "See what memory gave for an answer, and why."),
    "memory": ("memory", "List, show, edit, keep and put away memories."),
    "history": ("history", "List, search, show, rename, export and delete conversations."),
    "import": ("importing", "Bring in conversations from elsewhere."),
    "export": ("export", "Write all memories as plain text, which nothing protects."),
    "consolidate": ("consolidate", "Find what memories have in common."),
    "audit": ("audit", "Find what is doubtful in the memory."),
    "vault": ("vault", "Make and inspect the encrypted vault."),
    "serve": ("serve", "Open the screens in a browser on this machine."),
    "mcp": ("mcp", "Let other assistants use the memory, by their protocol (MCP)."),
    "model": ("model", "Choose, fetch and check language models."),
    "bench": ("bench", "Measure the memory on known questions."),
    "config": ("config", "Show and change the settings."),
    "doctor": ("doctor", "Find out what is wrong on this machine."),
    "paths": ("paths", "Show where things lie."),
    "completion": ("completion", "Let a shell complete the commands."),
    "version": ("version", "Show the version."),
}
"""Each command's module, and the line it has in the list: the first line of its own help, which a test compares."""

MAY_BE_EMPTY = {"TEXT", "TITLE", "VALUE", "WORD", "QUERY", "PROMPT"}
"""What may be given as nothing at all, or is refused in words of its own."""
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
CONTEXT = {"help_option_names": ["-h", "--help"]}


class _PlainHelp(Command):
    """Help without boxes and colours: usage, what it does, examples, the rest."""

    def format_help_text(self, ctx: Context, formatter: HelpFormatter) -> None:  # noqa: ARG002
        """Write the first line, the examples, and what else there is to say, as they were written."""
        summary, _, rest = inspect.cleandoc(self.help or "").partition("\n")
        _write(formatter, summary)
        if self.epilog:
            _write(formatter, "Examples:\n" + _indented(inspect.cleandoc(self.epilog)))
        if rest.strip():
            _write(formatter, rest.strip("\n"))

    def collect_usage_pieces(self, ctx: Context) -> list[str]:
        """Give the parts of the usage line: `[NAME]` for what may be left out, `NAME...` for what may be several."""
        arguments = [parameter for parameter in self.get_params(ctx) if isinstance(parameter, TyperArgument)]
        shown = {argument.get_usage_pieces(ctx)[0]: _usage(argument) for argument in arguments}
        return [shown.get(piece, piece) for piece in super().collect_usage_pieces(ctx)]

    def format_options(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write arguments and options; of an argument no type, for its name tells that."""
        arguments: list[tuple[str, str]] = []
        options: list[tuple[str, str]] = []
        for parameter in self.get_params(ctx):
            if isinstance(parameter, TyperArgument):
                arguments.append((_usage(parameter), parameter.help or ""))
            elif record := parameter.get_help_record(ctx):
                options.append(record)
        for title, records in (("Arguments", arguments), ("Options", options)):
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)

    def format_epilog(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write the options that every command has; for all but the first of them in one line."""
        if ctx.parent is None:
            with formatter.section("Options of every command, before or after its name"):
                formatter.write_dl(HELP)
        else:
            names = ", ".join(name for name, _ in HELP)
            _write(formatter, f"Also: {names};\n      see assistant --help")


class PlainCommand(_PlainHelp, TyperCommand):
    """A command whose help is plain text, and which takes nothing for an empty value."""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Read a command line.

        Raises
        ------
        BadInput
            An option, an identifier or a place is empty, as from a variable that is not set: what is left of the
            command line would mean something else, and often much more.
        """
        given, _, _ = self.make_parser(ctx).parse_args(args=list(args))
        for parameter in self.get_params(ctx):
            value = given.get(parameter.name)
            values = value if isinstance(value, list | tuple) else [value]
            empty = any(isinstance(one, str) and not one.strip() for one in values)
            if empty and parameter.metavar not in MAY_BE_EMPTY:
                name = parameter.metavar if isinstance(parameter, TyperArgument) else parameter.opts[-1]
                message = f"{name} is empty: leave it out, or say what is meant"
                raise BadInput(message)
        return super().parse_args(ctx, args)

    def get_help_option(self, ctx: Context) -> TyperOption | None:
        """Give the option `--help`, off by default: an option without a default loads pydantic to check that."""
        return _off(super().get_help_option(ctx))


class PlainGroup(_PlainHelp, TyperGroup):
    """A group of commands whose help is plain text."""

    def format_options(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write options, and the commands."""
        super().format_options(ctx, formatter)
        self.format_commands(ctx, formatter)

    def get_help_option(self, ctx: Context) -> TyperOption | None:
        """Give the option `--help`, off by default."""
        return _off(super().get_help_option(ctx))


class LazyGroup(PlainGroup):
    """The first level: each command's module is imported when the command is called."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        for name, (_, summary) in COMMANDS.items():
            self.commands[name] = TyperCommand(name, help=summary)

    def get_command(self, ctx: Context, cmd_name: str) -> Command | None:  # noqa: ARG002
        """Give a command, loaded."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"assistant.cli.{COMMANDS[cmd_name][0]}")
        command = typer.main.get_command(module.app)
        command.name = cmd_name
        return command

    def format_commands(self, ctx: Context, formatter: HelpFormatter) -> None:  # noqa: ARG002
        """Write the list of commands without loading them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])


def single(examples: str) -> tuple[typer.Typer, Callable[[Callable[..., None]], Callable[..., None]]]:
    """Give an app of one command, and the decorator of its function."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None, context_settings=CONTEXT)
    return app, app.command(cls=PlainCommand, epilog=examples, context_settings=CONTEXT)


def group(summary: str, examples: str) -> typer.Typer:
    """Give an app of several commands, which shows its help when none is named."""
    return typer.Typer(
        cls=PlainGroup,
        help=summary,
        epilog=examples,
        add_completion=False,
        rich_markup_mode=None,
        no_args_is_help=True,
        context_settings=CONTEXT,
    )


def _usage(argument: TyperArgument) -> str:
    name = (argument.metavar or argument.name.upper()) + ("..." if argument.nargs != 1 else "")
    return name if argument.required else f"[{name}]"


def _off(option: TyperOption | None) -> TyperOption | None:
    if option is not None:
        option.default = False
    return option


def _write(formatter: HelpFormatter, text: str) -> None:
    formatter.write_paragraph()
    formatter.write(_indented(text) + "\n")


def _indented(text: str) -> str:
    return "\n".join(f"  {line}".rstrip() for line in text.split("\n"))
