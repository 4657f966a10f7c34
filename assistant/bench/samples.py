"""What a data set becomes: dialogues to remember, and questions of which the evidence is known."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from random import Random

from assistant.errors import BadInput
from assistant.importers.imported import ImportedTurn


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question about a dialogue."""

    number: int
    """Its place among the questions of its dialogue, from 0."""
    text: str
    answer: str
    """The right one; empty where the dialogue does not say."""
    category: str
    answerable: bool
    """Whether the dialogue says it. Of an adversarial question it does not, and it should be refused."""
    evidence: tuple[str, ...]
    """Identifiers of the turns that hold the answer."""
    sessions: tuple[str, ...]
    """The sessions that hold it."""
    corrected: tuple[str, ...]
    """Evidence after an audit of the labels; the same where nothing was wrong."""
    corrected_sessions: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A dialogue, and what is asked about it."""

    name: str
    turns: tuple[ImportedTurn, ...]
    session_of: Mapping[str, str]
    """Session of each turn, by the turn's identifier."""
    questions: tuple[Asked, ...]
    now: datetime
    """The time at which it is asked: that of the last turn, or the question's own."""
    unresolved: int = 0
    """Evidence that names no turn, and was dropped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which questions of a data set are asked."""

    samples: tuple[int, ...] = ()
    """Places of the dialogues; none: all."""
    categories: tuple[str, ...] = ()
    """None: all."""
    limit: int | None = None
    """Questions a category at most, over all dialogues."""
    foreign: int = 100
    """Questions of other dialogues that each dialogue is asked."""
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """A dialogue, with the questions that are put to it."""

    sample: Sample
    own: tuple[Asked, ...]
    foreign: tuple[tuple[str, Asked], ...]
    """Questions of other dialogues, each with that one's name: all of them should be refused."""


def select(samples: Sequence[Sample], selection: Selection) -> list[Round]:
    """Give the dialogues with the questions that are put to each. The same selection gives the same questions.

    Raises
    ------
    BadInput
        There is no such dialogue or category, or nothing is left to ask.
    """
    places = selection.samples or tuple(range(len(samples)))
    for place in places:
        if not 0 <= place < len(samples):
            message = f"there is no conversation {place}: the file has {len(samples)}, numbered from 0"
            raise BadInput(message)
    _check_categories(samples, selection.categories)
    chosen = [samples[place] for place in dict.fromkeys(places)]
    kept = _limited(chosen, selection)
    random = Random(f"foreign {selection.seed}")  # noqa: S311  (which questions are asked is no secret)
    rounds = []
    for sample in chosen:
        own = tuple(one for one in sample.questions if (sample.name, one.number) in kept)
        others = [(other.name, one) for other in samples if other is not sample for one in other.questions]
        drawn = random.sample(others, min(selection.foreign, len(others)))
        rounds.append(Round(sample=sample, own=own, foreign=tuple(drawn)))
    if not any(one.own for one in rounds):
        raise BadInput("no question is left to ask: choose other conversations or categories, or a higher --limit")
    return rounds


def _check_categories(samples: Sequence[Sample], categories: Collection[str]) -> None:
    known = sorted({one.category for sample in samples for one in sample.questions})
    for category in categories:
        if category not in known:
            message = f"no question has the category {category}: there are {', '.join(known)}"
            raise BadInput(message)


def _limited(samples: Sequence[Sample], selection: Selection) -> set[tuple[str, int]]:
    """Give the questions (dialogue, number) that are left of each category."""
    by_category: dict[str, list[tuple[str, int]]] = {}
    for sample in samples:
        for one in sample.questions:
            if not selection.categories or one.category in selection.categories:
                by_category.setdefault(one.category, []).append((sample.name, one.number))
    kept: set[tuple[str, int]] = set()
    for category, those in sorted(by_category.items()):
        random = Random(f"{category} {selection.seed}")  # noqa: S311
        most = len(those) if selection.limit is None else min(selection.limit, len(those))
        kept.update(random.sample(those, most))
    return kept
