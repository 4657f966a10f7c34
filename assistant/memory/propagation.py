"""Stimulus propagation: a question stirs memories that are near it, and they stir others, layer by layer."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assistant.memory.alignment import temporal_scores
from assistant.memory.parameters import SynapticParameters
from assistant.memory.spiking import SpikeTrains

Vector = NDArray[np.float64]
Rows = NDArray[np.int64]
Fires = Callable[[Rows, Vector], NDArray[np.bool_]]
"""Tells which of these rows (q,) fire when they receive these stimuli (q,)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Nodes:
    """n memories and, as the last node, the question."""

    vectors: NDArray[np.float32]
    """(n, dimension), unit length, those of the memories alone."""
    cosine: Vector
    """(n,) of each memory and the question."""
    trains: SpikeTrains
    """(n + 1)."""
    constants: Vector
    """Time constants (n + 1,), scaled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """The q nodes that a layer reaches."""

    rows: Rows
    parents: Rows
    """The best parent (q,) of each; n is the question."""
    strength: Vector
    """S (q,)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stimuli:
    """What reached the n memories."""

    strength: Vector
    """S (n,); 0 where nothing came."""
    parent: Rows
    """The node (n,) that it came from: n is the question, -1 nothing."""
    layer: Rows
    """(n,), from 1; 0 where nothing came."""


def propagate(nodes: Nodes, fires: Fires, *, parameters: SynapticParameters) -> Stimuli:
    """Give the stimuli that spread from the question. SynapticRAG, Eq. 7 to 15.

    Every node is stimulated once, in the first layer that reaches it, by the parent that gives it most. Nodes that fire
    do not pass on what they received, nor do those that received too little.
    """
    n = nodes.cosine.size
    following = exact_layer if parameters.exact else centroid_layer
    strength, parent, number = np.zeros(n), np.full(n, -1), np.zeros(n, dtype=np.int64)

    # 1. layer 0 is the question alone, S = 1 (Eq. 7)
    near = np.flatnonzero(nodes.cosine > parameters.least_cosine)
    asked = np.full(near.size, n)
    given = propagation_scores(nodes, asked, near, nodes.cosine[near], parameters=parameters)
    layer = Layer(rows=near, parents=asked, strength=given)
    while layer.rows.size:
        # 2. what the layer received, and from whom (Eq. 12 to 14)
        number[layer.rows] = number.max(initial=0) + 1
        strength[layer.rows], parent[layer.rows] = layer.strength, layer.parents

        # 3. who passes it on (Eq. 9)
        enough = layer.strength > parameters.least_stimulus
        senders = layer.rows[enough & ~fires(layer.rows, layer.strength)]

        # 4. to those near them that no layer has reached (Eq. 10, 11)
        layer = following(nodes, senders, strength, np.flatnonzero(number == 0), parameters=parameters)
    return Stimuli(strength=strength, parent=parent, layer=number)


def propagation_scores(
    nodes: Nodes, parents: Rows, children: Rows, cosine: Vector, *, parameters: SynapticParameters
) -> Vector:
    """Give P (q,) of pairs: how well they fit in time, times how well in meaning, scaled. SynapticRAG, Eq. 6."""
    fit = temporal_scores(nodes.trains, parents, children, constants=nodes.constants)
    return parameters.stimulus_scale * fit * cosine


def exact_layer(
    nodes: Nodes, senders: Rows, strength: Vector, unreached: Rows, *, parameters: SynapticParameters
) -> Layer:
    """Give the next layer: every sender looks at every unreached node, O(n^2). SynapticRAG, Eq. 10 to 14.

    Of parents that give a child equally much the first is taken, so that it has one (Eq. 14).
    """
    best = np.zeros(unreached.size)
    best_parent = np.full(unreached.size, -1)
    vectors = nodes.vectors[unreached]
    for sender in senders:
        cosine = (vectors @ nodes.vectors[sender]).astype(np.float64)
        near = np.flatnonzero(cosine > parameters.least_cosine)
        pair = np.full(near.size, sender)
        given = strength[sender] * propagation_scores(nodes, pair, unreached[near], cosine[near], parameters=parameters)
        better = given > best[near]
        best[near[better]], best_parent[near[better]] = given[better], sender
    found = best_parent >= 0
    return Layer(rows=unreached[found], parents=best_parent[found], strength=best[found])


def centroid_layer(
    nodes: Nodes, senders: Rows, strength: Vector, unreached: Rows, *, parameters: SynapticParameters
) -> Layer:
    """Give the next layer by one look at the unreached nodes, O(n log n). SynapticRAG, appendix D.

    In meaning the centroid of all senders stands for each of them. The paper does not say what stands for them in time,
    nor whose stimulus is passed on: here it is that of the sender nearest in time to the child, its one parent.
    """
    if not senders.size:
        return Layer(rows=senders, parents=senders, strength=np.zeros(0))

    # 1. one direction for all senders
    centroid = nodes.vectors[senders].sum(axis=0)
    length = float(np.linalg.norm(centroid))
    cosine = (nodes.vectors[unreached] @ centroid).astype(np.float64) / (length or 1.0)
    near = np.flatnonzero(cosine > parameters.least_cosine)
    children = unreached[near]

    # 2. the sender nearest in time to each child: the one before or the one after it
    last = nodes.trains.last
    ordered = senders[np.argsort(last[senders], kind="stable")]
    after = np.searchsorted(last[ordered], last[children])
    before, after = np.maximum(after - 1, 0), np.minimum(after, ordered.size - 1)
    is_before = np.abs(last[ordered[before]] - last[children]) <= np.abs(last[ordered[after]] - last[children])
    parents = ordered[np.where(is_before, before, after)]

    # 3. what it gives
    given = strength[parents] * propagation_scores(nodes, parents, children, cosine[near], parameters=parameters)
    return Layer(rows=children, parents=parents, strength=given)
