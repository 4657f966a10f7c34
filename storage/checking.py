"""Finds what is wrong with a vault: damaged pages, rows that contradict one another, indexes that hold something else.

What can be made again from the rest is mended; what was lost comes back from a backup alone.
"""

import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from storage import files, grace, migrations, replacing
from storage.damage import Pages, damaged_frames, damaged_pages
from storage.database import Database
from storage.errors import SAVING, StorageError, VaultDamaged
from storage.keys import KEY_FILE, DataKey, KeyFile
from storage.ledger import Ledger
from storage.lexical import Lexical
from storage.survey import meaning, owners
from storage.unlocking import DATABASE_FILE
from storage.vectors import drop_passages, space_tables

Progress = Callable[[str, int, int], None]
"""Takes what is being done, how much of it is done, and all there is."""

_MEND = "`assistant vault check --repair` puts that right."
_PUT_BACK = "Put back a backup with `assistant vault restore`, or export and import what is there."


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Something that is wrong with a vault."""

    kind: str
    """One word or two for programs: `page`, `lexical index`."""
    what: str
    """In one sentence."""
    remedy: str
    """What to do."""
    mendable: bool = False
    """Whether `mend` puts it right."""


UNREAD = Fault(kind="unread", what="The rest cannot be read: what is damaged lies in the way.", remedy=SAVING)

_RULES = (
    (
        "turn",
        (
            "select count(*) from node as n left join turn as t on t.node = n.id"
            " where (n.kind = 'episodic') <> (t.node is not null)"
        ),
        "{} memories have no place in a conversation, or are no memories.",
    ),
    (
        "concept",
        (
            "select count(*) from node as n left join concept as c on c.node = n.id"
            " where (n.kind = 'semantic') <> (c.node is not null)"
        ),
        "{} concepts have no kind, or are no concepts.",
    ),
    (
        "support",
        "select count(*) from concept where node not in (select concept from support)",
        "{} concepts rest on nothing that was said.",
    ),
    (
        "position",
        "select count(*) from (select 1 from turn group by conversation, position having count(*) > 1)",
        "{} places in conversations are taken twice.",
    ),
    (
        "association",
        (
            "select count(*) from association where low >= high"
            " or low not in (select id from node) or high not in (select id from node)"
        ),
        "{} associations join a memory with itself or with nothing.",
    ),
    ("trace", "select count(*) from trace where pinned and archived", "{} memories are both pinned and archived."),
    (
        "succession",
        (
            "with recursive chain(first, last) as (select newer, older from succession"
            " union select c.first, s.older from chain as c join succession as s on s.newer = c.last)"
            " select count(*) from chain where first = last"
        ),
        "{} memories take the place of what took theirs.",
    ),
    (
        "branch",
        (
            "with recursive chain(first, last) as (select conversation, parent from branch"
            " union select c.first, b.parent from chain as c join branch as b on b.conversation = c.last)"
            " select count(*) from chain where first = last"
        ),
        "{} conversations continue from themselves.",
    ),
    (
        "passage",
        (
            "select count(*) from passage as p join node as n on n.id = p.node"
            " where p.start < 0 or p.stop < p.start or p.stop > length(n.text)"
        ),
        "{} vectors are of more than was said.",
    ),
)
"""What no row may contradict: kind, what counts those that do, and how it is told."""

_EMPTY = (
    "from conversation where source <> 'note' and id not in (select conversation from turn)"
    " and id < (select max(id) from conversation)"
)
"""Conversations without turns. Notes may have none, and the latest one may be about to get its first."""
_BARE = "select distinct node from passage where space = ? and id not in (select passage from {table})"
"""The nodes that lack a vector which they are said to have."""
_ALONE = "select passage from {table} except select id from passage where space = ?"
"""The vectors that belong to no node."""


def check_stored(folder: Path, key: DataKey, progress: Progress) -> list[Fault]:
    """Give all that is wrong with a vault's files, without SQLite: what it holds is judged by the key alone.

    The vault need not be open, and best is not: opening it drops what lies behind a damaged page of the log.
    """
    replacing.complete(folder)
    return [*_check_files(folder), *_check_pages(folder / DATABASE_FILE, key, progress)]


def check_rows(database: Database, key: DataKey, progress: Progress) -> list[Fault]:
    """Give all that is wrong with the rows of an open vault, as they are at one moment; nothing is changed."""
    found = list[Fault]()
    view = Database(database.file, key)
    try:
        with view.snapshot():
            progress("reading rows", 0, 1)
            for part in (_check_structure, _check_rules, _check_vectors, _check_what_waits):
                found += part(view)
            progress("reading rows", 1, 1)
        found += _check_lexical(database)
    except VaultDamaged:
        found.append(UNREAD)
    finally:
        view.close()
    return found


def mend(database: Database) -> None:
    """Make again what can be made again, so that it fits what was said.

    The index is built anew, vectors that belong to nothing go, those that are missing are made when the assistant is
    next used, empty conversations go, and the files are closed to others.
    """
    Lexical(database).mend()
    with database.transaction():
        for space, table in space_tables(database).items():
            alone = database.rows(_ALONE.format(table=table), (space,))
            database.run_each(f"delete from {table} where passage = ?", alone)  # own name  # noqa: S608
            bare = database.rows(_BARE.format(table=table), (space,))
            drop_passages(database, [node for (node,) in bare])
        database.run(f"delete {_EMPTY}")
    folder = database.file.parent
    with files.translated(folder):
        for one in folder.glob("*"):
            if one.is_file():
                one.chmod(0o600)


def _check_files(folder: Path) -> list[Fault]:
    """Give what is wrong with the key file, and with who may read the vault's files."""
    found = list[Fault]()
    path = folder / KEY_FILE
    try:
        keys = KeyFile.read(path)
    except StorageError as error:
        found.append(Fault(kind="keys", what=f"{error}", remedy="The key file of a backup of this vault fits too."))
    else:
        if keys.pending is not None:
            remedy = "Close whatever has it open, and unlock it again: that ends the change."
            found.append(Fault(kind="keys", what="A change of the vault's key is not finished.", remedy=remedy))
    with files.translated(folder):
        for one in sorted(folder.glob("*")):
            if one.is_file() and stat.S_IMODE(one.stat().st_mode) & (stat.S_IRWXG | stat.S_IRWXO):
                what = f"Others on this machine may read {one}."
                found.append(Fault(kind="permissions", what=what, remedy=_MEND, mendable=True))
    return found


