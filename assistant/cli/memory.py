"""`assistant memory`: list, show, edit; the other commands of the group stand in files of their own."""

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assistant.cli import expiry, keeping, output, quarantine, streams, structure, tags, timeline
from assistant.cli.choices import concept_kinds
from assistant.cli.opening import find_place, unlocked, unlocked_vault
from assistant.cli.shape import AsJson, PlainCommand, group
from assistant.errors import BadInput
from assistant.memory.marks import read_tags
from assistant.memory.terms import terms
from assistant.memory.trust import least_trust, trust_of
from assistant.text import inert
from storage.records import Category, Concept, Maker, Turn

if TYPE_CHECKING:
    from storage.vault import Vault

TERMINAL_LIMIT = 50
"""Memories that are listed on a terminal unless another limit is given; what goes into a pipe is never cut unasked."""

MAKERS = {
    Maker.SALIENT: "a rule that picks names, numbers and rare phrases",
    Maker.MODEL: "a language model that read some turns in a row",
    Maker.DISTILLED: "a language model that read memories used together",
}

app = group(
    "List, show, edit, keep and put away memories.",
    """
    assistant memory list harbour
    assistant memory show 3f2a91c0
    assistant memory history 3f2a91c0
    assistant memory edit 3f2a91c0 "The spare key is with Jo."
    assistant memory list --concepts
    """,
)
app.add_typer(keeping.app)
app.add_typer(structure.app)
app.add_typer(timeline.app)
app.add_typer(tags.app)
app.add_typer(expiry.app)
app.add_typer(quarantine.app)


@app.command(
    "list",
    cls=PlainCommand,
    epilog="""
    assistant memory list
    assistant memory list --limit 0 | less
    assistant memory list boat harbour
    assistant memory list --kind user_model --kind factual
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
    tag: Annotated[
        list[str] | None, typer.Option("--tag", metavar="TAG", help="Only those with this tag; several: with all.")
    ] = None,
    pinned: Annotated[bool, typer.Option("--pinned", help="Only those that are pinned.")] = False,
    archived: Annotated[bool, typer.Option("--archived", help="Only those in the archive.")] = False,
    concepts: Annotated[bool, typer.Option("--concepts", help="List what was made of memories instead.")] = False,
    kind: Annotated[
        list[str] | None,
        typer.Option(
            "--kind", metavar="KIND", help="Only concepts of this kind: see below.", autocompletion=concept_kinds
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List memories, latest first.

    Of the last word its beginning is enough. Kinds of concepts: term, identity,
    preference, event, technical, user_model, factual, agent.
    """
    if limit is None:
        limit = TERMINAL_LIMIT if streams.is_terminal(sys.stdout) and not as_json else 0
    wanted = terms(" ".join(words or ()))
    if words and not wanted:
        raise BadInput("there is no word to look for in these: give letters or digits")
    categories = [_category(name) for name in kind or ()]
    tagged = read_tags(tag or ())
    if (concepts or categories) and (conversation or pinned or archived or tagged):
        raise BadInput(
            "concepts belong to no conversation, and are neither tagged, pinned nor archived: leave these options out"
        )
    most = limit + 1 if limit else None
    with unlocked_vault(find_place(ctx)) as vault:
        if concepts or categories:
            made = vault.concepts.listing(limit=most, categories=categories, match_terms=wanted)
            _say_listed(made, vault, limit=limit, concepts=True, as_json=as_json)
            return
        within = vault.conversations.get(conversation).id if conversation else None
        chosen = _chosen(vault, tagged=tagged, pinned=pinned, archived=archived)
        listed = vault.turns.listing(limit=most if chosen is None else None, match_terms=wanted, conversation=within)
        found = [turn for turn in listed if chosen is None or turn.node in chosen]
        _say_listed(found, vault, limit=limit, concepts=False, as_json=as_json)


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
    as_json: AsJson = False,
) -> None:
    """Show one memory, whole, or a concept with what it rests on."""
    from assistant.memory.naming import find_node

    with unlocked_vault(find_place(ctx)) as vault:
        found = find_node(vault, id)
        if isinstance(found, Concept):
            _show_concept(vault, found, as_json=as_json)
        else:
            _show_turn(vault, found, as_json=as_json)


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
    as_json: AsJson = False,
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


def _chosen(vault: "Vault", *, tagged: Sequence[str], pinned: bool, archived: bool) -> set[int] | None:
    """Give the nodes of the memories that are so; None where all are wanted."""
    wanted = []
    if tagged:
        wanted.append(set(vault.tags.holding(tagged)))
    if pinned or archived:
        traces = vault.traces.of().values()
        wanted.append({one.node for one in traces if (one.pinned and pinned) or (one.archived and archived)})
    return set.intersection(*wanted) if wanted else None


