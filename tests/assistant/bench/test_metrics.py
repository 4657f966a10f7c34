"""The scores of answers: worked examples of each, and what holds for any."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.bench import metrics
from assistant.bench.metrics import bleu_1, f1, is_refusal, scores
from assistant.bench.words import treebank_words

WORKED = [
    ("2", "7 May 2023", "May 7, 2023", (1.0, 1.0, 1.0, 0.75, 1.0)),
    ("2", "2022", "in 2022.", (0.6667, 0.6667, 0.6667, 0.3333, 0.5)),
    ("4", "mental health", "The race raised awareness for mental health!", (0.5, 0.4444, 0.5, 0.25, 0.3333)),
    ("1", "Adoption agencies, lawyers", "adoption agencies", (0.5, 0.8, 0.8, 0.3679, 0.6065)),
    (
        "1",
        "pottery, camping, painting, swimming",
        "Painting and camping",
        (0.3333, 0.5714, 0.5714, 0.1757, 0.4777),
    ),
    (
        "3",
        "Psychology, counseling certification; maybe social work",
        "counseling",
        (0.5, 0.2857, 0.2857, 0.0009, 0.0067),
    ),
    ("4", "self-care is important", "Self care is important", (0.5714, 0.5714, 1.0, 0.5, 1.0)),
]
WORDS = st.lists(st.sampled_from(["boat", "key", "harbour", "red", "2022", "sails"]), min_size=1, max_size=8)
TEXTS = st.text(max_size=60)


@pytest.mark.parametrize(("category", "right", "answer", "expected"), WORKED)
def test_the_worked_examples_come_out_to_four_decimals(
    category: str, right: str, answer: str, expected: tuple[float, ...]
) -> None:
    found = scores(right, answer, category=category)
    assert tuple(found) == (*metrics.F1_NAMES, *metrics.BLEU_NAMES)
    assert tuple(round(score, 4) for score in found.values()) == expected


def test_only_the_part_of_a_list_that_is_asked_for_is_split_at_commas() -> None:
    listed = {category: scores("red, blue", "blue, red", category=category)["locomo"] for category in ("1", "4")}
    assert listed == {"1": 1.0, "4": 1.0}
    assert scores("red, blue", "blue", category="1")["locomo"] == 0.5
    assert scores("red, blue", "blue", category="4")["locomo"] == pytest.approx(2 / 3)


def test_a_word_that_is_said_twice_counts_once_for_a_mem_alone() -> None:
    found = scores("red boat", "red red boat boat", category="4")
    assert found["a_mem"] == 1.0
    assert found["hela"] == found["locomo"] == pytest.approx(2 / 3)


def test_stems_are_compared_by_locomo_alone() -> None:
    found = scores("painting", "paintings", category="4")
    assert (found["locomo"], found["a_mem"], found["hela"]) == (1.0, 0.0, 0.0)


@given(TEXTS, TEXTS, st.sampled_from("12345"))
def test_scores_lie_between_nothing_and_all(right: str, answer: str, category: str) -> None:
    assert all(0 <= score <= 1 + 1e-12 for score in scores(right, answer, category=category).values())


@given(WORDS, st.sampled_from("1234"))
def test_the_right_answer_has_every_score_whole(words: list[str], category: str) -> None:
    found = scores(" ".join(words), " ".join(words), category=category)
    assert list(found.values()) == pytest.approx([1.0] * len(found))


@given(WORDS, WORDS, st.randoms())
def test_the_order_of_words_means_nothing(right: list[str], answer: list[str], random: object) -> None:
    shuffled = list(answer)
    random.shuffle(shuffled)  # type: ignore[attr-defined]  # a random.Random
    assert f1(right, shuffled) == f1(right, answer) == f1(answer, right)
    assert bleu_1(right, shuffled) == bleu_1(right, answer)


@given(WORDS, WORDS)
def test_a_word_that_nobody_asked_for_never_helps_f1(right: list[str], answer: list[str]) -> None:
    assert f1(right, [*answer, "unheard"]) <= f1(right, answer)


@pytest.mark.parametrize(
    ("answer", "refuses"),
    [
        ("Not mentioned in the conversation", True),
        ("There is no information available.", True),
        ("I don’t know, you haven’t told me.", True),
        ("I don't know, you haven't told me.", True),
        ("She did not mention the boat", False),
        ("", False),
    ],
)
def test_a_refusal_is_known_by_its_words(answer: str, refuses: bool) -> None:
    assert is_refusal(answer, own=("I don't know, you haven't told me",)) is refuses


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "it's 7:30 on may 7,2023, isn't it?",
            ["it", "'s", "7:30", "on", "may", "7,2023", ",", "is", "n't", "it", "?"],
        ),
        ("dr. ray (of leeds) can't.", ["dr.", "ray", "(", "of", "leeds", ")", "ca", "n't", "."]),
        ('she said "go on..." -- twice', ["she", "said", "``", "go", "on", "...", "''", "--", "twice"]),
        (
            "'we cannot', 50% of them: $3.50",
            ["'", "we", "can", "not", "'", ",", "50", "%", "of", "them", ":", "$", "3.50"],
        ),
        ("the dogs' home; they're late", ["the", "dogs", "'", "home", ";", "they", "'re", "late"]),
        ("", []),
    ],
)
def test_words_are_told_apart_as_in_the_penn_treebank(text: str, words: list[str]) -> None:
    assert treebank_words(text) == words


@given(TEXTS)
def test_no_character_but_blanks_and_quotes_is_lost(text: str) -> None:
    plain = text.replace('"', "").replace("`", "").replace("'", "")
    assert "".join(treebank_words(plain)) == "".join(plain.split())
