from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.memory.associative import AssociativeMemory
from assistant.memory.engines import Question
from assistant.memory.question import read_question
from assistant.memory.terms import terms
from storage.instants import to_columns
from storage.records import Role
from tests.assistant.memory.told import fillers, talk
from tests.conftest import NOON
from tests.doubles import HashEncoder

SPEAKERS = {"Mara": Role.USER, "Ann Berg": Role.OTHER, "Bob": Role.OTHER, "Assistant": Role.ASSISTANT}
DAY = timedelta(days=1)


def read(text: str, *, speakers: dict[str, Role] | None = None, now: datetime = NOON) -> Question:
    return read_question(text, speakers=speakers or SPEAKERS, encoder=HashEncoder(), now=now)


def test_a_worked_example() -> None:
    question = read("How long did Bob's trip to Lisbon take?")
    assert question.terms == terms("How long did Bob's trip to Lisbon take?")
    assert question.speakers == {"Bob"}
    assert question.core_terms == terms("trip Lisbon")
    assert question.function_terms == terms("how long did to take")
    assert question.span_us is None
    assert question.microseconds == to_columns(NOON)[0]


@pytest.mark.parametrize(
    ("text", "speakers"),
    [
        ("What did Ann say?", {"Ann Berg"}),
        ("What did BERG say about bob?", {"Ann Berg", "Bob"}),
        ("Where are Bob’s keys?", {"Bob"}),
        ("Where do I live?", {"Mara"}),
        ("What's my number?", {"Mara"}),
        ("Where I’ve been with Bob", {"Mara", "Bob"}),
        ("Wo wohne ich?", {"Mara"}),
        ("Wie heißt mein Hund?", {"Mara"}),
        ("Où est mon chat ?", {"Mara"}),
        ("我住在哪里?", {"Mara"}),
        ("私はどこに住んでいますか", {"Mara"}),
        ("わたしの犬の名前は?", {"Mara"}),
        ("ぼくの車はどこ", {"Mara"}),
        ("Where does the heron nest?", set()),
        ("Is it in the mix?", set()),
    ],
)
def test_a_question_is_about_the_people_it_names_and_in_the_first_person_about_the_user(
    text: str, speakers: set[str]
) -> None:
    assert read(text).speakers == speakers


@pytest.mark.parametrize(
    ("speaker", "text", "asked"),
    [
        ("Anna of the Hills", "Which of the herons is ill?", False),
        ("Anna of the Hills", "Where is Anna?", True),
        ("Mum and Dad", "Who are you and I?", False),
        ("Will", "When will it rain?", False),
        ("Will", "Did Will call?", True),
        ("May", "It may rain.", False),
        ("Mr. X", "Which factor is x?", True),
        ("The A Team", "Is a bird there?", False),
        ("张曼婷", "张曼婷去了哪里?", True),
        ("张曼婷", "曼婷去了哪里?", True),
        ("山田", "山田さんはどこ?", True),
        ("+49 170 1234567", "Is 49 the number?", False),
        ("+49 170 1234567", "Who wrote from +49 170 1234567?", True),
    ],
)
def test_a_little_word_in_a_name_names_nobody(speaker: str, text: str, asked: bool) -> None:
    assert read(text, speakers={speaker: Role.OTHER}).speakers == ({speaker} if asked else set())


@pytest.mark.parametrize("text", ["Who is she?", "Bob?", "What did Ann Berg do?"])
def test_a_question_without_a_core_is_all_core(text: str) -> None:
    question = read(text)
    assert question.core_terms == question.terms
    assert question.core_vector is not None
    assert (question.core_vector == question.vector).all()


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("What did we do yesterday?", 11, 12),
        ("What happened on 3 May 2026?", 3, 4),
        ("Where was I the day before yesterday?", 10, 11),
    ],
)
def test_the_time_that_a_question_names_is_counted_from_when_it_is_asked(text: str, first: int, last: int) -> None:
    begin, end = (to_columns(datetime(2026, 5, day, tzinfo=UTC))[0] for day in (first, last))
    assert read(text).span_us == (begin, end)


