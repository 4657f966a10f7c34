"""From a passphrase to the data key: `keys.json` and the slots in it.

A random data key encrypts the database. Each slot of the key file holds it, wrapped with AES-256-GCM under a key that
Argon2id (RFC 9106) derives from a passphrase. The slot's own header is authenticated with it, so that neither a wrong
passphrase nor a changed parameter opens it. A checksum tells a damaged file from a wrong passphrase.
"""

import base64
import binascii
import hashlib
import json
import os
import secrets
import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from storage.errors import EmptyPassphrase, StorageError, VaultDamaged, VaultNewer, WrongPassphrase
from storage.files import write_whole

CIPHER = "chacha20"
"""ChaCha20-Poly1305 for each page: authenticated, and easily decrypted without SQLite when an erasure is proved."""
PAGE_BYTES = 4096
KEY_BYTES = 32
"""A shorter raw key would silently be taken for a passphrase by the cipher."""

_FORMAT = 1
_NONCE_BYTES = 12
_SALT_BYTES = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class KdfCost:
    """What one guess of the passphrase costs, with Argon2id."""

    memory_kib: int
    iterations: int
    lanes: int

    def in_range(self) -> bool:
        """Whether it is strong enough to protect and weak enough to finish."""
        return 65536 <= self.memory_kib <= 2 << 20 and 3 <= self.iterations <= 20 and 1 <= self.lanes <= 16


DEFAULT_COST = KdfCost(memory_kib=262144, iterations=3, lanes=4)
"""256 MiB: half a second on two cores."""
FLOOR_COST = KdfCost(memory_kib=65536, iterations=3, lanes=4)
"""64 MiB, the second choice of RFC 9106: for machines with less than 4 GiB of memory."""


def cost_for_this_machine() -> KdfCost:
    """Give the cost that this machine's memory allows."""
    memory_bytes = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return DEFAULT_COST if memory_bytes >= 4 << 30 else FLOOR_COST


class DataKey:
    """The key of the database. Its text form shows nothing of it."""

    __slots__ = ("secret",)

    def __init__(self, secret: bytes) -> None:
        if len(secret) != KEY_BYTES:
            raise ValueError("a data key has 32 bytes")
        self.secret = secret

    def __repr__(self) -> str:
        return "DataKey(hidden)"

    def __reduce__(self) -> str:
        raise TypeError("a data key is not to be copied out of the process")

    @classmethod
    def random(cls) -> Self:
        """Give a new key."""
        return cls(secrets.token_bytes(KEY_BYTES))

    @property
    def hexadecimal(self) -> str:
        """The key as 64 digits, for the one statement that sets it."""
        return self.secret.hex()


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyFile:
    """What `keys.json` holds: the wrapped data key and how the database is encrypted, which itself does not say it."""

    slots: tuple[Mapping[str, Any], ...]
    """Of a type that is not known here, they are kept as they are."""
    cipher: str = CIPHER
    page_bytes: int = PAGE_BYTES

    @classmethod
    def for_passphrase(cls, key: DataKey, passphrase: str, cost: KdfCost) -> Self:
        """Give a key file with one slot, which this passphrase opens."""
        return cls(slots=(_passphrase_slot(key, passphrase, cost),))

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
        try:
            content = json.loads(path.read_bytes())
        except (ValueError, RecursionError) as error:
            raise _damaged(path, "it is not JSON") from error
        if not isinstance(content, dict):
            raise _damaged(path, "it is not an object")
        if content.pop("checksum", None) != _checksum(content):
            raise _damaged(path, "its checksum does not fit")

        match content:
            case {"format": int(version)} if version > _FORMAT:
                message = f"{path} was written by a newer version of the program. Install that one."
                raise VaultNewer(message)
            case {"format": 1, "cipher": str(cipher), "page_bytes": int(page_bytes), "slots": [*slots]}:
                if (cipher, page_bytes) != (CIPHER, PAGE_BYTES):
                    raise _damaged(path, "it names a cipher that is not used here")
                known = [slot for slot in slots if isinstance(slot, dict) and isinstance(slot.get("type"), str)]
                if len(known) != len(slots):
                    raise _damaged(path, "a slot has no type")
                return cls(slots=tuple(known), cipher=cipher, page_bytes=page_bytes)
            case _:
                raise _damaged(path, "fields are missing or of the wrong type")

    def write(self, path: Path) -> None:
        """Put it on disk, whole or not at all, for its owner's eyes only."""
        content: dict[str, Any] = {
            "format": _FORMAT,
            "cipher": self.cipher,
            "page_bytes": self.page_bytes,
            "slots": list(self.slots),
        }
        content["checksum"] = _checksum(content)
        write_whole(path, json.dumps(content, indent=1).encode() + b"\n")

    def unlock(self, passphrase: str, path: Path) -> DataKey:
        """Give the data key.

        Raises
        ------
        WrongPassphrase
            No slot opens with this passphrase.
        VaultDamaged
            A slot lacks something, or its parameters are out of range.

        """
        slots = [_PassphraseSlot.read(slot, path) for slot in self.slots if slot["type"] == "passphrase"]
        if not slots:
            raise _damaged(path, "it has no slot for a passphrase")
        for slot in slots:
            key = slot.open(passphrase)
            if key is not None:
                return key
        raise WrongPassphrase("This is not the vault's passphrase. Check the keyboard's layout and try again.")

    def cost(self, path: Path) -> KdfCost:
        """Give what one guess costs at the first passphrase slot."""
        for slot in self.slots:
            if slot["type"] == "passphrase":
                return _PassphraseSlot.read(slot, path).cost
        raise _damaged(path, "it has no slot for a passphrase")


