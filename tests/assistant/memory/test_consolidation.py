"""Consolidation: windows of turns become concepts in the vault, a commit at a time."""

import json
import threading
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from assistant.errors import ModelFailed, ModelMissing
from assistant.memory.active import EPOCH
from assistant.memory.associative import AssociativeMemory
from assistant.memory.concepts.language_model import LanguageModelExtractor
from assistant.memory.concepts.salient import SalientExtractor
from assistant.memory.consolidation import Consolidated, Consolidator
from assistant.memory.parameters import ConsolidationParameters
from storage.records import Category, Maker, Role, Source, Turn, Utterance
from storage.vault import Vault
from tests.conftest import NOON
from tests.doubles import HashEncoder, ScriptedModel

SMALL = ConsolidationParameters(batch_turns=4, most_turns_share=1.0)
LINES = (
    "I keep an old boat.",
    "Marlene paints kites.",
    "My boat leaks.",
    "Did I show you the kites of Marlene?",
    "It rains in Tromsø.",
    "The lamp is broken.",
    "Tromsø was cold, the boat too.",
)
CONCEPTS = {"boat": [0, 2, 6], "Marlene": [1, 3], "kites": [1, 3], "Tromsø": [4, 6]}


def say(memory: AssociativeMemory, lines: Sequence[str], *, speaker: str = "Ada", role: Role = Role.USER) -> list[Turn]:
    conversation = memory.vault.conversations.create(source=Source.CHAT)
    return [
        memory.hear(
            conversation.id,
            Utterance(role=role, speaker=speaker, text=text, time=NOON + timedelta(minutes=number), source=Source.CHAT),
        )
        for number, text in enumerate(lines)
    ]


def salient(memory: AssociativeMemory, parameters: ConsolidationParameters = SMALL, **given: Any) -> Consolidated:
    extractor = SalientExtractor(memory.vault, parameters)
    return Consolidator(memory.vault, memory.encoder, parameters).run(extractor, **given)


def support(vault: Vault, turns: Sequence[Turn]) -> dict[str, list[int]]:
    """Give for each concept the places of its turns."""
    places = {turn.node: place for place, turn in enumerate(turns)}
    return {concept.text: [places[node] for node in concept.support] for concept in vault.concepts.listing()}


def test_terms_become_concepts_with_vectors_and_support(memory: AssociativeMemory, vault: Vault) -> None:
    turns = say(memory, LINES)
    done = salient(memory)
    assert support(vault, turns) == CONCEPTS
    assert (done.turns, done.new, done.waiting, done.failed, done.dropped) == (7, 4, 0, 0, 0)
    assert {concept.maker for concept in vault.concepts.listing()} == {Maker.SALIENT}
    assert {concept.category for concept in vault.concepts.listing()} == {Category.TERM}
    nodes = {concept.node for concept in vault.concepts.listing()}
    assert nodes.isdisjoint(vault.vectors.missing(memory.encoder.space, limit=99))
    assert vault.concepts.listing(match_terms=["kite"])


@pytest.mark.parametrize("batch", [1, 2, 3, 7])
@pytest.mark.parametrize("runs", [(7,), (1, 6), (3, 3, 1), (1, 1, 1, 1, 1, 1, 1)])
def test_the_concepts_are_the_same_however_the_turns_are_cut(
    memory: AssociativeMemory, vault: Vault, batch: int, runs: tuple[int, ...]
) -> None:
    turns = say(memory, LINES)
    for limit in runs:
        salient(memory, replace(SMALL, batch_turns=batch), limit=limit)
    assert {text.casefold(): places for text, places in support(vault, turns).items()} == {
        "boat": [0, 2, 6],
        "marlene": [1, 3],
        "kites": [1, 3],
        "tromsø": [4, 6],
    }


