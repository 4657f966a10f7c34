import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from assistant import events
from assistant.language.prompt import VERIFY
from assistant.language.speed import ReadingSpeed
from assistant.memory.active import begin_epoch
from assistant.memory.archive import put_away
from assistant.memory.associative import AssociativeMemory
from assistant.memory.gate_parameters import MINILM_GATE
from assistant.memory.parameters import ConsolidationParameters, Parameters
from assistant.memory.recollection import Hit, Recollection
from assistant.session import Session, SessionSettings
from storage.records import Category, Maker, Turn
from storage.vault import Vault
from tests.assistant.memory.told import fillers, note, talk
from tests.conftest import NOON
from tests.doubles import HashEncoder, ScriptedModel

Start = Callable[..., Session]
OBOE, REED = "Quillon plays the oboe in Ghent.", "The nine coins went to Vexley for reeds."
BOTH = "What about the oboe of Quillon and the nine coins of Vexley?"
REPEATED = "Quillon plays it in Ghent, and the coins went to Vexley for reeds."


@pytest.fixture
def start(memory: AssociativeMemory, tmp_path: Path) -> Start:
    """Begin a chat whose model gives these answers; it is held a hundred days after noon."""
    speed = ReadingSpeed(tmp_path / "speed.json")

    def begin(
        *answers: str,
        model: ScriptedModel | None = None,
        temporary: bool = False,
        of: AssociativeMemory | None = None,
    ) -> Session:
        seconds = iter(range(10_000))
        settings = SessionSettings(
            user_name="Mara", temperature=0.0, max_tokens=200, memory_tokens=800, temporary=temporary, seed=7
        )
        return Session(
            memory=of or memory,
            model=model or ScriptedModel(answers),
            speed=speed,
            settings=settings,
            now=lambda: NOON + timedelta(days=100, seconds=next(seconds)),
        )

    return begin


def ending(happened: Sequence[events.Event]) -> events.ReplyEnd:
    end = happened[-1]
    assert isinstance(end, events.ReplyEnd)
    return end


def recalled(happened: Sequence[events.Event]) -> Recollection:
    return next(event.recollection for event in happened if isinstance(event, events.Recalled))


def oboe_and_reed(memory: AssociativeMemory) -> tuple[Turn, Turn]:
    """Two memories of two conversations, among others."""
    (oboe, *_) = talk(memory, [("Ann", OBOE), *fillers(15)])
    (reed, *_) = talk(memory, [("Bob", REED), *fillers(15, speaker="Dan")], since=NOON + timedelta(days=30))
    return oboe, reed


def learned(memory: AssociativeMemory) -> dict[tuple[int, int], float]:
    return {(edge.low, edge.high): edge.hebbian for edge in memory.vault.associations.listing() if edge.hebbian}


def hit_of(recollection: Recollection, turn: Turn) -> Hit | None:
    return next((hit for hit in recollection.hits if hit.turn.node == turn.node), None)


# what an answer teaches


def test_two_memories_that_answers_used_together_bring_each_other_back(start: Start, memory: AssociativeMemory) -> None:
    oboe, reed = oboe_and_reed(memory)
    now = NOON + timedelta(days=100)
    before = hit_of(memory.recall("Who plays the oboe?", k=40, now=now), reed)
    for _ in range(5):
        end = ending(list(start(REPEATED).reply(BOTH)))
        assert {oboe.id, reed.id} <= set(end.used)
    after = memory.recall("Who plays the oboe?", k=40, now=now)
    hit = hit_of(after, reed)
    assert hit is not None
    assert hit.parts.received > (before.parts.received if before else 0.0)
    assert learned(memory)[oboe.node, reed.node] == pytest.approx(0.1, rel=1e-3)  # five times 0.02
    graph = memory._active.graph
    assert graph is not None
    rows = [graph.nodes.tolist().index(turn.node) for turn in (oboe, reed)]
    assert graph.learned[rows[0], rows[1]] == graph.learned[rows[1], rows[0]] > 0.09
    assert graph.kind_of(*rows) == "learned"


