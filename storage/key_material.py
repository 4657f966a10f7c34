"""What opens a vault, beside a passphrase: keys that stay in one object each and show nothing of themselves."""

import hashlib
import hmac
import secrets
from typing import TYPE_CHECKING, Self

from storage.errors import BadRecoveryKey

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

CIPHER = "chacha20"
"""ChaCha20-Poly1305 for each page: authenticated, and easily decrypted without SQLite when an erasure is proved."""
PAGE_BYTES = 4096
KEY_BYTES = 32
"""A shorter raw key would silently be taken for a passphrase by the cipher."""

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base32: without I, L, O and U, which are misread."""
_READ_AS = str.maketrans("ILO", "110")
_CHECK_BYTES = 3
"""With 32 bytes of key, 56 letters exactly; a typo passes once in 16 million."""
_LETTERS = (KEY_BYTES + _CHECK_BYTES) * 8 // 5
_GROUP = 4


class _Hidden:
    """32 secret bytes. Their text form shows nothing of them."""

    __slots__ = ("secret",)

    def __init__(self, secret: bytes) -> None:
        if len(secret) != KEY_BYTES:
            message = f"a {type(self).__name__} has {KEY_BYTES} bytes"
            raise ValueError(message)
        self.secret = secret

    def __repr__(self) -> str:
        return f"{type(self).__name__}(hidden)"

    def __reduce__(self) -> str:
        raise TypeError("a key is not to be copied out of the process")

    @classmethod
    def random(cls) -> Self:
        """Give a new key."""
        return cls(secrets.token_bytes(KEY_BYTES))


class DataKey(_Hidden):
    """The key of the database."""

    __slots__ = ()

    @property
    def hexadecimal(self) -> str:
        """The key as 64 digits, for the one statement that sets it."""
        return self.secret.hex()

    @property
    def fingerprint(self) -> str:
        """What tells this key from others and nothing of it."""
        return self.derived("fingerprint").hex()[:32]

    def derived(self, purpose: str) -> bytes:
        """Give a key for another purpose, from which this one cannot be found."""
        return hmac.digest(self.secret, b"assistant vault: " + purpose.encode(), "sha256")


class KeyringKey(_Hidden):
    """The key that the system's keyring holds. It opens a slot of the key file, and nothing without that file."""

    __slots__ = ()


class RecoveryKey(_Hidden):
    """A private key of X25519, written on paper. What is sealed to its public half needs it for opening only."""

    __slots__ = ()

    @property
    def private(self) -> "X25519PrivateKey":
        """The key as the library for it takes it."""
        from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

        return X25519PrivateKey.from_private_bytes(self.secret)

    @property
    def text(self) -> str:
        """The key for paper: groups of letters and digits, a checksum among them."""
        number = int.from_bytes(self.secret + _check(self.secret), "big")
        letters = [ALPHABET[number >> 5 * place & 31] for place in reversed(range(_LETTERS))]
        return "-".join("".join(letters[at : at + _GROUP]) for at in range(0, _LETTERS, _GROUP))

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Read what `text` gave; upper or lower case, blanks and dashes do not matter.

        Raises
        ------
        BadRecoveryKey
            It has another length, a letter that is in none, or its checksum does not fit.

        """
        letters = _letters(text)
        if len(letters) != _LETTERS:
            message = f"A recovery key has {_LETTERS} letters and digits, and this has {len(letters)}. Read it again."
            raise BadRecoveryKey(message)
        foreign = sorted(set(letters) - set(ALPHABET))
        if foreign:
            message = f"A recovery key never has {' or '.join(map(ascii, foreign))} in it. Read it again."
            raise BadRecoveryKey(message)
        number = 0
        for letter in letters:
            number = number << 5 | ALPHABET.index(letter)
        content = number.to_bytes(KEY_BYTES + _CHECK_BYTES, "big")
        if not hmac.compare_digest(_check(content[:KEY_BYTES]), content[KEY_BYTES:]):
            raise BadRecoveryKey("A letter of this recovery key is wrong: its checksum does not fit. Read it again.")
        return cls(content[:KEY_BYTES])

    @staticmethod
    def is_meant(text: str) -> bool:
        """Whether a text looks like a recovery key, though perhaps with a wrong letter."""
        letters = _letters(text)
        return len(letters) == _LETTERS and len(set(letters) - set(ALPHABET)) <= 1


Secret = str | RecoveryKey | KeyringKey | DataKey
"""What opens a vault; a text is a passphrase, or a recovery key as it was typed."""


def _letters(text: str) -> str:
    return "".join(text.replace("-", " ").upper().split()).translate(_READ_AS)


def _check(secret: bytes) -> bytes:
    return hashlib.sha256(b"assistant recovery key" + secret).digest()[:_CHECK_BYTES]