def test_a_second_run_changes_nothing_but_reads_what_is_new(memory: AssociativeMemory, vault: Vault) -> None:
    turns = say(memory, LINES)
    salient(memory)
    before = vault.digest()
    assert salient(memory) == Consolidated()
    assert vault.digest() == before
    turns += say(memory, ["A lamp on the boat."])
    done = salient(memory)
    assert (done.turns, done.new, done.strengthened) == (1, 1, 1)
    assert support(vault, turns)["lamp"] == [5, 7]
    assert support(vault, turns)["boat"] == [0, 2, 6, 7]


def test_a_term_that_too_many_turns_say_goes_and_does_not_come_back(memory: AssociativeMemory, vault: Vault) -> None:
    parameters = replace(SMALL, most_turns_share=0.0, most_turns_floor=3)
    say(memory, ["A boat."] * 2)
    assert salient(memory, parameters).new == 1
    say(memory, ["A boat.", "A boat."])
    done = salient(memory, parameters)
    assert (done.common, vault.concepts.count()) == (1, 0)
    say(memory, ["A boat.", "A boat."])
    assert salient(memory, parameters).new == 0


def test_a_window_ends_with_each_five_turns_whoever_reads_them(memory: AssociativeMemory, vault: Vault) -> None:
    turns = say(memory, ["It rains."] * 12)
    salient(memory, replace(SMALL, batch_turns=10))
    assert vault.traces.window() == 3
    assert vault.traces.births([turns[4].node, turns[5].node, turns[11].node]) == {
        turns[4].node: 1,
        turns[5].node: 2,
        turns[11].node: 3,
    }
    told(memory, [facts()] * 3)
    assert vault.traces.window() == 3


def test_each_commit_lets_graphs_be_loaded_again(memory: AssociativeMemory, vault: Vault) -> None:
    say(memory, LINES)
    epochs: list[str | None] = []
    salient(memory, progress=lambda _: epochs.append(vault.settings.get(EPOCH)))
    assert len(set(epochs)) == len(epochs) == 2


def test_stopping_keeps_what_was_told_and_the_next_run_goes_on(memory: AssociativeMemory, vault: Vault) -> None:
    turns = say(memory, LINES)

    def stop(_: Consolidated) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        salient(memory, progress=stop)
    assert vault.concepts.pending(Maker.SALIENT, limit=9) == [turn.node for turn in turns[4:]]
    salient(memory)
    assert support(vault, turns) == CONCEPTS


def test_it_is_called_off_between_batches(memory: AssociativeMemory) -> None:
    say(memory, LINES)
    cancel = threading.Event()
    done = salient(memory, cancel=cancel, progress=lambda _: cancel.set())
    assert (done.turns, done.waiting) == (4, 3)


def test_a_turn_that_is_forgotten_while_it_is_read_leaves_nothing(memory: AssociativeMemory, vault: Vault) -> None:
    turns = say(memory, LINES)

    class Forgetful(HashEncoder):
        def encode(self, texts: Sequence[str]) -> Any:
            if turns[0].node in vault.concepts.pending(Maker.SALIENT, limit=1):
                memory.erase(memory.plan_forgetting([turns[0].id]))
            return super().encode(texts)

    Consolidator(vault, Forgetful(), SMALL).run(SalientExtractor(vault, SMALL))
    assert support(vault, turns)["boat"] == [2, 6]


def test_one_consolidator_serves_many_runs_and_notices_what_others_changed(
    memory: AssociativeMemory, vault: Vault
) -> None:
    consolidator = Consolidator(vault, memory.encoder, SMALL)

    def run() -> Consolidated:
        return consolidator.run(SalientExtractor(vault, SMALL))

    turns = say(memory, ["A red boat.", "The red boat."])
    assert run().new == 3
    turns += say(memory, ["My boat."])
    assert run().strengthened == 1
    vault.concepts.remove([concept.node for concept in vault.concepts.listing() if concept.text == "boat"])
    turns += say(memory, ["His boat, a red one.", "Their red house.", "A red house."])
    assert run().new == 3  # the boat again, the house, and both as one phrase
    assert support(vault, turns)["boat"] == [0, 1, 2, 3]