@pytest.mark.parametrize("text", ["What was before 1 January 0001?", "What is after 31 December 9999?", "In 1066?"])
def test_times_at_the_ends_of_the_calendar_are_read(text: str) -> None:
    span = read(text).span_us
    assert span is None or span[0] <= span[1]


@given(text=st.text(st.characters(codec="ascii"), max_size=200))
def test_every_term_of_a_question_is_core_or_function_or_a_name(text: str) -> None:
    question = read(text)
    parts = Counter(question.core_terms) + Counter(question.function_terms)
    assert parts <= Counter(question.terms)
    assert {*question.terms} - {*parts} <= {"ann", "berg", "bob", "mara", "assist"}


@given(text=st.text(max_size=200))
def test_any_text_can_be_asked(text: str) -> None:
    assert read(text).vector.shape == (384,)


# what a memory makes of it


def test_a_question_in_the_first_person_puts_the_turns_of_the_user_first(memory: AssociativeMemory) -> None:
    lines = [
        ("Ann", "I adopted a puppy."),
        *fillers(10),
        ("Mara", "I adopted a puppy."),
        *fillers(10),
        ("Bob", "I adopted a puppy."),
    ]
    talk(memory, lines, user="Mara")
    speakers = [hit.turn.speaker for hit in memory.recall("When did I adopt a puppy?", k=3).hits]
    assert (speakers[0], sorted(speakers)) == ("Mara", ["Ann", "Bob", "Mara"])


def test_the_user_is_known_among_people_where_an_import_did_not_know_them(memory: AssociativeMemory) -> None:
    talk(memory, [("Mara", "Good morning.")], user="Mara")
    talk(memory, [("Mara", "My aunt adopted a puppy."), *fillers(10), ("Ann", "I did adopt a puppy."), *fillers(10)])
    assert memory.recall("When did I adopt a puppy?", k=1).hits[0].turn.speaker == "Mara"


@pytest.mark.parametrize("name", ["Ann", "Mara", "Bob"])
def test_a_question_that_names_a_person_puts_their_turns_first(memory: AssociativeMemory, name: str) -> None:
    lines = [
        ("Ann", "I adopted a puppy."),
        *fillers(10),
        ("Mara", "I adopted a puppy."),
        *fillers(10),
        ("Bob", "I adopted a puppy."),
    ]
    talk(memory, lines, user="Mara")
    assert memory.recall(f"When did {name} adopt a puppy?", k=3).hits[0].turn.speaker == name


def test_what_the_named_person_said_comes_before_what_fits_better(memory: AssociativeMemory) -> None:
    lines = [
        ("Ann", "The puppy was adopted in June."),
        *fillers(10),
        ("Bob", "A puppy was adopted by my aunt."),
        *fillers(10),
    ]
    talk(memory, lines)
    assert memory.recall("When was the puppy adopted?", k=1).hits[0].turn.speaker == "Ann"
    assert memory.recall("When was the puppy of Bob adopted?", k=1).hits[0].turn.speaker == "Bob"


def test_the_time_that_a_question_names_lifts_what_was_said_then(memory: AssociativeMemory) -> None:
    turns = talk(memory, [("Ann", f"We saw a heron at place{day}.") for day in range(30)], apart=1)
    now = turns[-1].time
    asked = memory.recall("Where did we see a heron a week ago?", k=5, now=now).hits
    plain = memory.recall("Where did we see a heron?", k=30, now=now).hits
    nearest = [abs((now - 7 * DAY - hit.turn.time) / DAY) for hit in asked]
    assert max(nearest) <= 6
    assert {hit.turn.node for hit in asked} != {hit.turn.node for hit in plain[:5]}
    lifted = {hit.turn.node: hit.parts.energy for hit in asked}
    before = {hit.turn.node: hit.parts.energy for hit in plain}
    assert lifted[asked[0].turn.node] > before[asked[0].turn.node] + 2


def test_when_it_is_asked_tells_what_yesterday_was(memory: AssociativeMemory) -> None:
    turns = talk(memory, [("Ann", f"We saw a heron at place{day}.") for day in range(30)], apart=1)
    for number in (5, 12, 25):
        best = memory.recall("Where did we see the heron yesterday?", k=1, now=turns[number + 1].time).hits[0].turn
        assert abs((best.time - turns[number].time) / DAY) <= 3