def test_a_way_over_what_was_learned_says_so(start: Start, memory: AssociativeMemory) -> None:
    oboe, reed = oboe_and_reed(memory)
    list(start(REPEATED).reply(BOTH))
    hit = hit_of(memory.recall("Where does Quillon play?", k=40, now=NOON + timedelta(days=100)), reed)
    assert hit is not None
    assert [(step.source.node, step.kind) for step in hit.path] == [(oboe.node, "learned")]


def test_an_answer_that_repeats_nothing_strengthens_nothing(start: Start, memory: AssociativeMemory) -> None:
    oboe_and_reed(memory)
    end = ending(list(start("No idea at all.").reply(BOTH)))
    assert len(end.injected) >= 2
    assert end.used == ()
    assert learned(memory) == {}
    assert all(trace.used_count == 0 for trace in memory.vault.traces.of().values())


def test_an_answer_that_draws_on_one_memory_has_no_edge_to_strengthen(start: Start, memory: AssociativeMemory) -> None:
    oboe, _ = oboe_and_reed(memory)
    end = ending(list(start("He plays in Ghent.").reply("What does Quillon play?")))
    assert end.used == (oboe.id,)
    assert learned(memory) == {}
    assert memory.vault.traces.of([oboe.node])[oboe.node].used_count == 1


def test_what_a_temporary_chat_used_is_not_learned(start: Start, memory: AssociativeMemory) -> None:
    oboe_and_reed(memory)
    before = memory.vault.digest()
    end = ending(list(start(REPEATED, temporary=True).reply(BOTH)))
    assert len(end.used) >= 2
    assert memory.vault.digest() == before


@pytest.mark.parametrize("times", [1, 3])
def test_a_look_changes_nothing(start: Start, memory: AssociativeMemory, times: int) -> None:
    oboe, reed = oboe_and_reed(memory)
    answer = ending(list(start(REPEATED).reply(BOTH))).turn
    assert answer is not None
    memory.embed_pending()
    before = memory.vault.digest()
    for _ in range(times):
        for engine in ("associative", "synapse", "hela", "synaptic", "hybrid"):
            found = memory.recall(BOTH, k=30, engine=engine)
            assert {oboe.node, reed.node} <= {hit.turn.node for hit in found.hits}
        memory.drawn_on(found.hits, answer=REPEATED, question=BOTH)
        memory.vault.recollections.of_answer(answer.id)
        memory.vault.turns.listing()
        memory.plan_forgetting([oboe.id], with_answers=True)
    assert memory.vault.digest() == before


def test_a_use_brings_a_memory_back_from_the_archive(start: Start, memory: AssociativeMemory) -> None:
    oboe, reed = oboe_and_reed(memory)
    put_away(memory.vault, [oboe.node, oboe.node + 1, reed.node])
    happened = list(start("He plays in Ghent.").reply("What does Quillon play?"))
    hit = hit_of(recalled(happened), oboe)
    assert hit is not None
    assert hit.archived
    assert ending(happened).used == (oboe.id,)
    assert memory.vault.traces.archived() == [reed.node]  # its neighbour came with it
    again = hit_of(memory.recall("What does Quillon play?"), oboe)
    assert again is not None
    assert not again.archived


# what is put on record


def test_parts_and_ways_are_kept_with_the_answer(start: Start, memory: AssociativeMemory) -> None:
    oboe, reed = oboe_and_reed(memory)
    list(start(REPEATED).reply(BOTH))
    happened = list(start(REPEATED).reply("What does Quillon play?"))
    end = ending(happened)
    assert end.turn is not None
    kept = memory.vault.recollections.of_answer(end.turn.id)
    given = recalled(happened).hits
    assert [(line.turn.node, line.rank) for line in kept] == [(hit.turn.node, hit.rank) for hit in given]
    for line, hit in zip(kept, given, strict=True):
        assert line.score == pytest.approx(hit.score)
        assert line.parts["energy"] == pytest.approx(hit.parts.energy)
        assert line.parts["cosine"] == pytest.approx(hit.parts.cosine)
        assert [(node, kind) for node, kind, _ in line.path] == [(step.source.node, step.kind) for step in hit.path]
        assert [weight for *_, weight in line.path] == pytest.approx([step.weight for step in hit.path])
    paths = {line.turn.node: line.path for line in kept}
    assert [(node, kind) for node, kind, _ in paths[reed.node]] == [(oboe.node, "learned")]
    assert {line.turn.id for line in kept if line.injected} == set(end.injected)
    assert {line.turn.id for line in kept if line.used} == set(end.used)