def test_after_a_commit_that_failed_nothing_of_it_is_taken_for_known(memory: AssociativeMemory, vault: Vault) -> None:
    class Failing(HashEncoder):
        fail = True

        def encode(self, texts: Sequence[str]) -> Any:
            found = super().encode(texts)
            return found[:, :5] if self.fail else found  # vectors that the vault refuses

    encoder = Failing()
    consolidator = Consolidator(vault, encoder, SMALL)
    turns = say(memory, LINES)
    with pytest.raises(ValueError, match="384 numbers"):
        consolidator.run(SalientExtractor(vault, SMALL))
    assert vault.concepts.count() == 0
    encoder.fail = False
    assert consolidator.run(SalientExtractor(vault, SMALL)).new == 4
    assert support(vault, turns) == CONCEPTS


def test_like_concepts_are_associated_and_no_more_than_allowed(memory: AssociativeMemory, vault: Vault) -> None:
    lines = [f"The {word} harbour." for word in ("northern", "southern", "eastern", "western", "inner", "outer")]
    say(memory, [line for line in lines for _ in range(2)])
    salient(memory, replace(SMALL, association_degree=2))
    harbours = {concept.node for concept in vault.concepts.listing() if "harbour" in concept.text}
    edges = vault.associations.listing()
    degree = {node: sum(node in {edge.low, edge.high} for edge in edges) for node in harbours}
    assert edges
    assert max(degree.values()) == 2
    assert all(edge.cosine >= 0.5 for edge in edges)


def test_what_was_learned_of_a_pair_stays_when_its_cosine_is_pruned(memory: AssociativeMemory, vault: Vault) -> None:
    parameters = replace(SMALL, association_degree=1, association_cosine=0.2, fewest_turns=2)
    say(memory, ["A red boat house."] * 2)
    salient(memory, parameters)
    (edge,) = [edge for edge in vault.associations.listing() if edge.cosine][:1]
    vault.associations.put_learned([(edge.low, edge.high, 0.4, 1)])
    say(memory, ["The red boat house door."] * 2)
    salient(memory, parameters)
    kept = vault.associations.of([(edge.low, edge.high)])[edge.low, edge.high]
    assert kept.hebbian == 0.4


# facts


def facts(*given: tuple[str, str, list[int]]) -> str:
    found = [
        {"turns": numbers, "subject": subject, "fact": text, "category": "event"} for subject, text, numbers in given
    ]
    return json.dumps({"facts": found})


def told(memory: AssociativeMemory, answers: Sequence[Any], **given: Any) -> Consolidated:
    parameters = ConsolidationParameters()
    extractor = LanguageModelExtractor(ScriptedModel(answers), memory.encoder, parameters)
    return Consolidator(memory.vault, memory.encoder, parameters).run(extractor, **given)


MOVE = ["I moved to Porto with my boat."]
MOVED = facts(("Ada", "Ada moved to Porto with a boat.", [1]))


def test_a_fact_said_again_strengthens_and_in_other_words_is_merged(memory: AssociativeMemory, vault: Vault) -> None:
    turns = say(memory, MOVE) + say(memory, MOVE) + say(memory, MOVE)
    before = memory.encoder.encode(["Ada moved to Porto with a boat."])[0]
    again = facts(("Ada", "Ada moved to Porto with a big boat.", [1]))
    done = told(memory, [MOVED, MOVED, again])
    assert (done.new, done.strengthened, done.merged) == (1, 1, 1)
    (concept,) = vault.concepts.listing()
    assert concept.text == "Ada moved to Porto with a boat."
    assert concept.support == tuple(turn.node for turn in turns)
    _, raw = vault.vectors.matrix(memory.encoder.space, nodes=[concept.node])
    after = np.frombuffer(raw, dtype="<f4")
    assert 0.99 < float(after @ before) < 1.0
    assert np.linalg.norm(after) == pytest.approx(1.0, abs=1e-5)


