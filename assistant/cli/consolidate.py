"""`assistant consolidate`: what memories have in common becomes concepts."""

import time as clock
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assistant.cli import INTERRUPTED, output, streams
from assistant.cli.opening import find_place, unlocked
from assistant.cli.shape import single

if TYPE_CHECKING:
    from assistant.bootstrap import Assistant
    from assistant.memory.concepts import Extractor
    from assistant.memory.consolidation import Consolidated

app, command = single(
    """
    assistant consolidate
    assistant consolidate --extractor model --limit 200
    """
)


class ExtractorName(StrEnum):
    """What finds concepts."""

    SALIENT = "salient"
    MODEL = "model"


@command
def consolidate(
    ctx: typer.Context,
    extractor: Annotated[
        ExtractorName, typer.Option("--extractor", help="Names, numbers and rare words; or facts, by the model.")
    ] = ExtractorName.SALIENT,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=1, help="Stop when so many memories were read.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Find what memories have in common.

    Concepts lead from one memory to another when something is recalled. Each one
    rests on the memories that say it, and goes with them. Only what was not read
    before is read, only what people said is a source, and stopping keeps what is
    done. A model takes some ten seconds for five memories.
    """
    from assistant.memory.consolidation import Consolidated, Consolidator

    kept = Consolidated()

    def tell(done: Consolidated) -> None:
        nonlocal kept
        kept = done
        streams.tell_progress(
            f"consolidating: {done.turns:,} of {done.turns + done.waiting:,} memories, {done.new:,} new concepts"
        )

    try:
        with unlocked(find_place(ctx)) as assistant:
            memory = assistant.memory
            chosen = _make_extractor(assistant, extractor)
            runner = Consolidator(memory.vault, memory.encoder, memory.parameters.consolidation)
            began = clock.perf_counter()
            done = runner.run(chosen, limit=limit, progress=tell)
            seconds = clock.perf_counter() - began
    except KeyboardInterrupt:
        streams.end_line()
        streams.tell(f"stopped; {_counts(kept)} are kept, and consolidating again goes on from there")
        raise typer.Exit(INTERRUPTED) from None
    if as_json:
        output.say_json(_fields(done, seconds=seconds))
    else:
        streams.say(_sentence(done, seconds=seconds))
    if done.failed:
        those = "it" if done.failed == 1 else "them"
        streams.tell(f"the model failed at {output.counted(done.failed, 'window')}: consolidate again to read {those}")


def _make_extractor(assistant: "Assistant", name: ExtractorName) -> "Extractor":
    """Give the extractor; the model, if it is the one, loaded."""
    from assistant.memory.concepts.language_model import LanguageModelExtractor
    from assistant.memory.concepts.salient import SalientExtractor

    memory = assistant.memory
    parameters = memory.parameters.consolidation
    match name:
        case ExtractorName.SALIENT:
            return SalientExtractor(memory.vault, parameters)
        case ExtractorName.MODEL:
            assistant.model.load(lambda what, _: streams.tell_progress(what))
            return LanguageModelExtractor(assistant.model, memory.encoder, parameters)


def _counts(done: "Consolidated") -> str:
    return f"{output.counted(done.turns, 'memory', 'memories')} read and {output.counted(done.new, 'concept')}"


def _sentence(done: "Consolidated", *, seconds: float) -> str:
    parts = [
        f"read {output.counted(done.turns, 'memory', 'memories')} in {seconds:.1f} s",
        f"{output.counted(done.new, 'new concept')}",
        f"{done.strengthened:,} strengthened",
    ]
    counts = (("merged", done.merged), ("dropped", done.dropped), ("gone as too common", done.common))
    parts += [f"{count:,} {what}" for what, count in counts if count]
    if done.waiting:
        parts.append(f"{output.counted(done.waiting, 'memory', 'memories')} waiting")
    return "; ".join(parts)


def _fields(done: "Consolidated", *, seconds: float) -> dict[str, Any]:
    return {
        "turns": done.turns,
        "new": done.new,
        "strengthened": done.strengthened,
        "merged": done.merged,
        "dropped": done.dropped,
        "common": done.common,
        "failed_windows": done.failed,
        "waiting": done.waiting,
        "seconds": round(seconds, 3),
    }