def _check_pages(file: Path, key: DataKey, progress: Progress) -> list[Fault]:
    """Give each page of a database, which need not be open, that is not as it was written, and what it held."""
    numbers = damaged_pages(file, key, lambda done, total: progress("reading pages", done, total))
    with Pages(file, key) as pages:
        owner = owners(pages) if numbers else {}
        is_foreign = pages.log_is_foreign
    frames = damaged_frames(file, key)
    found = [
        Fault(
            kind="page",
            what=f"Page {number} of {file.name} is damaged. It held {meaning(owner.get(number))}.",
            remedy=SAVING,
        )
        for number in numbers
    ]
    if frames:
        what = f"{frames} pages of the write-ahead log are damaged; what was written after them may be lost."
        found.append(Fault(kind="log", what=what, remedy=SAVING))
    if is_foreign:
        what = f"Nothing in {file.name}-wal was written with this vault's key."
        remedy = "If the vault does not open, move that file elsewhere and try again."
        found.append(Fault(kind="log", what=what, remedy=remedy))
    return found


def _check_structure(database: Database) -> Iterator[Fault]:
    for (line,) in database.rows("pragma integrity_check"):
        if line != "ok" and "fts5" not in line.lower():  # the index is told of by itself
            yield Fault(kind="structure", what=f"SQLite finds: {line}.", remedy=SAVING)
    for table in sorted({table for table, *_ in database.rows("pragma foreign_key_check")}):
        yield Fault(kind="reference", what=f"Rows of {table!r} refer to nothing.", remedy=_PUT_BACK)


def _check_rules(database: Database) -> Iterator[Fault]:
    """Look for rows that contradict others."""
    for kind, statement, words in _RULES:
        if wrong := database.value(statement):
            yield Fault(kind=kind, what=words.format(wrong), remedy=_PUT_BACK)
    if empty := database.value(f"select count(*) {_EMPTY}"):
        yield Fault(kind="conversation", what=f"{empty} conversations are empty.", remedy=_MEND, mendable=True)


def _check_vectors(database: Database) -> Iterator[Fault]:
    """Compare the vectors of each space with the passages that they are of."""
    for space, table in space_tables(database).items():
        if missing := len(database.rows(_BARE.format(table=table), (space,))):
            yield Fault(kind="vectors", what=f"{missing} memories lack a vector.", remedy=_MEND, mendable=True)
        if alone := len(database.rows(_ALONE.format(table=table), (space,))):
            yield Fault(kind="vectors", what=f"{alone} vectors belong to no memory.", remedy=_MEND, mendable=True)


def _check_what_waits(database: Database) -> Iterator[Fault]:
    """See that the schema is this program's, that no erasure is pending, and that what waits can be taken back."""
    version, known = migrations.version(database), len(migrations.MIGRATIONS)
    if version != known:
        what = f"The vault has schema {version}, and this program knows {known}."
        yield Fault(kind="schema", what=what, remedy="Unlock it with the newest version of the program.")
    if pending := len(Ledger(database).pending()):
        what = f"Traces of {pending} erasures may still be in the file."
        yield Fault(
            kind="erasure", what=what, remedy="Close whatever has the vault open, then: assistant vault compact"
        )
    try:
        grace.waiting_rows(database)
    except (VaultDamaged, ValueError):
        what = "What waits to be forgotten cannot be read, so it cannot be taken back."
        yield Fault(kind="forgetting", what=what, remedy="Erase it now: assistant forget --now")


def _check_lexical(database: Database) -> list[Fault]:
    try:
        Lexical(database).check()
    except VaultDamaged:
        what = "The word index does not hold what the memories hold."
        return [Fault(kind="lexical index", what=what, remedy=_MEND, mendable=True)]
    return []
