"""Which questions are asked."""

from collections import Counter
from pathlib import Path

import pytest

from assistant.bench.locomo import read_locomo
from assistant.bench.samples import Sample, Selection, select
from assistant.errors import BadInput
from tests.assistant.bench.invented import locomo, written


@pytest.fixture
def samples(tmp_path: Path) -> list[Sample]:
    """Two dialogues with eight questions."""
    return read_locomo(written(locomo(), tmp_path))


def test_every_dialogue_is_asked_its_own_questions_and_those_of_others(samples: list[Sample]) -> None:
    first, second = select(samples, Selection())
    assert (len(first.own), len(second.own)) == (5, 3)
    assert Counter(home for home, _ in first.foreign) == {"talk-Noor": 3}
    assert Counter(home for home, _ in second.foreign) == {"talk-Greta": 5}


def test_the_limit_holds_for_each_category_over_all_dialogues(samples: list[Sample]) -> None:
    rounds = select(samples, Selection(limit=2))
    assert Counter(asked.category for one in rounds for asked in one.own) == {"1": 1, "2": 1, "3": 1, "4": 2, "5": 1}


def test_the_same_seed_draws_the_same_questions(samples: list[Sample]) -> None:
    draws = [select(samples, Selection(limit=1, foreign=2, seed=seed)) for seed in (0, 0, 1, 2, 3, 4)]
    assert draws[0] == draws[1]
    assert any(draw != draws[0] for draw in draws[2:])


def test_only_chosen_dialogues_and_categories_are_asked_foreign_ones_come_from_all(samples: list[Sample]) -> None:
    (only,) = select(samples, Selection(samples=(1, 1), categories=("4",), foreign=2))
    assert only.sample.name == "talk-Noor"
    assert {asked.category for asked in only.own} == {"4"}
    assert [home for home, _ in only.foreign] == ["talk-Greta", "talk-Greta"]


@pytest.mark.parametrize(
    ("selection", "told"),
    [
        (Selection(samples=(2,)), "there is no conversation 2: the file has 2, numbered from 0"),
        (Selection(samples=(-1,)), "there is no conversation -1"),
        (Selection(categories=("7",)), "no question has the category 7: there are 1, 2, 3, 4, 5"),
        (Selection(samples=(1,), categories=("5",)), "no question is left to ask"),
        (Selection(limit=0), "no question is left to ask"),
    ],
)
def test_what_cannot_be_asked_is_named(samples: list[Sample], selection: Selection, told: str) -> None:
    with pytest.raises(BadInput) as refused:
        select(samples, selection)
    assert str(refused.value).startswith(told)
