"""`assistant memory tag`: words to choose memories by."""

from typing import Annotated

import typer

from assistant.cli import output, streams
from assistant.cli.nodes import find_turns
from assistant.cli.opening import find_place, unlocked_vault
from assistant.cli.shape import AsJson, PlainCommand, group
from assistant.errors import BadInput
from assistant.memory.marks import read_tags

app = group("Tag memories.", "")


@app.command(
    "tag",
    cls=PlainCommand,
    epilog="""
    assistant memory tag 3f2a91c0 --add work --add berlin
    assistant memory tag 3f2a91c0 --remove work
    assistant memory tag
    assistant memory list --tag work
    """,
)
def tag_memories(
    ctx: typer.Context,
    ids: Annotated[
        list[str] | None, typer.Argument(help="Memories, by the beginning of their ids.", metavar="ID")
    ] = None,
    add: Annotated[list[str] | None, typer.Option("--add", metavar="TAG", help="A tag to give; several times.")] = None,
    remove: Annotated[
        list[str] | None, typer.Option("--remove", metavar="TAG", help="A tag to take away; several times.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Give memories tags, take them away, or list them.

    Without an ID all tags are listed, with how many memories have each. A tag is
    one word; in whatever case it is typed, it is the same.
    """
    added, removed = read_tags(add or (), option="--add"), read_tags(remove or (), option="--remove")
    both = set(added) & set(removed)
    if both or ((added or removed) and not ids):
        message = f"{min(both)} is to be added and removed: choose one" if both else "say which memories: give ids"
        raise BadInput(message)
    with unlocked_vault(find_place(ctx)) as vault:
        counts = vault.tags.counts() if not ids else {}
        turns = find_turns(vault, ids or ())
        nodes = [turn.node for turn in turns]
        if added or removed:
            with vault.transaction():
                vault.tags.remove(nodes, removed)
                vault.tags.add(nodes, added)
        tags_of = vault.tags.of(nodes)
    if as_json:
        of_turns = [{"id": turn.id, "tags": list(tags_of.get(turn.node, ()))} for turn in turns]
        output.say_json(of_turns if ids else counts)
        return
    for name, count in counts.items():
        streams.say(f"{count:>7,}  {output.flat(name)}")
    for turn in turns:
        streams.say(f"{turn.id[: output.SHORTEST_ID]}  {output.flat(', '.join(tags_of.get(turn.node, ()))) or '-'}")
    if not ids and not counts:
        streams.tell("there are no tags yet")
