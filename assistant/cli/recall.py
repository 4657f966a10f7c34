"""`assistant recall`."""

from typing import Annotated

import typer

from assistant.cli import output, streams
from assistant.cli.opening import find_place, unlocked
from assistant.cli.shape import single

app, command = single(
    """
    assistant recall "Where is the spare key?"
    assistant recall -k 3 --why "spare key"
    assistant recall --json "spare key" | jq -r '.hits[].text'
    """
)


@command
def recall(
    ctx: typer.Context,
    query: Annotated[list[str], typer.Argument(help="What to look for.", metavar="QUERY")],
    k: Annotated[int, typer.Option("-k", metavar="N", min=1, max=1000, help="How many memories at most.")] = 10,
    engine: Annotated[str | None, typer.Option("--engine", metavar="NAME", help="The way of recalling.")] = None,
    why: Annotated[bool, typer.Option("--why", help="Also the scores, and the way each came.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """See what memory gives; no model is needed.

    One line for each memory: rank, score, when, id, who and what; cut to the
    width of a terminal, whole in a pipe.
    """
    with unlocked(find_place(ctx)) as assistant:
        found = assistant.memory.recall(" ".join(query), k=k, engine=engine)
    if as_json:
        output.say_json(output.recollection_fields(found))
        return
    short = output.short_ids(output.ids_of(found.hits))
    for hit in found.hits:
        turn = hit.turn
        head = f"{hit.rank:>3}  {hit.score:5.2f}  {output.minute(turn.time)}  {short[turn.id]}"
        output.say_cut(f"{head}  {output.flat(turn.speaker)}: {output.flat(turn.text)}")
        if why:
            streams.say(f"{'':5}{output.why_line(hit, short)}")
    if not found.hits:
        streams.tell(f"nothing came up among {found.searched:,} memories")
