from dataclasses import replace
from datetime import datetime, timedelta
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.memory.associative import AssociativeMemory
from assistant.memory.slots import slot_of
from assistant.memory.succession import find_superseded, note_successions, supersedes
from storage.records import Role, Source, Succession, Turn, TurnState, Utterance
from tests.conftest import NOON

_NODES = count(1)


def turn(text: str, *, days: float = 0, role: Role = Role.USER, source: Source = Source.CHAT) -> Turn:
    node = next(_NODES)
    return Turn(
        id=f"{node:032x}",
        node=node,
        conversation="c",
        position=node,
        role=role,
        speaker="User",
        text=text,
        time=NOON + timedelta(days=days),
        source=source,
        state=TurnState.COMPLETE,
    )


def slots(text: str) -> list[tuple[str, str]]:
    return [(slot.name, slot.value) for slot in slot_of(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I live in Lisbon.", [("home", "Lisbon")]),
        ("We live in Porto, Portugal, with our cat.", [("home", "Porto, Portugal")]),
        ("Guess what! I’ve just moved from Lisbon to Porto.", [("home", "Porto")]),
        ("I moved back to St. Gallen last week", [("home", "St. Gallen")]),
        ("I don't live in Porto anymore, I live in Lisbon now.", [("home", "Lisbon")]),
        ("I live in Porto and I work at Lisboa Boats.", [("home", "Porto"), ("employer", "Lisboa Boats")]),
        ("I got a new job at Meridian!", [("employer", "Meridian")]),
        ("Sad news: I lost my job.", [("employer", "no job")]),
        ("I work as a night nurse at the hospital.", [("occupation", "night nurse")]),
        ("My phone number is +351 912 345 678.", [("phone number", "+351 912 345 678")]),
        ("my new number is 0170 1234567", [("phone number", "0170 1234567")]),
        ("My number changed to 555-0123.", [("phone number", "555-0123")]),
        ("My mum's address is 5 Rose Street, Porto.", [("mum's address", "5 Rose Street, Porto")]),
        ("My favorite color is now teal, because of the sea.", [("favourite colour", "teal")]),
        ("My favourite dish is rice and beans, and I cook it", [("favourite dish", "rice and beans")]),
        ("My wifi password is herons7.", [("wifi password", "herons7")]),
        ("My doctor is Dr. Meyer.", [("doctor", "Dr. Meyer")]),
        ("The name of my boss is Ada Okafor", [("boss", "Ada Okafor")]),
        ("I'm a vegetarian now.", [("diet", "vegetarian")]),
        ("We got engaged!", [("marital status", "engaged")]),
        ("I quit smoking.", [("smoking", "stopped")]),
        ("My new car is a red Volvo.", [("car", "red Volvo")]),
        ("My name is Ada.", [("name", "Ada")]),
        ("Ich wohne jetzt in Köln.", [("home", "Köln")]),
        ("Ich bin letzte Woche nach Hamburg gezogen.", [("home", "Hamburg")]),
        ("Ich arbeite bei Siemens.", [("employer", "Siemens")]),
        ("Meine neue Telefonnummer lautet 030 12345.", [("phone number", "030 12345")]),
        ("Meine Lieblingsfarbe ist Blau.", [("lieblingsfarbe", "Blau")]),
        ("Mein Chef heißt Meyer.", [("boss", "Meyer")]),
        ("Ich bin verheiratet.", [("marital status", "verheiratet")]),
    ],
)
def test_a_statement_fills_its_slot(text: str, expected: list[tuple[str, str]]) -> None:
    assert slots(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Do I live in Porto?",
        "I live in Porto, right?",
        "If I lived in Porto, I would swim.",
        "I would like to live in Porto.",
        "I'd move to Porto at once.",
        "I want to say I live in Porto.",
        "I used to live in Porto.",
        "I lived in Porto until 2019.",
        "When I was small we moved to Porto.",
        "Since I moved to Porto I sleep well.",
        "I live in Porto for the summer.",
        "I don't live in Porto.",
        "I never live in Porto.",
        "Maybe I live in Porto.",
        "My sister lives in Porto.",
        "She lives in Porto, and her number is 555 0123.",
        'Jo said: "I live in Porto."',
        "Jo told me that I live in Porto.",
        "Jo: I live in Porto",
        "> I live in Porto",
        "I live in fear. I live in a small flat.",
        "I moved to Linux. I moved to the Marketing team. The talk was moved to Monday.",
        "I also work at Aldi.",
        "My number is up. My phone number is secret. What is my number?",
        "My password is wrong.",
        "One of my favourite books is Dune. My favourite books are many.",
        "My favourite film is not easy to choose.",
        "My favourite part was the end.",
        "My boss is angry. My boss is German.",
        "My friend is called Tom. My dog's name is Rex. My brother is Tom.",
        "I like tea. I'm allergic to nuts. My hobby is chess. My kids are Ada and Jo.",
        "I'm engaged in a project. I drive a hard bargain. My car is a mess.",
        "Please translate this text into German: I live in Porto.",
        "Write a letter for me. I live in Porto.",
        "Pretend that I live in Porto.",
        "Wohne ich in Köln?",
        "Wenn ich in Köln wohne, rufe ich an.",
        "Ich lebe in Angst. Früher wohnte ich in Köln.",
        "Ich wohne nicht in Köln.",
        "Mein Chef ist Lehrer.",
        "I live in Porto. " * 80,
        "",
    ],
)
def test_what_is_not_certain_fills_no_slot(text: str) -> None:
    assert slots(text) == []


