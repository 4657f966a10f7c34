"""`assistant history`: conversations, latest first."""

from pathlib import Path
from typing import Annotated

import typer

from assistant.cli import output, streams
from assistant.cli.export import PLAIN, write_new
from assistant.cli.forget import Way, forget_selected
from assistant.cli.opening import find_place, unlocked_vault
from assistant.cli.shape import PlainCommand, group
from assistant.errors import BadInput
from assistant.memory.terms import terms
from assistant.text import inert
from storage.errors import NotFound
from storage.records import Turn

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Id = Annotated[str, typer.Argument(help="The beginning of its id.", metavar="ID")]
Title = Annotated[str, typer.Argument(help="What it is called.", metavar="TITLE")]

app = group(
    "List, search, show, rename, export and delete conversations.",
    """
    assistant history list
    assistant history search boat harbour
    assistant history show 8c41d2aa
    assistant history rename 8c41d2aa "The boat"
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
    """List conversations, latest first.

    Behind one that continues from another stands the id of that.
    """
    with unlocked_vault(find_place(ctx)) as vault:
        found = vault.conversations.listing(limit=limit or None, match=match)
    if as_json:
        output.say_json([output.conversation_fields(conversation) for conversation in found])
        return
    short = output.short_ids([conversation.id for conversation in found])
    for one in found:
        title = output.flat(one.title) or "untitled"
        title += f"  (continues {one.parent[: output.SHORTEST_ID]})" if one.parent else ""
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
    """Show a conversation, whole.

    One that continues from another begins with what that one holds before it.
    """
    with unlocked_vault(find_place(ctx)) as vault:
        conversations = vault.conversations
        found = [conversations.get(id)] if id else conversations.listing(limit=1)
        if not found:
            raise NotFound("there are no conversations yet")
        conversation = found[0]
        turns = vault.turns.whole(conversation.id)
        parent = None if conversation.parent is None else vault.conversations.get(conversation.parent)
    if as_json:
        fields = output.conversation_fields(conversation)
        output.say_json({**fields, "history": [output.turn_fields(turn) for turn in turns]})
        return
    streams.say(output.flat(conversation.title) or "untitled")
    if parent is not None:
        streams.say(f"continues {parent.id[: output.SHORTEST_ID]}, {output.flat(parent.title) or 'untitled'!r}")
    short = output.short_ids([turn.id for turn in turns])
    for turn in turns:
        mark = "" if turn.state == "complete" else f"  [{turn.state}]"
        streams.say()
        streams.say(f"{short[turn.id]}  {output.minute(turn.time)}  {output.flat(turn.speaker)}{mark}")
        streams.say(inert(turn.text))


@app.command(
    "search",
    cls=PlainCommand,
    epilog="""
    assistant history search harbour
    assistant history search spare key --json
    """,
)
def search_conversations(
    ctx: typer.Context,
    words: Annotated[
        list[str], typer.Argument(metavar="WORD", help="All of these; of the last the beginning will do.")
    ],
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=0, help="How many at most; 0: all.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Find conversations by what was said.

    They are those in which something was said with all of these words; under
    each stands the latest of that.
    """
    wanted = terms(" ".join(words))
    if not wanted:
        raise BadInput("there is no word to look for in these: give letters or digits")
    with unlocked_vault(find_place(ctx)) as vault:
        fitting: dict[str, list[Turn]] = {}
        for turn in vault.turns.listing(match_terms=wanted):
            fitting.setdefault(turn.conversation, []).append(turn)
        found = [one for one in vault.conversations.listing() if one.id in fitting][: limit or None]
    if as_json:
        told = [(output.conversation_fields(one), fitting[one.id]) for one in found]
        output.say_json([{**fields, "found": [output.turn_fields(turn) for turn in turns]} for fields, turns in told])
        return
    short = output.short_ids([one.id for one in found] + [fitting[one.id][0].id for one in found])
    for one in found:
        count = output.counted(len(fitting[one.id]), "memory", "memories")
        output.say_cut(f"{short[one.id]}  {output.flat(one.title) or 'untitled'}  ({count})")
        output.say_cut(f"  {output.turn_line(fitting[one.id][0], short)}")
    if not found:
        streams.tell("nothing was said with these words")


@app.command(
    "rename",
    cls=PlainCommand,
    epilog="""
    assistant history rename 8c41d2aa "The boat"
    assistant history rename 8c41d2aa ""
    """,
)
def rename_conversation(ctx: typer.Context, id: Id, title: Title, as_json: AsJson = False) -> None:  # noqa: A002
    """Give a conversation another title.

    An empty one lets it be read off its first words again.
    """
    with unlocked_vault(find_place(ctx)) as vault:
        renamed = vault.conversations.rename(id, " ".join(title.split()))
    if as_json:
        output.say_json(output.conversation_fields(renamed))
    else:
        streams.say(f"{renamed.id[: output.SHORTEST_ID]} is now {output.flat(renamed.title) or 'untitled'!r}")


@app.command(
    "export",
    cls=PlainCommand,
    epilog="""
    assistant history export 8c41d2aa
    assistant history export 8c41d2aa -o talk.md
    """,
)
def export_conversation(
    ctx: typer.Context,
    id: Id,  # noqa: A002
    file: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="A new file; else standard output.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write a conversation as plain text, in markdown or JSON."""
    from assistant.exporting import markdown

    with unlocked_vault(find_place(ctx)) as vault:
        if as_json:
            conversation = vault.conversations.get(id)
            turns = [output.turn_fields(turn) for turn in vault.turns.whole(conversation.id)]
            lines = output.json_text({**output.conversation_fields(conversation), "history": turns}).split("\n")
        else:
            lines = list(markdown(vault, id))
    if file is None:
        for line in lines:
            streams.say(inert(line))
    else:
        write_new(file, lines)
        streams.tell(f"wrote {output.flat(str(file))}")
    streams.tell(f"assistant: note: {PLAIN}")


@app.command(
    "delete",
    cls=PlainCommand,
    epilog="""
    assistant history delete 8c41d2aa
    assistant history delete --dry-run 8c41d2aa
    """,
)
def delete_conversation(
    ctx: typer.Context,
    id: Id,  # noqa: A002
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show all that would go.")] = False,
    at_once: Annotated[bool, typer.Option("--now", help="Erase at once: it cannot be undone.")] = False,
    yes: Annotated[bool, typer.Option("-y", "--yes", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Forget a conversation.

    With it go the memories and concepts that come only from it, as with
    assistant forget --conversation, which can be undone for a day.
    """
    from assistant.memory.choosing import Selection

    way = Way(dry_run=dry_run, at_once=at_once, with_answers=False, yes=yes, as_json=as_json)
    forget_selected(find_place(ctx), Selection(conversation=id), way)
