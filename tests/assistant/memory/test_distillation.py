import json
from datetime import timedelta

import pytest

from assistant.memory.distillation import confidence, distillation_prompt, entry_schema, read_entries
from assistant.memory.parameters import ReflectionParameters
from storage.records import Category, Role, Source, Turn
from tests.conftest import NOON

PARAMETERS = ReflectionParameters()


def turn(node: int, text: str, *, role: Role = Role.USER, speaker: str = "Sam", source: Source = Source.CHAT) -> Turn:
    return Turn(
        id=f"{node:032x}",
        node=node,
        conversation="c",
        position=node,
        role=role,
        speaker=speaker,
        text=text,
        time=NOON + timedelta(days=node),
        source=source,
    )


def read(entries: list[tuple[str, str, list[int]]], *cluster: Turn) -> list[tuple[Category, str, tuple[int, ...]]]:
    """Give category, text and evidence of what is kept of a model's entries."""
    given = [{"kind": kind, "text": text, "notes": notes} for kind, text, notes in entries]
    kept, dropped = read_entries(json.dumps({"entries": given}), cluster, PARAMETERS)
    assert dropped == len(entries) - len(kept)
    return [(entry.category, entry.text, entry.evidence) for entry in kept]


SAILS = turn(3, "I sail every Sunday, whatever the wind.")
BOAT = turn(4, "Yesterday I bought a boat with Lena in Porto.")
LENA = turn(5, "I don't eat olives.", role=Role.OTHER, speaker="Lena", source=Source.IMPORTED)


def test_an_entry_keeps_its_kind_and_the_memories_that_say_it() -> None:
    entries = [("user", "The user sails every Sunday.", [1]), ("fact", "The user bought a boat in Porto.", [1, 2])]
    assert read(entries, SAILS, BOAT) == [
        (Category.USER_MODEL, "The user sails every Sunday.", (3,)),
        (Category.FACTUAL, "The user bought a boat in Porto.", (4,)),
    ]


def test_the_confidence_by_hand() -> None:
    # of "sails", "sunday", "storm" the first two were said; "the user" and "every" tell nothing
    assert confidence("The user sails every Sunday in a storm.", [SAILS]) == pytest.approx(2 / 3)
    assert confidence("The user sails.", [SAILS]) == 1
    assert confidence("The user.", [SAILS]) == 0
    assert confidence("The user sails.", []) == 0


def test_an_absolute_date_is_borne_out_by_the_day_on_which_it_was_told() -> None:
    # said on 16 May 2026: yesterday was the 15th
    for day in ("2026-05-15", "15 May 2026", "Friday, May 15"):
        assert confidence(f"The user bought a boat on {day}.", [BOAT]) == 1
    assert confidence("The user bought a boat on 2026-05-14.", [BOAT]) == 0


@pytest.mark.parametrize(
    "invented",
    [
        "The user bought a boat in Lisbon.",
        "The user bought 2 boats in Porto.",
        "The user bought a boat with Jonas.",
        "The user repairs engines in winter.",
    ],
)
def test_what_nobody_said_is_dropped(invented: str) -> None:
    assert read([("fact", invented, [1])], BOAT) == []


def test_names_and_numbers_that_were_not_said_together_are_not_put_together() -> None:
    ben = turn(6, "Ben has sold 3 canoes.")
    assert read([("fact", "The user bought a boat with Ben.", [1, 2])], BOAT, ben) == []
    assert read([("fact", "Ben sold a boat in Porto.", [1, 2])], BOAT, ben) == []


def test_what_was_denied_is_not_said_and_the_other_way_round() -> None:
    assert read([("fact", "Lena eats olives.", [1])], LENA) == []
    assert read([("fact", "Lena does not eat olives.", [1])], LENA) == [
        (Category.FACTUAL, "Lena does not eat olives.", (5,))
    ]
    assert read([("user", "The user does not sail.", [1])], SAILS) == []


