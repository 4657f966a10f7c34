"""From a secret to the data key: `keys.json` and the slots in it.

A random data key encrypts the database; each slot of the key file holds it for one secret. While the vault is given a
new key there are slots for both, those of the new one pending. A checksum tells a damaged file from a wrong passphrase.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from storage.errors import BadRecoveryKey, VaultKeyChanged, VaultNewer, WrongPassphrase
from storage.files import translated, write_whole
from storage.key_material import CIPHER, KEY_BYTES, PAGE_BYTES, DataKey, KeyringKey, RecoveryKey, Secret
from storage.key_slots import (
    DEFAULT_COST,
    FLOOR_COST,
    KEYRING,
    PASSPHRASE,
    RECOVERY,
    KdfCost,
    KeyringSlot,
    PassphraseSlot,
    RecoverySlot,
    canonical,
    cost_for_this_machine,
    damaged,
)

__all__ = [
    "CIPHER",
    "DEFAULT_COST",
    "FLOOR_COST",
    "KEY_BYTES",
    "KEY_FILE",
    "PAGE_BYTES",
    "DataKey",
    "KdfCost",
    "KeyFile",
    "KeySet",
    "KeyringKey",
    "RecoveryKey",
    "Secret",
    "changed",
    "cost_for_this_machine",
    "key_changed",
]

KEY_FILE = "keys.json"
_FORMAT = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class KeySet:
    """The slots that hold one data key."""

    slots: tuple[Mapping[str, Any], ...] = ()
    """Of a type that is not known here, they are kept as they are."""
    fingerprint: str | None = None
    """Of the data key; None where an older version of the program wrote the file."""

    def open(self, secret: Secret, path: Path) -> DataKey | None:
        """Give the data key, or None when no slot opens with this secret.

        Raises
        ------
        VaultDamaged
            A slot lacks something, or its parameters are out of range.

        """
        match secret:
            case DataKey():
                return secret if self.fingerprint in {None, secret.fingerprint} else None
            case KeyringKey():
                return _first(KeyringSlot.read(slot, path).open(secret) for slot in self.of_type(KEYRING))
            case RecoveryKey():
                return _first(RecoverySlot.read(slot, path).open(secret) for slot in self.of_type(RECOVERY))
            case str():
                recognised = self.recognised(secret, path)
                if recognised is not secret:
                    return self.open(recognised, path)
                return _first(PassphraseSlot.read(slot, path).open(secret) for slot in self.of_type(PASSPHRASE))

    def of_type(self, *types: str) -> list[Mapping[str, Any]]:
        """Give the slots of some types."""
        return [slot for slot in self.slots if slot["type"] in types]

    def recognised(self, secret: str | RecoveryKey, path: Path) -> str | RecoveryKey:
        """Give the recovery key that a text is, when it opens a slot; to try that costs nothing."""
        if not isinstance(secret, str) or not self.of_type(RECOVERY):
            return secret
        try:
            key = RecoveryKey.from_text(secret)
        except BadRecoveryKey:
            return secret
        return secret if self.open(key, path) is None else key


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyFile:
    """What `keys.json` holds: the wrapped data key and how the database is encrypted, which itself does not say it."""

    keys: KeySet
    pending: KeySet | None = None
    """The slots of a new data key, from before the database gets it until nothing is left of the old one."""
    cipher: str = CIPHER
    page_bytes: int = PAGE_BYTES

    @classmethod
    def for_passphrase(cls, key: DataKey, passphrase: str, cost: KdfCost) -> Self:
        """Give a key file with one slot, which this passphrase opens."""
        slot = PassphraseSlot.wrap(key, passphrase, cost)
        return cls(keys=KeySet(slots=(slot,), fingerprint=key.fingerprint))

    @classmethod
    def read(cls, path: Path) -> Self:
        """Give what a key file holds.

        Raises
        ------
        VaultDamaged
            It is not JSON, or not as it was written.
        VaultNewer
            A newer version of the program wrote it.

        """
        with translated(path):
            raw = path.read_bytes()
        try:
            content = json.loads(raw)
        except (ValueError, RecursionError) as error:
            raise damaged(path, "it is not JSON") from error
        if not isinstance(content, dict):
            raise damaged(path, "it is not an object")
        if content.pop("checksum", None) != _checksum(content):
            raise damaged(path, "its checksum does not fit")

        match content:
            case {"format": int(version)} if version > _FORMAT:
                message = f"{path} was written by a newer version of the program. Install that one."
                raise VaultNewer(message)
            case {"format": 1, "cipher": str(cipher), "page_bytes": int(page_bytes), "slots": [*_]}:
                if (cipher, page_bytes) != (CIPHER, PAGE_BYTES):
                    raise damaged(path, "it names a cipher that is not used here")
                pending = content.get("pending")
                return cls(
                    keys=_key_set(content, path),
                    pending=None if pending is None else _key_set(pending, path),
                    cipher=cipher,
                    page_bytes=page_bytes,
                )
            case _:
                raise damaged(path, "fields are missing or of the wrong type")

    def write(self, path: Path) -> None:
        """Put it on disk, whole or not at all, for its owner's eyes only."""
        content: dict[str, Any] = {"format": _FORMAT, "cipher": self.cipher, "page_bytes": self.page_bytes}
        content |= _key_set_fields(self.keys)
        if self.pending is not None:
            content["pending"] = _key_set_fields(self.pending)
        content["checksum"] = _checksum(content)
        write_whole(path, json.dumps(content, indent=1).encode() + b"\n")

    def unlock(self, secret: Secret, path: Path) -> DataKey:
        """Give the data key; while another one is pending, that of the slots in force when both open.

        Raises
        ------
        WrongPassphrase
            No slot opens with this secret.
        VaultKeyChanged
            A data key was given, and the vault has another one.
        VaultDamaged
            A slot lacks something, or its parameters are out of range.

        """
        return self.candidates(secret, path)[0]

    def candidates(self, secret: Secret, path: Path) -> list[DataKey]:
        """Give the data keys that a secret opens: at least one, and two at most. Raises as `unlock` does."""
        sets = [self.keys] if self.pending is None else [self.keys, self.pending]
        if not any(keys.of_type(PASSPHRASE, RECOVERY) for keys in sets):
            raise damaged(path, "it has no slot for a passphrase or a recovery key")
        found = [key for keys in sets if (key := keys.open(secret, path)) is not None]
        if found:
            return found
        refusal = _refusal(secret, path)
        if isinstance(secret, str) and not RecoveryKey.is_meant(secret) and not self.keys.of_type(PASSPHRASE):
            refusal = WrongPassphrase("No passphrase opens this vault any more. Give its recovery key.")
        raise refusal

    def cost(self, path: Path) -> KdfCost | None:
        """Give what one guess costs at the first passphrase slot; None when there is none."""
        slots = self.keys.of_type(PASSPHRASE)
        return PassphraseSlot.read(slots[0], path).cost if slots else None

    def kinds(self) -> tuple[str, ...]:
        """Give the types of the slots, each once, in their order."""
        return tuple(dict.fromkeys(slot["type"] for slot in self.keys.slots))

    def keyring_ids(self, path: Path) -> tuple[str, ...]:
        """Give under which identifiers the system's keyring holds keys that open this file."""
        return tuple(KeyringSlot.read(slot, path).key_id for slot in self.keys.of_type(KEYRING))

    def with_slots(self, slots: Iterable[Mapping[str, Any]], key: DataKey) -> Self:
        """Give the file with other slots for the same key."""
        return replace(self, keys=KeySet(slots=tuple(slots), fingerprint=key.fingerprint))


