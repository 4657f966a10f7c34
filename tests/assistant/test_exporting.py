"""An export holds everything: taken into an empty vault it gives the same memories, and the same recall."""

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from assistant.errors import BadInput
from assistant.exporting import is_export, json_lines, markdown, take_in
from assistant.memory.associative import AssociativeMemory
from assistant.memory.engines import NAMES
from storage.keys import FLOOR_COST
from storage.records import Category, Maker, RecalledLine, Role, Source, Utterance, Verdict
from storage.transfer import NotTransferable
from storage.vault import Vault
from tests.assistant.memory.told import note, talk
from tests.conftest import NOON, PASSPHRASE
from tests.doubles import HashEncoder

NOT_RESTORED = {
    *("migration", "change"),  # each vault's own
    *("embedding_space", "passage"),  # made again, as are all indexes
    "setting",  # keys and states of this vault's own work
    *("ledger", "forgetting", "forgotten_row", "forgotten_import"),  # nothing of what was forgotten leaves the vault
    "backup",  # places on this machine
}
QUESTIONS = ("Where does Ben live?", "What does the user plant in the garden?", "heron", "a boat on the river")


@pytest.fixture
def other(tmp_path: Path) -> Iterator[AssociativeMemory]:
    """A second memory, empty."""
    with Vault.create(tmp_path / "other", PASSPHRASE, cost=FLOOR_COST) as vault:
        yield AssociativeMemory(vault, HashEncoder())


def lived(memory: AssociativeMemory) -> None:
    """Fill a memory with something in every table that an export holds."""
    vault = memory.vault
    garden = [note(memory, f"I plant {plant} in the garden.", days=day) for day, plant in enumerate(("kale", "leek"))]
    note(memory, "I live in Lisbon.", days=2)
    note(memory, "I live in Porto now.", days=3)
    heron, boat, *_ = talk(
        memory,
        [("Ada", "A heron stood on the boat."), ("Ben", "My boat lies in the river."), ("Ada", "Ben lives here.")],
    )
    conversation = vault.conversations.create(source=Source.CHAT, title="Asked")
    asked = Utterance(role=Role.USER, speaker="User", text="What do I plant?", time=NOON, source=Source.CHAT)
    memory.hear(conversation.id, asked)
    answer = memory.hear(
        conversation.id,
        Utterance(
            role=Role.ASSISTANT,
            speaker="Assistant",
            text="Kale and leek.",
            time=NOON + timedelta(days=9),
            source=Source.CHAT,
            model="scripted",
            seed=7,
        ),
    )
    way = ((boat.node, "temporal", 0.4),)
    lines = [
        RecalledLine(node=one.node, score=1.5, injected=True, used=True, parts={"energy": 0.5}, path=way)
        for one in garden
    ]
    vault.recollections.put(answer.id, lines, Verdict(outcome="known", probability=0.9, reasons=("said twice",)))
    memory.learn(memory.recall("garden").hits[:2], memory.recall("garden").hits[:2], now=NOON)
    memory.consolidate(now=NOON + timedelta(days=10))
    vault.concepts.add(
        text="The user keeps a garden.",
        terms="user keep garden",
        maker=Maker.MODEL,
        category=Category.PREFERENCE,
        confidence=0.8,
        support=[one.node for one in garden],
    )
    memory.embed_pending()
    vault.tags.add([garden[0].node], ["home"])
    vault.tags.expire([garden[1].node], NOON + timedelta(days=400))
    vault.traces.pin([garden[0].node], pinned=True)
    vault.traces.archive([heron.node])
    vault.quarantine.put(boat.node, ["speaks to the assistant"])
    note(memory, "To be forgotten.")
    vault.erase([vault.turns.listing(limit=1)[0].node])


def exported(memory: AssociativeMemory, path: Path) -> Path:
    path.write_text("".join(line + "\n" for line in json_lines(memory.vault)))
    return path


def rows_by_table(vault: Vault) -> dict[str, list[dict[str, object]]]:
    """Give all rows of all tables that an export holds; nodes and conversations by their identifiers."""
    rows = vault.transfer.database.rows
    names: dict[str, dict[int, str]] = {
        table: dict(rows(f"select id, uid from {table}")) for table in ("node", "conversation")
    }
    aims: dict[tuple[str, str], str] = {("branch", "before_node"): "node", ("consolidation", "last_node"): "node"}
    found = 'select m.name, r."from" from sqlite_schema as m, pragma_foreign_key_list(m.name) as r'
    for table, column in rows(found):
        to_conversation = column in {"conversation", "parent"}
        aims[table, column] = "conversation" if to_conversation else "node"
    told: dict[str, list[dict[str, object]]] = {}
    for (table,) in rows("select name from sqlite_schema where type = 'table' and sql like '%strict%'"):
        if table in NOT_RESTORED:
            continue
        columns = [column for (column,) in rows("select name from pragma_table_info(?)", (table,))]
        told[table] = [
            {
                column: names[aims[table, column]].get(value, value) if (table, column) in aims else value
                for column, value in zip(columns, row, strict=True)
                if column not in {"id", "terms"}  # given anew, and made again of the text
            }
            for row in rows(f"select * from {table} order by 1, 2")
        ]
    return told


def recalled(memory: AssociativeMemory) -> list[object]:
    return [
        [
            [(hit.turn.id, round(hit.score, 9), hit.path and len(hit.path)) for hit in recollection.hits]
            for question in QUESTIONS
            for recollection in [memory.recall(question, k=5, engine=engine, now=NOON + timedelta(days=20))]
        ]
        for engine in NAMES
    ]


