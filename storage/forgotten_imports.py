"""Which imported turns were forgotten, so that importing the same file again does not bring them back.

Of each only a keyed digest is kept (HMAC-SHA-256, cut to 16 bytes): whoever cannot read the vault learns nothing from
it, and whoever can needs the turn itself to find it.
"""

import hashlib
import hmac
import secrets
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from storage.belongings import CONVERSATION, TURN, Belonging
from storage.database import Database
from storage.digest import row_bytes
from storage.records import Source
from storage.settings import Settings

_KEY = "forgotten_imports.key"
_KEY_BYTES = 32
_DIGEST_BYTES = 16


@dataclass(frozen=True, slots=True)
class ForgottenImports:
    """The imported turns that were forgotten, or wait to be."""

    database: Database

    def holds(self, conversation_external_id: str, external_id: str) -> bool:
        """Whether the turn with this identifier in this conversation, both where they came from, was forgotten."""
        return bool(self.among(conversation_external_id, [external_id]))

    def among(self, conversation_external_id: str, external_ids: Iterable[str]) -> set[str]:
        """Give those of a conversation's turns that were forgotten, by their identifiers where they came from."""
        key = self._key()
        if key is None:
            return set()
        digests = {_digest(key, conversation_external_id, one): one for one in external_ids}
        rows = self.database.rows(
            "select f.digest from forgotten_import as f where f.digest in (select unhex(value) from json_each(?))",
            (_listed(digests),),
        )
        return {digests[digest] for (digest,) in rows}

    def count(self) -> int:
        """Give how many there are."""
        return int(self.database.value("select count(*) from forgotten_import"))

    def clear(self) -> None:
        """Know of none any more: importing brings all of them in again."""
        with self.database.transaction():
            self.database.run("delete from forgotten_import")
            self.database.run("delete from setting where key = ?", (_KEY,))

    def note(self, rows: Sequence[Belonging]) -> None:
        """Keep the imported ones among the turns that go."""
        if not (named := _imported(rows)):
            return
        with self.database.transaction():
            key = self._key()
            if key is None:
                key = secrets.token_bytes(_KEY_BYTES)
                Settings(self.database).put(_KEY, key.hex())
            self.database.run_each(
                "insert into forgotten_import(digest) values (?) on conflict do nothing",
                [(_digest(key, *one),) for one in named],
            )

    def release(self, rows: Sequence[Belonging]) -> None:
        """Know no longer of the imported ones among the turns that come back; without any the key goes too."""
        key = self._key()
        if key is None:
            return
        with self.database.transaction():
            self.database.run_each(
                "delete from forgotten_import where digest = ?", [(_digest(key, *one),) for one in _imported(rows)]
            )
            if not self.count():
                self.clear()

    def _key(self) -> bytes | None:
        found = Settings(self.database).get(_KEY)
        return None if found is None else bytes.fromhex(found)


def _imported(rows: Sequence[Belonging]) -> list[tuple[str, str]]:
    """Give the identifiers of imported turns where they came from, each behind that of its conversation."""
    conversations = {
        row.values["id"]: row.values["external_id"]
        for row in rows
        if row.table == CONVERSATION and row.values["source"] == Source.IMPORTED.value
    }
    found = []
    for row in rows:
        if row.table == TURN:
            within, itself = conversations.get(row.values["conversation"]), row.values["external_id"]
            if within is not None and itself is not None:
                found.append((str(within), str(itself)))
    return found


def _digest(key: bytes, conversation_external_id: str, external_id: str) -> bytes:
    return hmac.digest(key, row_bytes((conversation_external_id, external_id)), hashlib.sha256)[:_DIGEST_BYTES]


def _listed(digests: Collection[bytes]) -> str:
    return "[" + ",".join(f'"{digest.hex()}"' for digest in digests) + "]"