def gated(memory: AssociativeMemory, *, refuse_below: float, sure_from: float) -> AssociativeMemory:
    """Give the same memory with a gate of these bounds."""
    gate = replace(
        MINILM_GATE,
        encoder=memory.encoder.space.model,
        refuse_below=refuse_below,
        sure_from=sure_from,
        personal_refuse_below=refuse_below,
        personal_sure_from=sure_from,
        fewest_turns=0,
    )
    return AssociativeMemory(memory.vault, memory.encoder, parameters=Parameters(gate=gate))


@pytest.mark.parametrize(("bounds", "outcome"), [((0.0, 0.0), "known"), ((0.0, 1.1), "unsure")])
def test_the_verdict_is_kept_with_the_answer_and_a_doubt_is_told_to_the_model(
    start: Start, memory: AssociativeMemory, bounds: tuple[float, float], outcome: str
) -> None:
    oboe_and_reed(memory)
    model = ScriptedModel(["In Ghent."])
    unsure = gated(memory, refuse_below=bounds[0], sure_from=bounds[1])
    happened = list(start(model=model, of=unsure).reply("What does Quillon play?"))
    answer, verdict = ending(happened).turn, recalled(happened).verdict
    assert answer is not None
    kept = memory.vault.recollections.verdict_of(answer.id)
    assert verdict is not None
    assert kept is not None
    assert (kept.outcome, kept.reasons) == (outcome, verdict.reasons)
    assert kept.probability == pytest.approx(verdict.probability)
    assert (VERIFY in model.requests[0][-1].content) == (outcome == "unsure")


def test_what_the_gate_does_not_know_the_model_is_not_asked(start: Start, memory: AssociativeMemory) -> None:
    oboe_and_reed(memory)
    note(memory, "I keep bees.", speaker="Mara")
    model = ScriptedModel(["In a shoe."])
    session = start(model=model, of=gated(memory, refuse_below=1.1, sure_from=1.1))
    end = ending(list(session.reply("Where is my passport?")))
    assert model.requests == []
    assert "shoe" not in end.text
    assert (end.used, learned(memory)) == ((), {})


# what the model is told


def prompt_of(start: Start, question: str) -> str:
    model = ScriptedModel(["Noted."])
    list(start(model=model).reply(question))
    return model.requests[0][-1].content


def test_a_memory_is_told_with_the_day_that_its_words_meant(start: Start, memory: AssociativeMemory) -> None:
    note(memory, "We saw the heron yesterday.")
    assert 'the user said: "We saw the heron yesterday [11 May 2026]' in prompt_of(start, "When did we see the heron?")


def test_what_held_until_then_is_told_so_beside_what_holds(start: Start, memory: AssociativeMemory) -> None:
    note(memory, "I live in Lisbon.")
    note(memory, "I moved to Porto.", days=3)
    told = prompt_of(start, "Where did I live before, in Lisbon or in Porto?").splitlines()
    (lisbon,) = [line for line in told if "I live in Lisbon." in line]
    (porto,) = [line for line in told if "I moved to Porto." in line]
    assert "(held until 15 May 2026 (Friday), see the later note)" in lisbon
    assert "held until" not in porto


def test_a_question_about_now_is_answered_from_what_holds(start: Start, memory: AssociativeMemory) -> None:
    note(memory, "I live in Lisbon.")
    note(memory, "I moved to Porto.", days=3)
    told = prompt_of(start, "Where do I live, in Lisbon or in Porto?")
    assert "I moved to Porto." in told
    assert "I live in Lisbon." not in told


