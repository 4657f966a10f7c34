"""Settings of the vault itself, such as what its index was made with."""

from dataclasses import dataclass

from storage.database import Database


@dataclass(frozen=True, slots=True)
class Settings:
    """Names with values, encrypted like everything else."""

    database: Database

    def get(self, key: str) -> str | None:
        """Give a value, or None when none was set."""
        value = self.database.value("select value from setting where key = ?", (key,))
        return None if value is None else str(value)

    def put(self, key: str, value: str) -> None:
        """Set a value."""
        with self.database.transaction():
            self.database.run(
                "insert into setting(key, value) values (?, ?) on conflict(key) do update set value = excluded.value",
                (key, value),
            )
