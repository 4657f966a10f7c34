import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.memory.associative import AssociativeMemory
from assistant.memory.slots import slot_of
from tests.assistant.memory.told import note


def slots(text: str) -> list[tuple[str, str]]:
    return [(slot.name, slot.value) for slot in slot_of(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("i live in lisbon", [("home", "lisbon")]),
        ("i live in lisbon.", [("home", "lisbon")]),
        ("I live in lisbon", [("home", "lisbon")]),
        ("i'm living in porto now, with my cat", [("home", "porto")]),
        ("i moved to porto", [("home", "porto")]),
        ("i've just moved from lisbon to porto!", [("home", "porto")]),
        ("we moved to new york last month", [("home", "new york")]),
        ("i live in st. gallen and i like it", [("home", "st. gallen")]),
        ("hi! i live in são paulo", [("home", "são paulo")]),
        ("i live in france", [("home", "france")]),
        ("i moved to reading", [("home", "reading")]),
        ("my doctor is dr. meyer", [("doctor", "dr. meyer")]),
        ("my new dentist is called roth", [("dentist", "roth")]),
        ("my wife's name is ana lopes", [("wife", "ana lopes")]),
        ("my name is ada and i live in porto", [("home", "porto"), ("name", "ada")]),
        ("i work at google", [("employer", "google")]),
        ("ich wohne jetzt in köln", [("home", "köln")]),
        ("ich bin letzte woche nach hamburg gezogen", [("home", "hamburg")]),
        ("ich arbeite bei siemens", [("employer", "siemens")]),
        ("mein chef heißt meyer", [("boss", "meyer")]),
        ("mein arzt ist dr. roth", [("doctor", "dr. roth")]),
    ],
)
def test_who_writes_no_capitals_fills_slots_too(text: str, expected: list[tuple[str, str]]) -> None:
    assert slots(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "i live in fear",
        "i live in a small flat",
        "i live in the city",
        "i live in my head",
        "i live in constant pain",
        "i live in isolation",
        "i live in harmony with my neighbours",
        "i live in silence",
        "i live in porto for now",
        "do i live in porto?",
        "maybe i live in porto",
        "i don't live in porto",
        "i used to live in porto",
        "my sister lives in porto",
        "jo said i live in porto",
        "i moved to linux",
        "i moved to the other room",
        "i moved to be closer to work",
        "i moved to study",
        "i moved to management",
        "i moved to 3rd street",
        "i was moved to tears",
        "i work at home",
        "i work at night",
        "i work at the hospital",
        "i work for love",
        "my boss is called away",
        "my boss is angry",
        "my wife is anna",
        "my name is hard to spell",
        "my name is not ada",
        "ich lebe in angst",
        "ich wohne in einer wohnung",
        "ich wohne nicht in köln",
        "I saw Jo, and I live in fear of her.",
        "We came from Rome. I met Ann in spring, and I live in sandals.",
    ],
)
def test_a_common_word_is_no_name(text: str) -> None:
    assert slots(text) == []


@given(text=st.text(st.characters(codec="ascii"), max_size=120))
def test_who_writes_capitals_has_names_only_with_capitals(text: str) -> None:
    assert not any(slot.name == "home" for slot in slot_of(f"I know Ann. {text.casefold()}"))


def test_without_capitals_the_newer_statement_holds_too(memory: AssociativeMemory) -> None:
    lisbon, porto = note(memory, "i live in lisbon"), note(memory, "i moved to porto", days=40)
    found = memory.recall("do i live in lisbon?").hits
    assert [hit.turn.node for hit in found] == [porto.node, lisbon.node]
    assert found[1].superseded_by is not None


def test_the_same_town_with_a_capital_and_without_is_one(memory: AssociativeMemory) -> None:
    note(memory, "I live in Lisbon.")
    note(memory, "i live in lisbon", days=40)
    assert memory.vault.successions.listing() == []
    porto = note(memory, "We moved to Porto.", days=50)
    assert {one.newer for one in memory.vault.successions.listing()} == {porto.node}
