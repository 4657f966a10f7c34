"""Holding back what reads as an instruction to the assistant, and taking in what the user accepts."""

from collections.abc import Sequence

from assistant.memory.active import begin_epoch
from assistant.memory.succession import note_successions
from assistant.memory.suspicion import suspicions_of
from storage.records import Turn
from storage.vault import Vault


def examine(vault: Vault, turn: Turn) -> bool:
    """Give whether a turn may be used; if not, it is held back with the reasons. For a turn that has just been kept."""
    reasons = suspicions_of(turn)
    if reasons:
        vault.quarantine.put(turn.node, reasons)
    return not reasons


def accept(vault: Vault, nodes: Sequence[int]) -> list[int]:
    """Let turns be used like others, from now on and in every process; gives those that were held back, ascending."""
    with vault.transaction():
        taken_in = vault.quarantine.accept(nodes)
        for turn in vault.turns.by_nodes(taken_in):
            note_successions(vault, turn)
        if taken_in:
            begin_epoch(vault)
    return taken_in
