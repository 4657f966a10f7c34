"""What was forgotten is in reach of nothing, and what only looks like it is where it was."""

from collections.abc import Iterator

from assistant.exporting import json_lines, markdown
from assistant.memory.archive import put_away
from assistant.memory.associative import AssociativeMemory
from assistant.memory.engines import NAMES
from assistant.memory.terms import terms
from storage.page_cipher import decrypted
from storage.records import Turn
from storage.vault import Vault
from tests.assistant.memory.told import note, talk
from tests.conftest import NOON
from tests.storage.making import key_of

WORD = "Quillfeather"
SAID = [
    ("Ada", f"{WORD} nests by the mill."),
    ("Ben", "Which mill?"),
    ("Ada", f"{WORD} came back."),
    ("Ben", "The herons are back, too."),
]
ELSEWHERE = [("Cid", "Quillfather is sold by weight."), ("Cid", "The mill was sold by weight, too.")]


def all_bytes(vault: Vault) -> bytes:
    """Give every byte of the file and of its log, as the key shows them."""
    return b"".join(stretch.content for stretch in decrypted(vault.file, key_of(vault)))


def holders(memory: AssociativeMemory, word: str, gone: list[Turn]) -> Iterator[str]:
    """Name each place in which the word, or one of these memories, can be found."""
    vault, nodes, ids = memory.vault, {turn.node for turn in gone}, {turn.id for turn in gone}
    vector = memory.encoder.encode([word])[0].tobytes()
    places: dict[str, object] = {
        "list": ids & {turn.id for turn in vault.turns.listing()},
        "words": nodes & {node for node, _ in vault.lexical.search(terms(word), limit=20)},
        "graph": nodes & {row.node for row in vault.turns.graph_rows()},
        "archive": [node for node, trace in vault.traces.of(sorted(nodes)).items() if trace.archived],
        "vector index": nodes & {node for node, _ in vault.vectors.nearest(memory.encoder.space, vector, k=20)},
        "concepts": [one for one in vault.concepts.listing() if word in one.text],
        "export": [line for line in (*json_lines(vault), *markdown(vault)) if word in line],
        "bytes": word.encode() in all_bytes(vault),
    }
    places |= {
        f"recall by {engine}": ids & {hit.turn.id for hit in memory.recall(word, k=20, engine=engine, now=NOON).hits}
        for engine in NAMES
    }
    return (place for place, found in places.items() if found)


def test_what_was_forgotten_is_found_in_no_place_and_the_count_is_what_went(memory: AssociativeMemory) -> None:
    vault = memory.vault
    first, _, second, _ = talk(memory, SAID)
    others = [*talk(memory, ELSEWHERE), note(memory, "The mill stands still.")]
    memory.consolidate(now=NOON)
    put_away(vault, [first.node])
    gone = [first, second]
    there = set(holders(memory, WORD, gone))
    assert there >= {"list", "words", "graph", "archive", "vector index", "concepts", "export", "bytes"}
    assert len([place for place in there if place.startswith("recall by")]) == len(NAMES)
    before = vault.turns.count(), vault.concepts.count()

    receipt = memory.erase(memory.plan_forgetting([turn.id for turn in gone]))

    assert list(holders(memory, WORD, gone)) == []
    assert vault.ties.of([turn.node for turn in gone]).temporal == 0
    assert (receipt.turns, receipt.concepts) == (2, before[1] - vault.concepts.count())
    assert vault.turns.count() == before[0] - 2
    assert {turn.text for turn in vault.turns.listing()} == {
        *(text for _, text in SAID if WORD not in text),
        *(turn.text for turn in others),
    }
    assert memory.recall("Quillfather", k=1, now=NOON).hits[0].turn.id == others[0].id
