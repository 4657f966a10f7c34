"""Forgetting for good: after it, not even the holder of the key finds a trace in the vault's files.

Deleting is not enough: pieces of what was deleted stay in the slack of pages and in parts of the index that were not
yet merged. So the index is merged, the file is built anew, and the write-ahead log is emptied. Then every page is
decrypted without SQLite and searched. The log cannot be emptied while another process reads; until it was, the receipt
is pending, and each opening of the vault tries again.
"""

import hashlib
import secrets
from collections.abc import Sequence
from datetime import datetime

from storage import grace
from storage.belongings import NODE, PASSAGE, SUPPORT, Belonging, belongings
from storage.concepts import resting_on
from storage.database import Database, listed
from storage.errors import DiskFull, StorageError, VaultBusy
from storage.instants import from_columns
from storage.keys import DataKey
from storage.ledger import Ledger
from storage.lexical import Lexical
from storage.proof import Evidence, search, search_backups
from storage.records import Receipt, new_id
from storage.taking_back import take_back
from storage.vectors import drop_passages


def erase(database: Database, key: DataKey, nodes: Sequence[int], *, revised: Sequence[Belonging] = ()) -> Receipt:
    """Delete nodes with all that was made of them, purge the file of their traces, and prove it.

    Parameters
    ----------
    database
        The open vault.
    key
        Its data key, for the proof.
    nodes
        What goes, turns and concepts; those that are gone already count for nothing. Concepts that cannot stay without
        these turns go too, and the turns left over wait for their maker again.
    revised
        What `words_of` gave of turns that have other words since; searched for like what goes.

    Returns
    -------
    Receipt
        Also kept in the ledger. Pending when another process holds the file.

    """
    _refuse_within(database)
    with database.alone():
        with database.transaction():
            receipt, rows = _delete(database, nodes)
        return _prove(database, key, receipt, [*rows, *revised])


def words_of(database: Database, nodes: Sequence[int]) -> list[Belonging]:
    """Give the rows with the words and vectors of nodes, and of the concepts that rest on them."""
    resting = resting_on(database, nodes)
    rows = belongings(database, sorted({*nodes, *resting}), ())
    return [row for row in rows if row.table in {NODE, PASSAGE}]


def erase_waiting(database: Database, key: DataKey, ids: Sequence[str] | None, *, now: datetime) -> Receipt | None:
    """Erase what waits to be, as `erase` does, all of it in one run.

    Parameters
    ----------
    database, key
        The open vault.
    ids
        Which forgettings, by the beginnings of their identifiers; None for those that are due.
    now
        The time of the receipt.

    Returns
    -------
    Receipt | None
        None when nothing is due.

    Raises
    ------
    NotFound, AmbiguousId
        One of these names none, or several.

    """
    _refuse_within(database)
    with database.alone():
        if ids is None and not grace.due(database, now):  # asking writes nothing
            return None
        with database.transaction():
            uids = grace.due(database, now) if ids is None else [one.id for one in grace.named(database, *ids)]
            if not uids:
                return None
            rows = [one.row for one in grace.waiting_rows(database, uids)]
            database.run("delete from forgetting where uid in (select value from json_each(?))", (listed(uids),))
            receipt = _settle(database, rows, now)
        return _prove(database, key, receipt, rows)


def take_back_waiting(database: Database, key: DataKey, id_prefix: str) -> grace.Forgetting:
    """Take back what waits to be erased, and erase what of it has no place any more.

    Within a transaction that erasure is pending when this returns.

    Raises
    ------
    NotFound, AmbiguousId
        There is no forgetting whose identifier begins so, or there are several.

    """
    with database.alone():
        with database.transaction():
            taken, left = take_back(database, id_prefix)
            lost = any(row.table == NODE for row in left)
            receipt = _settle(database, left, _moment(database)) if lost else None
        if receipt is not None and not database.in_transaction():
            _prove(database, key, receipt, left)
        return taken


