import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.memory.parameters import Parameters
from assistant.memory.words import Words, sessions
from storage.records import GraphRow, Role

HOUR = 3_600_000_000
PARAMETERS = Parameters()


def row(position: int, terms: str = "", *, hours: float = 0.0, conversation: int = 1) -> GraphRow:
    return GraphRow(
        node=conversation * 1000 + position,
        conversation=conversation,
        position=position,
        role=Role.OTHER,
        speaker="Ann",
        microseconds=int(hours * HOUR),
        terms=terms,
    )


def words(*texts: str, concepts: tuple[str, ...] = ()) -> Words:
    return Words.of([row(i, text) for i, text in enumerate(texts)], concepts, parameters=PARAMETERS)


def weight(*, idf: float, count: int, length: int, average: float) -> float:
    k1, b = PARAMETERS.k1, PARAMETERS.b
    return idf * count * (k1 + 1) / (count + k1 * (1 - b + b * length / average))


def test_a_worked_example() -> None:
    found = words("tea cup", "tea", "oboe reed oboe", concepts=("oboe", "tea tea", "new"))
    tea, oboe = math.log(1 + 1.5 / 2.5), math.log(1 + 2.5 / 1.5)  # in two of three turns, and in one
    assert found.bm25(["tea"]) == pytest.approx(
        [
            weight(idf=tea, count=1, length=2, average=2),
            weight(idf=tea, count=1, length=1, average=2),
            0,
            0,
            weight(idf=tea, count=2, length=2, average=2),
            0,
        ]
    )
    assert found.coverage(["tea", "oboe"]) == pytest.approx(
        [tea / (tea + oboe), tea / (tea + oboe), oboe / (tea + oboe), oboe / (tea + oboe), tea / (tea + oboe), 0]
    )
    assert found.session.tolist() == [0, 0, 0]
    assert found.session_bm25(["oboe"]).shape == (1,)


def test_nothing_has_no_words() -> None:
    found = Words.of([], [], parameters=PARAMETERS)
    assert found.bm25(["tea"]).shape == found.coverage(["tea"]).shape == found.session_bm25(["tea"]).shape == (0,)


def test_a_term_that_nobody_used_covers_a_share_of_the_question_all_the_same() -> None:
    found = words("tea cup", *["tea"] * 9)
    assert found.coverage(["cup", "unheard"])[0] == pytest.approx(0.5)  # as rare as the rarest
    assert found.coverage(["unheard"]).tolist() == [0] * 10


def test_a_session_is_scored_as_one_text() -> None:
    rows = [row(0, "tea", hours=0), row(1, "cup", hours=1), row(2, "tea cup", hours=20), row(0, "oboe", conversation=2)]
    found = Words.of(rows, [], parameters=PARAMETERS)
    assert found.session.tolist() == [0, 0, 1, 2]
    tea, cup, oboe = (found.session_bm25([term]) for term in ("tea", "cup", "oboe"))
    assert tea[0] == tea[1] == cup[0]  # both hold it once among two words
    assert (tea[2], oboe[0], oboe[1]) == (0, 0, 0)
    assert oboe[2] > tea[0]


@pytest.mark.parametrize(("hours", "expected"), [(5.9, [0, 0]), (6.1, [0, 1]), (-6.1, [0, 1])])
def test_a_pause_longer_than_the_gap_begins_a_session(hours: float, expected: list[int]) -> None:
    assert sessions([row(0), row(1, hours=hours)], gap_hours=6).tolist() == expected


TEXT = st.lists(st.sampled_from(["tea", "cup", "oboe", "reed", "日本", "本の"]), max_size=6).map(" ".join)
TEXTS = st.lists(TEXT, min_size=1, max_size=8)


@given(texts=TEXTS, seed=st.integers(0, 99))
def test_the_order_of_the_turns_changes_no_score(texts: list[str], seed: int) -> None:
    order = np.random.default_rng(seed).permutation(len(texts))
    shuffled = words(*(texts[i] for i in order)).bm25(["tea", "日本"])
    assert shuffled == pytest.approx(words(*texts).bm25(["tea", "日本"])[order])


@given(texts=TEXTS, more=TEXTS, concepts=st.lists(TEXT, max_size=3))
def test_further_turns_change_no_score_of_those_before(texts: list[str], more: list[str], concepts: list[str]) -> None:
    before = words(*texts, concepts=tuple(concepts))
    rows = [row(i, text, conversation=2) for i, text in enumerate(more)]
    after = before.with_more(rows, concepts, parameters=PARAMETERS)
    for term in ("tea", "oboe", "日本"):
        old, new = before.bm25([term]), after.bm25([term])
        n, m = len(texts), len(concepts)
        assert new.shape == (n + len(more) + m,)
        assert new[:n] == pytest.approx(old[:n])
        assert new[n + len(more) :] == pytest.approx(old[n:])
        assert after.session_bm25([term])[: before.sessions.shape[0]] == pytest.approx(before.session_bm25([term]))
    assert after.session.tolist() == [*before.session, *(before.session.max() + 1 for _ in more)]


@given(texts=TEXTS, question=TEXT)
def test_coverage_is_a_share_and_whole_for_what_holds_every_word(texts: list[str], question: str) -> None:
    asked = question.split()
    coverage = words(*texts).coverage(asked)
    assert ((coverage >= 0) & (coverage <= 1 + 1e-9)).all()
    for text, share in zip(texts, coverage, strict=True):
        if asked:
            assert (share == pytest.approx(1)) == set(asked).issubset(text.split())


@given(texts=TEXTS, more=TEXTS, concepts=st.lists(TEXT, max_size=3), data=st.data())
def test_words_that_moved_on_are_those_of_the_turns_there_are(
    texts: list[str], more: list[str], concepts: list[str], data: st.DataObject
) -> None:
    dropped = data.draw(st.integers(0, len(texts)))
    rows = [row(i, text, hours=4 * i) for i, text in enumerate([*texts, *more])]
    before = Words.of(rows[: len(texts)], concepts, parameters=PARAMETERS)
    moved = before.moved_on(rows[dropped:], dropped=dropped, parameters=PARAMETERS)
    moved = moved.with_more([], concepts, parameters=PARAMETERS)
    anew = Words.of(rows[dropped:], concepts, parameters=PARAMETERS)
    assert moved.session.tolist() == anew.session.tolist()
    for term in ("tea", "oboe", "日本"):
        assert moved.bm25([term]) == pytest.approx(anew.bm25([term]))
        assert moved.coverage([term, "cup"]) == pytest.approx(anew.coverage([term, "cup"]))
        assert moved.session_bm25([term]) == pytest.approx(anew.session_bm25([term]))
