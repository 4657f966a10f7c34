"""Salient terms: what a text mentions, and which of it becomes a concept."""

import threading
from collections.abc import Sequence
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.memory.associative import AssociativeMemory
from assistant.memory.concepts import Extraction
from assistant.memory.concepts.known import KnownConcepts
from assistant.memory.concepts.mentions import key_of, mentions
from assistant.memory.concepts.salient import SalientExtractor
from assistant.memory.parameters import ConsolidationParameters
from storage.records import Maker, Role, Source, Turn, Utterance
from storage.vault import Vault
from tests.conftest import NOON

SPECIFIC = ConsolidationParameters()


def written(text: str) -> set[str]:
    return {mention.text for mention in mentions(text)}


def say(memory: AssociativeMemory, lines: Sequence[str], *, role: Role = Role.USER, speaker: str = "Ada") -> list[Turn]:
    conversation = memory.vault.conversations.create(source=Source.CHAT)
    return [
        memory.hear(
            conversation.id,
            Utterance(role=role, speaker=speaker, text=text, time=NOON + timedelta(minutes=number), source=Source.CHAT),
        )
        for number, text in enumerate(lines)
    ]


def extract(vault: Vault, turns: Sequence[Turn], parameters: ConsolidationParameters = SPECIFIC) -> Extraction:
    known = KnownConcepts(vault, Maker.SALIENT)
    known.refresh()
    return SalientExtractor(vault, parameters).extract(turns, known=known, cancel=threading.Event())


def found(extraction: Extraction) -> dict[str, tuple[int, ...]]:
    return {item.text: item.evidence for item in extraction.items}


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Yesterday I met Anna Berg at the harbour.", {"Anna Berg", "Anna", "Berg", "harbour", "met"}),
        ("She works for the Bank of England.", {"Bank of England", "Bank", "England", "works"}),
        ("We have two cats and 3 horses.", {"two cats", "3 horses", "cats", "horses"}),
        ("My birthday is on 7 May 1990.", {"7 May", "May 1990", "1990", "birthday"}),
        ("It runs v1.2 since 2024-05-03.", {"v1.2", "2024-05-03", "runs"}),
        ("It costs 40 km and 5%.", {"40 km", "5 %", "costs"}),
        ("I go to a local pottery class.", {"local pottery class", "pottery class", "local", "pottery", "class"}),
        ("Mein Bruder Karl spielt Gitarre.", {"Bruder Karl", "Bruder", "Karl", "spielt", "Gitarre"}),
        ("O'Brien's dog doesn't bark.", {"O'Brien", "dog", "bark"}),
    ],
)
def test_names_numbers_dates_phrases_and_words_are_found(text: str, terms: set[str]) -> None:
    assert written(text) == terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("昨日は東京でカメラを買った。", {"昨日", "東京", "カメラ"}),
        ("서울에서 친구를 만났어요", {"서울", "친구", "만났어요"}),
        ("Я живу в Москве", {"живу", "Москве"}),
        ("मैं दिल्ली में रहता हूँ", {"दिल्ली", "रहता", "में", "हूँ"}),
        ("Tokyo駅で会う", {"Tokyo"}),
    ],
)
def test_scripts_without_spaces_give_their_runs_and_others_whole_words(text: str, terms: set[str]) -> None:
    assert terms <= written(text)


def test_what_is_quoted_code_or_an_address_is_not_said() -> None:
    assert written("> Marlene said so\n```\nimport zebra\n```\nSee https://quagga.org/herd or mail bob@quagga.org") == {
        "mail"
    }


def test_capitals_throughout_tell_no_names() -> None:
    assert "BIG SALE STARTS" not in written("THE BIG SALE STARTS HERE, FRIENDS")


def test_a_pause_ends_a_phrase_and_a_name() -> None:
    assert not written("I saw the harbour, boats, Anna. Berg was closed.") & {"harbour boats", "Anna Berg"}


@pytest.mark.parametrize(
    ("one", "other"),
    [("two cats", "2 cats"), ("May 7", "7 May"), ("7th May", "7 May"), ("Camping", "camp"), ("München", "munchen")],
)
def test_one_term_written_in_two_ways_has_one_key(one: str, other: str) -> None:
    assert key_of(one) == key_of(other) != ""


