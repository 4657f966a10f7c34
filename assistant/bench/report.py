"""What a run found, for JSON with stable keys."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assistant.bench.ablation import Variant
from assistant.bench.abstention import abstention
from assistant.bench.metrics import BLEU_NAMES, F1_NAMES
from assistant.bench.outcomes import Answered, Outcome
from assistant.bench.retrieval import equal_count, retrieval
from assistant.bench.run import FIRING, Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What a report tells beside its figures."""

    benchmark: str
    file: str
    encoder: str
    model: str | None = None
    corrected: bool = False
    """Whether the evidence was corrected, too."""
    low_similarity: tuple[float, ...] = ()


def report(plan: Plan, outcomes: Sequence[Outcome], about: About) -> dict[str, Any]:
    """Give all figures for JSON: those of the first engine at the top, all engines by name, and what was varied."""
    by_variant = {variant.name: [one for one in outcomes if one.variant == variant.name] for variant in plan.variants}
    figures = {variant.name: _figures(variant, by_variant[variant.name], about) for variant in plan.variants}
    first = plan.variants[0].name
    whole = {
        "benchmark": about.benchmark,
        "file": about.file,
        "conversations": [one.sample.name for one in plan.rounds],
        "turns": sum(len(one.sample.turns) for one in plan.rounds),
        "evidence_dropped": sum(one.sample.unresolved for one in plan.rounds),
        "consolidated": "salient" if plan.consolidate else None,
        "learned": plan.learn,
        "seed": plan.seed,
        **figures[first],
        "engines": {variant.name: figures[variant.name] for variant in plan.variants if not variant.changed},
        "variants": {variant.name: figures[variant.name] for variant in plan.variants if variant.changed},
    }
    if plan.equal_count:
        whole["erc"] = {
            name: equal_count(those, by_variant[FIRING], is_reference=name == FIRING)
            for name, those in by_variant.items()
        }
    return whole


def _figures(variant: Variant, outcomes: Sequence[Outcome], about: About) -> dict[str, Any]:
    own = [one for one in outcomes if not one.foreign]
    found = {
        "engine": variant.engine,
        "changed": dict(variant.changed),
        "encoder": about.encoder,
        "questions": len(own),
        "foreign_questions": len(outcomes) - len(own),
        "retrieval": retrieval(outcomes, corrected=about.corrected, low_similarity=about.low_similarity),
        "abstention": abstention(outcomes),
        "recall_ms": _percentiles([one.milliseconds for one in outcomes]),
    }
    answers = [(one.category, one.answered) for one in own if one.answered is not None]
    if about.model is not None:
        found["answers"] = {"model": about.model, "questions": len(answers), **_answers(answers)}
        found["tokens"] = {
            "prompt": _mean([one.prompt_tokens for _, one in answers]),
            "answer": _mean([one.completion_tokens for _, one in answers]),
        }
        found["seconds"] = {
            "first_token": _mean([one.first_token_seconds for _, one in answers]),
            "answer": _mean([one.seconds for _, one in answers]),
        }
    return found


def _answers(answers: Sequence[tuple[str, Answered]]) -> dict[str, Any]:
    """Give the mean of each score, and the share refused, by category.

    LoCoMo's F1 of a question that should be refused is whether it was. The others have none: its script scores them
    against the answer that the question is a trap for.
    """
    categories = sorted({category for category, _ in answers})
    found: dict[str, Any] = {}
    for name in (*F1_NAMES, *BLEU_NAMES):
        scored = {
            category: [one.scores[name] for of, one in answers if of == category and one.scores]
            for category in categories
        }
        whole = [score for those in scored.values() for score in those]
        found[name] = {
            "mean": _mean(whole),
            "by_category": {category: _mean(those) for category, those in scored.items() if those},
        }
    refused = {category: [float(one.refused) for of, one in answers if of == category] for category in categories}
    unanswerable = {of for of, one in answers if not one.scores}
    found["refused"] = {"by_category": {category: _mean(those) for category, those in refused.items()}}
    found["locomo"]["by_category"] |= {category: _mean(refused[category]) for category in sorted(unanswerable)}
    return found


def _percentiles(milliseconds: Sequence[float]) -> dict[str, float | None]:
    if not milliseconds:
        return {"p50": None, "p95": None}
    return {f"p{share}": round(float(np.percentile(milliseconds, share)), 2) for share in (50, 95)}


def _mean(values: Sequence[float]) -> float | None:
    return round(sum(values) / len(values), 4) if values else None
