"""Which of the memories in a prompt an answer drew on."""

from collections.abc import Callable, Sequence

SHARE_OF_MEMORY = 0.25
"""Share of what a memory brought in that the answer repeats. 0 to 1."""
SHARE_OF_ANSWER = 0.3
"""Share of what the answer brought in that a memory holds: a short answer repeats little of a long memory. 0 to 1."""


def drew_on(
    memory: Sequence[str], answer: Sequence[str], question: Sequence[str], *, idf: Callable[[str], float]
) -> bool:
    """Give whether an answer repeats enough of what the memory, and not the question, brought in (all as terms)."""
    told, said = set(memory) - set(question), set(answer) - set(question)

    def weight(terms: set[str]) -> float:
        return sum(idf(term) for term in terms)

    repeated = weight(told & said)
    return repeated > 0 and (repeated >= SHARE_OF_MEMORY * weight(told) or repeated >= SHARE_OF_ANSWER * weight(said))
