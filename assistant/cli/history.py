"""`assistant history`: conversations, latest first."""

from typing import Annotated

import typer

from assistant.cli import output, streams
from assistant.cli.opening import find_place, unlocked_vault
from assistant.cli.shape import PlainCommand, group
from assistant.text import inert
from storage.errors import NotFound

app = group(
    "List and show conversations.",
    """
    assistant history list
    assistant history show
    assistant history show 8c41d2aa
    """,
)


@app.command(
    "list",
    cls=PlainCommand,
    epilog="""
    assistant history list
    assistant history list boat
    """,
)
def list_conversations(
    ctx: typer.Context,
    match: Annotated[str, typer.Argument(metavar="TITLE", help="Only those with this in the title.")] = "",
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=0, help="How many at most; 0: all.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List conversations, latest first."""
    with unlocked_vault(find_place(ctx)) as vault:
        found = vault.conversations.listing(limit=limit or None, match=match)
    if as_json:
        output.say_json([output.conversation_fields(conversation) for conversation in found])
        return
    short = output.short_ids([conversation.id for conversation in found])
    for one in found:
        title = output.flat(one.title) or "untitled"
        output.say_cut(f"{short[one.id]}  {output.minute(one.last):16}  {one.turns:>5}  {one.source:8}  {title}")
    if not found:
        streams.tell("no conversation fits" if match else "there are no conversations yet")


@app.command(
    "show",
    cls=PlainCommand,
    epilog="""
    assistant history show
    assistant history show 8c41d2aa
    assistant history show --json 8c41d2aa
    """,
)
def show_conversation(
    ctx: typer.Context,
    id: Annotated[  # noqa: A002
        str | None, typer.Argument(help="The beginning of its id; otherwise the latest.", metavar="ID")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show a conversation, whole."""
    with unlocked_vault(find_place(ctx)) as vault:
        conversations = vault.conversations
        found = [conversations.get(id)] if id else conversations.listing(limit=1)
        if not found:
            raise NotFound("there are no conversations yet")
        conversation = found[0]
        turns = vault.turns.in_conversation(conversation.id)
    if as_json:
        fields = output.conversation_fields(conversation)
        output.say_json({**fields, "history": [output.turn_fields(turn) for turn in turns]})
        return
    streams.say(output.flat(conversation.title) or "untitled")
    short = output.short_ids([turn.id for turn in turns])
    for turn in turns:
        mark = "" if turn.state == "complete" else f"  [{turn.state}]"
        streams.say()
        streams.say(f"{short[turn.id]}  {output.minute(turn.time)}  {output.flat(turn.speaker)}{mark}")
        streams.say(inert(turn.text))
