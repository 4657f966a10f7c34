"""`assistant recall`."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from assistant.cli import NOTHING_FOUND, output, streams
from assistant.cli.choices import engine_names
from assistant.cli.dates import read_beginning, read_end
from assistant.cli.opening import find_place, unlocked
from assistant.cli.shape import AsJson, single
from assistant.errors import BadInput

if TYPE_CHECKING:
    from assistant.memory.recall import Scope
    from assistant.memory.recollection import Recollection

app, command = single(
    """
    assistant recall "Where is the spare key?"
    assistant recall -k 3 --why "spare key"
    assistant recall --speaker Ada --since "last month" harbour
    assistant recall --as-of 2026-01-31 "Where do I live?"
    assistant recall --json "spare key" | jq -r '.hits[].text'
    """
)


@command
def recall(
    ctx: typer.Context,
    query: Annotated[list[str], typer.Argument(help="What to look for.", metavar="QUERY")],
    k: Annotated[int, typer.Option("-k", metavar="N", min=1, max=1000, help="How many memories at most.")] = 10,
    engine: Annotated[
        str | None,
        typer.Option("--engine", metavar="NAME", help="The way of recalling.", autocompletion=engine_names),
    ] = None,
    since: Annotated[
        str | None, typer.Option("--since", metavar="DATE", help="Only what was said then or later.")
    ] = None,
    until: Annotated[str | None, typer.Option("--until", metavar="DATE", help="Only what was said by then.")] = None,
    as_of: Annotated[
        str | None, typer.Option("--as-of", metavar="DATE", help="As memory was then, without all that came later.")
    ] = None,
    speaker: Annotated[
        list[str] | None, typer.Option("--speaker", metavar="NAME", help="Only what they said; repeat it for several.")
    ] = None,
    why: Annotated[bool, typer.Option("--why", help="Also the scores, the way each came, and concepts.")] = False,
    exit_code: Annotated[bool, typer.Option("--exit-code", help="Exit with 3 when memory does not know.")] = False,
    as_json: AsJson = False,
) -> None:
    """See what memory gives; no model is needed.

    One line for each memory: rank, score, when, id, who and what; cut to the
    width of a terminal, whole in a pipe. [until DATE] says that something newer
    took its place on that day, [archived] that it was put away. On stderr stands
    whether memory thinks that it knows the answer: known, unsure or unknown.

    Engines: associative, synapse, hela, synaptic, hybrid. A DATE is a day, a
    month or a time, such as 2026-03-01, 2026-03, 2026-03-01T18:00, 18:00,
    yesterday or '3 days ago'.
    """
    from assistant.memory.engines import find_engine  # with numpy and scipy, half a second

    now = datetime.now().astimezone()
    scope = scope_of(since=since, until=until, as_of=as_of, speakers=speaker or (), now=now)
    if engine is not None:
        find_engine(engine)  # refuses a wrong name before the passphrase is asked for
    with unlocked(find_place(ctx)) as assistant:
        found = assistant.memory.recall(" ".join(query), k=k, engine=engine, scope=scope, now=now)
    if as_json:
        output.say_json(output.recollection_fields(found))
    else:
        _show(found, why=why)
    if exit_code and not _is_known(found):
        raise typer.Exit(NOTHING_FOUND)


def scope_of(
    *, since: str | None, until: str | None, as_of: str | None, speakers: Sequence[str], now: datetime
) -> "Scope":
    """Give which memories are wanted.

    Raises
    ------
    BadInput
        A date is none, or nothing can be between both.
    """
    from assistant.memory.recall import Scope

    first = read_beginning(since, now=now, option="--since") if since is not None else None
    last = read_end(until, now=now, option="--until") if until is not None else None
    then = read_end(as_of, now=now, option="--as-of") if as_of is not None else None
    for option, end in (("--until", last), ("--as-of", then)):
        if first and end and first > end:
            message = f"--since {first:%Y-%m-%d %H:%M} is after {option} {end:%Y-%m-%d %H:%M}: nothing is between them"
            raise BadInput(message)
    return Scope(since=first, until=last, as_of=then, speakers=frozenset(speakers))


def _is_known(found: "Recollection") -> bool:
    """Tell whether memory gives anything, and may hold the answer."""
    from assistant.memory.gate import Certainty

    unknown = found.verdict is not None and found.verdict.outcome == Certainty.UNKNOWN
    return bool(found.hits) and not unknown


def _show(found: "Recollection", *, why: bool) -> None:
    ids = output.ids_of(found.hits) | {hit.concept.id for hit in found.concepts}
    short = output.short_ids(ids)
    for hit in found.hits:
        output.say_cut(output.hit_line(hit, short))
        if why:
            streams.say(f"{'':5}{output.why_line(hit, short)}")
    if why:
        for concept in found.concepts:
            output.say_cut(output.concept_hit_line(concept, short))
    if not found.hits:
        streams.tell(f"nothing came up among {output.counted(found.searched, 'memory', 'memories')}")
    if why and found.fired is not None:
        streams.tell_dimly(f"{output.counted(found.fired, 'memory', 'memories')} fired")
    if found.verdict is not None:
        streams.tell_dimly(output.verdict_line(found.verdict))
