"""`assistant memory neighbours|stats`: what memories are tied to, and how the whole of them looks."""

from collections import Counter
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assistant.cli import output, streams
from assistant.cli.nodes import by_node
from assistant.cli.opening import find_place, unlocked_vault
from assistant.cli.shape import AsJson, PlainCommand, group
from storage.records import Concept, Maker, Turn

if TYPE_CHECKING:
    from assistant.memory.neighbourhood import Neighbour
    from assistant.memory.parameters import Parameters
    from storage.vault import Vault


app = group("See how memories are tied.", "")


@app.command(
    "neighbours",
    cls=PlainCommand,
    epilog="""
    assistant memory neighbours 3f2a91c0
    assistant memory neighbours --limit 5 3f2a91c0
    """,
)
def show_neighbours(
    ctx: typer.Context,
    id: Annotated[str, typer.Argument(help="Of a memory or a concept.", metavar="ID")],  # noqa: A002
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=0, help="How many at most; 0: all.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Show what a memory is tied to, the strongest tie first.

    One line for each: weight, kind, and the other end. Kinds: temporal (said
    next to it), abstraction (a concept and what it rests on), association
    (alike), learned (used together).
    """
    from assistant.memory.naming import find_node
    from assistant.memory.neighbourhood import neighbourhood
    from assistant.memory.tuning import parameters_of

    place = find_place(ctx)
    with unlocked_vault(place) as vault:
        node = find_node(vault, id).node
        edges = neighbourhood(vault, node, datetime.now().astimezone(), parameters_of(place.config))[: limit or None]
        others = by_node(vault, {edge.node for edge in edges})
    if as_json:
        output.say_json([_edge_fields(edge, others[edge.node]) for edge in edges if edge.node in others])
        return
    short = output.short_ids([other.id for other in others.values()])
    for edge in edges:
        if edge.node in others:
            output.say_cut(f"{edge.weight:4.2f}  {edge.kind:11}  {output.node_line(others[edge.node], short)}")
    if not edges:
        streams.tell("it is tied to nothing")


@app.command(
    "stats",
    cls=PlainCommand,
    epilog="""
    assistant memory stats
    assistant memory stats --json
    """,
)
def show_stats(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Show how many memories, concepts and ties there are."""
    from assistant.memory.tuning import parameters_of

    place = find_place(ctx)
    with unlocked_vault(place) as vault:
        figures = _figures(vault, parameters_of(place.config))
    if as_json:
        output.say_json(figures)
        return
    for name, value in figures.items():
        if isinstance(value, dict):
            streams.say(name.replace("_", " "))
            for part, number in value.items():
                streams.say(f"  {part.replace('_', ' '):14}{number:>9,}")
        else:
            streams.say(f"{name.replace('_', ' '):16}{value:>9,}")


def _figures(vault: "Vault", parameters: "Parameters") -> dict[str, Any]:
    """Give all figures under their names; a group of them as one."""
    from assistant.memory.reflection import fading, hubs

    now = datetime.now().astimezone()
    turns, edges, traces = vault.turns.count(), vault.associations.listing(), vault.traces.of().values()
    archived = sum(trace.archived for trace in traces)
    concepts = vault.concepts.graph_rows()
    return {
        "memories": turns,
        "active": turns - archived,
        "archived": archived,
        "pinned": sum(trace.pinned for trace in traces),
        "used": sum(trace.used_count > 0 for trace in traces),
        "fading": len(fading(vault, now, parameters)),
        "hubs": len(hubs(vault, now, parameters)),
        "windows": vault.traces.window(),
        "concepts": len(concepts),
        "concepts_by_category": dict(sorted(Counter(row.category.value for row in concepts).items())),
        "ties": {
            "abstraction": len(vault.concepts.support()),
            "association": sum(edge.cosine > 0 for edge in edges),
            "learned": sum(edge.hebbian > 0 for edge in edges),
        },
        "not_yet_read_by": {
            maker.value: len(vault.concepts.pending(maker, limit=turns)) for maker in (Maker.SALIENT, Maker.MODEL)
        },
    }


def _edge_fields(edge: "Neighbour", other: Turn | Concept) -> dict[str, Any]:
    return {
        "kind": edge.kind,
        "weight": round(edge.weight, 6),
        "id": other.id,
        "is": "memory" if isinstance(other, Turn) else "concept",
        "text": other.text,
    }
