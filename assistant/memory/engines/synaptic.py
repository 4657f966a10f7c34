"""SynapticRAG: a question stirs memories near it in meaning and time, they stir others, and the stirred ones may fire.

Where it departs from the paper:

- A stimulus raises a potential only in time, and the paper does not say when it looks. Here a neuron's potential is the
  highest that it reaches if nothing else comes, and it fires if that reaches the threshold.
- Only what the question stimulated is ranked; what was stirred by other things a moment ago is not an answer.
- The default constants are calibrated: see `SynapticParameters`.
"""

from dataclasses import dataclass
from typing import cast

import numpy as np
from scipy import sparse

from assistant.memory.activation import Matrix, Rows, Vector
from assistant.memory.engines import Question, Ranking
from assistant.memory.graph import MemoryGraph
from assistant.memory.parameters import SynapticParameters
from assistant.memory.propagation import Nodes, Stimuli, propagate
from assistant.memory.spiking import FOREVER, Neurons, SpikeTrains, peak, replay, rest, stimulate


@dataclass(frozen=True, slots=True, kw_only=True)
class _Moment:
    """The memories at the turn in which the question is asked, the one after the last."""

    trains: SpikeTrains
    """Of the N nodes and the question, their latest spikes."""
    neurons: Neurons
    """Of the N nodes, at rest until this turn."""
    interval: Vector
    """Time (N,) since the last spike of each."""

    def potential(self, rows: Rows, stimulus: Vector, *, parameters: SynapticParameters) -> Vector:
        """Give the highest potential (q,) that nodes reach which receive these stimuli (q,)."""
        stirred = stimulate(self.neurons.of(rows), stimulus, self.interval[rows], parameters=parameters)
        return peak(stirred.potential, stirred.current, np.full(rows.size, FOREVER))


def rank(graph: MemoryGraph, question: Question) -> Ranking:
    """Give the membrane potentials that the question raises; those that fire stand first, for they are the highest.

    `energy` is the stimulus that came from the question itself, `received` that which came from other memories.
    """
    p = graph.parameters.synaptic
    cosine = graph.cosines(question.vector)
    moment = _moment(graph)

    # 1. stimuli, layer by layer (Eq. 1 to 15)
    nodes = Nodes(
        vectors=graph.node_vectors,
        cosine=cosine,
        trains=moment.trains,
        constants=np.append(moment.neurons.constant, p.time_constant_scale * p.time_constant),
    )
    stimuli = propagate(
        nodes, lambda rows, given: moment.potential(rows, given, parameters=p) >= p.threshold, parameters=p
    )

    # 2. what they do to the neurons (Eq. 16 to 18)
    stirred = np.flatnonzero(stimuli.layer > 0)
    potential = np.zeros(graph.size)
    potential[stirred] = moment.potential(stirred, stimuli.strength[stirred], parameters=p)
    straight = stimuli.parent == graph.size
    return Ranking(
        score=np.maximum(0.0, potential),
        cosine=cosine,
        bm25=graph.bm25(question.terms),
        energy=np.where(straight, stimuli.strength, 0.0),
        received=np.where(straight, 0.0, stimuli.strength),
        passing=_ways(stimuli),
        fired=(stimuli.layer > 0) & (potential >= p.threshold),
    )


def _moment(graph: MemoryGraph) -> _Moment:
    key = "synaptic.moment"
    if key not in graph.cache:
        p = graph.parameters.synaptic
        trains = SpikeTrains.of(graph.spikes, time_scale=p.time_scale)
        now = float(trains.times.max(initial=0.0)) + p.time_scale
        charged = replay(trains, parameters=p)
        graph.cache[key] = _Moment(
            trains=trains.latest(p.spikes).and_one(now),
            neurons=rest(charged, np.full(graph.size, now), parameters=p),
            interval=now - charged.since,
        )
    return cast("_Moment", graph.cache[key])


def _ways(stimuli: Stimuli) -> Matrix:
    """Give the edges (N, N) between memories that stimuli came by, and the share that each passed on."""
    n = stimuli.parent.size
    child = np.flatnonzero((stimuli.parent >= 0) & (stimuli.parent < n))
    parent = stimuli.parent[child]
    share = stimuli.strength[child] / stimuli.strength[parent]
    return sparse.csr_array((share, (child, parent)), shape=(n, n))
