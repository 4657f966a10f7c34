"""Which memories sleep, and which of them leave the graph.

SYNAPSE (arXiv 2601.02744) names dormancy and an archive without saying which memories go first. Here the order is that
of the base level of ACT-R (Anderson and Schooler, 1991): what was used often and lately is likeliest to be needed.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Vector = NDArray[np.float64]
Rows = NDArray[np.int64]
Mask = NDArray[np.bool_]


def base_levels(owners: ArrayLike, ages_days: ArrayLike, *, size: int, decay: float) -> Vector:
    """Give the base level (n,) of each node: ln of the sum over its uses of (age + 1)^-decay.

    Parameters
    ----------
    owners
        Row of the node (u,), 0 to n - 1, that each use belongs to.
    ages_days
        How long ago each use was (u,); below 0, after a clock was set back, counts as 0. Being told is the first use.
    size
        n.
    decay
        d of ACT-R.

    Returns
    -------
    Vector
        -inf for a node without any use.
    """
    ages = np.maximum(np.asarray(ages_days, dtype=np.float64), 0.0)
    traces = np.bincount(np.asarray(owners, dtype=np.int64), weights=(ages + 1.0) ** -decay, minlength=size)
    levels = np.full(size, -np.inf)
    np.log(traces, out=levels, where=traces > 0)
    return levels


def dormant(births: ArrayLike, active_windows: ArrayLike, window: int, *, windows: int) -> Mask:
    """Give whether each node (n,) was silent for that many windows: since it was last active, or else since its birth.

    Parameters
    ----------
    births
        Number of the window (n,) in which each was born.
    active_windows
        Number of the window (n,) in which each was last active; one that never was has any number up to its birth.
    window
        Number of the last window that ended.
    windows
        W: how many have to pass in silence.
    """
    last = np.maximum(np.asarray(births, dtype=np.int64), np.asarray(active_windows, dtype=np.int64))
    return np.asarray(window - last >= windows)


def active_share(scores: ArrayLike, *, epsilon: float) -> Mask:
    """Give which of the recalled (n,) were active: those with a share of epsilon or more of the highest score.

    SYNAPSE compares its own activation, which lies between 0 and 1, with epsilon; the share does so for every engine.
    """
    values = np.asarray(scores, dtype=np.float64)
    best = values.max(initial=0.0)
    return np.asarray((values > 0) & (values >= epsilon * best))


def to_archive(level: Vector, asleep: Mask, pinned: Mask, *, floor: int, ceiling: int) -> Rows:
    """Give the rows that leave the graph, ascending, of n active nodes with these base levels (n,).

    Dormant ones while more than the floor are active; any while more than the ceiling are. The weakest go first, of
    equal ones the earlier row; pinned ones never, even when only they are above the ceiling.
    """
    size = len(level)
    order = np.argsort(level, kind="stable")
    free = order[~pinned[order]]

    # 1. dormant ones down to the floor
    sleeping, waking = free[asleep[free]], free[~asleep[free]]
    gone = sleeping[: max(0, size - floor)]

    # 2. others down to the ceiling: only when no dormant one is left above it
    more = waking[: max(0, size - len(gone) - ceiling)]
    return np.sort(np.concatenate([gone, more]))
