"""What the agent holds: memory for secrets, and the keys in it with their limits. Time is an argument everywhere."""

import math
import mmap
from dataclasses import dataclass

SLOT_BYTES = 128
"""Room for a request or a reply."""


class Arena:
    """Memory of which the agent knows each byte that was secret: it is wiped, and left out of core files.

    A `bytes` object could do neither, for Python copies it and never clears it.
    """

    def __init__(self, slots: int) -> None:
        self._map = mmap.mmap(-1, slots * SLOT_BYTES)
        if hasattr(mmap, "MADV_DONTDUMP"):
            self._map.madvise(mmap.MADV_DONTDUMP)
        self.whole = memoryview(self._map)
        """All of it, for locking it in memory."""
        self._free = [self.whole[start : start + SLOT_BYTES] for start in range(0, slots * SLOT_BYTES, SLOT_BYTES)]

    def take(self) -> memoryview | None:
        """Give a slot of zero bytes; None when all are taken."""
        return self._free.pop() if self._free else None

    def give_back(self, slot: memoryview) -> None:
        """Wipe a slot and take it back."""
        wipe(slot)
        self._free.append(slot)


@dataclass(slots=True, kw_only=True)
class _Held:
    slot: memoryview
    ends: float
    """When it is forgotten, whatever is done."""
    idle_seconds: float
    idle_ends: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """What is left of a key's limits, in seconds; infinite when there is none."""

    at_most: float = math.inf
    idle: float = math.inf


class Keys:
    """The keys of vaults. A key that is due is never given, whether or not anybody looked in time."""

    def __init__(self, arena: Arena, *, key_bytes: int, most: int) -> None:
        self._arena = arena
        self._key_bytes = key_bytes
        self._most = most
        self._held: dict[bytes, _Held] = {}

    def __len__(self) -> int:
        return len(self._held)

    def hold(self, vault: bytes, key: memoryview, now: float, limits: Left) -> bool:
        """Keep a key in place of the one that is kept for this vault; give whether there was room."""
        self.forget(vault)
        slot = self._arena.take() if len(self) < self._most else None
        if slot is None:
            return False
        slot[: self._key_bytes] = key
        self._held[vault] = _Held(
            slot=slot, ends=now + limits.at_most, idle_seconds=limits.idle, idle_ends=now + limits.idle
        )
        return True

    def use(self, vault: bytes, now: float) -> memoryview | None:
        """Give a key where it lies, and begin its idle time anew; None when it is not held."""
        self.expire(now)
        held = self._held.get(vault)
        if held is None:
            return None
        held.idle_ends = now + held.idle_seconds
        return held.slot[: self._key_bytes]

    def left(self, vault: bytes, now: float) -> Left | None:
        """Give what is left of a key's limits; None when it is not held."""
        self.expire(now)
        held = self._held.get(vault)
        return None if held is None else Left(at_most=held.ends - now, idle=held.idle_ends - now)

    def forget(self, vault: bytes) -> bool:
        """Wipe a key; give whether it was held."""
        held = self._held.pop(vault, None)
        if held is None:
            return False
        self._arena.give_back(held.slot)
        return True

    def forget_all(self) -> int:
        """Wipe all keys; give how many there were."""
        return sum([self.forget(vault) for vault in tuple(self._held)])

    def expire(self, now: float) -> None:
        """Wipe the keys that are due."""
        for vault, held in tuple(self._held.items()):
            if now >= min(held.ends, held.idle_ends):
                self.forget(vault)

    def next_end(self) -> float:
        """Give when the next key is due; infinite when none is."""
        return min((min(held.ends, held.idle_ends) for held in self._held.values()), default=math.inf)


def wipe(memory: memoryview) -> None:
    """Overwrite memory with zero bytes."""
    memory[:] = bytes(len(memory))
