"""What happened to a memory, beside its words."""

from datetime import timedelta

from assistant.memory.associative import AssociativeMemory
from storage.records import Category, Maker, RecalledLine, Role, Source, Turn, Utterance
from tests.conftest import NOON
from tui.past import LATEST, past_of


def answered(memory: AssociativeMemory, *turns: Turn, text: str = "Ada has it.", via: int | None = None) -> None:
    chat = memory.vault.conversations.create(source=Source.CHAT)
    said = Utterance(role=Role.ASSISTANT, speaker="Assistant", text=text, time=NOON, source=Source.CHAT)
    way = () if via is None else ((via, "abstraction", 0.5),)
    lines = [RecalledLine(node=turn.node, score=0.5, injected=True, used=True, path=way) for turn in turns]
    memory.vault.recollections.put(memory.hear(chat.id, said).id, lines)


def note(memory: AssociativeMemory, text: str, hours: int = 0) -> Turn:
    return memory.remember(text, time=NOON + timedelta(hours=hours), speaker="User")


def test_a_memory_to_which_nothing_happened_has_no_history(memory: AssociativeMemory) -> None:
    assert past_of(memory.vault, note(memory, "The boat is blue.")) == ""


def test_answers_and_what_holds_instead_stand_in_the_order_of_time_and_inert(memory: AssociativeMemory) -> None:
    turn = note(memory, "I live in Porto.")
    answered(memory, turn, text="In Porto.\n\x1b[2J")
    note(memory, "I live in Berlin now.", hours=2)
    heading, used, replaced = past_of(memory.vault, turn).strip().splitlines()
    assert heading == "history"
    assert "  used  " in used
    assert used.endswith(" In Porto. ␛[2J")
    assert "  replaced  " in replaced
    assert replaced.endswith(" I live in Berlin now.  (home)")


def test_only_the_latest_are_shown_and_the_command_that_shows_all_is_named(memory: AssociativeMemory) -> None:
    turn = note(memory, "The spare key is with Ada.")
    for _ in range(LATEST + 3):
        answered(memory, turn)
    lines = past_of(memory.vault, turn).strip().splitlines()
    assert lines[1] == f"3 earlier: assistant memory history {turn.id[:8]}"
    assert len(lines) == LATEST + 2


def test_a_concept_tells_for_which_answers_it_led_to_memories(memory: AssociativeMemory) -> None:
    turn = note(memory, "The spare key is with Ada.")
    concept = memory.vault.concepts.add(
        text="key", terms="key", maker=Maker.SALIENT, category=Category.TERM, confidence=0.5, support=[turn.node]
    )
    assert past_of(memory.vault, concept) == past_of(memory.vault, turn) == ""
    answered(memory, turn, via=concept.node)
    assert "led on" in past_of(memory.vault, concept)
