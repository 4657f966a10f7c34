"""`assistant memory`: list, show, edit."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from assistant.cli import output, streams
from assistant.cli.opening import find_place, unlocked, unlocked_vault
from assistant.cli.shape import PlainCommand, group
from assistant.errors import BadInput
from assistant.memory.terms import terms
from assistant.text import inert

if TYPE_CHECKING:
    from storage.records import Turn

TERMINAL_LIMIT = 50
"""Memories that are listed on a terminal unless another limit is given; what goes into a pipe is never cut unasked."""

app = group(
    "List, show and edit memories.",
    """
    assistant memory list harbour
    assistant memory show 3f2a91c0
    assistant memory edit 3f2a91c0 "The spare key is with Jo."
    """,
)


@app.command(
    "list",
    cls=PlainCommand,
    epilog="""
    assistant memory list
    assistant memory list --limit 0 | less
    assistant memory list boat harbour
    """,
)
def list_memories(
    ctx: typer.Context,
    words: Annotated[
        list[str] | None, typer.Argument(metavar="WORD", help="Only those with all of these words.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=0, help="How many at most; 0: all, as in a pipe.")
    ] = None,
    conversation: Annotated[str | None, typer.Option("--conversation", metavar="ID", help="Only of this one.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List memories, latest first.

    Of the last word its beginning is enough.
    """
    if limit is None:
        limit = TERMINAL_LIMIT if streams.is_terminal(sys.stdout) and not as_json else 0
    wanted = terms(" ".join(words or ()))
    if words and not wanted:
        raise BadInput("there is no word to look for in these: give letters or digits")
    with unlocked_vault(find_place(ctx)) as vault:
        within = vault.conversations.get(conversation).id if conversation else None
        found = vault.turns.listing(limit=limit or None, match_terms=wanted, conversation=within)
        count = vault.turns.count()
    if as_json:
        output.say_json([output.turn_fields(turn) for turn in found])
        return
    short = output.short_ids([turn.id for turn in found])
    for turn in found:
        output.say_cut(output.turn_line(turn, short))
    if not found:
        streams.tell(f"no memory of {count:,} fits" if count else "there are no memories yet")
    elif limit and len(found) == limit < count and streams.is_terminal(sys.stdout):
        streams.tell(f"the latest {limit}; --limit 0 shows all")


@app.command(
    "show",
    cls=PlainCommand,
    epilog="""
    assistant memory show 3f2a91c0
    assistant memory show --json 3f2a91c0
    """,
)
def show_memory(
    ctx: typer.Context,
    id: Annotated[str, typer.Argument(help="The beginning of its id.", metavar="ID")],  # noqa: A002
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show one memory, whole."""
    with unlocked_vault(find_place(ctx)) as vault:
        turn = vault.turns.get(id)
        conversation = vault.conversations.get(turn.conversation)
    if as_json:
        output.say_json(output.turn_fields(turn))
        return
    lines = {
        "id": turn.id,
        "when": turn.time.isoformat(sep=" ", timespec="seconds"),
        "who": f"{turn.speaker} ({turn.role})",
        "where": f"{conversation.title or 'untitled'} ({conversation.id[: output.SHORTEST_ID]}), turn {turn.position}",
        "source": f"{turn.source}, {turn.origin}" if turn.origin else turn.source.value,
        "state": turn.state.value,
    }
    for name, value in lines.items():
        streams.say(f"{name:8}{output.flat(value)}")
    streams.say()
    streams.say(inert(turn.text))


@app.command(
    "edit",
    cls=PlainCommand,
    epilog="""
    assistant memory edit 3f2a91c0
    assistant memory edit 3f2a91c0 "The spare key is with Jo."
    """,
)
def edit_memory(
    ctx: typer.Context,
    id: Annotated[str, typer.Argument(help="The beginning of its id.", metavar="ID")],  # noqa: A002
    text: Annotated[
        list[str] | None, typer.Argument(metavar="TEXT", help="Its new words; otherwise $EDITOR opens.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Give a memory new words; the old ones are erased.

    $VISUAL or $EDITOR opens on a file in memory, not on disk. Nothing changes
    when the text is left as it was, or empty.
    """
    with unlocked(find_place(ctx)) as assistant:
        turn = assistant.vault.turns.get(id)
        revised = assistant.memory.revise(turn.id, " ".join(text) if text else _edited(turn))
    if as_json:
        output.say_json(output.turn_fields(revised))
    else:
        streams.say(f"changed {revised.id[: output.SHORTEST_ID]}")


def _edited(turn: "Turn") -> str:
    from assistant.cli.editor import edit

    text = edit(turn.text)
    if not text.strip():
        raise BadInput("the text is empty: nothing was changed; to remove a memory, use assistant forget")
    if text == turn.text:
        raise BadInput("the text is as it was: nothing was changed")
    return text