def test_a_worked_example() -> None:
    lisbon, porto = turn("I live in Lisbon."), turn("We moved to Porto last week!", days=40)
    other = turn("I like the sea.", days=3)
    assert supersedes(porto, lisbon) == "home"
    assert supersedes(lisbon, porto) is None
    assert find_superseded(porto, [other, lisbon, porto]) == [(lisbon.node, "home")]


@pytest.mark.parametrize(
    ("newer", "older", "slot"),
    [
        ("My number is now 555 0199.", "My phone number is 555 0123.", "phone number"),
        ("My favorite food is ramen.", "My favourite food is pizza.", "favourite food"),
        ("I work for Meridian.", "I work at Lisboa Boats.", "employer"),
        ("I lost my job.", "I work at Lisboa Boats.", "employer"),
        ("I now work as a baker.", "I work as a nurse.", "occupation"),
        ("I quit smoking.", "I smoke a pack a day.", "smoking"),
        ("We got married!", "I'm single.", "marital status"),
        ("My new doctor is Dr. Roth.", "My doctor is Dr. Meyer.", "doctor"),
        ("I moved to Germany.", "I live in Lisbon.", "home"),
        ("Inzwischen wohne ich in Hamburg.", "Ich wohne in Köln.", "home"),
        ("My number is +49 170 1234567.", "My number is 0170 1234567.", None),  # the same, with its country
        ("I live in Portugal.", "I live in Lisbon.", None),  # one lies in the other
        ("I live in Porto, Portugal.", "I live in Porto.", None),
        ("I live in Lisbon.", "I moved to Lisbon.", None),
        ("I work as a baker.", "I work as a nurse.", None),  # one may be both
        ("I moved to Munich in 2010.", "I live in Lisbon.", None),  # that was before
        ("I live in Porto. I live in Faro.", "I live in Lisbon.", None),  # which?
        ("My favourite food is ramen.", "My favourite drink is tea.", None),
        ("My mum's number is 555 0199.", "My number is 555 0123.", None),
    ],
)
def test_only_another_value_of_the_same_slot_supersedes(newer: str, older: str, slot: str | None) -> None:
    assert supersedes(turn(newer, days=30), turn(older)) == slot


def test_only_the_users_own_words_supersede() -> None:
    lisbon, porto = turn("I live in Lisbon."), turn("I live in Porto.", days=1)
    for role in (Role.ASSISTANT, Role.OTHER):
        assert supersedes(replace(porto, role=role), lisbon) is None
        assert supersedes(porto, replace(lisbon, role=role)) is None
    assert supersedes(replace(porto, speaker="Ada"), lisbon) is None
    for source in Source:
        assert supersedes(replace(porto, source=source), replace(lisbon, source=source)) == "home"


