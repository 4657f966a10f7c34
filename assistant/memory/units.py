"""Units of time, apart from what needs numpy."""

MICROSECONDS_A_DAY = 86_400_000_000
