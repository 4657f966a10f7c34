"""What an answer teaches the memory.

Plasticity is gated by outcome: HeLa-Mem strengthens whatever is recalled together, which makes hubs win and fills the
graph with edges that say only that two memories were looked at. Here a memory learns when an answer drew on it.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime

from assistant.memory.archive import open_window, reinstate
from assistant.memory.dormancy import active_share
from assistant.memory.hebbian import pairs_among, updated
from assistant.memory.parameters import DormancyParameters, Parameters
from storage.instants import to_columns
from storage.vault import Vault


def learn(vault: Vault, used: Sequence[int], now: datetime, parameters: Parameters) -> None:
    """Note that memories were used, and strengthen the edges among them.

    Inside the transaction of what else an answer writes. One memory alone notes its use and has no edge. A memory that
    came from the archive is back in the graph, with its neighbours.

    Parameters
    ----------
    used
        Nodes that were put into a prompt and that the answer drew on, or that the user confirmed; the best first. Those
        that are gone are left out.
    now
        When that was.
    """
    if not used:
        return
    now_us, _ = to_columns(now)
    edges = pairs_among(used, most=parameters.hebbian.most_together)
    with vault.transaction():
        vault.traces.note_used(used, now_us)
        reinstate(vault, used, parameters.archive_reach)
        stored = {edge: (kept.hebbian, kept.updated_us) for edge, kept in vault.associations.of(edges).items()}
        learned = updated(stored, edges, now_us=now_us, parameters=parameters.hebbian)
        vault.associations.put_learned([(*edge, weight, since) for edge, (weight, since) in learned.items()])


def note_recalled(vault: Vault, scores: Mapping[int, float], parameters: DormancyParameters) -> None:
    """Note which memories were active when a reply was prepared, for they do not sleep.

    Inside the transaction of what else an answer writes, never for a mere look: what is recalled only to be looked at
    leaves no trace.

    Parameters
    ----------
    scores
        Of each node that was recalled for the reply.
    """
    active = active_share(list(scores.values()), epsilon=parameters.epsilon)
    nodes = [node for node, is_active in zip(scores, active, strict=True) if is_active]
    with vault.transaction():
        vault.traces.note_active(nodes, open_window(vault))
