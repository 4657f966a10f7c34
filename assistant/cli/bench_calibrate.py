"""`assistant bench calibrate`: the gate fitted to questions of which it is known whether they can be answered."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assistant.cli import output, streams
from assistant.cli.bench_options import AsJson, File, Foreign, Limit, Resume, Samples, Seed, numbers, resumable
from assistant.cli.opening import find_place
from assistant.errors import BadInput

if TYPE_CHECKING:
    from assistant.bench.calibrate import Calibration
    from assistant.bench.outcomes import Outcome
    from assistant.bench.run import Plan
    from assistant.language.encoder import Encoder
    from assistant.memory.gate_fit import CurvePoint

CALIBRATE_EXAMPLES = """
    assistant bench calibrate locomo10.json
    assistant bench calibrate --bound 0.01 --dry-run locomo10.json
    assistant bench calibrate --samples 0,1,2 --resume state.jsonl locomo10.json
    """
USUAL_BOUND = 0.025
"""As `gate_fit.BOUND`, which is not imported for the sake of a help text: scipy takes half a second."""


def bench_calibrate(
    ctx: typer.Context,
    path: File,
    bound: Annotated[
        float, typer.Option("--bound", metavar="SHARE", help="Answerable questions that may be refused.")
    ] = USUAL_BOUND,
    samples: Samples = "",
    limit: Limit = None,
    foreign: Foreign = 100,
    seed: Seed = 0,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only tell; keep the gate as it is.")] = False,
    resume: Resume = None,
    as_json: AsJson = False,
) -> None:
    """Fit the gate, which tells what memory does not know, to your encoder.

    Asks all questions of a file in the format of LoCoMo, and once more in the
    first person, as each speaker would. What it finds goes beside the settings,
    and counts from the next command on. The figures are those of dialogues that
    the gate was not fitted to. Two conversations or more are needed.
    """
    from assistant.bench.calibrate import calibrate, calibration_plan
    from assistant.bench.locomo import read_locomo
    from assistant.bench.reading import digest_of
    from assistant.bench.samples import Selection, select
    from assistant.language.encoder import make_encoder
    from assistant.memory.gate_file import gate_file, save_gate
    from assistant.memory.tuning import parameters_of

    if not 0 <= bound <= 0.5:
        message = f"--bound {bound}: give a share from 0 to 0.5"
        raise BadInput(message)
    place = find_place(ctx)
    encoder = make_encoder(place.config.encoder)
    chosen = Selection(samples=tuple(numbers("--samples", samples, int)), limit=limit, foreign=foreign, seed=seed)
    plan = calibration_plan(
        select(read_locomo(path), chosen),
        engine=place.config.engine,
        parameters=parameters_of(place.config),
        encoder=encoder.space.model,
    )
    identity = {"data": digest_of(path), "encoder": encoder.space.digest, "options": repr(chosen)}
    made = calibrate(_asked(plan, encoder, identity, resume), encoder=encoder.space.model, bound=bound)
    file = gate_file(place.paths.config_file.parent, encoder.space.model)
    if not dry_run:
        save_gate(file, made.gate)
    if as_json:
        output.say_json({**made.as_json(), "file": None if dry_run else str(file)})
        return
    for line in _lines(made):
        streams.say(line)
    streams.say(f"not kept: --dry-run; it would be {file}" if dry_run else f"kept in {file}")


def _asked(plan: "Plan", encoder: "Encoder", identity: dict[str, str], resume: Path | None) -> "list[Outcome]":
    """Give the outcomes of all questions. No number of the gate is in the identity: the signals come before it."""
    from assistant import __version__
    from assistant.bench.outcomes import OutcomeLog
    from assistant.bench.run import run

    (variant,) = plan.variants
    parameters = repr(replace(variant.parameters, gate=None))
    whole = {"benchmark": "calibrate", "version": __version__, "variant": [variant.name, parameters], **identity}
    try:
        with OutcomeLog(resume, whole) as log, resumable(log, resume):
            run(plan, log, encoder=encoder, progress=streams.tell_progress)
            return list(log.outcomes.values())
    finally:
        streams.end_progress()


def _lines(made: "Calibration") -> Iterator[str]:
    gate = made.gate
    allowed = f"at most {made.bound:.1%} of the answerable ones may be refused"
    yield f"{gate.encoder}: {made.questions:,} questions; {allowed}"
    named = f"refused below {gate.refuse_below:.3f}, sure from {gate.sure_from:.3f}"
    personal = f"below {gate.personal_refuse_below:.3f}, from {gate.personal_sure_from:.3f}"
    yield f"{named}; in the first person {personal}"
    yield f"refused where it was not fitted: {made.false_refusals:.1%} of the answerable ones"
    for title, points in (("by name", made.others), ("in the first person", made.personal)):
        if points:
            yield from _curve(title, points)


def _curve(title: str, points: "Sequence[CurvePoint]") -> Iterator[str]:
    yield ""
    yield f"{title:<22}{'threshold':>12}{'adversarial':>14}{'foreign':>10}"
    for point in points:
        refused = f"{_share(point.adversarial_refused):>14}{_share(point.foreign_refused):>10}"
        yield f"{point.false_refusals:>6.1%} false refusals{point.threshold:>12.3f}{refused}"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.1%}"
