"""`assistant bench speed`: how fast recall, adding, importing and starting are on this machine."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import typer

from assistant.cli import output, streams
from assistant.cli.bench_options import AsJson, gate_in_use, numbers
from assistant.cli.opening import find_place
from assistant.errors import BadInput

SPEED_EXAMPLES = """
    assistant bench speed
    assistant bench speed --sizes 1000,10000 --archived 100000
    """


def bench_speed(
    ctx: typer.Context,
    sizes: Annotated[str, typer.Option("--sizes", metavar="N,N", help="Turns in the graph.")] = "1000,10000",
    archived: Annotated[int, typer.Option("--archived", metavar="N", min=0, help="Turns on disk beside them.")] = 0,
    quick: Annotated[bool, typer.Option("--quick", help="Only see whether it runs.")] = False,
    as_json: AsJson = False,
) -> None:
    """Measure how fast it is, as ratios within one run.

    Everything is in temporary vaults, filled with words that nobody said; yours
    is not opened. Close other programs first. p50 and p95 are the middle and
    the slow end. A hundred thousand turns on disk take a minute to put there.
    """
    from assistant.bench.speed import QUICK, Amounts, measure
    from assistant.language.encoder import make_encoder
    from assistant.memory.tuning import parameters_of

    chosen = numbers("--sizes", sizes, int)
    place = find_place(ctx)
    encoder = make_encoder(place.config.encoder)
    parameters = gate_in_use(place, parameters_of(place.config), encoder.space.model)
    if not chosen or not all(1 <= size <= parameters.active_nodes for size in chosen):
        message = f"--sizes {sizes}: give numbers from 1 to {parameters.active_nodes}, which is all that a graph holds"
        raise BadInput(message)
    amounts = QUICK if quick else Amounts(sizes=sorted(chosen), archived=archived)
    try:
        found = measure(amounts, encoder=encoder, parameters=parameters, progress=streams.tell_progress)
    finally:
        streams.end_progress()
    if as_json:
        output.say_json(found)
        return
    for line in _lines(found):
        streams.say(line)


def _lines(found: Mapping[str, Any]) -> Iterator[str]:
    stages = list(found["sizes"][-1]["recall_ms"])
    yield f"recall, ms p50 / p95; {found['encoder']}"
    yield f"{'turns':>8}{'archived':>10}{'concepts':>10}" + "".join(f"{stage:>16}" for stage in stages)
    for size in found["sizes"]:
        counts = f"{size['active_turns']:>8,}{size['archived_turns']:>10,}{size['concepts']:>10,}"
        yield counts + "".join(f"{_both(size['recall_ms'][stage]):>16}" for stage in stages)
    yield ""
    yield f"{'turns':>8}{'first recall':>16}{'adding a turn':>18}{'recall after it':>18}{'file a turn':>14}{'peak':>12}"
    for size in found["sizes"]:
        times = f"{size['first_recall_ms']:>13,.0f} ms{_both(size['add_ms']):>15} ms"
        after = f"{size['recall_after_adding_ms']:>15,.0f} ms"
        room = f"{size['file_bytes_a_turn']:>12,} B{size['peak_memory_mib']:>8,.0f} MiB"
        yield f"{size['active_turns']:>8,}{times}{after}{room}"
    yield ""
    imported, opened = found["import"], found["open_ms"]
    encoder = f"{imported['encoder_texts_per_second']:,} texts/s"
    yield f"import: {imported['turns_per_second']:,} turns/s; the encoder by itself: {encoder}"
    yield f"opening a vault: {opened['key_derivation']:,.0f} ms for the key, {opened['rest']:,.0f} ms for the rest"
    yield "starting: " + ", ".join(f"{name} {ms:,.0f} ms" for name, ms in found["start_ms"].items())
    yield ""
    for name, ratio in found["ratios"].items():
        yield f"{ratio:>8.2f}  {name}"


def _both(figures: Mapping[str, float]) -> str:
    return f"{figures['p50']:,.1f} / {figures['p95']:,.1f}"