def key_changed(path: Path, fingerprint: str) -> bool:
    """Whether a key file is there and tells of another data key than the one with this fingerprint."""
    if not path.exists():
        return False
    found = KeyFile.read(path)
    sets = [found.keys] if found.pending is None else [found.keys, found.pending]
    return any(keys.fingerprint not in {None, fingerprint} for keys in sets)


def changed(path: Path) -> VaultKeyChanged:
    """Give the error for a data key that opens the vault no more."""
    return VaultKeyChanged(f"{path.parent} was given a new key by another process. Unlock it again.")


def _refusal(secret: Secret, path: Path) -> WrongPassphrase | VaultKeyChanged:
    """Give the error for a secret that opens no slot."""
    match secret:
        case DataKey():
            return changed(path)
        case KeyringKey():
            return WrongPassphrase("The key in the system's keyring does not open the vault. Give the passphrase.")
        case RecoveryKey():
            return WrongPassphrase("This is not the recovery key of this vault. Look for the one printed last.")
        case str() if RecoveryKey.is_meant(secret):
            try:
                return _refusal(RecoveryKey.from_text(secret), path)
            except BadRecoveryKey as error:
                return WrongPassphrase(f"This is not the vault's passphrase. {error}")
        case str():
            return WrongPassphrase("This is not the vault's passphrase. Check the keyboard's layout and try again.")


def _first(keys: Iterable[DataKey | None]) -> DataKey | None:
    return next((key for key in keys if key is not None), None)


def _key_set(content: object, path: Path) -> KeySet:
    match content:
        case {"slots": [*slots], "fingerprint": str(fingerprint)}:
            return KeySet(slots=_typed(slots, path), fingerprint=fingerprint)
        case {"slots": [*slots], **others} if "fingerprint" not in others:
            return KeySet(slots=_typed(slots, path))
    raise damaged(path, "fields are missing or of the wrong type")


def _typed(slots: list[Any], path: Path) -> tuple[Mapping[str, Any], ...]:
    known = [slot for slot in slots if isinstance(slot, dict) and isinstance(slot.get("type"), str)]
    if len(known) != len(slots):
        raise damaged(path, "a slot has no type")
    return tuple(known)


def _key_set_fields(keys: KeySet) -> dict[str, Any]:
    fields: dict[str, Any] = {"slots": list(keys.slots)}
    return fields if keys.fingerprint is None else fields | {"fingerprint": keys.fingerprint}


def _checksum(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(canonical(content)).hexdigest()
