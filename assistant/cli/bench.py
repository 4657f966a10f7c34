"""`assistant bench`: the memory measured on questions of which the evidence is known."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assistant.cli import output, streams
from assistant.cli.bench_calibrate import CALIBRATE_EXAMPLES, bench_calibrate
from assistant.cli.bench_options import (
    Ablate,
    Answers,
    AsJson,
    Categories,
    Consolidate,
    Engines,
    EqualCount,
    File,
    Foreign,
    Learn,
    Limit,
    LowSimilarity,
    Model,
    Resume,
    Samples,
    Seed,
    Sweep,
    gate_in_use,
    numbers,
    parts,
    resumable,
)
from assistant.cli.bench_speed import SPEED_EXAMPLES, bench_speed
from assistant.cli.opening import Place, find_place
from assistant.cli.shape import PlainCommand, group
from assistant.errors import BadInput

if TYPE_CHECKING:
    from assistant.bench.run import Plan
    from assistant.bench.samples import Sample
    from assistant.language.model import LanguageModel

app = group(
    "Measure the memory on known questions.",
    """
    assistant bench locomo locomo10.json
    assistant bench locomo --engine associative --engine synapse locomo10.json
    assistant bench longmemeval longmemeval_s.json
    assistant bench calibrate locomo10.json
    assistant bench speed
    """,
)
app.command("calibrate", cls=PlainCommand, epilog=CALIBRATE_EXAMPLES)(bench_calibrate)
app.command("speed", cls=PlainCommand, epilog=SPEED_EXAMPLES)(bench_speed)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    """What a benchmark is to do: its options."""

    engines: Sequence[str]
    samples: str
    categories: str
    limit: int | None
    foreign: int
    seed: int
    consolidate: bool
    ablate: Sequence[str]
    sweep: Sequence[str]
    low_similarity: str
    erc: bool
    learn: bool
    model: str | None
    answers: int
    resume: Path | None
    as_json: bool
    label_errors: Path | None = None


@app.command(
    "locomo",
    cls=PlainCommand,
    epilog="""
    assistant bench locomo locomo10.json
    assistant bench locomo --samples 0,1 --limit 20 locomo10.json
    assistant bench locomo --model qwen2.5-coder-1.5b --answers 5 locomo10.json
    """,
)
def bench_locomo(
    ctx: typer.Context,
    path: File,
    engine: Engines = None,
    samples: Samples = "",
    categories: Categories = "",
    limit: Limit = None,
    foreign: Foreign = 100,
    seed: Seed = 0,
    consolidate: Consolidate = True,
    ablate: Ablate = None,
    sweep: Sweep = None,
    low_similarity: LowSimilarity = "",
    erc: EqualCount = False,
    learn: Learn = False,
    label_errors: Annotated[
        Path | None, typer.Option("--label-errors", metavar="FILE", help="An audit of the evidence.")
    ] = None,
    model: Model = None,
    answers: Answers = 10,
    resume: Resume = None,
    as_json: AsJson = False,
) -> None:
    """Measure on LoCoMo: long dialogues of two people.

    Each conversation goes into a temporary vault of its own, which is deleted
    again; yours is not opened. Categories: 1 multi-hop, 2 temporal,
    3 open-domain, 4 single-hop, 5 adversarial.
    """
    from assistant.bench.locomo import CATEGORIES, read_locomo

    wanted = _Wanted(
        engines=engine or (),
        samples=samples,
        categories=categories,
        limit=limit,
        foreign=foreign,
        seed=seed,
        consolidate=consolidate,
        ablate=ablate or (),
        sweep=sweep or (),
        low_similarity=low_similarity,
        erc=erc,
        learn=learn,
        model=model,
        answers=answers,
        resume=resume,
        as_json=as_json,
        label_errors=label_errors,
    )
    names = {str(number): name for number, name in CATEGORIES.items()}
    _Bench(place=find_place(ctx, model=model), name="locomo", path=path, wanted=wanted, names=names).run(
        lambda: read_locomo(path, label_errors=label_errors)
    )


@app.command(
    "longmemeval",
    cls=PlainCommand,
    epilog="""
    assistant bench longmemeval longmemeval_s.json
    assistant bench longmemeval --limit 5 --resume state longmemeval_s.json
    """,
)
def bench_longmemeval(
    ctx: typer.Context,
    path: File,
    engine: Engines = None,
    samples: Samples = "",
    categories: Categories = "",
    limit: Limit = None,
    foreign: Foreign = 5,
    seed: Seed = 0,
    consolidate: Consolidate = True,
    ablate: Ablate = None,
    sweep: Sweep = None,
    low_similarity: LowSimilarity = "",
    erc: EqualCount = False,
    learn: Learn = False,
    model: Model = None,
    answers: Answers = 10,
    resume: Resume = None,
    as_json: AsJson = False,
) -> None:
    """Measure on LongMemEval: a history of chats for each question.

    Each history goes into a temporary vault of its own, which is deleted again;
    yours is not opened. Kinds are named as in the file, such as multi-session.
    """
    from assistant.bench.longmemeval import read_longmemeval

    wanted = _Wanted(
        engines=engine or (),
        samples=samples,
        categories=categories,
        limit=limit,
        foreign=foreign,
        seed=seed,
        consolidate=consolidate,
        ablate=ablate or (),
        sweep=sweep or (),
        low_similarity=low_similarity,
        erc=erc,
        learn=learn,
        model=model,
        answers=answers,
        resume=resume,
        as_json=as_json,
    )
    _Bench(place=find_place(ctx, model=model), name="longmemeval", path=path, wanted=wanted, names={}).run(
        lambda: read_longmemeval(path)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bench:
    """A benchmark that was called for."""

    place: Place
    name: str
    path: Path
    wanted: _Wanted
    names: dict[str, str]
    """Of the categories."""

    def run(self, read: "Callable[[], Sequence[Sample]]") -> None:
        """Read the data set, ask, and tell what was found."""
        from assistant.bench import report, table
        from assistant.bench.outcomes import OutcomeLog
        from assistant.bench.run import run
        from assistant.language.encoder import make_encoder

        wanted = self.wanted
        if wanted.learn and wanted.resume:
            raise BadInput("--learn cannot be resumed: what was learned goes with the temporary vault")
        limits = tuple(numbers("--low-similarity", wanted.low_similarity, float))
        encoder = make_encoder(self.place.config.encoder)
        plan = self._plan(read(), encoder.space.model)
        about = report.About(
            benchmark=self.name,
            file=self.path.name,
            encoder=encoder.space.model,
            model=wanted.model,
            corrected=wanted.label_errors is not None,
            low_similarity=limits,
        )
        model = self._model()
        try:
            identity = self._identity(plan, encoder.space.digest)
            with OutcomeLog(wanted.resume, identity) as log, resumable(log, wanted.resume):
                run(plan, log, encoder=encoder, model=model, progress=streams.tell_progress)
        finally:
            streams.end_progress()
            if model is not None:
                model.close()
        found = report.report(plan, list(log.outcomes.values()), about)
        if wanted.as_json:
            output.say_json(found)
        else:
            for line in table.lines(found, self.names):
                streams.say(line)

    def _plan(self, samples: "Sequence[Sample]", encoder: str) -> "Plan":
        from assistant.bench.ablation import plan_variants
        from assistant.bench.run import Plan
        from assistant.bench.samples import Selection, select
        from assistant.memory.tuning import parameters_of

        wanted = self.wanted
        selection = Selection(
            samples=tuple(numbers("--samples", wanted.samples, int)),
            categories=tuple(parts(wanted.categories)),
            limit=wanted.limit,
            foreign=wanted.foreign,
            seed=wanted.seed,
        )
        engines = wanted.engines or [self.place.config.engine]
        parameters = gate_in_use(self.place, parameters_of(self.place.config), encoder)
        return Plan(
            rounds=select(samples, selection),
            variants=plan_variants(engines, parameters, ablations=wanted.ablate, sweeps=wanted.sweep),
            consolidate=wanted.consolidate,
            equal_count=wanted.erc,
            learn=wanted.learn,
            answers=wanted.answers if wanted.model else 0,
            seed=wanted.seed,
        )

    def _model(self) -> "LanguageModel | None":
        """Give the model, loaded: that it is missing is told before an hour of work, not after it."""
        if self.wanted.model is None:
            return None
        from assistant.bootstrap import make_model
        from assistant.cli.model import tell_progress

        model = make_model(self.place.config, self.place.paths)
        model.load(tell_progress)
        return model

    def _identity(self, plan: "Plan", encoder: str) -> dict[str, Any]:
        """Give what a run must have in common with the one that it goes on with: of the gates only their digests."""
        from hashlib import sha256

        from assistant import __version__
        from assistant.bench.reading import digest_of

        wanted = self.wanted
        return {
            "benchmark": self.name,
            "version": __version__,
            "data": digest_of(self.path),
            "labels": digest_of(wanted.label_errors) if wanted.label_errors else None,
            "encoder": encoder,
            "variants": {variant.name: repr(replace(variant.parameters, gate=None)) for variant in plan.variants},
            "gates": {
                variant.name: sha256(repr(variant.parameters.gate).encode()).hexdigest() for variant in plan.variants
            },
            "options": [wanted.samples, wanted.categories, wanted.limit, wanted.foreign, wanted.seed],
            "run": [plan.consolidate, plan.equal_count, wanted.model, plan.answers],
        }
