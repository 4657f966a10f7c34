"""The integrate-and-fire neuron of a memory: stimuli charge it, time leaks the charge, enough of it makes it fire.

Current I and potential V of a node obey, between its spikes, tau I' = -I and tau V' = -V + I (SynapticRAG, Eq. 16, 17).
With the same time constant in both the solution needs no steps: after x = t / tau,

    I(x) = e^-x I(0),    V(x) = e^-x (V(0) + x I(0)).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import lambertw

from assistant.memory.parameters import SynapticParameters

Vector = NDArray[np.float64]
Rows = NDArray[np.int64]
FOREVER = 50.0
"""In time constants: nothing of a charge is left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpikeTrains:
    """When each of n nodes was stimulated, and how strongly: s spikes, node by node."""

    times: Vector
    """(s,), ascending within a node, in units of the time constant."""
    strengths: Vector
    """(s,), 0 to 1."""
    starts: Rows
    """(n + 1,): the spikes of node i are those from starts[i] to starts[i + 1]; at least one."""

    @classmethod
    def of(cls, trains: Sequence[NDArray[np.float64]], *, time_scale: float) -> Self:
        """Give the trains of nodes, each an array (spikes, 2) of turn numbers and strengths."""
        spikes = np.concatenate([np.zeros((0, 2)), *trains])
        starts = np.cumsum([0, *map(len, trains)])
        return cls(times=time_scale * spikes[:, 0], strengths=np.clip(spikes[:, 1], 0.0, 1.0), starts=starts)

    @property
    def lengths(self) -> Rows:
        """Spikes (n,) of each node."""
        lengths: Rows = np.diff(self.starts)
        return lengths

    @property
    def last(self) -> Vector:
        """Time (n,) of each node's last spike."""
        last: Vector = self.times[self.starts[1:] - 1]
        return last

    def times_of(self, rows: Rows) -> NDArray[np.float64]:
        """Give the times (q, length) of nodes that have equally many spikes."""
        length = int(self.lengths[rows[0]])
        times: NDArray[np.float64] = self.times[self.starts[rows][:, np.newaxis] + np.arange(length)]
        return times

    def latest(self, most: int) -> "SpikeTrains":
        """Give these trains with at most `most` spikes a node, the last ones."""
        place = np.repeat(self.starts[1:], self.lengths) - np.arange(self.times.size)  # 1 is the last
        kept = place <= most
        starts = np.concatenate([[0], np.cumsum(np.minimum(self.lengths, most))])
        return SpikeTrains(times=self.times[kept], strengths=self.strengths[kept], starts=starts)

    def and_one(self, time: float) -> "SpikeTrains":
        """Give these trains and that of one more node, the last, with a single spike of strength 1."""
        return SpikeTrains(
            times=np.append(self.times, time),
            strengths=np.append(self.strengths, 1.0),
            starts=np.append(self.starts, self.starts[-1] + 1),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Neurons:
    """The state (n,) of each node's neuron at a time of its own."""

    potential: Vector
    """V."""
    current: Vector
    """I."""
    constant: Vector
    """tau, scaled."""
    since: Vector
    """The time of this state."""

    def of(self, rows: Rows) -> "Neurons":
        """Give the neurons of these rows."""
        return Neurons(
            potential=self.potential[rows],
            current=self.current[rows],
            constant=self.constant[rows],
            since=self.since[rows],
        )


def leak(potential: Vector, current: Vector, x: Vector) -> tuple[Vector, Vector]:
    """Give V and I (n,) after x (n,) time constants without a spike. SynapticRAG, Eq. 16 and 17 in closed form."""
    left = np.exp(-x)
    return left * (potential + x * current), left * current


def growth(interval: Vector) -> Vector:
    """Give by how much tau (n,) grows at a spike after such an interval: 0 at once, towards 1 after a long rest.

    SynapticRAG, Eq. 18: (1 - e^-dt) / (1 + e^-dt), which is tanh(dt / 2).
    """
    return np.tanh(interval / 2)


def peak(potential: Vector, current: Vector, within: Vector) -> Vector:
    """Give the highest potential (n,) on the way through the next `within` (n,) time constants.

    V'(x) = e^-x (I - V - x I) is 0 at x = 1 - V / I. For I > 0 that is the top; else the higher end of the interval is.
    """
    charged = current > 0
    with np.errstate(over="ignore"):  # next to no current: the top lies before or beyond all time
        top = np.where(charged, 1 - potential / np.where(charged, current, 1.0), 0.0)
    at_top, _ = leak(potential, current, np.clip(top, 0.0, within))
    at_end, _ = leak(potential, current, within)
    return np.where(charged, at_top, np.maximum(potential, at_end))


def time_to(threshold: float, potential: Vector, current: Vector) -> Vector:
    """Give after how many time constants (n,) the potential first reaches the threshold; infinite if it never does.

    Solves e^-x (V + x I) = threshold on the rising side: with y = x + V / I, y e^-y = threshold e^(-V/I) / I, so
    y = -W0(-threshold e^(-V/I) / I), Lambert's function.
    """
    after = np.where(potential >= threshold, 0.0, np.inf)
    highest = peak(potential, current, np.full_like(potential, FOREVER))
    rising = np.flatnonzero((potential < threshold) & (current > 0) & (highest >= threshold))
    ratio = potential[rising] / current[rising]
    z = np.maximum(-threshold * np.exp(-ratio) / current[rising], -np.exp(-1.0))  # rounding at the very top
    after[rising] = np.maximum(0.0, -lambertw(z).real - ratio)
    return after


def rest(neurons: Neurons, now: Vector, *, parameters: SynapticParameters) -> Neurons:
    """Give the neurons at `now` (n,), nothing having stimulated them since.

    One that reaches the threshold on the way fires and is reset to (V_rest, I_rest), once: a rest above the threshold,
    as published, would make it fire without end.
    """
    passed = np.maximum(0.0, now - neurons.since) / neurons.constant
    firing = time_to(parameters.threshold, neurons.potential, neurons.current)
    fires = firing <= passed
    potential, current = leak(
        np.where(fires, parameters.rest_potential, neurons.potential),
        np.where(fires, parameters.rest_current, neurons.current),
        np.where(fires, passed - np.where(fires, firing, 0.0), passed),
    )
    return Neurons(potential=potential, current=current, constant=neurons.constant, since=now)


def stimulate(neurons: Neurons, stimulus: Vector, interval: Vector, *, parameters: SynapticParameters) -> Neurons:
    """Give the neurons after a stimulus (n,) each, `interval` (n,) after the one before.

    Eq. 18 first: a node that is seldom stimulated keeps the new charge for longer. Eq. 16 then: the delta of a stimulus
    s lets the current jump by s / tau.
    """
    constant = neurons.constant + parameters.time_constant_scale * growth(interval)
    return Neurons(
        potential=neurons.potential,
        current=neurons.current + stimulus / constant,
        constant=constant,
        since=neurons.since,
    )


def replay(trains: SpikeTrains, *, parameters: SynapticParameters) -> Neurons:
    """Give the neurons (n,) of these trains right after the last spike of each; born at rest, (V_rest, I_rest)."""
    first = trains.starts[:-1]
    n = first.size
    constant = np.full(n, parameters.time_constant_scale * parameters.time_constant)
    neurons = Neurons(
        potential=np.full(n, parameters.rest_potential),
        current=parameters.rest_current + trains.strengths[first] / constant,
        constant=constant,
        since=trains.times[first],
    )
    for spike in range(1, int(trains.lengths.max(initial=0))):
        rows = np.flatnonzero(trains.lengths > spike)
        place = trains.starts[rows] + spike
        before, time = neurons.of(rows), trains.times[place]
        after = stimulate(
            rest(before, time, parameters=parameters),
            trains.strengths[place],
            time - before.since,
            parameters=parameters,
        )
        for whole, part in zip(_fields(neurons), _fields(after), strict=True):
            whole[rows] = part
    return neurons


def _fields(neurons: Neurons) -> tuple[Vector, Vector, Vector, Vector]:
    return neurons.potential, neurons.current, neurons.constant, neurons.since
