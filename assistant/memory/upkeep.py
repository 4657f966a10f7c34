"""What a vault does by itself when it is opened and while it is open: let go of what has had its time."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from assistant.config import RetentionRule
from assistant.memory.retention import past_their_time
from storage.errors import DiskFull, VaultBusy
from storage.instants import to_columns
from storage.records import Receipt
from storage.vault import Vault

SHORTEST_GRACE = timedelta(days=1)
"""What nobody named goes no sooner: a clock that was wrong for an hour, or a rule that was, costs nothing."""


UNDO = "undo with: assistant forget --undo {id}"


def keep_up(
    vault: Vault, *, rules: Sequence[RetentionRule], now: datetime, grace: timedelta, undo: str = UNDO
) -> tuple[str, ...]:
    """Erase what waited for long enough, put aside what is past its time, and give a line for each to tell.

    Where another process has the vault, or the disk is full, it is left for another time, and a line says so. When
    there is nothing to do this is a few quick queries, and nothing is written but, once a day and only where there are
    rules, how much came in by then.

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
    undo
        How that is told, with `{id}` where it is named.
    """
    lines: list[str] = []
    try:
        lines.extend(_steps(vault, tuple(rules), now, max(grace, SHORTEST_GRACE), undo))
    except (VaultBusy, DiskFull) as error:  # the vault was opened for something else, which can be done all the same
        lines.append(f"what is past its time stays until the vault is opened next: {error}")
    return tuple(lines)


def _steps(vault: Vault, rules: tuple[RetentionRule, ...], now: datetime, grace: timedelta, undo: str) -> Iterator[str]:
    """Do one thing after the other, and give the line for each that there was to do."""
    now_us, _ = to_columns(now)
    if vault.overdue.is_pressing(now_us):
        receipt = vault.erase_waiting(None, now=now)
        if receipt is not None:
            yield _told(receipt)
    if rules:
        from assistant.memory.arrivals import HORIZON_DAYS, note_arrivals  # brings numpy: for who has rules only

        note_arrivals(vault, now_us, horizon_days=HORIZON_DAYS)
    if past_their_time(vault, rules, now):
        from assistant.memory.choosing import Past, Selection  # as above
        from assistant.memory.forgetting import plan_forgetting, put_aside

        plan = plan_forgetting(vault, Selection(expired=Past(now=now, rules=rules)))
        forgetting = put_aside(vault, plan, now=now, grace=grace)
        yield (
            f"{_counted(forgetting.turns)} past their time put aside, gone for good on"
            f" {forgetting.until.astimezone():%Y-%m-%d %H:%M}; {undo.format(id=forgetting.id[:8])}"
        )


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
