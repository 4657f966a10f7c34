"""Facts by a language model: what may be one, what turns say, and what is done with an answer."""

import json
import threading
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.errors import ModelFailed
from assistant.language.model import Message, Sampling, WorkerModel
from assistant.memory.associative import AssociativeMemory
from assistant.memory.concepts import Cancelled, Extraction
from assistant.memory.concepts.duplicates import differ
from assistant.memory.concepts.grounding import Flaw, Said, coverage, flaw, narrowed
from assistant.memory.concepts.known import KnownConcepts
from assistant.memory.concepts.language_model import LanguageModelExtractor, schema
from assistant.memory.parameters import ConsolidationParameters
from storage.records import Category, Maker, Role, Source, Turn, Utterance
from storage.vault import Vault
from tests.conftest import NOON
from tests.doubles import DIED, HashEncoder, ScriptedModel

ADA, BEN = "Ada", "Ben"
WORDS = st.sampled_from(["Anna", "Berg", "Borg", "likes", "the", "sea", "7", "8", "May", "not", "two", "v1.2", "boats"])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Anna Berg", "Anna Borg"),
        ("7 May", "8 May"),
        ("7 May", "7 June"),
        ("The router runs v1.2", "The router runs v1.3"),
        ("Anna has two cats", "Anna has three cats"),
        ("Anna eats meat", "Anna does not eat meat"),
        ("Anna eats meat", "Anna doesn't eat meat"),
        ("Anna visited Ben", "Ben visited Anna"),
        ("Anna sails", "Anna sails on Monday"),
        ("彼は東京に住む", "彼は大阪に住む"),
        ("Anna lives in Porto", "Anna Berg lives in Porto"),
    ],
)
def test_two_names_numbers_dates_or_negations_are_never_one(one: str, other: str) -> None:
    assert differ(one, other)
    assert differ(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Anna has two cats", "Anna has 2 cats"),
        ("Anna likes to sail", "Anna likes sailing"),
        ("Anna was born on 7th May", "Anna was born May 7"),
        ("She likes sailing", "likes sailing"),
        ("Anna doesn't smoke", "Anna does not smoke"),
        ("Anna's boat", "Anna boats"),
    ],
)
def test_the_same_in_other_words_may_be_one(one: str, other: str) -> None:
    assert not differ(one, other)


@given(st.lists(WORDS, max_size=7), st.lists(WORDS, max_size=7))
def test_differing_is_symmetric_and_nothing_differs_from_itself(one: list[str], other: list[str]) -> None:
    text, another = " ".join(one), " ".join(other)
    assert differ(text, another) == differ(another, text)
    assert not differ(text, text)


@given(st.lists(WORDS, max_size=7), st.integers(0, 7), st.integers(10, 9999))
def test_a_number_more_always_differs(words: list[str], place: int, number: int) -> None:
    more = [*words[:place], str(number), *words[place:]]
    assert differ(" ".join(words), " ".join(more))


def judged(subject: str, fact: str, *evidence: tuple[str, str]) -> Flaw | None:
    said = [Said(speaker, text) for speaker, text in evidence]
    return flaw(subject, fact, said, speakers=[ADA, BEN], least_coverage=0.5)


@pytest.mark.parametrize(
    ("subject", "fact", "speaker", "text"),
    [
        (ADA, "Ada moved to Porto in May.", ADA, "I moved to Porto in May!"),
        (ADA, "Ada moved to Porto.", ADA, "Moved to Porto."),
        (ADA, "Ada has two cats.", ADA, "At home there are my 2 cats."),
        (BEN, "Ben found a group.", ADA, "I heard that Ben found a group."),
        (BEN, "Ben found a group.", ADA, "Thanks, Ben. You found such a good group."),
        ("Rex", "Rex chewed the shoes.", ADA, "My dog is called Rex. He chewed all shoes."),
        ("Ada's sister", "Ada's sister paints boats.", ADA, "My sister paints boats."),
        ("Ada", "Ada wohnt in Wien.", ADA, "Ich wohne nicht mehr am See, ich wohne in Wien."),
        (ADA, "Ada does not eat fish.", ADA, "I don't eat fish."),
        (ADA, "I'm carving boats.", ADA, "So I'm carving boats each day."),
    ],
)
def test_what_a_turn_says_of_its_speaker_or_of_somebody_named_is_taken(
    subject: str, fact: str, speaker: str, text: str
) -> None:
    assert judged(subject, fact, (speaker, text)) is None


