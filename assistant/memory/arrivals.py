"""Since when a memory is here at the least: what was imported a moment ago may have been said years ago.

No turn tells when it came in. Nodes are numbered as they come, though, so it is enough to keep, once a day, up to which
number there were nodes then: every one up to there is here at least since that time.
"""

import json
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from assistant.memory.units import MICROSECONDS_A_DAY
from storage.vault import Vault

ARRIVED = "memory.arrived"
"""Setting: pairs of a time (UTC microseconds since 1970) and the last node there was, both ascending."""
HORIZON_DAYS = 3650.0
"""For how long what is here is told apart by the day: as long as a rule may keep something that is not for ever."""


def note_arrivals(vault: Vault, now_us: int, *, horizon_days: float) -> None:
    """Keep what there is by this time. What is here for longer than the horizon is not told apart any more."""
    latest = vault.turns.listing(limit=1)
    kept = _kept(vault)
    if not latest or (kept and latest[0].node <= kept[-1][1]):
        return
    time_us = max([now_us, *(time for time, _ in kept[-1:])])  # also when a clock was set back
    if kept and time_us // MICROSECONDS_A_DAY == kept[-1][0] // MICROSECONDS_A_DAY:
        kept.pop()
    old = [pair for pair in kept if time_us - pair[0] > horizon_days * MICROSECONDS_A_DAY]
    vault.settings.put(ARRIVED, json.dumps([*old[-1:], *kept[len(old) :], (time_us, latest[0].node)]))


def here_since(vault: Vault, nodes: Sequence[int], now_us: int) -> list[int]:
    """Give for each node a time by which it was here for certain; now for one that came after the last note."""
    kept = _kept(vault)
    ends = [node for _, node in kept]
    times = [*(time for time, _ in kept), now_us]
    return [times[bisect_left(ends, node)] for node in nodes]


def last_here(vault: Vault, time_us: int) -> int:
    """Give the last node of which it is known that it was here by a time; 0 when none is."""
    kept = _kept(vault)
    earlier = bisect_right([time for time, _ in kept], time_us)
    return kept[earlier - 1][1] if earlier else 0


def _kept(vault: Vault) -> list[tuple[int, int]]:
    return [(time, node) for time, node in json.loads(vault.settings.get(ARRIVED) or "[]")]
