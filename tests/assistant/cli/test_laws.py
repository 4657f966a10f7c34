"""Laws that hold for every command there is, read from the tree of the program: a new one cannot forget them."""

import inspect
import json
import re
import shlex
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

import pytest
import typer
from typer.core import TyperArgument, TyperGroup, TyperOption

from assistant.cli import NO_MODEL, NOTHING_FOUND, PROGRAM
from assistant.cli.options import hoist
from assistant.cli.root import app
from assistant.cli.tree import Entry, walk
from tests.assistant.cli.support import REPOSITORY, Here

ENTRIES = list(walk())
LEAVES = [entry for entry in ENTRIES if not isinstance(entry.command, TyperGroup)]
FENCE = re.compile(r"^```(?:sh|bash|console|text)?\n(.*?)^```", re.MULTILINE | re.DOTALL)
INNER = re.compile(r"\$\((.*?)\)")
ASSIGNMENT = re.compile(r"[A-Z_]+=.*")
TIME = re.compile(r"\d{4}-\d{2}-\d{2}T")
SHORT = set("hVmcnkqvofys")
"""The only short names: few enough to be known by heart."""
ACTING = {
    "ask": "needs a prompt, or something on stdin",
    "remember": "needs words",
    "vault unlock": "starts a process",
    "vault passphrase": "asks for a passphrase",
    "vault rekey": "asks before it acts",
    "vault recovery-key": "prints what opens the vault",
    "vault keyring": "needs the machine's keyring",
    "bench speed": "measures for minutes",
    "model verify": "reads gigabytes",
}
"""Commands without a needed argument that are not simply run here, with the reason."""
MORE = {"forget": ["--waiting"], "vault backup": ["--list"]}
"""What lets a command without arguments only list."""


def name_of(entry: Entry) -> str:
    return " ".join(entry.path[1:]) or PROGRAM


def calls(line: str) -> Iterator[list[str]]:
    """Give the command lines of this program in a line for a shell, without its name."""
    for inner in INNER.findall(line):
        yield from calls(inner)
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;<>")
    lexer.whitespace_split, lexer.commenters = True, "#"
    words: list[str] = []
    for word in (*lexer, ";"):
        if word not in {"|", "&&", ";"}:
            words.append(word)
            continue
        while words and ASSIGNMENT.fullmatch(words[0]):
            words.pop(0)
        if words and words[0] == PROGRAM:
            yield words[1 : words.index(">") if ">" in words else None]
        words = []


def parse(words: Sequence[str]) -> None:
    """Read a command line as the program does, and run nothing; raises what it would tell."""
    _, rest = hoist(words)
    command, name, context = typer.main.get_command(app), PROGRAM, None
    while True:
        context = command.make_context(name, list(rest), parent=context)
        if not isinstance(command, TyperGroup):
            return
        rest = [*context._protected_args, *context.args]
        if not rest:
            return
        found, inner, rest = command.resolve_command(context, rest)
        assert found
        assert inner is not None
        name, command = found, inner


@pytest.mark.parametrize("entry", ENTRIES, ids=name_of)
def test_every_line_of_every_example_is_understood_by_the_program(entry: Entry) -> None:
    lines = inspect.cleandoc(entry.command.epilog or "").splitlines()
    told = [call for line in lines for call in calls(line)]
    assert all(list(calls(line)) for line in lines), "a line that shows nothing of this program"
    for call in told:
        parse(call)
    own = list(entry.path[1:])
    assert any(call[: len(own)] == own for call in told), "its own name is in none of its examples"


def test_a_wrong_example_would_be_found() -> None:
    for line in (
        "assistant frob",
        "assistant recall",
        "cat x | assistant memory list --frob",
        "assistant model info a b",
    ):
        (call,) = calls(line)
        with pytest.raises(typer.TyperException):
            parse(call)


def test_every_example_of_the_readme_is_understood_by_the_program() -> None:
    blocks = FENCE.findall((REPOSITORY / "README.md").read_text(encoding="utf-8"))
    lines = [line for block in blocks if not block.startswith("Usage: ") for line in block.splitlines()]
    told = [call for line in lines if line.startswith(PROGRAM) for call in calls(line)]
    assert told
    for call in told:
        parse(call)


@pytest.mark.parametrize("entry", ENTRIES, ids=name_of)
def test_every_option_and_argument_says_in_a_sentence_what_it_is_for(entry: Entry) -> None:
    for parameter in entry.command.get_params(entry.context):
        assert isinstance(parameter, TyperOption | TyperArgument)
        assert (parameter.help or "").endswith("."), parameter.name
        choices = parameter.shell_complete(entry.context, "")
        assert parameter.metavar or choices or getattr(parameter, "is_flag", False), f"{parameter.name}: of what?"
    assert re.fullmatch(r"[A-Z].{1,77}\.", entry.summary), entry.summary


def test_a_short_name_means_the_same_everywhere_and_there_are_few() -> None:
    meanings: dict[str, set[str]] = {}
    for entry in ENTRIES:
        for option in entry.options:
            for name in option.opts:
                if len(name) == 2:
                    meanings.setdefault(name[1], set()).add(max(option.opts, key=len))
    assert set(meanings) <= SHORT
    assert {short: long for short, long in meanings.items() if len(long) > 1} == {}


def strings(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            for one in value:
                yield from strings(one)
        case dict():
            yield from strings(list(value.values()))


def listing(entry: Entry) -> bool:
    """Whether a command only has to be named, and prints JSON."""
    needed = any(argument.required for argument in entry.arguments)
    return not needed and name_of(entry) not in ACTING and any("--json" in option.opts for option in entry.options)


LISTING = [entry for entry in LEAVES if listing(entry)]
TOLD = [entry for entry in LISTING if entry.path[1] in {"memory", "history"}]
"""What tells of what there is."""


@pytest.mark.parametrize("entry", LISTING, ids=name_of)
def test_json_is_json_where_there_is_nothing(here_new: Here, entry: Entry) -> None:
    ran = here_new.run(*entry.path[1:], *MORE.get(name_of(entry), []), "--json")
    if ran.out:
        json.loads(ran.out)
    else:
        assert ran.code in {NOTHING_FOUND, NO_MODEL}
        assert ran.err.count("\n") == 1


@pytest.mark.parametrize("entry", TOLD, ids=name_of)
def test_json_has_times_in_utc(here: Here, entry: Entry) -> None:
    told = json.loads(here.run(*entry.path[1:], "--json").out)
    for text in strings(told):
        if TIME.match(text):
            assert text.endswith("Z"), text
            assert datetime.fromisoformat(text).utcoffset() == timedelta(0)


def test_what_is_not_simply_run_is_there() -> None:
    assert {*ACTING, *MORE} <= {name_of(entry) for entry in LEAVES}
