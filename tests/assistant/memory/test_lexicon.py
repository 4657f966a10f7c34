import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.memory.lexicon import Lexicon, PositiveBM25
from assistant.memory.parameters import Parameters

WORDS = st.sampled_from(["cat", "dog", "sea", "boat", "tea", "2024"])
TEXTS = st.lists(st.lists(WORDS, max_size=8), min_size=1, max_size=12)


def test_one_match_by_hand() -> None:
    lexicon = Lexicon.of_texts([["cat", "sea"], ["dog"], ["boat"]], parameters=Parameters(k1=1.2, b=0.6))
    idf = math.log(1 + (3 - 1 + 0.5) / (1 + 0.5))
    average = 4 / 3
    expected = idf * 1 * 2.2 / (1 + 1.2 * (1 - 0.6 + 0.6 * 2 / average))
    assert lexicon.scores(["cat"]) == pytest.approx([expected, 0, 0])


@given(texts=TEXTS, question=st.lists(WORDS, max_size=6))
def test_the_matrix_gives_the_scores_of_the_library(texts: list[list[str]], question: list[str]) -> None:
    p = Parameters()
    ours = Lexicon.of_texts(texts, parameters=p).scores(question)
    if any(texts):
        theirs = PositiveBM25(texts, k1=p.k1, b=p.b).get_scores(question)
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)
    else:
        assert not ours.any()


@given(texts=TEXTS, question=st.lists(WORDS, min_size=1, max_size=6))
def test_a_match_never_counts_against_a_text(texts: list[list[str]], question: list[str]) -> None:
    scores = Lexicon.of_texts(texts, parameters=Parameters()).scores(question)
    for text, score in zip(texts, scores, strict=True):
        assert (score > 0) == bool(set(text) & set(question))


@given(texts=TEXTS, more=TEXTS, question=st.lists(WORDS, max_size=6))
def test_texts_weighed_later_score_like_equal_texts_weighed_at_first(
    texts: list[list[str]], more: list[list[str]], question: list[str]
) -> None:
    lexicon = Lexicon.of_texts([*texts, *more], parameters=Parameters())
    later = lexicon.scores(question, lexicon.weigh(more))
    np.testing.assert_allclose(later, lexicon.scores(question)[len(texts) :], atol=1e-12)


def test_coverage_is_the_share_of_the_question_that_a_text_holds() -> None:
    lexicon = Lexicon.of_texts([["cat", "sea"], ["dog"], ["cat"]], parameters=Parameters())
    assert lexicon.coverage(["cat", "sea"])[0] == pytest.approx(1.0)
    assert 0 < lexicon.coverage(["cat", "sea"])[2] < 1
    assert lexicon.coverage(["cat", "zebra"])[2] < lexicon.coverage(["cat"])[2]
    assert lexicon.coverage(["zebra"]).tolist() == [0, 0, 0]


@given(texts=TEXTS, question=st.lists(WORDS, max_size=6), data=st.data())
def test_joined_texts_score_like_texts_that_were_long_from_the_start(
    texts: list[list[str]], question: list[str], data: st.DataObject
) -> None:
    group = sorted(data.draw(st.lists(st.integers(0, 3), min_size=len(texts), max_size=len(texts))))
    numbers = [sorted(set(group)).index(number) for number in group]
    long: list[list[str]] = [[] for _ in set(numbers)]
    for text, number in zip(texts, numbers, strict=True):
        long[number].extend(text)
    p = Parameters()
    joined = Lexicon.of_texts(texts, parameters=p).joined(np.array(numbers))
    np.testing.assert_allclose(
        joined.scores(question), Lexicon.of_texts(long, parameters=p).scores(question), atol=1e-9
    )


@given(texts=TEXTS, more=st.lists(st.lists(WORDS, max_size=8), max_size=5), question=st.lists(WORDS), data=st.data())
def test_a_lexicon_that_moved_on_is_that_of_the_texts_there_are(
    texts: list[list[str]], more: list[list[str]], question: list[str], data: st.DataObject
) -> None:
    dropped, p = data.draw(st.integers(0, len(texts))), Parameters()
    moved = Lexicon.of_texts(texts, parameters=p).moved_on(more, dropped=dropped)
    anew = Lexicon.of_texts([*texts[dropped:], *more], parameters=p)
    np.testing.assert_allclose(moved.scores(question), anew.scores(question), atol=1e-12)
    np.testing.assert_allclose(moved.coverage(question), anew.coverage(question), atol=1e-12)
    assert moved.idf("zebra") == pytest.approx(anew.idf("zebra"))
