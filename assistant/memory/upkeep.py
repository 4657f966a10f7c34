"""What a vault does by itself when it is opened and while it is open: let go of what has had its time."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from assistant.config import RetentionRule
from assistant.memory.retention import past_their_time
from storage.instants import to_columns
from storage.records import Receipt
from storage.vault import Vault

SHORTEST_GRACE = timedelta(days=1)
"""What nobody named goes no sooner: a clock that was wrong for an hour, or a rule that was, costs nothing."""


def keep_up(vault: Vault, *, rules: Sequence[RetentionRule], now: datetime, grace: timedelta) -> tuple[str, ...]:
    """Erase what waited for long enough, put aside what is past its time, and give a line for each to tell.

    When there is nothing to do this is a few quick queries, and nothing is written but, once a day and only where there
    are rules, how much came in by then.

    Parameters
    ----------
    vault
        Open, and in no transaction.
    rules
        How long memories are kept; the first that fits one decides.
    now
        The moment at which it is asked, aware.
    grace
        How long what was put aside can be had back; a day at least for what goes by rules and times.
    """
    now_us, _ = to_columns(now)
    lines = []
    if vault.overdue.is_pressing(now_us):
        receipt = vault.erase_waiting(None, now=now)
        if receipt is not None:
            lines.append(_told(receipt))
    if rules:
        from assistant.memory.arrivals import HORIZON_DAYS, note_arrivals  # brings numpy: for who has rules only

        note_arrivals(vault, now_us, horizon_days=HORIZON_DAYS)
    if past_their_time(vault, rules, now):
        from assistant.memory.choosing import Past, Selection  # as above
        from assistant.memory.forgetting import plan_forgetting, put_aside

        plan = plan_forgetting(vault, Selection(expired=Past(now=now, rules=tuple(rules))))
        forgetting = put_aside(vault, plan, now=now, grace=max(grace, SHORTEST_GRACE))
        lines.append(
            f"{_counted(forgetting.turns)} past their time put aside, gone for good on"
            f" {forgetting.until.astimezone():%Y-%m-%d %H:%M}; undo with: assistant forget --undo {forgetting.id[:8]}"
        )
    return tuple(lines)


def _told(receipt: Receipt) -> str:
    """Give the line about what was erased."""
    if receipt.pending:
        return (
            f"the time to undo is over for {_counted(receipt.turns)}; traces go from the file when no other process"
            " has it open"
        )
    return (
        f"the time to undo is over: {_counted(receipt.turns)} erased, {receipt.pages_scanned:,} pages searched,"
        f" {receipt.residue} traces left"
    )


def _counted(turns: int) -> str:
    return f"{turns:,} {'memory' if turns == 1 else 'memories'}"