@pytest.mark.parametrize(
    ("subject", "fact", "speaker", "text", "wrong"),
    [
        ("Carla", "Carla moved to Porto.", ADA, "I moved to Porto.", Flaw.NOBODY),
        (BEN, "Ben found a group.", ADA, "Hey Ben! I found a group.", Flaw.OTHER_PERSON),
        (BEN, "Ben found a group.", ADA, "Ben, my friends and I found a group.", Flaw.OTHER_PERSON),
        (ADA, "Ada found a group.", ADA, "You found a group, how good!", Flaw.OTHER_PERSON),
        (ADA, "Ada found a group.", ADA, "So Ben found a group.", Flaw.OTHER_PERSON),
        (ADA, "Ada found a group.", ADA, "My aunt is well. She found a group.", Flaw.OTHER_PERSON),
        (BEN, "I found a group.", ADA, "Did Ben say so? I found a group.", Flaw.OTHER_PERSON),
        (BEN, "You take good care, Ben.", ADA, "You take good care, Ben.", Flaw.ADDRESS),
        (ADA, "Ada moved to Lisbon.", ADA, "I moved to Porto.", Flaw.INVENTED),
        (ADA, "Ada has three cats.", ADA, "I have two cats.", Flaw.INVENTED),
        (ADA, "Ada was born on 8 May.", ADA, "I was born on 7 May.", Flaw.INVENTED),
        (ADA, "Ada does not eat fish.", ADA, "I eat fish.", Flaw.INVENTED),
        (ADA, "Ada studies marine biology abroad.", ADA, "I study hard.", Flaw.UNSAID),
        (ADA, "Ada", ADA, "I study hard.", Flaw.UNSAID),
    ],
)
def test_what_a_turn_does_not_say_is_refused_with_the_reason(
    subject: str, fact: str, speaker: str, text: str, wrong: Flaw
) -> None:
    assert judged(subject, fact, (speaker, text)) is wrong


def test_evidence_may_be_spread_over_turns() -> None:
    fact = "Ada moved to Porto with two cats."
    assert judged(ADA, fact, (ADA, "I moved to Porto."), (ADA, "My two cats came along.")) is None
    assert judged(ADA, fact, (ADA, "I moved to Porto.")) is Flaw.INVENTED


def test_a_fact_rests_on_the_fewest_turns_that_hold_its_words() -> None:
    said = [
        Said(ADA, "I moved."),
        Said(BEN, "How nice!"),
        Said(ADA, "I moved to Porto in May."),
        Said(ADA, "Two cats."),
    ]
    assert narrowed(ADA, "Ada moved to Porto in May.", said) == [2]
    assert narrowed(ADA, "Ada moved to Porto with cats.", said) == [2, 3]
    assert narrowed(ADA, "Ada flies.", said) == []


def test_coverage_is_the_share_of_telling_words() -> None:
    assert coverage(ADA, "Ada sails old boats", [Said(ADA, "I sail a boat")]) == 1.0
    assert coverage(ADA, "Ada sails to Norway", [Said(ADA, "I sail")]) == 0.5
    assert coverage(ADA, "Ada", [Said(ADA, "I sail")]) == 0.0


@given(st.text(max_size=60), st.text(max_size=60), st.text(max_size=100))
def test_any_text_is_judged(subject: str, fact: str, text: str) -> None:
    assert 0.0 <= coverage(subject, fact, [Said(ADA, text)]) <= 1.0
    assert judged(subject, fact, (ADA, text)) in {None, *Flaw}


TALK = (
    (Role.USER, ADA, "I moved to Porto in May."),
    (Role.ASSISTANT, "Assistant", "Then you live in Portugal."),
    (Role.OTHER, BEN, "> You live in Portugal.\nAnd I keep two cats."),
)


@pytest.fixture
def turns(memory: AssociativeMemory) -> list[Turn]:
    conversation = memory.vault.conversations.create(source=Source.CHAT)
    return [
        memory.hear(
            conversation.id,
            Utterance(role=role, speaker=speaker, text=text, time=NOON + timedelta(days=day), source=Source.CHAT),
        )
        for day, (role, speaker, text) in enumerate(TALK)
    ]


def fact(subject: str, text: str, numbers: Sequence[int], category: Category = Category.EVENT) -> dict[str, Any]:
    return {"turns": list(numbers), "subject": subject, "fact": text, "category": category.value}


def extract(model: ScriptedModel, turns: Sequence[Turn], vault: Vault) -> Extraction:
    extractor = LanguageModelExtractor(model, HashEncoder(), ConsolidationParameters())
    return extractor.extract(turns, known=KnownConcepts(vault, Maker.MODEL), cancel=threading.Event())


def answer(*facts: dict[str, Any]) -> str:
    return json.dumps({"facts": facts})