def test_taken_into_an_empty_vault_everything_is_there_and_recalled_alike(
    memory: AssociativeMemory, other: AssociativeMemory, tmp_path: Path
) -> None:
    lived(memory)
    path = exported(memory, tmp_path / "export.jsonl")

    taken = take_in(other, path)

    kinds = {json.loads(line)["type"] for line in path.read_text().splitlines()}
    assert kinds >= {"turn", "concept", "support", "association", "trace", "succession", "recollection", "path_step"}
    assert kinds >= {"verdict", "tag", "expiry", "quarantine", "consolidated", "window", "conversation"}
    assert list(json_lines(other.vault)) == path.read_text().splitlines()
    assert taken.turns == memory.vault.turns.count()
    assert taken.concepts == memory.vault.concepts.count() > 1
    assert recalled(other) == recalled(memory)
    assert other.vault.check() == []


def test_every_table_is_restored_row_by_row_or_is_said_here_not_to_be(
    memory: AssociativeMemory, other: AssociativeMemory, tmp_path: Path
) -> None:
    lived(memory)
    take_in(other, exported(memory, tmp_path / "export.jsonl"))
    told = rows_by_table(memory.vault)
    assert rows_by_table(other.vault) == told
    assert {table for table, rows in told.items() if not rows} <= {"branch"}
    assert told.keys() >= {"conversation", "node", "turn", "tag", "expiry", "quarantine", "trace", "association"}
    assert told.keys() >= {"concept", "support", "recollection", "path_step", "verdict", "succession", "consolidation"}


def test_taken_in_again_nothing_changes(memory: AssociativeMemory, other: AssociativeMemory, tmp_path: Path) -> None:
    lived(memory)
    path = exported(memory, tmp_path / "export.jsonl")
    take_in(other, path)
    before = list(json_lines(other.vault))
    again = take_in(other, path)
    assert (again.turns, again.known, again.concepts) == (0, memory.vault.turns.count(), 0)
    assert list(json_lines(other.vault)) == before


def test_taken_into_a_vault_with_memories_both_are_there(
    memory: AssociativeMemory, other: AssociativeMemory, tmp_path: Path
) -> None:
    lived(memory)
    own = note(other, "I have a cat.")
    take_in(other, exported(memory, tmp_path / "export.jsonl"))
    assert other.vault.turns.count() == memory.vault.turns.count() + 1
    assert other.vault.turns.get(own.id).text == "I have a cat."
    assert other.recall("cat").hits[0].turn.id == own.id
    assert other.vault.check() == []


@pytest.mark.parametrize(
    ("spoil", "what"),
    [
        (lambda lines: [*lines[:-1], lines[-1][: len(lines[-1]) // 2]], "not JSON"),
        (lambda lines: [lines[0], "3", *lines[1:]], "line 2: not a record"),
        (lambda lines: [line for line in lines if '"type": "conversation"' not in line], "not as this program writes"),
        (lambda lines: [line for line in lines if '"type": "support"' not in line], "rest on nothing"),
        (lambda lines: [line.replace('"position"', '"place"') for line in lines], "not as this program writes"),
        (lambda lines: [line.replace('"cosine"', '"likeness"') for line in lines], "not as this program writes"),
        (lambda lines: [line.replace('"version": 1', '"version": 2') for line in lines], "newer version"),
        (lambda lines: lines[1:], "no export of this program"),
    ],
)
def test_an_export_that_was_spoilt_is_refused_and_nothing_of_it_kept(
    memory: AssociativeMemory, other: AssociativeMemory, tmp_path: Path, spoil: object, what: str
) -> None:
    lived(memory)
    assert callable(spoil)
    path = tmp_path / "export.jsonl"
    path.write_text("\n".join(spoil(list(json_lines(memory.vault)))))
    before = other.vault.digest()
    with pytest.raises((BadInput, NotTransferable), match=what) as caught:
        take_in(other, path)
    assert "garden" not in str(caught.value)
    assert other.vault.digest() == before


def test_what_waits_to_be_forgotten_is_in_no_export(memory: AssociativeMemory) -> None:
    turn = note(memory, "A secret meadow.")
    memory.vault.put_aside([turn.node], now=NOON, until=NOON + timedelta(days=1))
    assert "meadow" not in "".join([*json_lines(memory.vault), *markdown(memory.vault)])


def test_markdown_has_conversations_with_their_days(memory: AssociativeMemory) -> None:
    talk(memory, [("Ada", "Hello.\nHow are you?"), ("Ben", "Well.")], apart=1)
    first = "# Hello.\n\n## 2026-05-12\n\n**Ada**, 12:00:\n\nHello.\nHow are you?\n\n"
    second = "## 2026-05-13\n\n**Ben**, 12:00:\n\nWell."
    assert "\n".join(markdown(memory.vault)).startswith(first + second)


def test_only_what_begins_as_an_export_is_one(memory: AssociativeMemory, tmp_path: Path) -> None:
    assert is_export(exported(memory, tmp_path / "export.jsonl"))
    (tmp_path / "other.jsonl").write_text('{"conversation": "c"}\n')
    assert not is_export(tmp_path / "other.jsonl")
    assert not is_export(tmp_path / "gone")
    assert not is_export(tmp_path)
