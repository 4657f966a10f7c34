"""What proves an erasure: the file, the index and the vectors are searched for what went, and the backups too.

The pages are decrypted without SQLite. What rows that remain hold too is no trace.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from storage import needles
from storage.backups import Backup, Backups, key_id
from storage.belongings import PASSAGE, VECTOR, Belonging
from storage.database import Database
from storage.errors import StorageError
from storage.files import translated
from storage.keys import DataKey
from storage.lexical import Lexical
from storage.page_cipher import decrypted
from storage.unlocking import DATABASE_FILE
from storage.vectors import nearest_passages, space_rows, vectors_with

_WORDS = {
    "node": ("uid", "text", "origin"),
    "turn": ("speaker", "external_id"),
    "conversation": ("uid", "title", "origin", "external_id"),
    "succession": ("slot",),
    "verdict": ("reasons",),
    "tag": ("name",),
    "quarantine": ("reasons",),
}
"""Columns with words or identifiers, by table."""

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
    ("tag", "name"),
    ("quarantine", "reasons"),
    ("conversation", "uid"),
    ("conversation", "title"),
    ("conversation", "origin"),
    ("conversation", "external_id"),
    ("forgotten_row", "content"),
    ("backup", "path"),
    ("setting", "key"),
    ("setting", "value"),
    ("embedding_space", "model"),
    ("embedding_space", "pooling"),
    ("sqlite_master", "sql"),
    ("sqlite_master", "name"),
    ("lexical_config", "k"),
)
"""Where words may rightly remain that were also in what was erased: those of others, of what waits to be erased, and
those the vault is made of.

What a column may hold by its check is in the schema's text.
"""

_BETWEEN = b"\xff"
"""Stands between values that are searched together: no text encoded as UTF-8 holds it."""
_MOST_PROBES = 64
"""Searches for nearest neighbours take as long as the vault is large: more of them would be quadratic."""
_NEAREST = 8


@dataclass(frozen=True, slots=True)
class Evidence:
    """What to look for when something was erased."""

    pieces: frozenset[bytes] = frozenset()
    """Of its words and vectors, and its identifiers."""
    passages: frozenset[int] = frozenset()
    """Numbers of its passages."""
    probes: tuple[tuple[int, bytes], ...] = ()
    """Some of its vectors, all when they are few, each behind the number of its space."""

    @classmethod
    def of(cls, rows: Sequence[Belonging]) -> "Evidence":
        """Give what to look for when these rows are erased."""
        vectors = [
            (row.nodes(("space",))[0], vector)
            for row in rows
            if row.table == PASSAGE and isinstance(vector := row.values[VECTOR], bytes)
        ]
        return cls(
            pieces=frozenset().union(*map(_pieces, rows)),
            passages=frozenset(row.nodes(("id",))[0] for row in rows if row.table == PASSAGE),
            probes=tuple(vectors[:: max(1, -(-len(vectors) // _MOST_PROBES))]),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a search came to."""

    pages: int
    unreadable: int
    """Pages that are not what was written with this key."""
    traces: int
    """Places in pages, words in the index and passages that were found though they went."""
    probes: int


def search(database: Database, key: DataKey, evidence: Evidence) -> Finding:
    """Look for what went, in the pages, in the index of words, and among the nearest neighbours."""
    found, pages, unreadable = _count(database.file, key, evidence.pieces)
    kept = _rightly_kept(database, found)
    probes, met = _probe(database, evidence)
    return Finding(
        pages=pages,
        unreadable=unreadable,
        traces=sum(n for piece, n in found.items() if piece not in kept) + Lexical(database).stray_words() + met,
        probes=probes,
    )


def search_backups(database: Database, key: DataKey, evidence: Evidence) -> int:
    """Give how many backups hold a trace, or cannot be read with this key.

    Those that are no more count nothing, and none does when there is nothing to look for.
    """
    if not evidence.pieces:
        return 0
    return sum(_holds_trace(database, key, backup, evidence) for backup in Backups(database).listing())


def _holds_trace(database: Database, key: DataKey, backup: Backup, evidence: Evidence) -> bool:
    file = backup.path / DATABASE_FILE
    try:
        with translated(file):
            if not file.exists():
                return False
        if backup.key_id != key_id(key):
            return True
        found, _, unreadable = _count(file, key, evidence.pieces)
    except StorageError:
        return True
    return bool(unreadable or found.keys() - _rightly_kept(database, found))


def _pieces(row: Belonging) -> set[bytes]:
    """Give what to search for of a row."""
    pieces: set[bytes] = set()
    for column in _WORDS.get(row.table, ()):
        words = row.values.get(column)
        if isinstance(words, str):
            pieces |= needles.of_text(words)
            pieces |= {words.encode()} if column == "uid" else set()
    if isinstance(terms := row.values.get("terms"), str):
        pieces |= needles.of_terms(terms)
    if isinstance(vector := row.values.get(VECTOR), bytes):
        pieces |= needles.of_vector(vector)
    return pieces


def _count(file: Path, key: DataKey, pieces: Iterable[bytes]) -> tuple[Counter[bytes], int, int]:
    """Give how often each piece is in a database's pages and log, their number, and how many are unreadable."""
    wanted = needles.Needles(pieces)
    found: Counter[bytes] = Counter()
    pages = unreadable = 0
    for stretch in decrypted(file, key):
        pages += stretch.pages
        unreadable += stretch.unreadable
        found += wanted.count(stretch.content)
    return found, pages, unreadable


def _rightly_kept(database: Database, pieces: Collection[bytes]) -> set[bytes]:
    """Give those pieces that rows which remain hold too."""
    if not pieces:
        return set()
    wanted = needles.Needles(pieces)
    kept: set[bytes] = set()
    for table, column in _KEPT_WORDS:
        values = database.rows(f"select cast({column} as blob) from {table} where {column} is not null")  # noqa: S608
        kept |= wanted.count(_BETWEEN.join([value for (value,) in values])).keys()
    return kept | {piece for piece in pieces if piece not in kept and vectors_with(database, piece)}


def _probe(database: Database, evidence: Evidence) -> tuple[int, int]:
    """Give how many searches for what is nearest to what went were made, and how often that itself was found."""
    spaces = set(space_rows(database))
    probes = [(space, vector) for space, vector in evidence.probes if space in spaces]
    met = 0
    for space, vector in probes:
        met += len(evidence.passages.intersection(nearest_passages(database, space, vector, _NEAREST)))
    return len(probes), met
