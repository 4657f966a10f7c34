"""The slots of the key file: each holds the data key, wrapped for one passphrase, recovery key or keyring.

Its own header is authenticated with what it holds, so that neither another secret nor a changed parameter opens it.

| type | wrapped with |
|---|---|
| passphrase | AES-256-GCM, under a key that Argon2id (RFC 9106) derives from the passphrase |
| keyring | AES-256-GCM, under a random key that the system's keyring holds |
| recovery | HPKE (RFC 9180: X25519, HKDF-SHA256, AES-256-GCM), to the public half of the recovery key |
"""

import base64
import hmac
import json
import os
import secrets
import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from storage.errors import EmptyPassphrase, StorageError, VaultDamaged
from storage.key_material import KEY_BYTES, DataKey, KeyringKey, RecoveryKey

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.hpke import Suite

PASSPHRASE, KEYRING, RECOVERY = "passphrase", "keyring", "recovery"

_NONCE_BYTES = 12
_SALT_BYTES = 16
_TAG_BYTES = 16
_SEALED_BYTES = 32 + KEY_BYTES + _TAG_BYTES
"""The sender's public key stands before what HPKE encrypts."""
_SUITE = "hpke-x25519-hkdf-sha256-aes-256-gcm"


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


@dataclass(frozen=True, slots=True, kw_only=True)
class PassphraseSlot:
    """A slot that a passphrase opens; its fields were checked."""

    header: Mapping[str, Any]
    cost: KdfCost
    salt: bytes
    nonce: bytes
    ciphertext: bytes

    @classmethod
    def read(cls, slot: Mapping[str, Any], path: Path) -> Self:
        """Check a slot of the key file; one that lacks something or is out of range is damage."""
        match slot:
            case {
                "kdf": {
                    "name": "argon2id",
                    "memory_kib": int(memory),
                    "iterations": int(iterations),
                    "lanes": int(lanes),
                },
            }:
                cost = KdfCost(memory_kib=memory, iterations=iterations, lanes=lanes)
            case _:
                raise damaged(path, "a slot lacks fields, or they are of the wrong type")
        if not cost.in_range():
            raise damaged(path, "the cost of its key derivation is out of range")
        return cls(
            header=_header(slot, "nonce", "ciphertext"),
            cost=cost,
            salt=_bytes(slot, "salt", _SALT_BYTES, path),
            nonce=_bytes(slot, "nonce", _NONCE_BYTES, path),
            ciphertext=_bytes(slot, "ciphertext", KEY_BYTES + _TAG_BYTES, path),
        )

    @staticmethod
    def wrap(key: DataKey, passphrase: str, cost: KdfCost) -> dict[str, Any]:
        """Give a slot that this passphrase opens."""
        if not cost.in_range():
            raise ValueError("the cost of key derivation is out of range")
        salt = secrets.token_bytes(_SALT_BYTES)
        header = _new_header(PASSPHRASE) | {"kdf": {"name": "argon2id", **asdict(cost)}, "salt": _text(salt)}
        return _encrypted(key, header, _derive(passphrase, salt, cost))

    def open(self, passphrase: str) -> DataKey | None:
        """Give the data key, or None when the passphrase does not fit."""
        return _decrypted(self.header, _derive(passphrase, self.salt, self.cost), self.nonce, self.ciphertext)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyringSlot:
    """A slot that a key in the system's keyring opens, which is kept there under the slot's own identifier."""

    header: Mapping[str, Any]
    key_id: str
    nonce: bytes
    ciphertext: bytes

    @classmethod
    def read(cls, slot: Mapping[str, Any], path: Path) -> Self:
        """Check a slot of the key file; one that lacks something is damage."""
        key_id = slot.get("key_id")
        if not isinstance(key_id, str) or not key_id.isalnum():
            raise damaged(path, "a slot lacks fields, or they are of the wrong type")
        return cls(
            header=_header(slot, "nonce", "ciphertext"),
            key_id=key_id,
            nonce=_bytes(slot, "nonce", _NONCE_BYTES, path),
            ciphertext=_bytes(slot, "ciphertext", KEY_BYTES + _TAG_BYTES, path),
        )

    @staticmethod
    def wrap(key: DataKey, wrapping: KeyringKey, key_id: str) -> dict[str, Any]:
        """Give a slot that this key opens."""
        return _encrypted(key, _new_header(KEYRING) | {"key_id": key_id}, wrapping.secret)

    def open(self, wrapping: KeyringKey) -> DataKey | None:
        """Give the data key, or None when the wrapping key does not fit."""
        return _decrypted(self.header, wrapping.secret, self.nonce, self.ciphertext)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoverySlot:
    """A slot that the recovery key opens."""

    header: Mapping[str, Any]
    public: bytes
    ciphertext: bytes
    proof: bytes
    """Made with the data key over the header: only who could open the vault made this slot."""

    @classmethod
    def read(cls, slot: Mapping[str, Any], path: Path) -> Self:
        """Check a slot of the key file; one that lacks something is damage."""
        if slot.get("sealing") != _SUITE:
            raise damaged(path, "a recovery key's slot is sealed in a way that is not used here")
        return cls(
            header=_header(slot, "ciphertext", "proof"),
            public=_bytes(slot, "public_key", KEY_BYTES, path),
            ciphertext=_bytes(slot, "ciphertext", _SEALED_BYTES, path),
            proof=_bytes(slot, "proof", 32, path),
        )

    @classmethod
    def wrap(cls, key: DataKey, recovery: RecoveryKey) -> dict[str, Any]:
        """Give a slot that this recovery key opens."""
        public = recovery.private.public_key().public_bytes_raw()
        return cls._sealed(key, _new_header(RECOVERY) | {"sealing": _SUITE, "public_key": _text(public)}, public)

    def again(self, key: DataKey) -> dict[str, Any]:
        """Give this slot with another data key in it, for which the recovery key is not needed."""
        return self._sealed(key, self.header, self.public)

    def was_made_by_holder_of(self, key: DataKey) -> bool:
        """Whether its public key was put there by who could open the vault, and not by who can write its folder."""
        return hmac.compare_digest(self.proof, _proof(key, self.header))

    def open(self, recovery: RecoveryKey) -> DataKey | None:
        """Give the data key, or None when the recovery key does not fit."""
        from cryptography.exceptions import InvalidTag

        try:
            return DataKey(_suite().decrypt(self.ciphertext, recovery.private, info=canonical(self.header)))
        except InvalidTag:
            return None

    @staticmethod
    def _sealed(key: DataKey, header: Mapping[str, Any], public: bytes) -> dict[str, Any]:
        from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PublicKey

        ciphertext = _suite().encrypt(key.secret, X25519PublicKey.from_public_bytes(public), info=canonical(header))
        return {**header, "ciphertext": _text(ciphertext), "proof": _text(_proof(key, header))}


