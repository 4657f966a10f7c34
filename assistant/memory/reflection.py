"""What the graph shows of itself: hubs, from which knowledge is made, and what hangs loosely and fades.

HeLa-Mem (arXiv 2604.16839), section 3.3.
"""

import json
import threading
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from assistant.language.model import Done, LanguageModel, Sampling, Text
from assistant.memory import terms as lexical
from assistant.memory.active import begin_epoch
from assistant.memory.archive import put_away, silent
from assistant.memory.arrivals import here_since
from assistant.memory.distillation import (
    NO_ENTRIES,
    Entry,
    distillation_prompt,
    entry_schema,
    read_entries,
    tells_something,
)
from assistant.memory.hebbian import Pair, days_between, decayed, degrees, edges_by_node, strongest
from assistant.memory.parameters import Parameters, ReflectionParameters
from storage.instants import to_columns
from storage.records import Maker, Role, Turn
from storage.vault import Vault

DEGREES = "reflection.degrees"
"""Setting: the hubs that were distilled, each with the degree that it had then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hub:
    """A turn that was used together with others again and again."""

    node: int
    degree: float
    """D of Eq. 2: sum of the learned weights of its edges, decayed to this day."""
    neighbours: tuple[int, ...]
    """The turns with the strongest edges to it, strongest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fading:
    """A turn that hangs loosely in the graph, is old, and was not needed for long."""

    node: int
    weight: float
    """Of all its edges, those in time not counted."""
    age_days: float
    idle_days: float
    """Since an answer last drew on it; since it came in, as far as that is known, when none ever did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reflected:
    """What came of a reflection."""

    hubs: int
    """In the graph."""
    distilled: int
    """Of these, how many the model read with their neighbours."""
    entries: int
    """New pieces of knowledge."""
    repeated: int
    """Known already, and better supported than before."""
    dropped: int
    """Not borne out by what was said."""


def learned_weights(vault: Vault, now: datetime, parameters: Parameters) -> dict[Pair, float]:
    """Give the learned weight of each edge that has one, decayed to this moment."""
    now_us, _ = to_columns(now)
    edges = [edge for edge in vault.associations.listing() if edge.hebbian > 0]
    left = decayed(
        [edge.hebbian for edge in edges],
        [days_between(edge.updated_us, now_us) for edge in edges],
        retention=parameters.hebbian.retention_a_day,
    )
    return {(edge.low, edge.high): float(weight) for edge, weight in zip(edges, left, strict=True)}


def hubs(vault: Vault, now: datetime, parameters: Parameters) -> list[Hub]:
    """Give the turns whose weighted degree is above delta_hub, the highest first. Eq. 2.

    What the assistant said is neither a hub nor a neighbour of one: nothing is learned from it.
    """
    beside = edges_by_node(learned_weights(vault, now, parameters))
    said = {row.node for row in vault.turns.graph_rows(nodes=list(beside)) if row.role is not Role.ASSISTANT}
    most = parameters.reflection.cluster_size - 1
    found = [
        Hub(node=node, degree=degree, neighbours=tuple(strongest(beside[node], most=most, among=said)))
        for node in said
        if (degree := sum(beside[node].values())) > parameters.reflection.hub_degree
    ]
    return sorted(found, key=lambda hub: (-hub.degree, hub.node))


def reflect(
    vault: Vault,
    model: LanguageModel | None,
    *,
    now: datetime,
    parameters: Parameters,
    cancel: threading.Event,
    progress: Callable[[int, int], None] | None = None,
) -> Reflected:
    """Distil the hubs that are due: those that never were, and those whose degree has grown by half since.

    Each hub is done for itself, so that what was done stays when the next one fails or the user has enough. Without a
    model nothing is distilled.

    Parameters
    ----------
    model
        What writes the entries; they get their vectors later, as turns do.
    cancel
        Ends it within 300 ms; the hub at hand is left for another time.
    progress
        Called with how many hubs are done, and how many were due.

    Raises
    ------
    ModelMissing, ModelNotLoadable, ModelFailed
        The model cannot. The rest is left for another time.
    """
    found = hubs(vault, now, parameters)
    distilled = entries = repeated = dropped = 0
    due = _due(vault, found, regrowth=parameters.reflection.regrowth)
    for hub in due:
        if model is None:
            break
        cluster = _cluster(vault, hub)
        answer = _written(model, cluster, parameters.reflection, cancel) if cluster else NO_ENTRIES
        if cancel.is_set():
            break
        kept, unsupported = read_entries(answer, cluster, parameters.reflection)
        with vault.transaction():
            if _cluster(vault, hub) != cluster:  # one of them was forgotten or revised meanwhile
                continue
            new = _keep(vault, kept)
            _note_distilled(vault, hub, still_hubs=found)
        distilled, entries = distilled + 1, entries + new
        repeated, dropped = repeated + len(kept) - new, dropped + unsupported
        if progress:
            progress(distilled, len(due))
    return Reflected(hubs=len(found), distilled=distilled, entries=entries, repeated=repeated, dropped=dropped)


def fading(vault: Vault, now: datetime, parameters: Parameters) -> list[Fading]:
    """Give the turns that fade, the loosest and then the oldest first. Changes nothing.

    A turn fades when its total weight is below delta_prune, no answer drew on it for delta_age days, it is here for as
    long, though it may have been said long before, and no reply recalled it in the last W windows. Nothing fades that
    is pinned, or archived already.
    """
    limits = parameters.reflection
    now_us, _ = to_columns(now)
    traces = vault.traces.of()
    rows = [
        row
        for row in vault.turns.graph_rows()
        if row.node not in traces or not (traces[row.node].pinned or traces[row.node].archived)
    ]
    asleep = silent(vault, rows, traces, windows=parameters.dormancy.windows)
    weights = _total_weights(vault, now, parameters)
    arrived = here_since(vault, [row.node for row in rows], now_us)
    found = []
    for row, is_asleep, arrived_us in zip(rows, asleep, arrived, strict=True):
        weight = weights.get(row.node, 0.0)
        used_us = (traces[row.node].last_used_us or 0) if row.node in traces else 0
        age = days_between(row.microseconds, now_us)
        idle = days_between(max(row.microseconds, arrived_us, used_us), now_us)
        if is_asleep and weight < limits.prune_weight and idle > limits.prune_age_days:
            found.append(Fading(node=row.node, weight=weight, age_days=age, idle_days=idle))
    return sorted(found, key=lambda one: (one.weight, -one.age_days, one.node))


def archive_fading(vault: Vault, now: datetime, parameters: Parameters) -> list[int]:
    """Put away all that fades, for a user whose policy it is; gives which. Nothing is erased."""
    with vault.transaction():
        return put_away(vault, [one.node for one in fading(vault, now, parameters)])


def _total_weights(vault: Vault, now: datetime, parameters: Parameters) -> dict[int, float]:
    """Give for each node the sum of learned weights, cosines of associations, and support."""
    total = defaultdict(float, degrees(learned_weights(vault, now, parameters)))
    for edge in vault.associations.listing():
        for node in (edge.low, edge.high):
            total[node] += edge.cosine
    for _, turn in vault.concepts.support():
        total[turn] += parameters.synapse.abstraction_weight
    return total


def _due(vault: Vault, found: list[Hub], *, regrowth: float) -> list[Hub]:
    """Give the hubs that no one distilled, that lost what was made of them, or that have grown."""
    waiting = set(vault.concepts.pending(Maker.DISTILLED, limit=vault.turns.count()))
    then = _degrees_then(vault)
    return [hub for hub in found if hub.node in waiting or hub.degree >= regrowth * then.get(hub.node, 0.0)]


def _cluster(vault: Vault, hub: Hub) -> list[Turn]:
    """Give the hub and its neighbours as they were said, oldest first; those that only ask are left out."""
    turns = filter(tells_something, vault.turns.by_nodes([hub.node, *hub.neighbours]))
    return sorted(turns, key=lambda turn: (turn.time, turn.node))


def _written(model: LanguageModel, cluster: list[Turn], limits: ReflectionParameters, cancel: threading.Event) -> str:
    """Give what the model writes of a cluster; nothing when its answer is not whole."""
    schema = entry_schema(len(cluster), limits)
    sampling = Sampling(
        seed=0,
        temperature=0.0,
        repeat_penalty=1.0,  # quotes and commas must repeat
        max_tokens=limits.entry_tokens,
        schema=schema,
    )
    written = ""
    for piece in model.stream(distillation_prompt(cluster, limits), sampling=sampling, cancel=cancel):
        match piece:
            case Text(text=text):
                written += text
            case Done(finish=finish) if finish != "stop":
                return ""
    return written


def _keep(vault: Vault, entries: list[Entry]) -> int:
    """Keep entries as concepts; one with the words of another supports it. Gives how many are new."""
    known = {_words(text): node for text, node in vault.concepts.by_text(Maker.DISTILLED).items()}
    new = 0
    for entry in entries:
        words = _words(entry.text)
        if words in known:
            vault.concepts.reinforce(known[words], entry.evidence)
            continue
        made = vault.concepts.add(
            text=entry.text,
            terms=lexical.indexed(entry.text),
            maker=Maker.DISTILLED,
            category=entry.category,
            confidence=entry.confidence,
            support=entry.evidence,
        )
        known[words] = made.node
        new += 1
    if new:
        begin_epoch(vault)
    return new


def _note_distilled(vault: Vault, hub: Hub, *, still_hubs: list[Hub]) -> None:
    """Keep the degree at which a hub was distilled; what is no hub any more is dropped from the record."""
    remembered = {one.node for one in still_hubs}
    degrees_then = {node: degree for node, degree in _degrees_then(vault).items() if node in remembered}
    vault.settings.put(DEGREES, json.dumps({**degrees_then, hub.node: round(hub.degree, 6)}))
    vault.concepts.note_consolidated(Maker.DISTILLED, [hub.node])


def _degrees_then(vault: Vault) -> dict[int, float]:
    return {int(node): degree for node, degree in json.loads(vault.settings.get(DEGREES) or "{}").items()}


def _words(text: str) -> tuple[str, ...]:
    """Give the words in their order: in another one the names may have changed places."""
    return tuple(lexical.terms(text))
