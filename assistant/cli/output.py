"""What the commands print: lines that people read, and JSON with stable keys."""

import json
import sys
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from assistant.cli.streams import is_terminal, say
from assistant.memory.recollection import ConceptHit, Hit, Recollection, Step
from assistant.text import inert
from storage.records import Concept, Conversation, Trace, Turn, Verdict

SHORTEST_ID = 8
LEAST_PLAIN_SCORE = 0.01
"""Below it two decimals say nothing."""


def say_json(value: object) -> None:
    """Write a value to stdout as JSON. Every character beyond ASCII is escaped, so that no terminal acts on it."""
    say(json_text(value))


def json_text(value: object) -> str:
    """Give a value as JSON in ASCII, in lines."""
    return json.dumps(value, indent=2)


def say_cut(line: str) -> None:
    """Write a line to stdout, cut to the width of the terminal where it is one."""
    say(cut(line, _columns()) if is_terminal(sys.stdout) else line)


def cut(line: str, cells: int) -> str:
    """Give a line that takes no more than so many cells of a terminal; one that was cut ends with an ellipsis."""
    from rich.cells import cell_len, set_cell_size

    if cell_len(line) <= cells:
        return line
    return set_cell_size(line, cells - 1).rstrip() + "…" if cells > 0 else ""


def flat(text: str) -> str:
    """Give an inert text on one line, its line ends shown."""
    return inert(text.strip(), keep="")


def short_ids(ids: Collection[str]) -> dict[str, str]:
    """Give for each id its beginning: as many digits for all as tell them apart, 8 at least."""
    length = SHORTEST_ID
    different = set(ids)
    while len({one[:length] for one in different}) < len(different):
        length += 1
    return {one: one[:length] for one in different}