def test_facts_come_with_their_turns_and_what_is_not_said_is_counted(vault: Vault, turns: list[Turn]) -> None:
    written = answer(
        fact(ADA, "Ada moved to Porto in May.", [1]),
        fact(BEN, "keeps two cats", [2], Category.PREFERENCE),
        fact(BEN, "Ben moved to Porto in May.", [1]),
        fact(ADA, "Ada lives in Portugal.", [1]),
    )
    extraction = extract(ScriptedModel([written]), turns, vault)
    assert [(item.text, item.category, item.evidence) for item in extraction.items] == [
        ("Ada moved to Porto in May.", Category.EVENT, (turns[0].node,)),
        ("Ben: keeps two cats", Category.PREFERENCE, (turns[2].node,)),
    ]
    assert extraction.dropped == 2
    assert all(item.confidence == 1.0 for item in extraction.items)


def test_the_model_reads_people_with_their_days_and_not_the_assistant(vault: Vault, turns: list[Turn]) -> None:
    model = ScriptedModel([answer()])
    assert extract(model, turns, vault) == Extraction()
    (request,) = model.requests
    assert request[-1].content.splitlines() == [
        "1. (2026-05-12) Ada: I moved to Porto in May.",
        "2. (2026-05-14) Ben: And I keep two cats.",
    ]


def test_a_window_without_people_needs_no_model(vault: Vault, turns: list[Turn]) -> None:
    model = ScriptedModel([])
    assert extract(model, turns[1:2], vault) == Extraction()
    assert model.requests == []


@pytest.mark.parametrize(
    "written",
    [
        '{"facts": [{"turns": [1], "subject": "Ada", "fact": "Ada mo',
        "There is nothing.",
        "[]",
        answer({"turns": [1], "subject": ADA, "fact": "x"}),
        answer({"turns": "1", "subject": ADA, "fact": "x", "category": "event"}),
        answer({"turns": [1.5], "subject": ADA, "fact": "x", "category": "event"}),
        answer({"turns": [1], "subject": ADA, "fact": "x", "category": "gossip"}),
    ],
)
def test_an_answer_that_cannot_be_read_is_a_failure(vault: Vault, turns: list[Turn], written: str) -> None:
    with pytest.raises(ModelFailed, match="cannot be read"):
        extract(ScriptedModel([written]), turns, vault)


def test_turns_that_do_not_exist_are_no_evidence(vault: Vault, turns: list[Turn]) -> None:
    written = answer(fact(ADA, "Ada moved to Porto in May.", [0, 3, -1]))
    assert extract(ScriptedModel([written]), turns, vault) == Extraction(dropped=1)


def test_a_model_that_dies_is_a_failure(vault: Vault, turns: list[Turn]) -> None:
    with pytest.raises(ModelFailed, match="ended"):
        extract(ScriptedModel([('{"facts":', DIED)]), turns, vault)


def test_reading_is_called_off(vault: Vault, turns: list[Turn]) -> None:
    cancel = threading.Event()
    cancel.set()
    extractor = LanguageModelExtractor(ScriptedModel([answer()]), HashEncoder(), ConsolidationParameters())
    with pytest.raises(Cancelled):
        extractor.extract(turns, known=KnownConcepts(vault, Maker.MODEL), cancel=cancel)


def test_the_form_is_flat_and_everything_in_it_is_bounded() -> None:
    facts = json.loads(schema(ConsolidationParameters(most_facts=3), turns=4))["properties"]["facts"]
    assert facts["maxItems"] == 3
    fields = facts["items"]["properties"]
    assert facts["items"]["required"] == list(fields)
    assert fields["turns"]["items"]["enum"] == [1, 2, 3, 4]
    assert all(field.keys() & {"maxLength", "maxItems", "enum"} for field in fields.values())


@pytest.mark.model
def test_a_real_model_fills_in_the_form(small_model: Path, vault: Vault, turns: list[Turn]) -> None:
    model = WorkerModel(name="small", path=small_model, context=2048)
    try:
        extractor = LanguageModelExtractor(model, HashEncoder(), ConsolidationParameters(most_facts=2))
        extraction = extractor.extract(turns, known=KnownConcepts(vault, Maker.MODEL), cancel=threading.Event())
        counted = model.count([Message(role="user", content="still there")])
    finally:
        model.close()
    assert counted > 0
    assert 1 <= len(extraction.items) + extraction.dropped <= 2
    people = {turns[0].node, turns[2].node}
    assert all(set(item.evidence) <= people for item in extraction.items)


def test_sampling_is_the_same_every_time(vault: Vault, turns: list[Turn]) -> None:
    asked: list[Sampling] = []

    class Listening(ScriptedModel):
        def stream(self, messages: Any, *, sampling: Sampling, cancel: threading.Event) -> Any:
            asked.append(sampling)
            return super().stream(messages, sampling=sampling, cancel=cancel)

    for _ in range(2):
        extract(Listening([answer()]), turns, vault)
    assert asked[0] == asked[1]
    assert asked[0].temperature == 0.0
    assert json.loads(asked[0].schema)["properties"]["facts"]["items"]["properties"]["turns"]["items"]["enum"] == [1, 2]
