"""Which of the memories in a prompt an answer drew on."""

from collections.abc import Callable, Sequence

USED_SHARE = 0.25
"""Share of a memory's own idf that must come back in the answer. 0 to 1; measured on pairs of answers and memories."""


def drew_on(
    memory: Sequence[str], answer: Sequence[str], question: Sequence[str], *, idf: Callable[[str], float]
) -> bool:
    """Give whether an answer repeats enough of what the memory, and not the question, brought in (all as terms)."""
    own = set(memory) - set(question)
    total = sum(idf(term) for term in own)
    returned = sum(idf(term) for term in own & set(answer))
    return total > 0 and returned >= USED_SHARE * total