@pytest.mark.parametrize(("one", "other"), [("7 May", "8 May"), ("v1.2", "v1.3"), ("Anna Berg", "Anna Borg")])
def test_other_names_and_numbers_have_other_keys(one: str, other: str) -> None:
    assert key_of(one) != key_of(other)


@given(st.text(max_size=200))
def test_any_text_gives_each_term_once_under_the_key_of_its_words(text: str) -> None:
    given_back = mentions(text)
    keys = [mention.key for mention in given_back]
    assert len(keys) == len(set(keys))
    assert all(mention.key and mention.key == key_of(mention.text) for mention in given_back)
    assert given_back == mentions(text)


@given(st.lists(st.sampled_from(["Anna", "boats", "in the harbour", "7 May", "two cats", "東京"]), max_size=6))
def test_a_text_mentions_what_its_sentences_mention(parts: list[str]) -> None:
    together = {mention.key for mention in mentions(". ".join(parts))}
    assert together == {mention.key for part in parts for mention in mentions(part)}


def test_the_second_turn_that_says_a_term_makes_it_a_concept_with_both(memory: AssociativeMemory, vault: Vault) -> None:
    turns = say(memory, ["I keep a boat.", "It rains.", "The boats leak."])
    assert found(extract(vault, turns)) == {"boat": (turns[0].node, turns[2].node)}


def test_a_turn_that_was_read_in_an_earlier_run_counts(memory: AssociativeMemory, vault: Vault) -> None:
    first = say(memory, ["We saw the northern lights in Tromsø."])
    assert found(extract(vault, first)) == {}
    vault.concepts.note_consolidated(Maker.SALIENT, [first[0].node])
    second = say(memory, ["I miss Tromsø and the northern lights."])
    both = (first[0].node, second[0].node)
    assert found(extract(vault, second)) == dict.fromkeys(["Tromsø", "northern lights", "northern", "lights"], both)


def test_the_name_of_a_speaker_is_not_said_by_their_turns(memory: AssociativeMemory, vault: Vault) -> None:
    first = say(memory, ["It rains."], speaker="Marlene")
    vault.concepts.note_consolidated(Maker.SALIENT, [first[0].node])
    second = say(memory, ["I met Marlene again."])
    assert "Marlene" not in found(extract(vault, second))


def test_the_assistant_is_no_source(memory: AssociativeMemory, vault: Vault) -> None:
    turns = say(memory, ["Your boat, as you said.", "The boat again."], role=Role.ASSISTANT)
    assert extract(vault, turns) == Extraction()
    vault.concepts.note_consolidated(Maker.SALIENT, [turn.node for turn in turns])
    assert found(extract(vault, say(memory, ["I sold the boat."]))) == {}


@pytest.mark.parametrize(("says", "is_one"), [(1, False), (2, True), (4, True), (5, False)])
def test_a_term_is_a_concept_between_two_turns_and_the_floor(
    memory: AssociativeMemory, vault: Vault, says: int, is_one: bool
) -> None:
    turns = say(memory, ["A boat."] * says + ["It rains."] * (8 - says))
    assert ("boat" in found(extract(vault, turns))) is is_one


def test_above_the_floor_a_share_of_all_turns_decides(memory: AssociativeMemory, vault: Vault) -> None:
    turns = say(memory, ["A boat."] * 6 + ["A kite."] * 5 + ["So it is."] * 9)
    wide = ConsolidationParameters(most_turns_share=0.25)
    assert found(extract(vault, turns, wide)).keys() == {"kite"}


def test_the_most_frequent_way_of_writing_is_kept(memory: AssociativeMemory, vault: Vault) -> None:
    turns = say(memory, ["Kites, kites.", "I fly a kite.", "My kite flew."])
    assert "kite" in found(extract(vault, turns))
    shown = say(memory, ["Marlene came.", "I saw MARLENE.", "I saw Marlene."])
    assert "Marlene" in found(extract(vault, shown))


def test_a_long_text_is_read_to_its_bound(memory: AssociativeMemory, vault: Vault) -> None:
    turns = say(memory, ["x " * 100 + "a boat"] * 2)
    assert "boat" in found(extract(vault, turns))
    assert found(extract(vault, turns, ConsolidationParameters(term_characters=150))) == {}