def new_key_id() -> str:
    """Give an identifier for a slot."""
    return secrets.token_hex(8)


def canonical(content: Mapping[str, Any]) -> bytes:
    """Give content as the same bytes however it was ordered and spaced."""
    return json.dumps(content, sort_keys=True, separators=(",", ":")).encode()


def damaged(path: Path, why: str) -> VaultDamaged:
    """Give the error for a key file that is not as it was written."""
    return VaultDamaged(
        f"{path} is damaged: {why}. Put back a copy, such as that of a backup; without one the vault stays shut."
    )


def _new_header(kind: str) -> dict[str, Any]:
    return {"type": kind, "key_id": new_key_id()}


def _encrypted(key: DataKey, header: Mapping[str, Any], wrapping: bytes) -> dict[str, Any]:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    nonce = secrets.token_bytes(_NONCE_BYTES)
    ciphertext = AESGCM(wrapping).encrypt(nonce, key.secret, canonical(header))
    return {**header, "nonce": _text(nonce), "ciphertext": _text(ciphertext)}


def _decrypted(header: Mapping[str, Any], wrapping: bytes, nonce: bytes, ciphertext: bytes) -> DataKey | None:
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    try:
        return DataKey(AESGCM(wrapping).decrypt(nonce, ciphertext, canonical(header)))
    except InvalidTag:
        return None


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


def _proof(key: DataKey, header: Mapping[str, Any]) -> bytes:
    return hmac.digest(key.derived("recovery slot"), canonical(header), "sha256")


def _suite() -> "Suite":
    from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite

    return Suite(KEM.X25519, KDF.HKDF_SHA256, AEAD.AES_256_GCM)


def _header(slot: Mapping[str, Any], *outside: str) -> dict[str, Any]:
    """Give all of a slot that is authenticated with the key in it."""
    return {name: slot[name] for name in slot if name not in outside}


def _bytes(slot: Mapping[str, Any], name: str, length: int, path: Path) -> bytes:
    text = slot.get(name)
    if not isinstance(text, str):
        raise damaged(path, "a slot lacks fields, or they are of the wrong type")
    try:
        found = base64.b64decode(text, validate=True)
    except ValueError as error:  # also for text that is not ASCII
        raise damaged(path, "a slot is not base64") from error
    if len(found) != length:
        raise damaged(path, f"a slot's {name} has the wrong length")
    return found


def _text(content: bytes) -> str:
    return base64.b64encode(content).decode()
