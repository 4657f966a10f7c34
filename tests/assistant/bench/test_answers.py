"""A model's answers, through recall and prompt."""

from collections.abc import Iterator

import pytest

from assistant.bench.ablation import plan_variants
from assistant.bench.answers import SHORT_ANSWER, Answerer
from assistant.bench.dialogue import Dialogue, opened
from assistant.bench.locomo import read_locomo
from assistant.bench.remembering import RememberingEncoder
from assistant.memory.parameters import Parameters
from tests.assistant.bench.invented import locomo, written
from tests.doubles import DIED, HashEncoder, ScriptedModel


@pytest.fixture(scope="module")
def dialogue(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dialogue]:
    """The first invented dialogue in a vault."""
    sample = read_locomo(written(locomo(), tmp_path_factory.mktemp("data")))[0]
    with opened(sample, RememberingEncoder(HashEncoder()), consolidate=False, progress=lambda _: None) as dialogue:
        yield dialogue


def answerer(dialogue: Dialogue, model: ScriptedModel) -> Answerer:
    (variant,) = plan_variants(["hybrid"], Parameters())
    return Answerer(memory=dialogue.memory(variant), model=model, speed_file=dialogue.folder / "speed.json")


def test_the_right_answer_has_every_score(dialogue: Dialogue) -> None:
    model = ScriptedModel(["A red kayak"])
    found = answerer(dialogue, model).answer(dialogue.sample.questions[0], now=dialogue.sample.now)
    assert set(found.scores.values()) == {1.0}
    assert not found.refused
    assert found.completion_tokens == 3


def test_the_model_reads_the_memories_as_quotations_and_is_asked_to_be_short(dialogue: Dialogue) -> None:
    model = ScriptedModel(["A red kayak"])
    answerer(dialogue, model).answer(dialogue.sample.questions[0], now=dialogue.sample.now)
    ((system, question),) = model.requests
    assert system.content.endswith(SHORT_ANSWER)
    assert 'Greta said: "I bought a red kayak at the harbour market."' in question.content
    assert "(Today is 2 June 2023 (Friday).)" in question.content


def test_nothing_is_kept_of_the_questions(dialogue: Dialogue) -> None:
    with dialogue.unchanged():
        answerer(dialogue, ScriptedModel(["Magda"])).answer(dialogue.sample.questions[1], now=dialogue.sample.now)
    assert not (dialogue.folder / "speed.json").exists()


def test_each_question_is_a_chat_of_its_own(dialogue: Dialogue) -> None:
    model = ScriptedModel(["Magda", "Bergen"])
    asking = answerer(dialogue, model)
    for question in dialogue.sample.questions[1:3]:
        asking.answer(question, now=dialogue.sample.now)
    assert [len(request) for request in model.requests] == [2, 2]


def test_an_adversarial_question_has_no_score_but_whether_it_was_refused(dialogue: Dialogue) -> None:
    adversarial = dialogue.sample.questions[4]
    trapped = answerer(dialogue, ScriptedModel(["a red kayak"])).answer(adversarial, now=dialogue.sample.now)
    refused = answerer(dialogue, ScriptedModel(["Not mentioned."])).answer(adversarial, now=dialogue.sample.now)
    assert (trapped.scores, trapped.refused) == ({}, False)
    assert (refused.scores, refused.refused) == ({}, True)


def test_an_answer_that_failed_counts_as_none(dialogue: Dialogue) -> None:
    found = answerer(dialogue, ScriptedModel([DIED])).answer(dialogue.sample.questions[0], now=dialogue.sample.now)
    assert set(found.scores.values()) == {0.0}
    assert found.prompt_tokens == 0