def test_the_deeds_of_one_person_are_not_credited_to_another() -> None:
    ann = turn(6, "I adopted a puppy.", role=Role.OTHER, speaker="Ann")
    assert read([("fact", "Lena adopted a puppy.", [1])], ann, LENA) == []
    assert read([("fact", "Ann adopted a puppy.", [1])], ann, LENA) == [
        (Category.FACTUAL, "Ann adopted a puppy.", (6,))
    ]


def test_a_question_tells_nothing() -> None:
    asked = turn(7, "Do you own a parrot? I own a canoe.")
    assert read([("user", "The user owns a parrot.", [1])], asked) == []
    assert len(read([("user", "The user owns a canoe.", [1])], asked)) == 1


def test_only_the_user_tells_what_the_user_is_like() -> None:
    other = turn(8, "I sail every Sunday.", role=Role.OTHER, speaker="Lena")
    assert read([("user", "The user sails every Sunday.", [1])], other) == []


def test_only_the_users_own_chat_tells_the_assistant_how_to_behave() -> None:
    text, wish = "Please answer briefly.", [("agent", "Answer briefly.", [1])]
    assert [category for category, _, _ in read(wish, turn(9, text))] == [Category.AGENT]
    assert [category for category, _, _ in read(wish, turn(9, text, source=Source.NOTE))] == [Category.AGENT]
    assert read(wish, turn(9, text, source=Source.IMPORTED)) == []
    assert read(wish, turn(9, text, role=Role.OTHER, speaker="Lena")) == []


@pytest.mark.parametrize(
    ("said", "is_wish"),
    [("Call me Max.", True), ("I want you to answer briefly.", True), ("I sail every Sunday.", False)],
)
def test_what_somebody_tells_of_themselves_is_no_wish_for_the_assistant(said: str, *, is_wish: bool) -> None:
    assert bool(read([("agent", said, [1])], turn(9, said))) is is_wish


@pytest.mark.parametrize("kind", ["user", "fact", "agent"])
def test_nothing_is_learned_from_the_assistants_words(kind: str) -> None:
    assert read([(kind, "You own a yacht.", [1])], turn(10, "You own a yacht.", role=Role.ASSISTANT)) == []


def test_what_the_model_took_from_another_memory_than_it_names_is_found() -> None:
    for named in ([2], [0, 99], [1, 2]):
        entry = ("user", "The user sails every Sunday.", named)
        assert read([entry], SAILS, BOAT) == [(Category.USER_MODEL, "The user sails every Sunday.", (3,))]


def test_the_same_entry_twice_is_one() -> None:
    kept, dropped = read_entries(
        json.dumps({"entries": [{"kind": "user", "text": "The user sails.", "notes": [1]}] * 2}), [SAILS], PARAMETERS
    )
    assert (len(kept), dropped) == (1, 1)


@pytest.mark.parametrize("answer", ["", "no JSON", '{"entries": [', "{}", "[]", '{"entries": [{"kind": "x"}]}'])
def test_an_answer_of_another_form_gives_nothing(answer: str) -> None:
    assert read_entries(answer, [SAILS], PARAMETERS) == ([], 1)


def test_the_model_reads_each_memory_with_its_number_its_day_and_who_said_it() -> None:
    quoting = turn(11, 'He said "stay"\nand left.', role=Role.OTHER, speaker="Lena")
    system, asked = distillation_prompt([BOAT, quoting], PARAMETERS)
    assert system.role == "system"
    assert '1. 2026-05-16 (Saturday), the user: "Yesterday [2026-05-15] I bought a boat' in asked.content
    assert "2. 2026-05-23 (Saturday), Lena: \"He said 'stay' and left.\"" in asked.content


def test_a_long_memory_is_cut() -> None:
    _, asked = distillation_prompt([turn(1, "word " * 1_000)], PARAMETERS)
    assert len(asked.content) < 800


def test_the_form_of_the_answer_is_bounded() -> None:
    schema = json.loads(entry_schema(3, PARAMETERS))
    entries = schema["properties"]["entries"]
    assert entries["maxItems"] == PARAMETERS.most_entries
    assert entries["items"]["properties"]["notes"]["items"]["enum"] == [1, 2, 3]
    assert entries["items"]["properties"]["text"]["maxLength"] == PARAMETERS.entry_characters
