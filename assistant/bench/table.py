"""A report as a table for people."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from assistant.bench.abstention import BOUND
from assistant.bench.metrics import BLEU_NAMES, F1_NAMES
from assistant.bench.retrieval import DEPTHS

Cells = Sequence[str]


def lines(found: Mapping[str, Any], names: Mapping[str, str]) -> Iterator[str]:
    """Give the lines of a report; `names` are those of the categories, where they are not words themselves."""
    rows: dict[str, Any] = {**found["engines"], **found["variants"]}
    yield (
        f"{found['file']}: {len(found['conversations']):,} conversations, {found['turns']:,} turns; "
        f"{found['questions']:,} questions, {found['foreign_questions']:,} foreign ones; {found['encoder']}"
    )
    yield from _evidence(rows, names)
    yield from _refused(rows)
    if any("answers" in row for row in rows.values()):
        yield from _answers(rows, names)
    if "erc" in found:
        yield from _equal_counts(found["erc"])


def _evidence(rows: Mapping[str, Any], names: Mapping[str, str]) -> Iterator[str]:
    categories = sorted({category for row in rows.values() for category in row["retrieval"]["by_category"]})
    head = ["", *(f"@{depth}" for depth in DEPTHS), *(names.get(category, category) for category in categories)]
    deepest = str(max(DEPTHS))
    kinds: dict[str, tuple[str, ...]] = {
        "evidence found, mean share (by category: @30)": (),
        "the same by session": ("sessions",),
        "the same with corrected labels": ("corrected",),
    }
    for limit in next(iter(rows.values()))["retrieval"].get("low_similarity", {}):
        kinds[f"the same where no evidence is similar by {limit}"] = ("low_similarity", limit)
    for title, path in kinds.items():
        found = {name: _at(row["retrieval"], path) for name, row in rows.items()}
        if None in found.values():
            continue
        body = [
            [
                name,
                *(_share(shares["share_at"][str(depth)]) for depth in DEPTHS),
                *(_share(_at(shares, ("by_category", category, "share_at", deepest))) for category in categories),
            ]
            for name, shares in found.items()
        ]
        yield from _table(title, head, body)


def _refused(rows: Mapping[str, Any]) -> Iterator[str]:
    head = ["", "adversarial", "foreign", "false", "own: adversarial", "foreign", "false", "ms p50", "p95"]
    names = ("adversarial_refused", "foreign_refused", "false_refusal")
    body = []
    for name, row in rows.items():
        gate, own = row["abstention"], row["abstention"]["own"] or {}
        body.append(
            [
                name,
                *(_share(gate[kind]) for kind in names),
                *(_share(own.get(kind)) for kind in names),
                *(_number(row["recall_ms"][part]) for part in ("p50", "p95")),
            ]
        )
    yield from _table(f"refused with {BOUND:.1%} false refusals, and by the gate's own thresholds; recall", head, body)


def _answers(rows: Mapping[str, Any], names: Mapping[str, str]) -> Iterator[str]:
    answered = {name: row for name, row in rows.items() if "answers" in row}
    categories = sorted({one for row in answered.values() for one in row["answers"]["locomo"]["by_category"]})
    head = ["", "mean", *(names.get(category, category) for category in categories)]
    for kind in (*F1_NAMES, *BLEU_NAMES, "refused"):
        body = [
            [
                name,
                _share(row["answers"][kind].get("mean")),
                *(_share(row["answers"][kind]["by_category"].get(category)) for category in categories),
            ]
            for name, row in answered.items()
        ]
        yield from _table(f"answers: {kind}", head, body)
    costs = [
        [
            name,
            *(_number(row["tokens"][part]) for part in ("prompt", "answer")),
            *(_number(row["seconds"][part]) for part in ("first_token", "answer")),
        ]
        for name, row in answered.items()
    ]
    yield from _table("per question", ["", "tokens read", "written", "s to first token", "s in all"], costs)


def _equal_counts(found: Mapping[str, Any]) -> Iterator[str]:
    body = [[name, *(_number(one[part]) for part in ("fired", "erc", "erc_mg"))] for name, one in found.items()]
    yield from _table("share found among as many memories as fire", ["", "fired", "ERC", "ERC-MG"], body)


def _table(title: str, head: Cells, body: Sequence[Cells]) -> Iterator[str]:
    """Give a title and aligned rows: the first column to the left, the figures to the right."""
    widths = [max(len(row[column]) for row in (head, *body)) for column in range(len(head))]
    yield ""
    yield title
    for row in (head, *body):
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        yield "  ".join(cells).rstrip()


def _at(found: Any, path: Sequence[str]) -> Any:
    """Give what lies at a path of keys; None where there is nothing."""
    for key in path:
        found = found.get(key) if found else None
    return found


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:,.3g}" if value < 100 else f"{value:,.0f}"
