"""Shares of the evidence found."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.bench.retrieval import equal_count, retrieval, share_at, shares
from tests.assistant.bench.outcomes import outcome

RANKS = st.lists(st.integers(0, 40), min_size=1, max_size=6)


def test_shares_of_two_questions_by_hand() -> None:
    # one finds 2 of 3 pieces at ranks 4 and 20, the other its only one at rank 7
    found = shares([(4, 20, 0), (7,)])
    assert found["questions"] == 2
    assert found["share_at"] == {"5": pytest.approx(1 / 6, abs=1e-4), "10": 0.6667, "30": 0.8333}
    assert found["any_at"] == {"5": 0.5, "10": 1.0, "30": 1.0}
    assert found["all_at"] == {"5": 0.0, "10": 0.5, "30": 0.5}


def test_no_question_gives_no_share() -> None:
    assert shares([])["share_at"] == {"5": None, "10": None, "30": None}


@given(RANKS, st.integers(1, 40), st.integers(0, 40))
def test_who_looks_deeper_finds_no_less(ranks: list[int], depth: int, more: int) -> None:
    assert 0 <= share_at(ranks, depth) <= share_at(ranks, depth + more) <= 1


@given(RANKS, st.integers(1, 40), st.randoms())
def test_the_order_of_the_evidence_means_nothing(ranks: list[int], depth: int, random: object) -> None:
    shuffled = list(ranks)
    random.shuffle(shuffled)  # type: ignore[attr-defined]  # a random.Random
    assert share_at(shuffled, depth) == share_at(ranks, depth)


def test_foreign_and_adversarial_questions_and_those_without_evidence_are_not_counted() -> None:
    found = retrieval(
        [
            outcome(category="1", ranks=(9,), session_ranks=(1, 0)),
            outcome(category="3", ranks=(), session_ranks=()),
            outcome(category="5", answerable=False),
            outcome(home="elsewhere", ranks=()),
        ],
        corrected=False,
    )
    assert (found["questions"], list(found["by_category"])) == (1, ["1"])
    assert found["by_category"]["1"]["share_at"] == {"5": 0.0, "10": 1.0, "30": 1.0}
    assert found["sessions"]["share_at"]["5"] == 0.5
    assert {name: one["questions"] for name, one in found["by_conversation"].items()} == {"talk": 1}
    assert "corrected" not in found


def test_corrected_evidence_is_counted_by_itself() -> None:
    found = retrieval([outcome(ranks=(0,), corrected_ranks=(2, 0), corrected_session_ranks=(2,))], corrected=True)
    assert found["share_at"]["30"] == 0.0
    assert found["corrected"]["share_at"]["30"] == 0.5
    assert found["corrected"]["sessions"]["share_at"]["30"] == 1.0


def test_questions_whose_evidence_is_similar_are_left_out_of_the_subsets() -> None:
    asked = [outcome(nearest=0.6), outcome(nearest=0.4, ranks=(0,)), outcome(nearest=0.2), outcome(nearest=None)]
    found = retrieval(asked, corrected=False, low_similarity=(0.5, 0.3))["low_similarity"]
    assert {limit: (one["questions"], one["share_at"]["30"]) for limit, one in found.items()} == {
        "0.5": (2, 0.5),
        "0.3": (1, 1.0),
    }


def test_others_are_compared_at_the_number_that_fired() -> None:
    fired = [outcome(number=0, fired=2, ranks=(1, 0)), outcome(number=1, fired=1, ranks=(1, 0, 0))]
    others = [outcome(number=0, ranks=(2, 3)), outcome(number=1, ranks=(2, 3, 4))]
    assert equal_count(fired, fired, is_reference=True) == {
        "questions": 2,
        "fired": 1.5,
        "erc": pytest.approx(5 / 12, abs=1e-4),
        "erc_mg": pytest.approx(5 / 12, abs=1e-4),
    }
    # at 2 places one of two, at 1 none of three; guaranteed as many places as evidence: the same 2, and 3
    assert equal_count(others, fired) == {
        "questions": 2,
        "fired": 1.5,
        "erc": 0.25,
        "erc_mg": pytest.approx((1 / 2 + 2 / 3) / 2, abs=1e-4),
    }
