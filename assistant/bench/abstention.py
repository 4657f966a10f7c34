"""What the gate refuses: adversarial and foreign questions, beside the answerable ones it refuses wrongly."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from assistant.bench.outcomes import Outcome

BOUND = 0.025
"""Answerable questions that may be refused, as a share. SYNAPSE, appendix C.2."""
CURVE = (0.0, 0.01, BOUND, 0.05, 0.1, 0.2, 0.3)
REFUSED = "unknown"
"""The outcome of the gate that ends in a refusal without the model."""


def threshold_at(answerable: Sequence[float], bound: float) -> float:
    """Give the highest threshold below which no more than `bound` (0 to 1) of these probabilities lie."""
    ordered = sorted(answerable)
    allowed = int(bound * len(ordered) + 1e-9)
    return ordered[min(allowed, len(ordered) - 1)]


def refused_share(probabilities: Sequence[float], threshold: float) -> float | None:
    """Give the share of questions whose probability lies below the threshold; None without questions."""
    if not probabilities:
        return None
    return round(sum(one < threshold for one in probabilities) / len(probabilities), 4)


def separation(answerable: Sequence[float], other: Sequence[float]) -> float | None:
    """Give the chance that an answerable question gets the higher probability (area under the ROC curve)."""
    if not answerable or not other:
        return None
    low = np.sort(np.asarray(other))
    below = np.searchsorted(low, answerable, side="left") + np.searchsorted(low, answerable, side="right")
    return round(float(below.mean()) / 2 / len(other), 4)


def abstention(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Give what is refused at the bound, along the curve, and by the gate's own thresholds; null without a gate."""
    groups = {
        "false_refusal": [one for one in outcomes if not one.foreign and one.answerable],
        "adversarial_refused": [one for one in outcomes if not one.foreign and not one.answerable],
        "foreign_refused": [one for one in outcomes if one.foreign],
    }
    chances = {
        name: [one.probability for one in group if one.probability is not None] for name, group in groups.items()
    }
    if not chances["false_refusal"]:
        nothing = dict.fromkeys([*groups, "threshold", "separation", "own"])
        return {**nothing, "bound": BOUND, "curve": []}
    right = chances["false_refusal"]
    return {
        **_at(chances, BOUND),
        "separation": {
            "adversarial": separation(right, chances["adversarial_refused"]),
            "foreign": separation(right, chances["foreign_refused"]),
        },
        "curve": [_at(chances, bound) for bound in CURVE],
        "own": {name: _outcome_share(group) for name, group in groups.items()},
    }


def _at(chances: dict[str, list[float]], bound: float) -> dict[str, float | None]:
    threshold = threshold_at(chances["false_refusal"], bound)
    refused = {name: refused_share(those, threshold) for name, those in chances.items()}
    return {**refused, "bound": bound, "threshold": round(threshold, 6)}


def _outcome_share(group: Sequence[Outcome]) -> float | None:
    judged = [one for one in group if one.verdict is not None]
    return round(sum(one.verdict == REFUSED for one in judged) / len(judged), 4) if judged else None
