"""How long somebody who guesses would need for a passphrase."""

from dataclasses import dataclass

from storage.keys import KdfCost

COMPUTERS = 1000
"""That the one who guesses has. Each guess needs the memory that it needs here, so that special chips help little."""
KIB_PER_SECOND = 1_500_000
"""Memory that a computer of two cores fills in a second, by Argon2id: 256 MiB three times in half of one."""
LONGEST = 72
"""Characters that are looked at: more take seconds, and are strong already."""
WEAK_YEARS = 10

_YEAR = 365.25 * 86400
_UNITS = ((_YEAR, "year"), (86400.0, "day"), (3600.0, "hour"), (60.0, "minute"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Strength:
    """What a passphrase holds against guessing."""

    seconds: float
    """Until it is found, as likely as not, with `COMPUTERS` computers."""

    @property
    def weak(self) -> bool:
        """Whether it would be found within ten years."""
        return self.seconds < WEAK_YEARS * _YEAR

    @property
    def line(self) -> str:
        """What there is to say of it, in one line."""
        found = f"somebody with {COMPUTERS:,} computers would guess this passphrase in {_words(self.seconds)}, roughly"
        return f"{found}; take one of more words" if self.weak else found


def strength_of(passphrase: str, cost: KdfCost) -> Strength:
    """Estimate how long a passphrase holds, at the cost of one guess."""
    from zxcvbn import zxcvbn  # type: ignore[import-untyped]  # loading its word lists takes 0.2 s

    guesses = float(zxcvbn(passphrase[:LONGEST])["guesses"]) if passphrase else 1.0  # it fails at no characters
    per_second = COMPUTERS * KIB_PER_SECOND / (cost.memory_kib * cost.iterations)
    return Strength(seconds=guesses / 2 / per_second)


def _words(seconds: float) -> str:
    if seconds > 1e6 * _YEAR:
        return "more than a million years"
    for length, name in _UNITS:
        count = round(seconds / length)
        if count >= 1:
            return f"{count:,} {name}{'s' if count > 1 else ''}"
    return "less than a minute"