@dataclass(frozen=True, slots=True, kw_only=True)
class _PassphraseSlot:
    """A slot whose fields were checked."""

    header: Mapping[str, Any]
    cost: KdfCost
    salt: bytes
    nonce: bytes
    ciphertext: bytes

    @classmethod
    def read(cls, slot: Mapping[str, Any], path: Path) -> Self:
        match slot:
            case {
                "kdf": {
                    "name": "argon2id",
                    "memory_kib": int(memory),
                    "iterations": int(iterations),
                    "lanes": int(lanes),
                },
                "salt": str(salt),
                "nonce": str(nonce),
                "ciphertext": str(ciphertext),
            }:
                cost = KdfCost(memory_kib=memory, iterations=iterations, lanes=lanes)
            case _:
                raise _damaged(path, "a slot lacks fields, or they are of the wrong type")
        if not cost.in_range():
            raise _damaged(path, "the cost of its key derivation is out of range")
        try:
            found = cls(
                header={name: slot[name] for name in slot if name not in {"nonce", "ciphertext"}},
                cost=cost,
                salt=base64.b64decode(salt, validate=True),
                nonce=base64.b64decode(nonce, validate=True),
                ciphertext=base64.b64decode(ciphertext, validate=True),
            )
        except binascii.Error as error:
            raise _damaged(path, "a slot is not base64") from error
        if (len(found.salt), len(found.nonce)) != (_SALT_BYTES, _NONCE_BYTES):
            raise _damaged(path, "a slot's salt or nonce has the wrong length")
        return found

    def open(self, passphrase: str) -> DataKey | None:
        """Give the data key, or None when the passphrase does not fit."""
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        wrapping = _derive(passphrase, self.salt, self.cost)
        try:
            return DataKey(AESGCM(wrapping).decrypt(self.nonce, self.ciphertext, _canonical(self.header)))
        except InvalidTag:
            return None


def _passphrase_slot(key: DataKey, passphrase: str, cost: KdfCost) -> dict[str, Any]:
    """Wrap a data key for a passphrase."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    if not cost.in_range():
        raise ValueError("the cost of key derivation is out of range")
    salt, nonce = secrets.token_bytes(_SALT_BYTES), secrets.token_bytes(_NONCE_BYTES)
    header = {
        "type": "passphrase",
        "key_id": secrets.token_hex(8),
        "kdf": {"name": "argon2id", **asdict(cost)},
        "salt": base64.b64encode(salt).decode(),
    }
    ciphertext = AESGCM(_derive(passphrase, salt, cost)).encrypt(nonce, key.secret, _canonical(header))
    return header | {
        "nonce": base64.b64encode(nonce).decode(),
        "ciphertext": base64.b64encode(ciphertext).decode(),
    }


def _derive(passphrase: str, salt: bytes, cost: KdfCost) -> bytes:
    """Give the wrapping key. NFKC, since keyboards compose the same letter in different ways."""
    from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

    normal = unicodedata.normalize("NFKC", passphrase)
    if not normal:
        raise EmptyPassphrase("The passphrase is empty. Choose one of several words.")
    derivation = Argon2id(
        salt=salt, length=KEY_BYTES, iterations=cost.iterations, lanes=cost.lanes, memory_cost=cost.memory_kib
    )
    try:
        return derivation.derive(normal.encode("utf-8", "surrogatepass"))
    except MemoryError as error:
        message = f"Deriving the key needs {cost.memory_kib // 1024} MiB of memory. Close other programs and try again."
        raise StorageError(message) from error


def _canonical(content: Mapping[str, Any]) -> bytes:
    return json.dumps(content, sort_keys=True, separators=(",", ":")).encode()


def _checksum(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(_canonical(content)).hexdigest()


def _damaged(path: Path, why: str) -> VaultDamaged:
    return VaultDamaged(f"{path} is damaged: {why}. Put back a copy of it; without one the vault stays shut.")
