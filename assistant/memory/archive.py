"""Which turns are in the graph, and which sleep outside it: found through the indexes on disk, and back when used."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from assistant.memory.active import begin_epoch
from assistant.memory.arrivals import HORIZON_DAYS, note_arrivals
from assistant.memory.dormancy import Mask, Vector, base_levels, dormant, to_archive
from assistant.memory.hebbian import days_between
from assistant.memory.parameters import Parameters
from storage.instants import to_columns
from storage.records import GraphRow, Trace
from storage.vault import Vault

SAME_USE_MICROSECONDS = 60_000_000
"""An answer and the note of what it used are written one after the other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Maintained:
    """What was put to rest."""

    active: int
    """Turns that are in the graph now."""
    dormant: int
    """Of those that were, how many had slept for long enough."""
    archived: tuple[int, ...]
    """Nodes that left it, ascending."""


def maintain(vault: Vault, parameters: Parameters, now: datetime) -> Maintained:
    """Archive the turns that sleep above the floor, and the weakest of all above the ceiling; at the end of a window.

    Only turns are counted and archived. A concept is in the graph as long as a turn that supports it is.
    """
    with vault.transaction():
        note_arrivals(vault, to_columns(now)[0], horizon_days=HORIZON_DAYS)
        rows = vault.turns.graph_rows(active_only=True)
        traces = vault.traces.of()
        asleep = silent(vault, rows, traces, windows=parameters.dormancy.windows)
        pinned = np.array([row.node in traces and traces[row.node].pinned for row in rows], dtype=np.bool_)
        gone = to_archive(
            _levels(vault, rows, traces, now=now, decay=parameters.dormancy.level_decay),
            asleep,
            pinned,
            floor=parameters.dormancy.floor_nodes,
            ceiling=parameters.active_nodes,
        )
        archived = put_away(vault, [rows[row].node for row in gone])
        return Maintained(active=len(rows) - len(archived), dormant=int(asleep.sum()), archived=tuple(archived))


def put_away(vault: Vault, nodes: Sequence[int]) -> list[int]:
    """Take turns out of the graph, those that are pinned or archived left out; gives which, ascending.

    Nothing is lost by it: both indexes on disk still hold them, and using one brings it back.
    """
    traces = vault.traces.of(nodes)
    gone = sorted(
        node for node in set(nodes) if node not in traces or not (traces[node].pinned or traces[node].archived)
    )
    if gone:
        with vault.transaction():
            vault.traces.archive(gone)
            begin_epoch(vault)
    return gone


def reinstate(vault: Vault, nodes: Sequence[int], reach: int) -> list[int]:
    """Bring archived turns back into the graph with those at most `reach` positions from them; gives which, ascending.

    They count as active in this window, so that the next end of one does not put them away again. Of nodes that are
    not archived nothing is done.
    """
    archived = set(vault.traces.archived())
    wanted = archived.intersection(nodes)
    if not wanted:
        return []
    back = sorted(archived.intersection([*wanted, *vault.turns.neighbours(list(wanted), reach=reach)]))
    with vault.transaction():
        vault.traces.restore(back)
        vault.traces.note_active(back, open_window(vault))
        begin_epoch(vault)
    return back


def pin(vault: Vault, nodes: Sequence[int], *, pinned: bool) -> None:
    """Keep nodes in the graph for good, or let go of them; one that is archived comes back when it is pinned."""
    with vault.transaction():
        if pinned and any(trace.archived for trace in vault.traces.of(nodes).values()):
            begin_epoch(vault)
        vault.traces.pin(nodes, pinned=pinned)


def open_window(vault: Vault) -> int:
    """Give the number of the window that is open: in it is active what is recalled now, and born what is said now."""
    return vault.traces.window() + 1


def silent(vault: Vault, rows: Sequence[GraphRow], traces: dict[int, Trace], *, windows: int) -> Mask:
    """Give for each row whether it is dormant: silent for that many windows."""
    births = vault.traces.births([row.node for row in rows])
    active = [(traces[row.node].active_window or 0) if row.node in traces else 0 for row in rows]
    return dormant([births[row.node] for row in rows], active, vault.traces.window(), windows=windows)


def _levels(vault: Vault, rows: Sequence[GraphRow], traces: dict[int, Trace], *, now: datetime, decay: float) -> Vector:
    """Give the base level of each row: it was told once, and used by each answer that is on record.

    The last use is known even when the answer that made it was forgotten.
    """
    row_of = {row.node: index for index, row in enumerate(rows)}
    uses = {(index, row.microseconds) for index, row in enumerate(rows)}
    used_by = [(row_of[node], answer) for node, answer, _ in vault.recollections.spikes() if node in row_of]
    answered = {row.node: row.microseconds for row in vault.turns.graph_rows(nodes=[answer for _, answer in used_by])}
    uses |= {(index, answered[answer]) for index, answer in used_by}
    latest = {index: answered[answer] for index, answer in sorted(used_by)}
    noted = {row_of[node]: trace.last_used_us or 0 for node, trace in traces.items() if node in row_of}
    uses |= {(index, time) for index, time in noted.items() if time > latest.get(index, 0) + SAME_USE_MICROSECONDS}
    now_us, _ = to_columns(now)
    ages = [days_between(time, now_us) for _, time in uses]
    return base_levels([owner for owner, _ in uses], ages, size=len(rows), decay=decay)
