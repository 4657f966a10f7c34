"""What the benchmarks have in common: their options, the gate they ask, and how they are stopped and resumed."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from assistant.cli import INTERRUPTED, streams
from assistant.cli.choices import engine_names, model_names
from assistant.cli.opening import Place
from assistant.errors import BadInput

if TYPE_CHECKING:
    from assistant.bench.outcomes import OutcomeLog
    from assistant.memory.parameters import Parameters

File = Annotated[Path, typer.Argument(help="The data set's file.", metavar="FILE")]
Engines = Annotated[
    list[str] | None,
    typer.Option("--engine", metavar="NAME", help="A way of recalling; repeat it.", autocompletion=engine_names),
]
Samples = Annotated[str, typer.Option("--samples", metavar="N,N", help="Conversations, numbered from 0.")]
Categories = Annotated[str, typer.Option("--categories", metavar="N,N", help="Kinds of questions.")]
Limit = Annotated[int | None, typer.Option("--limit", metavar="N", min=1, help="Questions of a kind at most.")]
Foreign = Annotated[int, typer.Option("--foreign", metavar="N", min=0, help="Questions of others, to each.")]
Seed = Annotated[int, typer.Option("--seed", metavar="N", help="Of every choice by chance.")]
Consolidate = Annotated[bool, typer.Option("--consolidate/--no-consolidate", help="Make concepts first.")]
Ablate = Annotated[list[str] | None, typer.Option("--ablate", metavar="NAME", help="Also without it; repeat it.")]
Sweep = Annotated[list[str] | None, typer.Option("--sweep", metavar="NAME=V,V", help="Also with these values.")]
LowSimilarity = Annotated[str, typer.Option("--low-similarity", metavar="C,C", help="Also below these cosines.")]
EqualCount = Annotated[bool, typer.Option("--erc", help="Also as many memories as fire in engine synaptic.")]
Learn = Annotated[bool, typer.Option("--learn", help="Learn from each question once it was asked.")]
Model = Annotated[
    str | None,
    typer.Option("-m", "--model", metavar="MODEL", help="Also let this model answer.", autocompletion=model_names),
]
Answers = Annotated[int, typer.Option("--answers", metavar="N", min=1, help="Questions of a kind it answers.")]
Resume = Annotated[Path | None, typer.Option("--resume", metavar="FILE", help="Keep what is done there; go on.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]

Number = TypeVar("Number", int, float)


@contextmanager
def resumable(log: "OutcomeLog", path: Path | None) -> Iterator[None]:
    """Tell, when what is inside is interrupted, that the same command goes on with what the file of the log has."""
    try:
        yield
    except KeyboardInterrupt:
        streams.end_line()
        if path is not None:
            streams.tell(f"stopped; {len(log.outcomes):,} outcomes are kept in {path}: the same command goes on")
        raise typer.Exit(INTERRUPTED) from None


def gate_in_use(place: Place, parameters: "Parameters", encoder: str) -> "Parameters":
    """Give the parameters with the gate that recall uses here: the one calibrated for this encoder, if there is one."""
    from assistant.memory.gate_file import gate_file, load_gate

    own = load_gate(gate_file(place.paths.config_file.parent, encoder))
    return parameters if own is None else replace(parameters, gate=own)


def numbers(option: str, text: str, kind: Callable[[str], Number]) -> list[Number]:
    """Give the numbers of a list with commas.

    Raises
    ------
    BadInput
        One of them is none.
    """
    try:
        return [kind(part) for part in parts(text)]
    except ValueError as error:
        message = f"{option} {text}: give numbers with commas between them"
        raise BadInput(message) from error


def parts(text: str) -> list[str]:
    """Give the parts of a list with commas."""
    return [part.strip() for part in text.split(",") if part.strip()]
