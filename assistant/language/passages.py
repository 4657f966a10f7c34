"""Where to cut a text that is longer than an encoder reads."""

from collections.abc import Sequence

OVERLAP = 0.25
"""Share of a stretch that the next one begins with, so that a sentence on a cut is whole in one of the two."""


def stretches(
    offsets: Sequence[tuple[int, int]], words: Sequence[int | None], *, length: int, window: int
) -> list[tuple[int, int]]:
    """Give stretches of characters that cover the whole text, each of at most `window` tokens, cut between words.

    Parameters
    ----------
    offsets
        First character and the one after the last, of each token of the text.
    words
        The word that each token belongs to; a word's tokens stand together.
    length
        Characters of the text.
    window
        Tokens of one stretch, at least 1. A word of more tokens than this is cut within.
    """
    if len(offsets) <= window:
        return [(0, length)]
    found: list[tuple[int, int]] = []
    first = 0
    while True:
        after = _last_cut(words, first, first + window)
        start = offsets[first][0] if first else 0
        if after >= len(offsets):
            return [*found, (start, length)]
        found.append((start, offsets[after][0]))
        overlapping = _next_cut(words, after - int(window * OVERLAP), after)
        first = overlapping if overlapping > first else after


def _last_cut(words: Sequence[int | None], first: int, after: int) -> int:
    """Give the last place after `first`, up to `after`, where a word begins; `after` itself within one long word."""
    if after >= len(words):
        return len(words)
    for place in range(after, first, -1):
        if _begins_word(words, place):
            return place
    return after


def _next_cut(words: Sequence[int | None], place: int, after: int) -> int:
    """Give the first place from `place` up to `after` where a word begins."""
    return next((here for here in range(place, after) if _begins_word(words, here)), after)


def _begins_word(words: Sequence[int | None], place: int) -> bool:
    return words[place] is None or words[place] != words[place - 1]
