"""The steps from an empty file to the schema of this version: in order, each in one transaction with its record.

A step that was shipped is never edited; what is wrong with it is put right by the next one.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from storage.database import Database
from storage.errors import VaultDamaged, VaultNewer
from storage.schemas import FIRST, FOURTH, SECOND, THIRD

Step: TypeAlias = Callable[[Database], None]


def m001_conversations_and_their_index(database: Database) -> None:
    """Make the tables for what was said, its index, its vectors and its erasure."""
    database.run(FIRST)


def m002_concepts_and_what_is_learned(database: Database) -> None:
    """Let nodes be concepts too, and make the tables for what supports them and for what recalling teaches.

    SQLite cannot change the checks of a table, so the table of nodes is made anew. Its counter moves along: no number
    is ever used twice.
    """
    for text in SECOND:
        database.run(text)


def m003_what_is_kept_apart(database: Database) -> None:
    """Make the tables for tags, expiry, quarantine, what waits to be forgotten and backups; let files and tools speak.

    The table of nodes is made anew as in the step before.
    """
    for text in THIRD:
        database.run(text)


def m004_conversations_that_continue_others(database: Database) -> None:
    """Make the table for branches: which conversation continues from where in which other one."""
    database.run(FOURTH)


MIGRATIONS: tuple[Step, ...] = (
    m001_conversations_and_their_index,
    m002_concepts_and_what_is_learned,
    m003_what_is_kept_apart,
    m004_conversations_that_continue_others,
)


def version(database: Database) -> int:
    """Give the schema's version; 0 for an empty file."""
    if not database.value("select count(*) from sqlite_master where name = 'migration'"):
        return 0
    return int(database.value("select coalesce(max(version), 0) from migration"))


def begin(database: Database, steps: Sequence[Step] = MIGRATIONS) -> None:
    """Give an empty file its schema."""
    _apply(database, steps, present=0)


def upgrade(database: Database, steps: Sequence[Step] = MIGRATIONS) -> None:
    """Bring an existing vault to the schema of this version of the program.

    Parameters
    ----------
    database
        The open vault.
    steps
        All steps from the empty file on, in order.

    Raises
    ------
    VaultNewer
        A newer version of the program wrote it.
    VaultDamaged
        It has no schema, although each vault was given one when it was made.

    """
    present = version(database)
    if present == 0:
        message = f"{database.file} is empty. Put back a backup with `assistant vault restore`."
        raise VaultDamaged(message)
    if present > len(steps):
        message = f"The vault has schema {present}, and this program knows {len(steps)}. Install a newer version of it."
        raise VaultNewer(message)
    _apply(database, steps, present=present)


def _apply(database: Database, steps: Sequence[Step], *, present: int) -> None:
    """Apply each step after this version, unless another process did meanwhile.

    A table that is made anew is away for a moment, and rows that refer to it would go with it. So references are not
    enforced meanwhile: all of them are checked before the step counts.
    """
    for number, step in enumerate(steps[present:], start=present + 1):
        with database.without_references(), database.transaction():
            if version(database) < number:
                step(database)
                _refuse_dangling(database)
                database.run(
                    "insert into migration(version, applied_us)"
                    " values (?, cast(unixepoch('subsec') * 1000000 as integer))",
                    (number,),
                )


def _refuse_dangling(database: Database) -> None:
    """Refuse a step that leaves rows which refer to nothing, or that found such rows."""
    dangling = database.row("pragma foreign_key_check")
    if dangling is not None:
        message = f"{database.file} has rows in {dangling[0]!r} that refer to nothing. Put back a backup."
        raise VaultDamaged(message)
