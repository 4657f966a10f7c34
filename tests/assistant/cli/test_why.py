"""why: what memory gave for an answer."""

import json
from datetime import timedelta

import pytest

from storage.records import Category, Maker, RecalledLine, Role, Source, Turn, Utterance, Verdict
from tests.assistant.cli.support import Here, Home
from tests.conftest import NOON
from tests.doubles import ScriptedModel

HOUR = timedelta(hours=1)


def say(home: Home, text: str, *, role: Role = Role.ASSISTANT, source: Source = Source.CHAT) -> Turn:
    """Keep a turn at the end of the only chat."""
    with home.opened() as memory:
        (chat,) = memory.vault.conversations.listing()
        utterance = Utterance(role=role, speaker=role.title(), text=text, time=NOON + HOUR, source=source)
        return memory.hear(chat.id, utterance)


def explain(home: Home, answer: Turn) -> tuple[list[Turn], str]:
    """Keep what memory gave for an answer, the second memory by way of a concept; gives all three and the concept."""
    with home.opened() as memory:
        key, boat, sail = reversed([turn for turn in memory.vault.turns.listing() if turn.role is Role.USER])
        harbour = memory.vault.concepts.add(
            text="harbour",
            terms="harbour",
            maker=Maker.SALIENT,
            category=Category.TERM,
            confidence=1,
            support=[key.node, boat.node],
        )
        lines = [
            RecalledLine(node=key.node, score=4.5, injected=True, used=False, parts={"cosine": 0.61, "bm25": 4.2}),
            RecalledLine(
                node=boat.node,
                score=2.25,
                injected=True,
                used=True,
                parts={"cosine": 0.3},
                path=((key.node, "abstraction", 0.5), (harbour.node, "abstraction", 0.25)),
            ),
            RecalledLine(node=sail.node, score=1.0, injected=False, used=False),
        ]
        memory.vault.recollections.put(
            answer.id,
            lines,
            Verdict(outcome="known", probability=0.93, reasons=("One memory fits well.", "User said so.")),
        )
        return [key, boat, sail], harbour.id


def test_the_last_answer_is_explained_in_three_lists_with_scores_and_ways(here: Here) -> None:
    answer = say(here.home, "In the northern harbour.")
    (key, boat, sail), harbour = explain(here.home, answer)
    ran = here.run("why")
    lines = ran.out.splitlines()
    assert (ran.code, ran.err) == (0, "")
    assert lines[0].endswith("Assistant: In the northern harbour.")
    assert lines[1] == "known (0.93): One memory fits well. User said so."
    assert lines[2] == "recalled 3, told the model 2, used 1"
    assert [line[:4].strip() for line in lines[3::2]] == ["used", "told", ""]
    assert [turn.id[:8] in line for turn, line in zip((boat, key, sail), lines[3::2], strict=True)] == [True] * 3
    way = f"{key.id[:8]} -abstraction 0.50-> {harbour[:8]} (harbour) -abstraction 0.25-> {boat.id[:8]}"
    assert lines[4].strip() == f"cosine 0.30  {way}"
    assert lines[6].strip() == "cosine 0.61  bm25 4.20  direct"
    assert lines[8].strip() == "direct"


def test_a_memory_that_was_told_earlier_in_the_chat_is_said_to_be_so(here: Here) -> None:
    answer = say(here.home, "In the northern harbour, as I said.")
    with here.home.opened() as memory:
        (key, *_) = [turn for turn in memory.vault.turns.listing() if turn.role is Role.USER]
        line = RecalledLine(node=key.node, score=0.0, injected=True, used=True, parts={"told earlier": 1.0})
        memory.vault.recollections.put(answer.id, [line])
    assert here.run("why").out.splitlines()[-1].strip() == "told earlier in this chat"


def test_an_explanation_as_json_keeps_the_lists_apart(here: Here) -> None:
    answer = say(here.home, "In the northern harbour.")
    (key, boat, sail), harbour = explain(here.home, answer)
    found = json.loads(here.run("why", "--json", answer.id[:8]).out)
    assert found["answer"]["id"] == answer.id
    assert found["verdict"] == {
        "outcome": "known", "probability": 0.93, "reasons": ["One memory fits well.", "User said so."]
    }  # fmt: skip
    assert found["recalled"] == [key.id, boat.id, sail.id]
    assert (found["injected"], found["used"]) == ([key.id, boat.id], [boat.id])
    second = found["memories"][1]
    assert (second["rank"], second["score"], second["parts"]) == (2, 2.25, {"cosine": 0.3})
    assert second["path"] == [
        {"id": key.id, "kind": "abstraction", "weight": 0.5},
        {"id": harbour, "kind": "abstraction", "weight": 0.25},
    ]


def test_a_question_stands_for_its_answer(here: Here) -> None:
    say(here.home, "Where is the boat?", role=Role.USER)
    answer = say(here.home, "In the northern harbour.")
    with here.home.opened() as memory:
        asked = memory.vault.turns.listing()[1]
    assert answer.id[:8] in here.run("why", asked.id[:8]).out


def test_an_answer_that_was_asked_for_here_is_explained(here: Here) -> None:
    here.run("ask", "Where does the boat lie?", model=ScriptedModel(["In the northern harbour."]))
    found = json.loads(here.run("why", "--json").out)
    assert found["answer"]["text"] == "In the northern harbour."
    assert "The boat lies in the northern harbour." in [memory["text"] for memory in found["memories"]]
    assert len(found["used"]) == 1


def test_an_answer_without_memories_says_so(here: Here) -> None:
    say(here.home, "Hello.")
    assert here.run("why").out.splitlines()[1:] == ["recalled 0, told the model 0, used 0"]
    assert json.loads(here.run("why", "--json").out)["verdict"] is None


def test_what_was_answered_elsewhere_is_not_the_last_answer(here: Here) -> None:
    answer = say(here.home, "Hello.")
    with here.home.opened() as memory:
        other = memory.vault.conversations.create(source=Source.IMPORTED)
        imported = Utterance(role=Role.ASSISTANT, speaker="Bot", text="Hi.", time=NOON, source=Source.IMPORTED)
        for _ in range(60):
            memory.hear(other.id, imported)
    assert json.loads(here.run("why", "--json").out)["answer"]["id"] == answer.id


@pytest.mark.parametrize("turn", ["", "0000"])
def test_there_is_nothing_to_explain(here: Here, turn: str) -> None:
    ran = here.run("why", *([turn] if turn else []))
    assert (ran.code, ran.out) == (3, "")
    assert ("no answer yet" in ran.err) is (turn == "")


def test_what_no_answer_follows_is_not_explained(here: Here) -> None:
    with here.home.opened() as memory:
        last = memory.vault.turns.listing()[0]
    ran = here.run("why", last.id)
    assert ran.code == 3
    assert "none follows it" in ran.err