def test_facts_of_two_people_stay_two_however_alike(memory: AssociativeMemory, vault: Vault) -> None:
    words = " with the old red boat and all the furniture"
    say(memory, ["I moved" + words]) + say(memory, ["I moved" + words], speaker="Ida")
    fact = [facts((name, f"{name} moved{words}", [1])) for name in ("Ada", "Ida")]
    vectors = memory.encoder.encode([f"{name} moved{words}" for name in ("Ada", "Ida")])
    assert float(vectors[0] @ vectors[1]) > 0.8
    assert told(memory, fact).new == 2
    assert vault.concepts.count() == 2


def test_windows_hold_five_turns_of_people_of_one_conversation(memory: AssociativeMemory, vault: Vault) -> None:
    say(memory, ["One."] * 6)
    say(memory, ["Two."] * 3)
    model = ScriptedModel([facts()] * 3)
    parameters = ConsolidationParameters()
    Consolidator(vault, memory.encoder, parameters).run(LanguageModelExtractor(model, memory.encoder, parameters))
    read = [request[-1].content.count("\n") + 1 for request in model.requests]
    assert read == [5, 1, 3]
    assert not any("One" in request[-1].content and "Two" in request[-1].content for request in model.requests)


@pytest.mark.parametrize("failure", [ModelFailed("the model process ended"), "no form", '{"facts": [{"turns": [1'])
def test_a_window_at_which_the_model_fails_waits_for_another_run(
    memory: AssociativeMemory, vault: Vault, failure: Any
) -> None:
    first, second = say(memory, MOVE), say(memory, MOVE)
    done = told(memory, [failure, MOVED])
    assert (done.failed, done.turns, done.new, done.waiting) == (1, 1, 1, 1)
    assert vault.concepts.pending(Maker.MODEL, limit=9) == [first[0].node]
    done = told(memory, [MOVED])
    assert (done.failed, done.strengthened, done.waiting) == (0, 1, 0)
    assert vault.concepts.listing()[0].support == (first[0].node, second[0].node)


def test_a_model_that_fails_again_and_again_ends_the_run(memory: AssociativeMemory, vault: Vault) -> None:
    for _ in range(6):
        say(memory, MOVE)
    done = told(memory, ["no form"] * 6)
    assert (done.failed, done.turns, done.waiting) == (3, 0, 6)


def test_a_model_that_is_not_there_is_told(memory: AssociativeMemory) -> None:
    say(memory, MOVE)
    with pytest.raises(ModelMissing):
        told(memory, [ModelMissing("no such model")])


def test_reading_is_called_off_in_the_middle_of_a_window(memory: AssociativeMemory, vault: Vault) -> None:
    say(memory, MOVE)
    cancel = threading.Event()

    class Interrupted(ScriptedModel):
        def stream(self, messages: Any, *, sampling: Any, cancel: threading.Event) -> Any:
            for piece in super().stream(messages, sampling=sampling, cancel=cancel):
                cancel.set()
                yield piece

    parameters = ConsolidationParameters()
    extractor = LanguageModelExtractor(Interrupted([MOVED]), memory.encoder, parameters)
    done = Consolidator(vault, memory.encoder, parameters).run(extractor, cancel=cancel)
    assert (done.turns, done.failed, done.waiting) == (0, 0, 1)
    assert vault.concepts.count() == 0


def test_what_a_model_dropped_is_counted_and_the_window_is_done(memory: AssociativeMemory, vault: Vault) -> None:
    say(memory, MOVE)
    done = told(memory, [facts(("Ben", "Ben moved to Porto.", [1]))])
    assert (done.dropped, done.new, done.waiting) == (1, 0, 0)


def test_forgetting_a_turn_takes_its_facts_along_and_lets_the_others_be_read_again(
    memory: AssociativeMemory, vault: Vault
) -> None:
    first, second = say(memory, MOVE), say(memory, MOVE)
    told(memory, [MOVED, MOVED])
    memory.erase(memory.plan_forgetting([first[0].id]))
    assert vault.concepts.count() == 0
    assert vault.concepts.pending(Maker.MODEL, limit=9) == [second[0].node]
