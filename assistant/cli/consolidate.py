"""`assistant consolidate`: what memories have in common becomes concepts."""

import threading
import time as clock
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assistant.cli import INTERRUPTED, output, streams
from assistant.cli.opening import find_place, unlocked
from assistant.cli.shape import AsJson, single

if TYPE_CHECKING:
    from assistant.bootstrap import Assistant
    from assistant.memory.concepts import Extractor
    from assistant.memory.consolidation import Consolidated
    from assistant.memory.reflection import Reflected

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
    as_json: AsJson = False,
) -> None:
    """Find what memories have in common.

    Concepts lead from one memory to another when something is recalled. Each one
    rests on the memories that say it, and goes with them. Only what was not read
    before is read, only what people said is a source, and stopping keeps what is
    done. A model takes some ten seconds for five memories; it also distils
    knowledge from memories that were often of use together.
    """
    from assistant.memory.consolidation import Consolidated

    kept = Consolidated()

    def tell(done: Consolidated) -> None:
        nonlocal kept
        kept = done
        streams.tell_progress(
            f"consolidating: {done.turns:,} of {done.turns + done.waiting:,} memories, {done.new:,} new concepts"
        )

    try:
        with unlocked(find_place(ctx)) as assistant:
            chosen = _make_extractor(assistant, extractor)
            began, now = clock.perf_counter(), datetime.now().astimezone()
            done = assistant.memory.consolidate(chosen, now=now, limit=limit, progress=tell)
            faded = _put_away(assistant, now)
            learned = _distil(assistant, now) if extractor is ExtractorName.MODEL else None
            seconds = clock.perf_counter() - began
    except KeyboardInterrupt:
        streams.end_line()
        streams.tell(f"stopped; {_counts(kept)} are kept, and consolidating again goes on from there")
        raise typer.Exit(INTERRUPTED) from None
    if as_json:
        output.say_json({**_fields(done, seconds=seconds), **_knowledge_fields(learned), "faded": len(faded)})
    else:
        streams.say(_sentence(done, seconds=seconds))
        _tell_more(learned, faded)
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


def _put_away(assistant: "Assistant", now: datetime) -> list[int]:
    """Archive what fades, where that is the user's policy; gives which."""
    from assistant.memory.reflection import archive_fading

    if assistant.config.fading != "archive":
        return []
    return archive_fading(assistant.vault, now, assistant.memory.parameters)


def _distil(assistant: "Assistant", now: datetime) -> "Reflected":
    """Let the model read the hubs, and make the vectors of what it wrote."""
    from assistant.memory.reflection import reflect

    memory = assistant.memory
    found = reflect(
        memory.vault,
        assistant.model,
        now=now,
        parameters=memory.parameters,
        cancel=threading.Event(),
        progress=lambda done, due: streams.tell_progress(f"distilling: {done:,} of {due:,} hubs"),
    )
    memory.embed_pending()
    return found


def _tell_more(learned: "Reflected | None", faded: list[int]) -> None:
    if learned is not None and learned.distilled:
        entries = output.counted(learned.entries, "new piece of knowledge", "new pieces of knowledge")
        streams.say(f"distilled {output.counted(learned.distilled, 'hub')}: {entries}, {learned.dropped:,} dropped")
    if faded:
        streams.say(f"archived {output.counted(len(faded), 'memory', 'memories')} that faded; none is lost")


def _knowledge_fields(learned: "Reflected | None") -> dict[str, Any]:
    if learned is None:
        return {}
    return {"hubs": learned.hubs, "distilled": learned.distilled, "knowledge": learned.entries}


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
