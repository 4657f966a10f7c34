"""What is doubtful in a vault: what contradicts, repeats, hangs in the air, was held back, or grew too fast.

Nothing is changed. Each finding is one line: what it is, which memory, why, and the command that mends it.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

import numpy as np

from assistant.memory.concepts.duplicates import differ
from assistant.memory.concepts.grounding import Said, coverage
from assistant.memory.distillation import confidence
from assistant.memory.findings import Finding, Held, Kind
from assistant.memory.parameters import Parameters
from assistant.memory.succession import disagree, filled_slots
from assistant.memory.suspicion import UNTRUSTED, name_suspicions
from assistant.memory.trust import Trust, trust_of
from storage.conversations import derived_title
from storage.records import Concept, Maker, Role, Turn
from storage.vault import Vault

SAME_SENSE = 0.85
"""Cosine from which two sentences are about the same thing in the same words, MiniLM. -1 to 1."""
RECENT = 20
"""Turns that supported a concept last, by which its growth is judged."""
LEAST_RECENT = 10
"""Of fewer nothing is concluded."""
ONE_PLACE = 0.8
"""Share of these that come from one place. 0 to 1."""
BLOCK = 1024
"""Rows compared at once: 40 MB for ten thousand others."""


def audit(vault: Vault, parameters: Parameters) -> list[Finding]:
    """Give all that is doubtful, by kind in the order of `Kind`."""
    held = Held(vault)
    looks: tuple[Callable[[], Iterable[Finding]], ...] = (
        lambda: _contradictions(held),
        lambda: _disputed(held),
        lambda: _outranked(held),
        lambda: _duplicates(held),
        lambda: _orphans(vault),
        lambda: _unsupported(held, parameters),
        lambda: _quarantined(held),
        lambda: _names(held),
        lambda: _growth(held),
    )
    return [finding for look in looks for finding in look()]


def _contradictions(held: Held) -> Iterator[Finding]:
    """Find statements of one slot that are both taken for true."""
    replaced = {one.older for one in held.vault.successions.listing()}
    stated: dict[str, list[Turn]] = defaultdict(list)
    for turn in held.turns.values():
        if turn.role is Role.USER and turn.node not in replaced:
            for slot in filled_slots(turn.text):
                stated[slot.name].append(turn)
    for name, turns in stated.items():
        latest = max(turns, key=lambda turn: (trust_of(turn), turn.time))
        others = [turn for turn in turns if turn is not latest and disagree(latest, turn) == name]
        if others:
            yield Finding(
                kind=Kind.CONTRADICTION,
                id=others[0].id,
                why=f"tells another {name} than {_short(latest)}, and neither is known to be the newer",
                mend=_forget(others[0]),
                others=(latest.id, *(turn.id for turn in others[1:])),
            )


def _disputed(held: Held) -> Iterator[Finding]:
    """Find statements that were brought in, bear a later date than what the user told, and do not replace it."""
    for one in held.vault.successions.listing():
        newer, older = held.turns.get(one.newer), held.turns.get(one.older)
        if newer is not None and older is not None and older.time > newer.time:
            yield Finding(
                kind=Kind.OUTRANKED,
                id=older.id,
                why=f"was brought in and tells another {one.slot} later than {_short(newer)}, which the user told;"
                " that one holds",
                mend=f"tell the assistant which holds, or {_forget(older)}",
                others=(newer.id,),
            )


def _outranked(held: Held) -> Iterator[Finding]:
    """Find what was brought in later and says nearly what the user did, with another name or number."""
    own = [turn for turn in held.turns.values() if trust_of(turn) is Trust.USER]
    others = [turn for turn in held.turns.values() if Trust.ASSISTANT < trust_of(turn) < Trust.USER]
    known = {one.older for one in held.vault.successions.listing()}
    for mine, other in _alike(held.vault, own, others):
        if other.time > mine.time and other.node not in known and differ(mine.text, other.text):
            yield Finding(
                kind=Kind.OUTRANKED,
                id=other.id,
                why=f"was brought in later than {_short(mine)}, and says the same with another name or number",
                mend=_forget(other),
                others=(mine.id,),
            )


def _alike(vault: Vault, some: Sequence[Turn], others: Sequence[Turn]) -> Iterator[tuple[Turn, Turn]]:
    """Give for each of some turns the most similar of the others, where it is similar enough."""
    space = vault.vectors.current_space()
    if space is None or not some or not others:
        return
    nodes, raw = vault.vectors.matrix(space)
    first = {node: row for row, node in reversed(list(enumerate(nodes)))}  # of its first passage
    vectors = np.frombuffer(raw, dtype="<f4").reshape(len(nodes), space.dimension)
    mine, theirs = ([turn for turn in turns if turn.node in first] for turns in (some, others))
    if not mine or not theirs:
        return
    against = vectors[[first[turn.node] for turn in theirs]].T  # (dimension, others)
    for start in range(0, len(mine), BLOCK):
        block = mine[start : start + BLOCK]
        cosine = vectors[[first[turn.node] for turn in block]] @ against  # (block, others)
        for row, column in enumerate(cosine.argmax(axis=1).tolist()):
            if cosine[row, column] >= SAME_SENSE:
                yield block[row], theirs[column]


def _duplicates(held: Held) -> Iterator[Finding]:
    for nodes in held.copies:
        turns = [held.turns[node] for node in nodes]
        yield Finding(
            kind=Kind.DUPLICATES,
            id=turns[0].id,
            why=f"is there {len(turns):,} times in the same words; speakers: {len({turn.speaker for turn in turns}):,}",
            mend="assistant forget " + " ".join(turn.id[:8] for turn in turns[1:4]) + (" ..." if turns[4:] else ""),
            others=tuple(turn.id for turn in turns[1:]),
        )


def _orphans(vault: Vault) -> Iterator[Finding]:
    reasons = (
        (vault.orphans.concepts(), "is a concept that rests on no memory", "assistant vault check"),
        (vault.orphans.conversations(), "is a conversation without a turn", "assistant vault check"),
        (vault.orphans.passages(), "has a passage without a vector", "assistant vault check"),
    )
    for ids, why, mend in reasons:
        yield from (Finding(kind=Kind.ORPHAN, id=id, why=why, mend=mend) for id in ids)  # noqa: A001


def _unsupported(held: Held, parameters: Parameters) -> Iterator[Finding]:
    """Find what a model wrote and its turns do not say, or no longer do."""
    for concept in held.vault.concepts.listing(makers=(Maker.MODEL, Maker.DISTILLED)):
        turns = [held.turns[node] for node in concept.support if node in held.turns]
        if not _borne_out(concept, turns, parameters):
            yield Finding(
                kind=Kind.UNSUPPORTED,
                id=concept.id,
                why="says what the memories that it rests on do not",
                mend=f"assistant forget {concept.id[:8]}",
                others=tuple(turn.id for turn in turns),
            )


def _borne_out(concept: Concept, turns: Sequence[Turn], parameters: Parameters) -> bool:
    if concept.maker is Maker.DISTILLED:
        return confidence(concept.text, turns) >= parameters.reflection.least_confidence
    said = [Said(turn.speaker, turn.text) for turn in turns]
    return coverage("", concept.text, said) >= parameters.consolidation.fact_coverage


def _quarantined(held: Held) -> Iterator[Finding]:
    for turn in held.vault.turns.by_nodes(list(held.held_back)):
        yield Finding(
            kind=Kind.QUARANTINED,
            id=turn.id,
            why=f"is held back: {'; '.join(held.held_back[turn.node])}",
            mend=f"assistant memory quarantine --accept {turn.id[:8]}, or {_forget(turn)}",
        )


def _names(held: Held) -> Iterator[Finding]:
    """Find titles of imported conversations that read as an instruction: users see them, a model never does."""
    read_off = {derived_title(turn.text) for turn in held.vault.turns.by_nodes(list(held.held_back))}
    for one in held.vault.conversations.listing():
        given = one.source in UNTRUSTED and one.title not in read_off
        reasons = name_suspicions(one.title) if given else ()
        if reasons:
            yield Finding(
                kind=Kind.NAME,
                id=one.id,
                why=f"is a conversation whose title reads as an instruction: {'; '.join(reasons)}",
                mend=f"assistant history rename {one.id[:8]} TITLE",
            )


def _growth(held: Held) -> Iterator[Finding]:
    """Find concepts that lately rest on repeated text from one place, and memories tied by use to one place alone."""
    repeated = {node for nodes in held.copies for node in nodes}
    supports: dict[int, list[Turn]] = defaultdict(list)
    for concept, node in held.vault.concepts.support():
        if node in held.turns:
            supports[concept].append(held.turns[node])
    recent = {concept: turns[-RECENT:] for concept, turns in supports.items()}
    flooded = {
        concept: place
        for concept, turns in recent.items()
        if (place := _one_place(turns, counted=repeated)) is not None
    }
    for made in held.vault.concepts.by_nodes(list(flooded)):
        yield Finding(
            kind=Kind.GROWTH,
            id=made.id,
            why=f"grew by repeated text from {flooded[made.node]}: it rests on {len(supports[made.node]):,} memories",
            mend=f"assistant memory show {made.id[:8]}",
        )
    for node, turns in _learned(held).items():
        place = _one_place(turns, counted={turn.node for turn in turns})
        if place is not None and _origin(held.turns[node]) is None:
            yield Finding(
                kind=Kind.GROWTH,
                id=held.turns[node].id,
                why=f"is tied by use to {len(turns):,} memories, nearly all of them from {place}",
                mend=f"assistant memory neighbours {held.turns[node].id[:8]}",
            )


def _learned(held: Held) -> dict[int, list[Turn]]:
    """Give for each turn those that answers used together with it."""
    beside: dict[int, list[Turn]] = defaultdict(list)
    for edge in held.vault.associations.listing():
        if edge.hebbian > 0 and edge.low in held.turns and edge.high in held.turns:
            beside[edge.low].append(held.turns[edge.high])
            beside[edge.high].append(held.turns[edge.low])
    return beside


def _one_place(turns: Sequence[Turn], *, counted: Collection[int]) -> str | None:
    """Give the place that nearly all of these were brought in from, only those counted that are to be; else None."""
    places = [_origin(turn) for turn in turns if turn.node in counted]
    place = max(places, key=places.count, default=None)
    if place is None or len(turns) < LEAST_RECENT or places.count(place) < ONE_PLACE * len(turns):
        return None
    return place


def _origin(turn: Turn) -> str | None:
    """Give where a turn was brought in from; None for the user's own."""
    return turn.origin or turn.source.value if turn.source in UNTRUSTED else None


def _short(turn: Turn) -> str:
    return f"{turn.id[:8]} of {turn.time:%Y-%m-%d}"


def _forget(turn: Turn) -> str:
    return f"assistant forget {turn.id[:8]}"
