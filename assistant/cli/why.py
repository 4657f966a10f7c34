"""`assistant why`: what memory gave for an answer."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assistant.cli import output, streams
from assistant.cli.nodes import by_node
from assistant.cli.opening import find_place, unlocked_vault
from assistant.cli.shape import AsJson, single
from storage.errors import NotFound
from storage.records import Concept, RecalledTurn, Role, Source, Turn, Verdict

if TYPE_CHECKING:
    from storage.vault import Vault

PAGE = 50
"""Answers that are looked at together, when the last one is looked for behind imported ones."""

app, command = single(
    """
    assistant why
    assistant why 3f2a91c0
    assistant why --json | jq -r '.memories[] | select(.used) | .text'
    """
)


@command
def why(
    ctx: typer.Context,
    turn: Annotated[
        str | None, typer.Argument(metavar="TURN", help="The answer, or what it answers; otherwise the last one.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """See what memory gave for an answer, and why.

    Three kinds of memories: used by the answer, told to the model, only recalled.
    Under each its scores, and the way by which activation came to it.
    """
    with unlocked_vault(find_place(ctx)) as vault:
        answer = answer_to(vault, vault.turns.get(turn)) if turn else last_answer(vault)
        if as_json:
            output.say_json(answer_fields(vault, answer))
            return
        lines = vault.recollections.of_answer(answer.id)
        verdict = vault.recollections.verdict_of(answer.id)
        ways = by_node(vault, {node for line in lines for node, _, _ in line.path})
    _show(answer, verdict, lines, ways)


def last_answer(vault: "Vault") -> Turn:
    """Give the latest answer of a chat here; imported ones were given elsewhere."""
    offset = 0
    while page := vault.turns.listing(limit=PAGE, offset=offset, roles=[Role.ASSISTANT]):
        for turn in page:
            if turn.source is Source.CHAT:
                return turn
        offset += PAGE
    raise NotFound("there is no answer yet")


def answer_to(vault: "Vault", turn: Turn) -> Turn:
    """Give the turn itself when it is an answer, else the answer that follows it."""
    if turn.role is Role.ASSISTANT:
        return turn
    following = [one for one in vault.turns.in_conversation(turn.conversation) if one.position > turn.position]
    if following and following[0].role is Role.ASSISTANT:
        return following[0]
    message = f"{turn.id[: output.SHORTEST_ID]} is no answer, and none follows it"
    raise NotFound(message)


def _show(
    answer: Turn, verdict: Verdict | None, lines: Sequence[RecalledTurn], ways: dict[int, Turn | Concept]
) -> None:
    short = output.short_ids(_all_ids(answer, lines, ways))
    output.say_cut(output.turn_line(answer, short))
    if verdict is not None:
        streams.say(output.verdict_line(verdict))
    told, used = sum(line.injected for line in lines), sum(line.used for line in lines)
    streams.say(f"recalled {len(lines)}, told the model {told}, used {used}")
    for line in sorted(lines, key=lambda line: (not line.used, not line.injected, line.rank)):
        mark = "used" if line.used else "told" if line.injected else ""
        output.say_cut(f"{mark:4}  {line.score:5.2f}  {output.turn_line(line.turn, short)}")
        streams.say(f"{'':6}{_reason(line, ways, short)}")


def _reason(line: RecalledTurn, ways: dict[int, Turn | Concept], short: dict[str, str]) -> str:
    """Give the parts of a score, and the way: each node with the edge that leaves it."""
    from assistant.memory.recollection import TOLD_EARLIER

    if TOLD_EARLIER in line.parts:
        return "told earlier in this chat"
    parts = "  ".join(f"{output.flat(name)} {value:.2f}" for name, value in line.parts.items())
    steps = [f"{_name(ways[node], short)} -{kind} {weight:.2f}-> " for node, kind, weight in line.path if node in ways]
    way = "".join(steps) + short[line.turn.id] if steps else "direct"
    return f"{parts}  {way}" if parts else way


def _name(node: Turn | Concept, short: dict[str, str]) -> str:
    return short[node.id] if isinstance(node, Turn) else f"{short[node.id]} ({output.flat(node.text)})"


def _all_ids(answer: Turn, lines: Iterable[RecalledTurn], ways: dict[int, Turn | Concept]) -> set[str]:
    return {answer.id, *(line.turn.id for line in lines), *(node.id for node in ways.values())}


def answer_fields(vault: "Vault", answer: Turn) -> dict[str, Any]:
    """Give for JSON what memory gave for an answer."""
    lines = vault.recollections.of_answer(answer.id)
    ways = by_node(vault, {node for line in lines for node, _, _ in line.path})
    return {
        "answer": output.turn_fields(answer),
        "verdict": output.verdict_fields(vault.recollections.verdict_of(answer.id)),
        "recalled": [line.turn.id for line in lines],
        "injected": [line.turn.id for line in lines if line.injected],
        "used": [line.turn.id for line in lines if line.used],
        "memories": [_line_fields(line, ways) for line in lines],
    }


def _line_fields(line: RecalledTurn, ways: dict[int, Turn | Concept]) -> dict[str, Any]:
    path = [
        {"id": ways[node].id, "kind": kind, "weight": round(weight, 6)}
        for node, kind, weight in line.path
        if node in ways
    ]
    return {
        "rank": line.rank,
        "score": round(line.score, 6),
        "injected": line.injected,
        "used": line.used,
        **output.turn_fields(line.turn),
        "parts": {name: round(value, 6) for name, value in line.parts.items()},
        "path": path,
    }