def _say_listed(found: Sequence[Turn | Concept], vault: "Vault", *, limit: int, concepts: bool, as_json: bool) -> None:
    """Print what was found up to the limit; tells when that is nothing, or not all."""
    shown = found[: limit or None]
    if as_json:
        support = vault.turns.by_nodes([node for one in shown if isinstance(one, Concept) for node in one.support])
        by_node = {turn.node: turn for turn in support}
        output.say_json([{**output.node_fields(one, by_node), **marks} for one, marks in _marked(vault, shown)])
        return
    short = output.short_ids([one.id for one in shown])
    held_back = vault.quarantine.waiting([one.node for one in shown])
    for one in shown:
        mark = "  [held back]" if one.node in held_back else ""
        output.say_cut(output.node_line(one, short).replace("  ", f"{mark}  ", 1))
    if not shown:
        of_all = vault.concepts.count() if concepts else vault.turns.count()
        singular, plural = ("concept", "concepts") if concepts else ("memory", "memories")
        streams.tell(f"no {singular} of {of_all:,} fits" if of_all else f"there are no {plural} yet")
    elif len(found) > len(shown) and streams.is_terminal(sys.stdout):
        streams.tell(f"the latest {limit}; --limit 0 shows all")


def _marked(vault: "Vault", shown: Sequence[Turn | Concept]) -> Iterator[tuple[Turn | Concept, dict[str, Any]]]:
    """Give each with the JSON of its tags, its expiry and why it is held back; concepts have nothing of it."""
    nodes = [one.node for one in shown if isinstance(one, Turn)]
    tags_of, expiry = vault.tags.of(nodes), vault.tags.expiry_of(nodes)
    held_back = vault.quarantine.waiting(nodes)
    for one in shown:
        marks: dict[str, Any] = {}
        if isinstance(one, Turn):
            marks = output.marks_fields(tags_of.get(one.node, ()), expiry.get(one.node))
            marks["held_back"] = list(held_back.get(one.node, ()))
        yield one, marks


def _show_turn(vault: "Vault", turn: Turn, *, as_json: bool) -> None:
    conversation = vault.conversations.get(turn.conversation)
    trace = vault.traces.of([turn.node]).get(turn.node)
    own_tags = vault.tags.of([turn.node]).get(turn.node, ())
    expires = vault.tags.expiry_of([turn.node]).get(turn.node)
    held_back = vault.quarantine.waiting([turn.node]).get(turn.node, ())
    concepts = vault.concepts.of_turns([turn.node])
    newer = vault.turns.by_nodes([one.newer for one in vault.successions.of([turn.node]) if one.older == turn.node])
    older = vault.turns.by_nodes([one.older for one in vault.successions.of([turn.node]) if one.newer == turn.node])
    if as_json:
        ties = {
            "concepts": [{"id": one.id, "text": one.text, "category": one.category.value} for one in concepts],
            "superseded_by": [one.id for one in newer],
            "supersedes": [one.id for one in older],
        }
        marks = {**output.marks_fields(own_tags, expires), "held_back": list(held_back), "trust": trust_of(turn).words}
        output.say_json({**output.turn_fields(turn), **marks, **output.trace_fields(trace), **ties})
        return
    lines = {
        "id": turn.id,
        "when": turn.time.isoformat(sep=" ", timespec="seconds"),
        "who": f"{turn.speaker} ({turn.role})",
        "where": f"{conversation.title or 'untitled'} ({conversation.id[: output.SHORTEST_ID]}), turn {turn.position}",
        "source": f"{turn.source}, {turn.origin}" if turn.origin else turn.source.value,
        "trust": f"{trust_of(turn).words}: {trust_of(turn).reason}",
        "state": turn.state.value,
        **output.marks_lines(own_tags, expires),
        **output.trace_lines(trace),
        **({"unused": f"held back: {'; '.join(held_back)}"} if held_back else {}),
    }
    _say_named(lines)
    streams.say(inert(turn.text))
    _say_nodes("supports", concepts)
    _say_nodes("held until", newer)
    _say_nodes("holds instead of", older)


def _show_concept(vault: "Vault", concept: Concept, *, as_json: bool) -> None:
    support = vault.turns.by_nodes(concept.support)
    if as_json:
        fields = output.concept_fields(concept, {turn.node: turn for turn in support})
        output.say_json({**fields, "trust": least_trust(support).words})
        return
    lines = {
        "id": concept.id,
        "what": concept.category.replace("_", " "),
        "made by": MAKERS[concept.maker],
        "sure": f"{concept.confidence:.2f}",
        "trust": f"{least_trust(support).words}: {least_trust(support).reason}",
        "first": output.minute(concept.first),
        "last": output.minute(concept.last),
    }
    _say_named(lines)
    streams.say(inert(concept.text))
    _say_nodes("rests on", support)


def _say_named(lines: dict[str, str]) -> None:
    for name, value in lines.items():
        streams.say(f"{name:8}{output.flat(value)}")
    streams.say()


def _say_nodes(title: str, nodes: Sequence[Turn | Concept]) -> None:
    """Print a list under its title; nothing when it is empty."""
    if not nodes:
        return
    streams.say()
    streams.say(title)
    short = output.short_ids([node.id for node in nodes])
    for node in nodes:
        output.say_cut(f"  {output.node_line(node, short)}")


def _category(name: str) -> Category:
    try:
        return Category(name.replace("-", "_").replace(" ", "_"))
    except ValueError:
        message = f"--kind {name}: there is no such kind; use one of {', '.join(Category)}"
        raise BadInput(message) from None


def _edited(turn: Turn) -> str:
    from assistant.cli.editor import edit

    text = edit(turn.text)
    if not text.strip():
        raise BadInput("the text is empty: nothing was changed; to remove a memory, use assistant forget")
    if text == turn.text:
        raise BadInput("the text is as it was: nothing was changed")
    return text