def counted(number: int, one: str, many: str = "") -> str:
    """Give a number with its noun: `1 memory`, `1,200 memories`."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def minute(time: datetime | None) -> str:
    """Give day and minute by the clock of where it was said."""
    return f"{time:%Y-%m-%d %H:%M}" if time else "-"


def utc(time: datetime | None) -> str | None:
    """Give a time for JSON: ISO-8601 in UTC."""
    return time.astimezone(UTC).isoformat().replace("+00:00", "Z") if time else None


def turn_line(turn: Turn, short: Mapping[str, str]) -> str:
    """Give a memory on one line: id, time, who, and what was said."""
    return f"{short[turn.id]}  {minute(turn.time)}  {flat(turn.speaker)}: {flat(turn.text)}"


def concept_line(concept: Concept, short: Mapping[str, str]) -> str:
    """Give a concept on one line: id, when it was last supported, its category, what it says, and by how many turns."""
    said_by = counted(len(concept.support), "turn")
    kind = concept.category.replace("_", " ")
    return f"{short[concept.id]}  {minute(concept.last)}  {kind}: {flat(concept.text)}  ({said_by})"


def node_line(node: Turn | Concept, short: Mapping[str, str]) -> str:
    """Give a memory or a concept on one line."""
    return turn_line(node, short) if isinstance(node, Turn) else concept_line(node, short)


def turn_fields(turn: Turn) -> dict[str, Any]:
    """Give a memory for JSON."""
    return {
        "id": turn.id,
        "conversation": turn.conversation,
        "position": turn.position,
        "role": turn.role.value,
        "speaker": turn.speaker,
        "time": utc(turn.time),
        "text": turn.text,
        "source": turn.source.value,
        "origin": turn.origin,
        "external_id": turn.external_id,
        "state": turn.state.value,
        "model": turn.model,
        "seed": turn.seed,
    }


def concept_fields(concept: Concept, support: Mapping[int, Turn]) -> dict[str, Any]:
    """Give a concept for JSON; `support` are the turns that it rests on, by their nodes."""
    return {
        **made_fields(concept),
        "first": utc(concept.first),
        "last": utc(concept.last),
        "support": [support[node].id for node in concept.support if node in support],
    }


def node_fields(node: Turn | Concept, support: Mapping[int, Turn]) -> dict[str, Any]:
    """Give a memory or a concept for JSON; `support` as for `concept_fields`."""
    return turn_fields(node) if isinstance(node, Turn) else concept_fields(node, support)


def trace_fields(trace: Trace | None) -> dict[str, Any]:
    """Give for JSON what became of a memory since it was told; None: nothing yet."""
    used_us = trace.last_used_us if trace else None
    return {
        "pinned": trace is not None and trace.pinned,
        "archived": trace is not None and trace.archived,
        "used": trace.used_count if trace else 0,
        "last_used": utc(datetime.fromtimestamp(used_us / 1e6, UTC)) if used_us is not None else None,
    }


def trace_lines(trace: Trace | None) -> dict[str, str]:
    """Give for people what became of a memory, a name for each line; nothing of one that was only told."""
    if trace is None:
        return {}
    kept = "pinned" if trace.pinned else "archived" if trace.archived else ""
    last = datetime.fromtimestamp(trace.last_used_us / 1e6, UTC) if trace.last_used_us is not None else None
    used = f"{counted(trace.used_count, 'time')}, last on {last.astimezone():%Y-%m-%d}" if last else ""
    return {name: value for name, value in (("kept", kept), ("used", used)) if value}


def marks_fields(tags: Collection[str], expires: datetime | None) -> dict[str, Any]:
    """Give for JSON what the user gave a memory beside its words."""
    return {"tags": list(tags), "expires": utc(expires)}


def marks_lines(tags: Collection[str], expires: datetime | None) -> dict[str, str]:
    """Give for people what the user gave a memory beside its words, a name for each line."""
    lines = {"tags": ", ".join(tags), "expires": minute(expires.astimezone()) if expires else ""}
    return {name: value for name, value in lines.items() if value}


def conversation_fields(conversation: Conversation) -> dict[str, Any]:
    """Give a conversation for JSON."""
    return {
        "id": conversation.id,
        "title": conversation.title,
        "source": conversation.source.value,
        "origin": conversation.origin,
        "turns": conversation.turns,
        "started": utc(conversation.started),
        "last": utc(conversation.last),
        "parent": conversation.parent,
    }


def hit_fields(hit: Hit) -> dict[str, Any]:
    """Give a recalled memory for JSON, with its scores and the way it came."""
    later = hit.superseded_by
    return {
        "rank": hit.rank,
        "score": round(hit.score, 6),
        **turn_fields(hit.turn),
        "archived": hit.archived,
        "superseded_by": [later.id] if later else [],
        "until": utc(later.time) if later else None,
        "parts": {name: round(getattr(hit.parts, name), 6) for name in hit.parts.__dataclass_fields__},
        "path": [_step_fields(step) for step in hit.path],
    }


def concept_hit_fields(hit: ConceptHit) -> dict[str, Any]:
    """Give a concept that a question touches for JSON."""
    return {**made_fields(hit.concept), "cosine": round(hit.cosine, 6), "coverage": round(hit.coverage, 6)}


def made_fields(concept: Concept) -> dict[str, Any]:
    """Give a concept for JSON without what it rests on."""
    return {
        "id": concept.id,
        "text": concept.text,
        "maker": concept.maker.value,
        "category": concept.category.value,
        "confidence": round(concept.confidence, 6),
    }


def recollection_fields(recollection: Recollection) -> dict[str, Any]:
    """Give an answer of the memory for JSON."""
    return {
        "query": recollection.query,
        "engine": recollection.engine,
        "searched": recollection.searched,
        "fired": recollection.fired,
        "milliseconds": recollection.milliseconds,
        "verdict": verdict_fields(recollection.verdict),
        "hits": [hit_fields(hit) for hit in recollection.hits],
        "concepts": [concept_hit_fields(hit) for hit in recollection.concepts],
    }


def verdict_fields(verdict: Verdict | None) -> dict[str, Any] | None:
    """Give for JSON how sure memory was that it knew; None where that was not judged."""
    if verdict is None:
        return None
    return {
        "outcome": verdict.outcome,
        "probability": round(verdict.probability, 6),
        "reasons": list(verdict.reasons),
    }


def verdict_line(verdict: Verdict) -> str:
    """Give on one line how sure memory was that it knew, and why."""
    head = f"{verdict.outcome} ({verdict.probability:.2f})"
    return flat(f"{head}: {' '.join(verdict.reasons)}" if verdict.reasons else head)


def hit_line(hit: Hit, short: Mapping[str, str]) -> str:
    """Give a recalled memory on one line: rank, score, when, id, what became of it, who and what."""
    turn, later = hit.turn, hit.superseded_by
    until = f"[until {later.time:%Y-%m-%d}] " if later else ""
    archived = "[archived] " if hit.archived else ""
    head = f"{hit.rank:>3}  {score(hit.score)}  {minute(turn.time)}  {short[turn.id]}  {until}{archived}"
    return f"{head}{flat(turn.speaker)}: {flat(turn.text)}"


def score(number: float) -> str:
    """Give a score in five characters: engines differ in what theirs amount to."""
    return f"{number:5.2f}" if number == 0 or abs(number) >= LEAST_PLAIN_SCORE else f"{number:.0e}"


def concept_hit_line(hit: ConceptHit, short: Mapping[str, str]) -> str:
    """Give a concept that a question touches on one line: how near it is, id, kind and what it says."""
    concept = hit.concept
    kind = concept.category.replace("_", " ")
    return f"concept  cosine {hit.cosine:.2f}  {short[concept.id]}  {kind}: {flat(concept.text)}"


def why_line(hit: Hit, short: Mapping[str, str]) -> str:
    """Give on one line why a memory came up: its scores, and what led to it."""
    scores = "  ".join(f"{name} {getattr(hit.parts, name):.2f}" for name in hit.parts.__dataclass_fields__)
    way = "".join(f"{node_name(step.source, short)} -{step.kind} {step.weight:.2f}-> " for step in hit.path)
    return f"{scores}  {way}{short[hit.turn.id]}" if way else f"{scores}  direct"


def node_name(node: Turn | Concept, short: Mapping[str, str]) -> str:
    """Give what a memory or a concept is called on a way: its short id, of a concept what it says too."""
    return short[node.id] if isinstance(node, Turn) else f"{short[node.id]} ({flat(node.text)})"


def ids_of(hits: Sequence[Hit]) -> set[str]:
    """Give the ids of all memories and concepts that are named in an explanation."""
    return {hit.turn.id for hit in hits} | {step.source.id for hit in hits for step in hit.path}


def _step_fields(step: Step) -> dict[str, Any]:
    return {
        "id": step.source.id,
        "is": "memory" if isinstance(step.source, Turn) else "concept",
        "kind": step.kind,
        "weight": round(step.weight, 6),
    }


def _columns() -> int:
    import shutil

    return shutil.get_terminal_size().columns
