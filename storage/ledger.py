"""The ledger of erasures: receipts that hold no content."""

from dataclasses import dataclass

from storage.database import Database, Row
from storage.instants import from_columns, to_columns
from storage.records import Receipt

_COLUMNS = (
    "uid, time_us, turns, passages, conversations, concepts, pages_scanned, residue, pending, digest, probes, backups"
)


@dataclass(frozen=True, slots=True)
class Ledger:
    """The receipts of a vault."""

    database: Database

    def append(self, receipt: Receipt) -> None:
        """Keep a receipt."""
        microseconds, _ = to_columns(receipt.time)
        with self.database.transaction():
            self.database.run(
                f"insert into ledger({_COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",  # own names  # noqa: S608
                (
                    receipt.id,
                    microseconds,
                    receipt.turns,
                    receipt.passages,
                    receipt.conversations,
                    receipt.concepts,
                    receipt.pages_scanned,
                    receipt.residue,
                    int(receipt.pending),
                    receipt.digest,
                    receipt.probes,
                    receipt.backups,
                ),
            )

    def listing(self) -> list[Receipt]:
        """Give all receipts, oldest first."""
        return [_receipt(row) for row in self.database.rows(f"select {_COLUMNS} from ledger order by id")]  # noqa: S608

    def pending(self) -> list[Receipt]:
        """Give the receipts of erasures whose traces may still be in the file, oldest first."""
        return [receipt for receipt in self.listing() if receipt.pending]

    def note_backups(self, receipt: str, backups: int) -> None:
        """Write into a receipt how many backups hold a trace, or cannot be read."""
        with self.database.transaction():
            self.database.run("update ledger set backups = ? where uid = ?", (backups, receipt))

    def settle(self, receipt: str, *, pages_scanned: int, residue: int, probes: int = 0) -> None:
        """Write into a receipt what was found when its purge was complete."""
        with self.database.transaction():
            self.database.run(
                "update ledger set pages_scanned = ?, residue = ?, probes = ?, pending = 0 where uid = ?",
                (pages_scanned, residue, probes, receipt),
            )


def _receipt(row: Row) -> Receipt:
    uid, microseconds, turns, passages, conversations, concepts, pages_scanned, residue, pending, digest, *more = row
    probes, backups = more
    return Receipt(
        id=uid,
        time=from_columns(microseconds, 0),
        turns=turns,
        passages=passages,
        conversations=conversations,
        concepts=concepts,
        pages_scanned=pages_scanned,
        residue=residue,
        pending=bool(pending),
        digest=digest,
        probes=probes,
        backups=backups,
    )
