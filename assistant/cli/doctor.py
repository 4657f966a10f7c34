"""`assistant doctor`: each part is tried, and each failure comes with what to do."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Annotated, Any

import typer

from assistant.checkup import Deep, checks, read_settings
from assistant.checkup_places import Finding
from assistant.cli import UNEXPECTED, exit_code, output, streams
from assistant.cli.model import tell_progress
from assistant.cli.options import Options
from assistant.cli.shape import single
from assistant.config import LoadedConfig
from assistant.errors import BadConfig
from assistant.paths import Paths, find_paths

MARKS = {"ok": "ok", "failure": "FAIL", "warning": "warn", "unknown": "-"}

app, command = single(
    """
    assistant doctor
    assistant doctor --deep
    assistant doctor --json
    """
)


@command
def doctor(
    ctx: typer.Context,
    deep: Annotated[bool, typer.Option("--deep", help="Also load the model, which takes a while.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Find out what is wrong on this machine.

    The vault is not opened. The exit code is that of the first failure; what is
    only a warning stops nothing.
    """
    paths = find_paths(profile=(ctx.find_object(Options) or Options()).profile)
    settings = read_settings(paths, os.environ)
    findings = []
    with _loadable(paths, settings, deep=deep) as model:
        for check in checks(paths, settings, now=datetime.now().astimezone(), deep=model):
            finding = check.look()
            streams.end_progress()
            findings.append(finding)
            if not as_json:
                _show(finding)
    if as_json:
        output.say_json([_fields(finding) for finding in findings])
    raise typer.Exit(next((_code(finding) for finding in findings if finding.level == "failure"), 0))


@contextmanager
def _loadable(paths: Paths, settings: LoadedConfig | BadConfig, *, deep: bool) -> Iterator[Deep | None]:
    """Give the model to be loaded, if it shall be; its process ends with the block."""
    if not deep or isinstance(settings, BadConfig):
        yield None
        return
    from assistant.bootstrap import make_model

    model = make_model(settings.config, paths)
    try:
        yield Deep(model=model, progress=tell_progress)
    finally:
        model.close()


def _code(finding: Finding) -> int:
    return UNEXPECTED if finding.error is None else exit_code(finding.error())


def _fields(finding: Finding) -> dict[str, Any]:
    return {
        "name": finding.name,
        "ok": finding.ok,
        "level": finding.level,
        "what": finding.what,
        "fix": finding.fix,
    }


def _show(finding: Finding) -> None:
    streams.say(f"{MARKS[finding.level]:5}{finding.name:10}{output.flat(finding.what)}")
    if finding.fix:
        streams.say(f"{'':15}{output.flat(finding.fix)}")
    sys.stdout.flush()
