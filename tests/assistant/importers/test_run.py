"""Putting imported turns into the memory: each once, in batches, in order, and stoppable."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assistant.importers.chatgpt import read_chatgpt
from assistant.importers.imported import ImportedTurn
from assistant.importers.jsonl import read_jsonl
from assistant.importers.run import AT_HAND, BATCH, ImportSummary, import_turns
from assistant.memory.associative import AssociativeMemory
from storage.records import Role, Source, Utterance
from storage.vault import Vault

EXPORTS = Path(__file__).parent / "exports" / "chatgpt"
START = datetime(2024, 5, 3, 18, 0, tzinfo=UTC)


class Keeper:
    """A memory that writes down the batches it was given."""

    def __init__(self, memory: AssociativeMemory) -> None:
        self.memory = memory
        self.batches: list[tuple[str, int]] = []

    @property
    def vault(self) -> Vault:
        return self.memory.vault

    def add_batch(self, conversation: str, utterances: Sequence[Utterance]) -> int:
        self.batches.append((conversation, len(utterances)))
        return self.memory.add_batch(conversation, utterances)


def turn(number: int, conversation: str = "talk") -> ImportedTurn:
    return ImportedTurn(
        conversation=conversation,
        title=conversation,
        utterance=Utterance(
            role=Role.OTHER,
            speaker="Ada",
            text=f"turn {number}",
            time=START + timedelta(minutes=number),
            source=Source.IMPORTED,
            origin="test:file",
            external_id=f"m{number}",
        ),
    )


def texts(memory: AssociativeMemory) -> list[list[str]]:
    vault = memory.vault
    return sorted(
        [one.text for one in vault.turns.in_conversation(conversation.id)]
        for conversation in vault.conversations.listing()
    )


def test_all_turns_are_kept_in_order_with_vectors(memory: AssociativeMemory) -> None:
    summary = import_turns(memory, [turn(number) for number in range(150)], source_name="jsonl")
    assert summary == ImportSummary(
        conversations=1,
        added=150,
        known=0,
        forgotten=0,
        skipped=0,
        reasons=(),
        first=START,
        last=START + timedelta(minutes=149),
    )
    assert texts(memory) == [[f"turn {number}" for number in range(150)]]
    space = memory.vault.vectors.current_space()
    assert space is not None
    assert memory.vault.vectors.missing(space, limit=200) == []


def test_importing_again_changes_nothing(memory: AssociativeMemory) -> None:
    turns = [turn(number) for number in range(10)]
    import_turns(memory, turns, source_name="jsonl")
    before = memory.vault.change_counter()
    again = import_turns(memory, turns, source_name="jsonl")
    assert (again.conversations, again.added, again.known) == (1, 0, 10)
    assert memory.vault.change_counter() == before


def test_only_what_was_added_is_imported(memory: AssociativeMemory) -> None:
    import_turns(memory, [turn(number) for number in range(3)], source_name="jsonl")
    again = import_turns(memory, [turn(number) for number in range(5)], source_name="jsonl")
    assert (again.added, again.known) == (2, 3)
    assert texts(memory) == [[f"turn {number}" for number in range(5)]]


def test_a_turn_given_twice_is_kept_once(memory: AssociativeMemory) -> None:
    summary = import_turns(memory, [turn(1), turn(1)], source_name="jsonl")
    assert (summary.added, summary.known) == (1, 1)


def test_the_same_identifiers_in_two_formats_are_two_conversations(memory: AssociativeMemory) -> None:
    import_turns(memory, [turn(1)], source_name="jsonl")
    summary = import_turns(memory, [turn(1)], source_name="chatgpt")
    assert summary.added == 1
    assert len(memory.vault.conversations.listing()) == 2


def test_batches_are_of_one_conversation_and_not_larger_than_64(memory: AssociativeMemory) -> None:
    keeper = Keeper(memory)
    mixed = [turn(number, conversation=f"talk {number % 3}") for number in range(200)]
    import_turns(keeper, mixed, source_name="jsonl")
    assert len({conversation for conversation, _ in keeper.batches}) == 3
    assert sum(size for _, size in keeper.batches) == 200
    assert all(size <= BATCH for _, size in keeper.batches)
    assert texts(memory) == sorted(
        [f"turn {number}" for number in range(200) if number % 3 == rest] for rest in range(3)
    )


def test_what_was_imported_before_a_stop_stays_and_importing_again_goes_on(memory: AssociativeMemory) -> None:
    turns = [turn(number) for number in range(200)]
    told: list[ImportSummary] = []

    def stop_after_the_first(summary: ImportSummary) -> None:
        told.append(summary)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_turns(memory, turns, source_name="jsonl", progress=stop_after_the_first)
    assert told[-1].added == memory.vault.turns.count() == 64
    again = import_turns(memory, turns, source_name="jsonl")
    assert (again.known, again.added) == (64, 136)
    assert texts(memory) == [[f"turn {number}" for number in range(200)]]


def test_progress_tells_how_far_it_is(memory: AssociativeMemory) -> None:
    told: list[int] = []
    import_turns(
        memory, [turn(n) for n in range(130)], source_name="jsonl", progress=lambda summary: told.append(summary.added)
    )
    assert told == [64, 128, 130]


def test_an_import_of_nothing_tells_that(memory: AssociativeMemory) -> None:
    summary = import_turns(memory, [], source_name="jsonl")
    assert summary == ImportSummary(
        conversations=0, added=0, known=0, forgotten=0, skipped=0, reasons=(), first=None, last=None
    )


@pytest.mark.parametrize("export", ["legacy_single", "sharded_2026"])
def test_a_chatgpt_export_is_imported_once(memory: AssociativeMemory, export: str) -> None:
    first = import_turns(memory, read_chatgpt(EXPORTS / export), source_name="chatgpt")
    assert (first.conversations, first.added, first.skipped) == (3, 8, 1)
    again = import_turns(memory, read_chatgpt(EXPORTS / export), source_name="chatgpt")
    assert (again.added, again.known) == (0, 8)
    assert not any("Secret question" in text for of_one in texts(memory) for text in of_one)


def test_the_old_and_the_new_export_of_one_account_are_the_same_conversations(memory: AssociativeMemory) -> None:
    import_turns(memory, read_chatgpt(EXPORTS / "legacy_single"), source_name="chatgpt")
    newer = import_turns(memory, read_chatgpt(EXPORTS / "sharded_2026"), source_name="chatgpt")
    assert (newer.added, newer.known) == (0, 8)


def test_appended_lines_without_ids_add_only_themselves(memory: AssociativeMemory) -> None:
    fields = {"conversation": "c", "speaker": "Ada", "role": "other", "time": "2024-05-03T18:20:00Z"}
    lines = [json.dumps({**fields, "text": text}) for text in ("one", "one", "two")]
    import_turns(memory, read_jsonl("\n".join(lines[:2]).encode()), source_name="jsonl")
    again = import_turns(memory, read_jsonl("\n".join(lines).encode()), source_name="jsonl")
    assert (again.added, again.known) == (1, 2)
    assert texts(memory) == [["one", "one", "two"]]


def test_tags_come_in_with_what_is_new_and_are_not_given_again(memory: AssociativeMemory) -> None:
    turns = [replace(turn(number), tags=("daily", "home") if number else ()) for number in range(3)]
    import_turns(memory, turns[:2], source_name="markdown")
    assert memory.vault.tags.counts() == {"daily": 1, "home": 1}
    (tagged,) = memory.vault.tags.holding(["daily"])
    assert memory.vault.turns.by_nodes([tagged])[0].text == "turn 1"

    memory.vault.tags.remove([tagged], ["home"])
    import_turns(memory, turns, source_name="markdown")
    assert memory.vault.tags.counts() == {"daily": 2, "home": 1}


def test_a_dry_run_tells_what_the_import_does_where_turns_and_conversations_come_again(
    memory: AssociativeMemory,
) -> None:
    others = [turn(0, conversation=f"other {number}") for number in range(AT_HAND + BATCH)]
    turns = [turn(1), *others, turn(1), turn(2), turn(3)]
    import_turns(memory, [turn(2), turn(4)], source_name="jsonl")
    gone = next(one for one in memory.vault.turns.listing() if one.text == "turn 4")
    memory.vault.erase([gone.node])
    again = [*turns, turn(4), *others, turn(4)]

    tried, done = (import_turns(memory, again, source_name="jsonl", dry_run=dry) for dry in (True, False))
    assert tried == done
    assert (done.conversations, done.added) == (AT_HAND + BATCH + 1, AT_HAND + BATCH + 2)
    assert (done.known, done.forgotten) == (AT_HAND + BATCH + 2, 2)


def test_imported_words_come_back_in_recall(memory: AssociativeMemory) -> None:
    import_turns(memory, read_chatgpt(EXPORTS / "sharded_2026"), source_name="chatgpt")
    (best, *_) = memory.recall("chickpea curry dinner", k=3).hits
    assert best.turn.text in {"Chickpea curry.", "Suggest a dinner for 3 May."}
