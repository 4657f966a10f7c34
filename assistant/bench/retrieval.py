"""How much of the evidence came back: shares by depth, by category, and where the words of a question do not help."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from assistant.bench.outcomes import Outcome

DEPTHS = (5, 10, 30)
"""Places looked at. SYNAPSE puts 30 memories into a prompt."""

Ranks = Sequence[int]
"""Of what should be found, from 1; 0 for what was not."""


def share_at(ranks: Ranks, depth: int) -> float:
    """Give the share, 0 to 1, of what should be found that stands among the first `depth`."""
    return sum(0 < rank <= depth for rank in ranks) / len(ranks)


def shares(all_ranks: Sequence[Ranks]) -> dict[str, Any]:
    """Give, over questions: mean share found, share of questions with any found, and with all found, by depth."""

    def mean(of: Callable[[float], float]) -> dict[str, float | None]:
        values = {depth: [of(share_at(ranks, depth)) for ranks in all_ranks] for depth in DEPTHS}
        return {str(depth): _mean(found) for depth, found in values.items()}

    return {
        "questions": len(all_ranks),
        "share_at": mean(lambda share: share),
        "any_at": mean(lambda share: float(share > 0)),
        "all_at": mean(lambda share: float(share == 1)),
    }


def retrieval(outcomes: Iterable[Outcome], *, corrected: bool, low_similarity: Sequence[float] = ()) -> dict[str, Any]:
    """Give the shares over all answerable questions, by category, and by session.

    Parameters
    ----------
    outcomes
        Those of one variant; foreign and adversarial questions are left out.
    corrected
        Whether to give the shares of the corrected evidence, too.
    low_similarity
        Cosines: for each, the shares over the questions whose evidence is all less similar to them than this
        (SYNAPSE, table 9).
    """
    asked = [one for one in outcomes if one.answerable and not one.foreign]
    found = {
        **_by_category(asked, lambda one: one.ranks),
        "sessions": _by_category(asked, lambda one: one.session_ranks),
        "by_conversation": {
            name: shares([one.ranks for one in asked if one.sample == name and one.ranks])
            for name in dict.fromkeys(one.sample for one in asked)
        },
    }
    if corrected:
        found["corrected"] = {
            **_by_category(asked, lambda one: one.corrected_ranks),
            "sessions": _by_category(asked, lambda one: one.corrected_session_ranks),
        }
    if low_similarity:
        found["low_similarity"] = {
            f"{limit:g}": _by_category(
                [one for one in asked if one.nearest is not None and one.nearest < limit], lambda one: one.ranks
            )
            for limit in low_similarity
        }
    return found


def equal_count(
    outcomes: Iterable[Outcome], reference: Iterable[Outcome], *, is_reference: bool = False
) -> dict[str, float | None]:
    """Give ERC and ERC-MG: shares found among as many memories as the reference let fire, question by question.

    With the minimum guarantee (MG) the others are given as many places as there is evidence, where fewer fired.
    SynapticRAG, section 4.2.
    """
    fired = {(one.sample, one.number): one.fired or 0 for one in reference if not one.foreign and one.ranks}
    asked = [one for one in outcomes if one.answerable and not one.foreign and (one.sample, one.number) in fired]
    counts = [(one.ranks, fired[one.sample, one.number]) for one in asked]
    least = 0 if is_reference else 1
    return {
        "questions": len(asked),
        "fired": _mean([float(count) for _, count in counts]),
        "erc": _mean([share_at(ranks, count) for ranks, count in counts]),
        "erc_mg": _mean([share_at(ranks, max(count, least * len(ranks))) for ranks, count in counts]),
    }


def _by_category(asked: Sequence[Outcome], ranks_of: Callable[[Outcome], Ranks]) -> dict[str, Any]:
    counted = [one for one in asked if ranks_of(one)]
    categories = sorted({one.category for one in counted})
    return {
        **shares([ranks_of(one) for one in counted]),
        "by_category": {
            category: shares([ranks_of(one) for one in counted if one.category == category]) for category in categories
        },
    }


def _mean(values: Sequence[float]) -> float | None:
    return round(sum(values) / len(values), 4) if values else None
