"""Which concepts are alike: kernels over their vectors."""

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
BLOCK_ROWS = 512
"""New vectors compared at once with all others: with 30,000 of them 60 MB."""

Edges = dict[int, dict[int, float]]
"""For each node its associations: the other node, and their cosine."""


def nearest(new: Vectors, every: Vectors, *, least: float, most: int) -> list[tuple[int, int, float]]:
    """Give for each of the new vectors the most alike ones, `most` of them from cosine `least` on; the highest first.

    Parameters
    ----------
    new
        (m, dimension), unit length: the last m rows of `every`.
    every
        (n, dimension), unit length; a row of zeros is like no other.
    least, most
        Lowest cosine, and number a row.

    Returns
    -------
    list[tuple[int, int, float]]
        Row in `every` of the new one and of the other, and the cosine; no pair twice, and none of a row with itself.
    """
    first = every.shape[0] - new.shape[0]
    found: dict[tuple[int, int], float] = {}
    for start in range(0, new.shape[0], BLOCK_ROWS):
        cosines = new[start : start + BLOCK_ROWS] @ every.T  # (block, n)
        own = np.arange(cosines.shape[0])
        cosines[own, first + start + own] = -1.0
        for row, column in zip(*_highest(cosines, least=least, most=most), strict=True):
            this, other = first + start + int(row), int(column)
            found[min(this, other), max(this, other)] = float(cosines[row, other])
    return sorted(((one, other, cosine) for (one, other), cosine in found.items()), key=lambda edge: (-edge[2], edge))


def _highest(cosines: Vectors, *, least: float, most: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Give rows and columns of the `most` highest values of each row from `least` on; few pass, so only these sort."""
    rows, columns = np.nonzero(cosines >= least)
    order = np.lexsort((columns, -cosines[rows, columns], rows))
    rows, columns = rows[order], columns[order]
    rank = np.arange(rows.size) - np.searchsorted(rows, rows)
    return rows[rank < most], columns[rank < most]


def most_alike(vector: Vectors, every: Vectors) -> tuple[int, float]:
    """Give the row (n, dimension) that is most like a vector, and their cosine; (-1, 0) where there is none."""
    if every.shape[0] == 0:
        return -1, 0.0
    cosines = every @ vector
    row = int(np.argmax(cosines))
    return row, float(cosines[row])


def moved(vector: Vectors, towards: Vectors, *, share: float) -> Vectors:
    """Give a vector moved by a share towards another, of unit length again (EMA, SYNAPSE, Algorithm 1, line 15)."""
    between = (1.0 - share) * vector + share * towards
    length = float(np.linalg.norm(between))
    return np.asarray(between / length if length else vector, dtype=np.float32)


def grow(
    edges: Mapping[int, Mapping[int, float]], candidates: Iterable[tuple[int, int, float]], *, degree: int
) -> tuple[Edges, set[tuple[int, int]]]:
    """Give the associations that the candidates, strongest first, lead to, at most `degree` a node; the weakest goes.

    Parameters
    ----------
    edges
        The present associations of at least the nodes that the candidates name, under both of their nodes.
    candidates
        Two nodes and their cosine.
    degree
        K of SYNAPSE, section 3.1.

    Returns
    -------
    tuple[Edges, set[tuple[int, int]]]
        The associations of the nodes whose associations changed, under both nodes, and the pairs (low, high) that went.
    """
    changed: Edges = {}
    gone: set[tuple[int, int]] = set()

    def of(node: int) -> dict[int, float]:
        return changed.setdefault(node, dict(edges.get(node, {})))

    for one, other, cosine in candidates:
        weakest = {node: _weakest(of(node)) for node in (one, other) if len(of(node)) >= degree}
        if degree == 0 or other in of(one) or any(of(node)[far] >= cosine for node, far in weakest.items()):
            continue
        for node, far in weakest.items():
            of(node).pop(far, None)
            of(far).pop(node, None)
            gone.add((min(node, far), max(node, far)))
        of(one)[other] = of(other)[one] = cosine
        gone.discard((min(one, other), max(one, other)))
    return changed, gone


def _weakest(associations: Mapping[int, float]) -> int:
    """Give the other node of the weakest one, of equals the one made first; -1 where there is none."""
    return min(associations, key=lambda node: (associations[node], node), default=-1)
