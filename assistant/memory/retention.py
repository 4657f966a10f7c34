"""How long memories are kept: each as its own time says, else as the first rule that fits it.

Pinned memories are always kept. A memory with a time of its own goes by that alone. How old a memory is counts from
when it was said; of what was not said in a chat here, from when it came in, if that was later: an import of old chats
is not past its time the moment it is there. When something came in is known to the day, and taken for later rather
than earlier.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime

from assistant.config import RetentionRule
from assistant.memory.arrivals import here_since, last_here
from assistant.memory.units import MICROSECONDS_A_DAY
from storage.instants import to_columns
from storage.overdue import AgedTurn, AgeLimit
from storage.records import Source
from storage.vault import Vault


def past_their_time(vault: Vault, rules: Sequence[RetentionRule], now: datetime) -> list[int]:
    """Give the nodes of the turns that expired or that the rules let go, ascending. Changes nothing."""
    now_us, _ = to_columns(now)
    expired = vault.overdue.expired(now_us) if vault.overdue.is_pressing(now_us) else []
    limits = [_limit(vault, rule, now_us) for rule in rules if rule.keep_days is not None]
    aged = vault.overdue.aged(limits)
    arrived = dict(
        zip((turn.node for turn in aged), here_since(vault, [turn.node for turn in aged], now_us), strict=True)
    )
    return sorted({*expired, *let_go(aged, rules, now_us=now_us, arrived=arrived)})


def let_go(
    turns: Sequence[AgedTurn], rules: Sequence[RetentionRule], *, now_us: int, arrived: Mapping[int, int]
) -> list[int]:
    """Give the nodes of the turns that are older than the first rule that fits them allows.

    Parameters
    ----------
    turns
        None of them pinned, or with a time of its own.
    rules
        In order; what none fits is kept.
    now_us
        UTC microseconds since 1970.
    arrived
        By when each of them was here: what counts for all that was not said in a chat.
    """
    gone = []
    for turn in turns:
        rule = next((rule for rule in rules if _fits(rule, turn)), None)
        since = turn.said_us if turn.source is Source.CHAT else max(turn.said_us, arrived[turn.node])
        if rule is not None and rule.keep_days is not None and now_us - since >= rule.keep_days * MICROSECONDS_A_DAY:
            gone.append(turn.node)
    return gone


def _fits(rule: RetentionRule, turn: AgedTurn) -> bool:
    return (not rule.source or rule.source == turn.source.value) and (not rule.tag or rule.tag in turn.tags)


def _limit(vault: Vault, rule: RetentionRule, now_us: int) -> AgeLimit:
    """Give what a rule may let go of at most, so that the vault need not give more."""
    said_us = now_us - int((rule.keep_days or 0) * MICROSECONDS_A_DAY)
    return AgeLimit(
        said_us=said_us,
        last_node=last_here(vault, said_us),
        source=Source(rule.source) if rule.source else None,
        tag=rule.tag,
    )
