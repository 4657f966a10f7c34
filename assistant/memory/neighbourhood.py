"""What a memory is tied to, and by what: the edges of one node, as they are today."""

from dataclasses import dataclass
from datetime import datetime
from math import exp

from assistant.memory.hebbian import days_between, decayed
from assistant.memory.parameters import Parameters
from storage.instants import to_columns
from storage.records import Turn
from storage.vault import Vault


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """The other end of an edge."""

    node: int
    kind: str
    """`temporal`, `abstraction`, `association`, or `learned`."""
    weight: float
    """Of the edge itself, before any fan is divided."""


def neighbourhood(vault: Vault, node: int, now: datetime, parameters: Parameters) -> list[Neighbour]:
    """Give the edges of a turn or a concept, the strongest first; two nodes may have several, of different kinds.

    Nothing is changed by looking: learned weights are decayed to this moment, and stay as they are stored.
    """
    turns = vault.turns.by_nodes([node])
    found = _temporal(vault, turns[0], parameters) if turns else []
    found += _support(vault, node, parameters)
    now_us, _ = to_columns(now)
    for edge in vault.associations.listing():
        if node not in (edge.low, edge.high):
            continue
        other = edge.high if edge.low == node else edge.low
        if edge.cosine > 0:
            found.append(Neighbour(node=other, kind="association", weight=edge.cosine))
        if edge.hebbian > 0:
            days = days_between(edge.updated_us, now_us)
            weight = float(decayed(edge.hebbian, days, retention=parameters.hebbian.retention_a_day))
            found.append(Neighbour(node=other, kind="learned", weight=weight))
    return sorted(found, key=lambda neighbour: (-neighbour.weight, neighbour.kind, neighbour.node))


def _temporal(vault: Vault, turn: Turn, parameters: Parameters) -> list[Neighbour]:
    """Give the turns before and after in the conversation, over gaps that forgotten ones left. SYNAPSE, section 3.1."""
    said = vault.turns.in_conversation(turn.conversation, held_back=False)
    if turn not in said:
        return []
    place = next(index for index, one in enumerate(said) if one.node == turn.node)
    beside = [said[index] for index in (place - 1, place + 1) if 0 <= index < len(said)]
    times = {one.node: to_columns(one.time)[0] for one in (turn, *beside)}
    return [
        Neighbour(
            node=one.node,
            kind="temporal",
            weight=exp(-parameters.temporal_decay * days_between(*sorted((times[turn.node], times[one.node])))),
        )
        for one in beside
    ]


def _support(vault: Vault, node: int, parameters: Parameters) -> list[Neighbour]:
    """Give the concepts that a turn supports, or the turns that support a concept."""
    others = [concept.node for concept in vault.concepts.of_turns([node])]
    others += [turn for concept in vault.concepts.by_nodes([node]) for turn in concept.support]
    return [Neighbour(node=other, kind="abstraction", weight=parameters.synapse.abstraction_weight) for other in others]
