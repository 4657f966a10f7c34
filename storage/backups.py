"""The backups that were made of a vault: where each lies, when it was made, and with which key."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from storage.database import Database
from storage.instants import from_columns, to_columns
from storage.keys import DataKey


@dataclass(frozen=True, slots=True, kw_only=True)
class Backup:
    """A copy of a vault in a folder of its own, as the vault knows of it."""

    path: Path
    """Its folder, absolute. Whether it still lies there is not known."""
    time: datetime
    """When it was made, UTC."""
    key_id: str
    """Names the data key that opens it."""


@dataclass(frozen=True, slots=True)
class Backups:
    """What a vault knows of its backups."""

    database: Database

    def listing(self) -> list[Backup]:
        """Give all that are known, the oldest first."""
        rows = self.database.rows("select path, time_us, key_id from backup order by time_us, id")
        return [
            Backup(path=Path(path), time=from_columns(microseconds, 0), key_id=key_id)
            for path, microseconds, key_id in rows
        ]

    def find(self, path: Path) -> Backup | None:
        """Give the one in this folder, or None when none is known there."""
        return next((known for known in self.listing() if known.path == path), None)

    def note(self, backup: Backup) -> None:
        """Keep where one lies, in place of what was known of its folder."""
        microseconds, _ = to_columns(backup.time)
        with self.database.transaction():
            self.database.run(
                "insert into backup(path, time_us, key_id) values (?, ?, ?) on conflict(path) do update set"
                " time_us = excluded.time_us, key_id = excluded.key_id",
                (str(backup.path), microseconds, backup.key_id),
            )

    def drop(self, path: Path) -> None:
        """Know no longer of the one in this folder; the folder stays as it is."""
        with self.database.transaction():
            self.database.run("delete from backup where path = ?", (str(path),))


def key_id(key: DataKey) -> str:
    """Give what names a data key and tells nothing of it: 16 hexadecimal digits."""
    return key.fingerprint[:16]
