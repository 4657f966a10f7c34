"""Forgetting for good: after it, not even the holder of the key finds a trace in the vault's files.

Deleting is not enough: pieces of what was deleted stay in the slack of pages and in parts of the index that were not
yet merged. So the index is merged, the file is built anew, and the write-ahead log is emptied. Then every page is
decrypted without SQLite and searched. The log cannot be emptied while another process reads; until it was, the receipt
is pending, and each opening of the vault tries again.
"""

import hashlib
import secrets
from collections import Counter
from collections.abc import Collection, Sequence

from storage import needles
from storage.concepts import reopen, resting_on
from storage.conversations import EPISODIC, SEMANTIC
from storage.database import Database, listed
from storage.errors import DiskFull, StorageError, VaultBusy
from storage.instants import from_columns
from storage.keys import DataKey
from storage.ledger import Ledger
from storage.lexical import Lexical
from storage.page_cipher import decrypted
from storage.records import Receipt, new_id
from storage.vectors import drop_passages, vectors_of, vectors_with

_OTHER_WORDS = (
    "select s.slot from succession as s join json_each(?1) as going on going.value in (s.newer, s.older)",
    "select reasons from verdict where answer in (select value from json_each(?1))",
)
"""What goes with nodes, beside their own words."""

_KEPT_WORDS = (
    ("node", "uid"),
    ("node", "text"),
    ("node", "terms"),
    ("node", "origin"),
    ("turn", "speaker"),
    ("turn", "external_id"),
    ("turn", "model"),
    ("succession", "slot"),
    ("recollection", "parts"),
    ("path_step", "kind"),
    ("verdict", "outcome"),
    ("verdict", "reasons"),
    ("conversation", "uid"),
    ("conversation", "title"),
    ("conversation", "origin"),
    ("conversation", "external_id"),
    ("setting", "key"),
    ("setting", "value"),
    ("embedding_space", "model"),
    ("embedding_space", "pooling"),
    ("sqlite_master", "sql"),
    ("sqlite_master", "name"),
    ("lexical_config", "k"),
)
"""Where words may rightly remain that were also in what was erased: those of others, and those the vault is made of.

What a column may hold by its check is in the schema's text.
"""


_BETWEEN = b"\xff"
"""Stands between values that are searched together: no text encoded as UTF-8 holds it."""