def test_what_was_said_at_the_same_time_or_earlier_supersedes_nothing() -> None:
    lisbon, porto = turn("I live in Lisbon."), turn("I live in Porto.")
    assert supersedes(porto, lisbon) is None
    assert supersedes(replace(porto, time=lisbon.time - timedelta(seconds=1)), lisbon) is None


CITIES = st.sampled_from(["Lisbon", "Porto", "Faro", "Köln", "St. Gallen", "New York", "Rio de Janeiro"])
FORMS = st.sampled_from(["I live in {}.", "I moved to {}!", "We live in {} now", "Ich wohne in {}."])


@given(one=CITIES, other=CITIES, form=FORMS, other_form=FORMS, days=st.floats(-100, 100))
def test_of_two_statements_at_most_the_newer_supersedes(
    one: str, other: str, form: str, other_form: str, days: float
) -> None:
    first, second = turn(form.format(one)), turn(other_form.format(other), days=days)
    newer, older = (second, first) if second.time > first.time else (first, second)
    assert supersedes(older, newer) is None
    assert supersedes(newer, older) == ("home" if one != other and newer.time > older.time else None)


@given(text=st.text(max_size=300))
def test_any_text_has_slots_or_none_and_never_supersedes_itself(text: str) -> None:
    for slot in slot_of(text):
        assert slot.value
        assert slot.search_terms
    assert supersedes(turn(text, days=1), turn(text)) is None


def remember(memory: AssociativeMemory, text: str, *, days: float = 0) -> Turn:
    told = memory.remember(text, time=NOON + timedelta(days=days), speaker="User")
    note_successions(memory.vault, told)
    return told


def test_successions_are_found_among_all_memories_and_kept(memory: AssociativeMemory) -> None:
    lisbon = remember(memory, "I live in Lisbon.")
    for number in range(8):
        remember(memory, f"The people who live in house {number} moved the fence.", days=number)
    porto = remember(memory, "I've moved to Porto.", days=40)
    assert memory.vault.successions.listing() == [Succession(newer=porto.node, older=lisbon.node, slot="home")]


def test_an_older_statement_that_comes_in_late_is_superseded_too(memory: AssociativeMemory) -> None:
    porto = remember(memory, "I've moved to Porto.", days=40)
    lisbon = remember(memory, "I live in Lisbon.")
    assert memory.vault.successions.of([lisbon.node]) == [Succession(newer=porto.node, older=lisbon.node, slot="home")]


def test_noting_twice_changes_nothing(memory: AssociativeMemory) -> None:
    remember(memory, "My favourite tea is oolong.")
    newer = remember(memory, "My favourite tea is sencha.", days=1)
    kept = memory.vault.successions.listing()
    assert len(kept) == 1
    assert note_successions(memory.vault, newer) == kept
    assert memory.vault.successions.listing() == kept


def test_forgetting_the_newer_brings_the_older_back(memory: AssociativeMemory) -> None:
    remember(memory, "I live in Lisbon.")
    porto = remember(memory, "I've moved to Porto.", days=40)
    memory.erase(memory.plan_forgetting([porto.id]))
    assert memory.vault.successions.listing() == []


def test_in_a_chain_each_statement_is_superseded_by_the_later_ones(memory: AssociativeMemory) -> None:
    lisbon, porto, faro = (
        remember(memory, f"I live in {city}.", days=number) for number, city in enumerate(("Lisbon", "Porto", "Faro"))
    )
    pairs = {(one.newer, one.older) for one in memory.vault.successions.listing()}
    assert pairs == {(porto.node, lisbon.node), (faro.node, lisbon.node), (faro.node, porto.node)}
    memory.erase(memory.plan_forgetting([faro.id]))
    assert {(one.newer, one.older) for one in memory.vault.successions.listing()} == {(porto.node, lisbon.node)}


def test_what_the_assistant_says_is_never_looked_at(memory: AssociativeMemory) -> None:
    lisbon = remember(memory, "I live in Lisbon.")
    answer = Utterance(
        role=Role.ASSISTANT,
        speaker="User",
        text="I live in Porto.",
        time=datetime.fromisoformat("2027-01-01T00:00:00+00:00"),
        source=Source.CHAT,
    )
    assert note_successions(memory.vault, memory.hear(lisbon.conversation, answer)) == []
