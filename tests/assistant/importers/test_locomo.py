"""A conversation of the LoCoMo data set, which lies beside the repository where it is there at all."""

import json
from pathlib import Path

import pytest

from assistant.importers.jsonl import read_jsonl
from assistant.importers.run import import_turns
from assistant.language.encoder import make_encoder
from assistant.memory.associative import AssociativeMemory
from storage.vault import Vault
from tests import locomo

FILE = Path(__file__).parents[3] / ".." / "shared" / "data" / "locomo" / "locomo5.json"

pytestmark = pytest.mark.skipif(not FILE.exists(), reason="the LoCoMo data set is not beside the repository")


def test_every_turn_of_a_conversation_is_converted_and_imported(memory: AssociativeMemory) -> None:
    lines = list(locomo.lines(FILE, 0))
    talk = json.loads(FILE.read_text(encoding="utf-8"))[0]["conversation"]
    assert len(lines) == sum(len(turns) for turns in talk.values() if isinstance(turns, list)) == 419
    content = "\n".join(json.dumps(line) for line in lines).encode()
    summary = import_turns(memory, read_jsonl(content), source_name="jsonl")
    assert (summary.conversations, summary.added, summary.known) == (1, 419, 0)
    turns = memory.vault.turns.in_conversation(memory.vault.conversations.listing()[0].id)
    assert [turn.external_id for turn in turns] == [line["id"] for line in lines]
    assert [turn.time for turn in turns] == sorted(turn.time for turn in turns)


def test_pictures_are_told_by_their_captions() -> None:
    texts = {line["id"]: line["text"] for line in locomo.lines(FILE, 0)}
    assert texts["D1:5"].endswith("]")
    assert "picture: a photo of" in texts["D1:5"]


@pytest.mark.parametrize("sample", range(5))
def test_the_evidence_of_questions_names_turns_of_the_conversation(sample: int) -> None:
    ids = {line["id"] for line in locomo.lines(FILE, sample)}
    questions = locomo.questions(FILE, sample)
    named = [one for question in questions for one in question.evidence]
    assert len(questions) > 100
    assert sum(one in ids for one in named) >= 0.99 * len(named)


def test_the_script_writes_a_file_that_can_be_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "talk.jsonl"
    monkeypatch.setattr("sys.argv", ["locomo", str(FILE), "1", str(target)])
    locomo.main()
    assert len(list(read_jsonl(target))) == 369


def test_activation_finds_more_of_the_evidence_than_plain_hybrid_search(vault: Vault) -> None:
    memory = AssociativeMemory(vault, make_encoder("minilm"))
    content = "\n".join(json.dumps(line) for line in locomo.lines(FILE, 1)).encode()
    import_turns(memory, read_jsonl(content), source_name="jsonl")
    ids = {turn.external_id for turn in vault.turns.listing()}
    asked = [
        question
        for question in locomo.questions(FILE, 1)
        if question.category != "adversarial" and ids & {*question.evidence}
    ]

    def share(engine: str) -> float:
        found = []
        for question in asked:
            hits = {hit.turn.external_id for hit in memory.recall(question.text, k=10, engine=engine).hits}
            evidence = ids & {*question.evidence}
            found.append(len(evidence & hits) / len(evidence))
        return sum(found) / len(found)

    shares = {engine: share(engine) for engine in ("associative", "hybrid")}
    assert shares["associative"] > max(shares["hybrid"] + 0.03, 0.7), shares