def erase(database: Database, key: DataKey, nodes: Sequence[int]) -> Receipt:
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

    Returns
    -------
    Receipt
        Also kept in the ledger. Pending when another process holds the file.

    """
    if database.in_transaction():
        raise StorageError("An erasure cannot be part of a transaction.")
    with database.alone():
        with database.transaction():
            resting = resting_on(database, nodes)
            going = [*nodes, *resting]
            pieces = _pieces(database, going)
            reopen(database, resting)
            receipt = _delete(database, going)
        finish(database, key, receipt.id, pieces)
        return next(kept for kept in Ledger(database).listing() if kept.id == receipt.id)


def finish(database: Database, key: DataKey, receipt: str = "", pieces: frozenset[bytes] = frozenset()) -> bool:
    """Purge the file of what was deleted; give whether nothing is pending any more.

    Only the erasure that has just been made is searched for. Of earlier ones that were pending nothing was kept that
    one could search for: theirs is the proof that the whole file was built anew and that each of its pages is whole.

    Parameters
    ----------
    database, key
        The open vault.
    receipt
        Identifier of the receipt that the pieces belong to.
    pieces
        What to search for.

    """
    ledger = Ledger(database)
    try:
        with database.alone():
            deleted_before = {kept.id for kept in ledger.pending()}
            if not purge(database):
                return False
            with database.transaction():
                pages, unreadable, found = _search(database, key, pieces)
                for kept in ledger.pending():
                    if kept.id in deleted_before:
                        ledger.settle(kept.id, pages_scanned=pages, residue=unreadable)
                ledger.settle(receipt, pages_scanned=pages, residue=unreadable + sum(found.values()))
            return True
    except (VaultBusy, DiskFull):
        return False


def purge(database: Database) -> bool:
    """Merge the index, build the file anew, empty the log; give whether no other process held the log."""
    Lexical(database).optimize()
    database.run("vacuum")
    return database.row("pragma wal_checkpoint(truncate)") == (0, 0, 0)


def _delete(database: Database, nodes: Sequence[int]) -> Receipt:
    """Delete the rows and put a pending receipt in their place, inside the transaction around it."""
    chosen = listed(nodes)
    digest = hashlib.sha256(secrets.token_bytes(32))
    for (text,) in database.rows(
        "select text from node where id in (select value from json_each(?)) order by id", (chosen,)
    ):
        digest.update(text.encode())

    conversations = database.value(
        "select json_group_array(distinct conversation) from turn where node in (select value from json_each(?))",
        (chosen,),
    )
    passages = drop_passages(database, nodes)
    kinds = Counter(
        database.rows("delete from node where id in (select value from json_each(?)) returning kind", (chosen,))
    )
    emptied = database.rows(
        "delete from conversation where id in (select value from json_each(?))"
        " and not exists (select 1 from turn where turn.conversation = conversation.id) returning id",
        (conversations,),
    )
    receipt = Receipt(
        id=new_id(),
        time=from_columns(database.value("select cast(unixepoch('subsec') * 1000000 as integer)"), 0),
        turns=kinds[EPISODIC,],
        passages=passages,
        conversations=len(emptied),
        concepts=kinds[SEMANTIC,],
        pages_scanned=0,
        residue=0,
        pending=True,
        digest=digest.hexdigest(),
    )
    Ledger(database).append(receipt)
    return receipt


def _pieces(database: Database, nodes: Sequence[int]) -> frozenset[bytes]:
    """Give what to search for afterwards: pieces of the words and vectors, and the identifiers."""
    rows = database.rows(
        "select n.uid, n.text, n.terms, coalesce(t.speaker, ''), coalesce(t.external_id, ''), c.title, c.uid"
        " from node as n left join turn as t on t.node = n.id left join conversation as c on c.id = t.conversation"
        " where n.id in (select value from json_each(?))",
        (listed(nodes),),
    )
    pieces: set[bytes] = set()
    for uid, text, terms, *others in rows:
        pieces |= needles.of_text(text) | needles.of_terms(terms)
        pieces.add(uid.encode())
        for other in others:
            pieces |= needles.of_text(other or "")
    for statement in _OTHER_WORDS:
        for (words,) in database.rows(statement, (listed(nodes),)):
            pieces |= needles.of_text(words)
    for vector in vectors_of(database, nodes):
        pieces |= needles.of_vector(vector)
    return frozenset(pieces)


def _search(database: Database, key: DataKey, pieces: frozenset[bytes]) -> tuple[int, int, Counter[bytes]]:
    """Give the pages searched, those unreadable, and how often each piece was found that is in no row any more."""
    wanted = needles.Needles(pieces)
    found: Counter[bytes] = Counter()
    pages = unreadable = 0
    for stretch in decrypted(database.file, key):
        pages += stretch.pages
        unreadable += stretch.unreadable
        found += wanted.count(stretch.content)
    kept = _rightly_kept(database, found)
    return pages, unreadable, Counter({piece: n for piece, n in found.items() if piece not in kept})


def _rightly_kept(database: Database, pieces: Collection[bytes]) -> set[bytes]:
    """Give those pieces that rows which remain hold too."""
    wanted = needles.Needles(pieces)
    kept: set[bytes] = set()
    for table, column in _KEPT_WORDS:
        values = database.rows(f"select cast({column} as blob) from {table} where {column} is not null")  # noqa: S608
        kept |= wanted.count(_BETWEEN.join([value for (value,) in values])).keys()
    return kept | {piece for piece in pieces if piece not in kept and vectors_with(database, piece)}