def know(
    memory: AssociativeMemory, text: str, category: Category, support: Turn, maker: Maker = Maker.DISTILLED
) -> None:
    with memory.vault.transaction():
        memory.vault.concepts.add(
            text=text,
            terms=" ".join(text.casefold().rstrip(".").split()),
            maker=maker,
            category=category,
            confidence=0.9,
            support=[support.node],
        )
        begin_epoch(memory.vault)
    memory.embed_pending()


def test_knowledge_that_bears_on_the_question_stands_before_the_memories(
    start: Start, memory: AssociativeMemory
) -> None:
    oboe, _ = oboe_and_reed(memory)
    know(memory, "Quillon plays the oboe.", Category.USER_MODEL, oboe)
    know(memory, "Herons nest in reeds.", Category.FACTUAL, oboe)
    know(memory, "Quillon might play the oboe.", Category.EVENT, oboe, maker=Maker.MODEL)
    told = prompt_of(start, "Who plays the oboe?").splitlines()
    assert told[0] == "Notes from memory:"
    assert re.fullmatch(r'- Known \(\d+ \w+ 2026\): "Quillon plays the oboe\."', told[1])
    assert not any("Herons nest" in line or "might play" in line for line in told)


def test_what_the_user_wishes_of_the_assistant_is_told_with_every_question(
    start: Start, memory: AssociativeMemory
) -> None:
    wish = note(memory, "Please answer me in two lines.")
    know(memory, "The user wants answers of two lines.", Category.AGENT, wish)
    prompt = prompt_of(start, "How tall is the Eiffel Tower?")
    assert '- Known (12 May 2026): "The user wants answers of two lines."' in prompt
    memory.erase(memory.plan_forgetting([wish.id]))
    assert "two lines" not in prompt_of(start, "How tall is the Eiffel Tower?")


# in the time in which nobody waits


def say(session: Session, number: int) -> None:
    for i in range(number):
        list(session.reply(f"Bartholomew bakes bread in Ljubljana, batch {i}."))


def test_five_turns_make_a_window_and_concepts_of_it(start: Start, memory: AssociativeMemory) -> None:
    session = start(*["Noted."] * 9)
    say(session, 2)
    session.consolidate()
    assert memory.vault.concepts.count() == 0  # four turns
    say(session, 1)
    session.consolidate()
    texts = {concept.text.casefold() for concept in memory.vault.concepts.listing()}
    assert {"bartholomew", "ljubljana"} <= texts
    window = memory.vault.traces.window()
    session.consolidate()
    assert memory.vault.traces.window() == window >= 1


def test_a_temporary_chat_consolidates_nothing(start: Start, memory: AssociativeMemory) -> None:
    say(start(*["Noted."] * 9), 3)
    session = start("Noted.", temporary=True)
    list(session.reply("Bartholomew again."))
    memory.embed_pending()
    before = memory.vault.digest()
    session.consolidate()
    assert memory.vault.digest() == before


class _Waits(HashEncoder):
    """In a thread called rest it waits until it may go on."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.may_go_on = threading.Event(), threading.Event()

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if threading.current_thread().name == "rest":
            self.begun.set()
            assert self.may_go_on.wait(30)
        return super().encode(texts)


def test_a_consolidation_ends_when_a_reply_begins(start: Start, vault: Vault) -> None:
    encoder = _Waits()
    small = Parameters(consolidation=ConsolidationParameters(batch_turns=5))
    memory = AssociativeMemory(vault, encoder, parameters=small)
    talk(memory, [("Ann", f"Yesterday {chr(65 + i // 2)}oldric baked bread.") for i in range(30)])
    session = start("Yes.", of=memory)
    worker = threading.Thread(target=session.consolidate, name="rest")
    worker.start()
    assert encoder.begun.wait(30)
    assert ending(list(session.reply("Are you there?"))).text == "Yes."
    encoder.may_go_on.set()
    worker.join(30)
    assert not worker.is_alive()
    pending = vault.concepts.pending(Maker.SALIENT, limit=99)
    assert len(pending) == 30 - 5 + 2  # the batch that was begun was kept
    session.consolidate()
    assert vault.concepts.pending(Maker.SALIENT, limit=99) == []
