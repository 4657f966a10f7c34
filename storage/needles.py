"""What an erasure searches the file for: short pieces of what went, many at once."""

from collections import Counter, defaultdict
from collections.abc import Iterable

_KEY_BYTES = 8
"""Needles are told apart by so many first bytes. Shorter ones would be met by chance."""
_TEXT_BYTES = 16
_TEXT_PIECES = 6
_VECTOR_BYTES = 32
_VECTOR_PIECES = 4
_LEAST_TABLE_BITS = 20
_ROOM = 16
"""Places in the table for each key: with so many, few bytes that are no needle are looked at twice."""
_SCATTER = 0x9E3779B97F4A7C15
"""The golden ratio as a fraction of 2 to the 64th, odd: spreads keys over the table (Knuth, section 6.4)."""


def of_text(text: str) -> set[bytes]:
    """Give pieces of a text from its beginning to its end: several, since a page's border may split one."""
    encoded = text.encode()
    pieces = _spread(encoded, _TEXT_BYTES, _TEXT_PIECES)
    return {piece for piece in pieces if len(set(piece)) >= 5}


def of_terms(terms: str) -> set[bytes]:
    """Give the longest terms: the index holds each by itself."""
    words = sorted({word.encode() for word in terms.split()}, key=len)[-_TEXT_PIECES:]
    return {word for word in words if len(word) >= _KEY_BYTES}


def of_vector(vector: bytes) -> set[bytes]:
    """Give stretches of a vector that are not mostly zeros, since zeros are everywhere."""
    starts = range(0, len(vector) - _VECTOR_BYTES + 1, _VECTOR_BYTES)
    dense = [vector[at : at + _VECTOR_BYTES] for at in starts]
    dense = [piece for piece in dense if piece.count(0) <= _VECTOR_BYTES // 2]
    return set(dense[:: max(1, len(dense) // _VECTOR_PIECES)])


class Needles:
    """A set of needles, ready to be looked for."""

    def __init__(self, needles: Iterable[bytes]) -> None:
        import numpy as np  # 60 ms that only an erasure pays

        self._by_key: dict[bytes, list[bytes]] = defaultdict(list)
        for needle in set(needles):
            if len(needle) >= _KEY_BYTES:
                self._by_key[needle[:_KEY_BYTES]].append(needle)
        self._keys = np.unique(np.frombuffer(b"".join(self._by_key), dtype="<u8"))
        bits = max(_LEAST_TABLE_BITS, (len(self._keys) * _ROOM).bit_length())
        self._shift = np.uint64(64 - bits)
        self._table = np.zeros(1 << bits, dtype=np.bool_)
        self._table[(self._keys * np.uint64(_SCATTER)) >> self._shift] = True

    def __len__(self) -> int:
        return sum(map(len, self._by_key.values()))

    def count(self, haystack: bytes) -> Counter[bytes]:
        """Give how often each needle occurs; those that do not are left out."""
        import numpy as np

        found: Counter[bytes] = Counter()
        if not self._by_key:
            return found
        for shift in range(_KEY_BYTES):
            words = max(0, len(haystack) - shift) // _KEY_BYTES
            windows = np.frombuffer(haystack, dtype="<u8", count=words, offset=shift) if words else self._keys[:0]
            likely = np.flatnonzero(self._table[(windows * np.uint64(_SCATTER)) >> self._shift])
            nearest = np.minimum(np.searchsorted(self._keys, windows[likely]), len(self._keys) - 1)
            for index in likely[self._keys[nearest] == windows[likely]].tolist():
                at = index * _KEY_BYTES + shift
                here = self._by_key[haystack[at : at + _KEY_BYTES]]
                found.update(needle for needle in here if haystack.startswith(needle, at))
        return found


def _spread(content: bytes, width: int, pieces: int) -> list[bytes]:
    """Give pieces of one width at even distances, the first and the last among them; all of it when it is shorter."""
    last = len(content) - width
    if last <= 0:
        return [content]
    starts = {round(last * part / (pieces - 1)) for part in range(pieces)}
    return [content[at : at + width] for at in sorted(starts)]