def finish(database: Database, key: DataKey, receipt: str = "", evidence: Evidence | None = None) -> bool:
    """Purge the file of what was deleted; give whether nothing is pending any more.

    Only the erasure that has just been made is searched for. Of earlier ones that were pending nothing was kept that
    one could search for: theirs is the proof that the whole file was built anew and that each of its pages is whole.

    Parameters
    ----------
    database, key
        The open vault.
    receipt
        Identifier of the receipt that the evidence belongs to.
    evidence
        What to search for.

    """
    ledger = Ledger(database)
    sought = evidence or Evidence()
    try:
        with database.alone():
            deleted_before = {kept.id for kept in ledger.pending()}
            if not purge(database):
                return False
            with database.transaction():
                found = search(database, key, sought)
                for kept in ledger.pending():
                    if kept.id in deleted_before:
                        ledger.settle(kept.id, pages_scanned=found.pages, residue=found.unreadable)
                residue = found.unreadable + found.traces
                ledger.settle(receipt, pages_scanned=found.pages, residue=residue, probes=found.probes)
            return True
    except (VaultBusy, DiskFull):
        return False


def purge(database: Database) -> bool:
    """Merge the index, build the file anew, empty the log; give whether no other process held the log."""
    Lexical(database).optimize()
    database.run("vacuum")
    return database.row("pragma wal_checkpoint(truncate)") == (0, 0, 0)


def _delete(database: Database, nodes: Sequence[int]) -> tuple[Receipt, list[Belonging]]:
    """Delete nodes, and give the pending receipt that was put in their place with the rows that went."""
    rows = grace.take_out(database, nodes)
    return _settle(database, rows, _moment(database)), rows


def _settle(database: Database, rows: list[Belonging], now: datetime) -> Receipt:
    """Put a pending receipt in the place of rows that went, inside the transaction around it.

    What waits and rested on them goes too, and is added to the rows.
    """
    gone = {node for row in rows if row.table == NODE for node in row.nodes(("id",))}
    weakened = {row.nodes(("concept",))[0] for row in rows if row.table == SUPPORT} - gone
    drop_passages(database, sorted(weakened))  # their vectors had moved towards what went, and are made again
    waiting = grace.drop_waiting(database, gone)
    counts = grace.Counts.of([*rows, *waiting], conversations=_emptied(database, rows))
    receipt = Receipt(
        id=new_id(),
        time=now,
        turns=counts.turns,
        passages=counts.passages,
        conversations=counts.conversations,
        concepts=counts.concepts,
        pages_scanned=0,
        residue=0,
        pending=True,
        digest=_digest(rows),
    )
    Ledger(database).append(receipt)
    rows += waiting
    return receipt


def _emptied(database: Database, rows: Sequence[Belonging]) -> int:
    """Give how many conversations are gone for good: neither there nor waiting."""
    gone = grace.gone_conversations(database, rows)
    if gone:
        gone -= grace.gone_conversations(database, [one.row for one in grace.waiting_rows(database)])
    return len(gone)


def _prove(database: Database, key: DataKey, receipt: Receipt, rows: Sequence[Belonging]) -> Receipt:
    """Search the backups, purge the file and search it, and give the receipt as the ledger has it then."""
    ledger, evidence = Ledger(database), Evidence.of(rows)
    ledger.note_backups(receipt.id, search_backups(database, key, evidence))
    finish(database, key, receipt.id, evidence)
    return next(kept for kept in ledger.listing() if kept.id == receipt.id)


def _digest(rows: Sequence[Belonging]) -> str:
    """Give SHA-256 over a random salt, which is thrown away, and the texts."""
    digest = hashlib.sha256(secrets.token_bytes(32))
    for row in rows:
        if row.table == NODE:
            digest.update(str(row.values["text"]).encode())
    return digest.hexdigest()


def _moment(database: Database) -> datetime:
    return from_columns(database.value("select cast(unixepoch('subsec') * 1000000 as integer)"), 0)


def _refuse_within(database: Database) -> None:
    if database.in_transaction():
        raise StorageError("An erasure cannot be part of a transaction.")
