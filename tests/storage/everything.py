"""A vault with something in every table, by chance, and all that a vault holds, whatever its file looks like."""

import random
from dataclasses import replace
from datetime import timedelta

from storage.database import Row
from storage.records import Category, Conversation, Maker, RecalledLine, Role, Source, Turn, Verdict
from storage.vault import Vault
from tests.storage.making import MORNING, SPACE, passage, said

OTHER_SPACE = replace(SPACE, model="pencil")
UNCOUNTED = frozenset({"sqlite_sequence", "change", "forgetting", "forgotten_row", "ledger"})
"""What need not be as it was when what was forgotten comes back."""


def fill(vault: Vault, chance: random.Random, *, turns: int = 24, concepts: int = 16) -> list[int]:
    """Fill a vault, and give its nodes."""
    vault.vectors.begin_space(SPACE)
    vault.vectors.finish_space(SPACE)
    vault.vectors.begin_space(OTHER_SPACE)
    conversations = [
        vault.conversations.create(source=Source.CHAT),
        vault.conversations.create(title="Notes", source=Source.NOTE, external_id="notes"),
        vault.conversations.create(
            title="Herons", source=Source.IMPORTED, origin="jsonl:herons", external_id="jsonl:herons"
        ),
    ]
    with vault.transaction():
        said_turns = [_say(vault, chance, chance.choice(conversations), number) for number in range(turns)]
        said_turns += _branch(vault, chance, said_turns)
        nodes = [turn.node for turn in said_turns]
        nodes += [_conceive(vault, chance, nodes, number) for number in range(concepts)]
        for node in chance.sample(nodes, len(nodes) * 3 // 4):
            spaces = chance.choice([[SPACE], [SPACE, OTHER_SPACE]])
            for space in spaces:
                vault.vectors.put(
                    node, [passage(chance.randrange(10**6)) for _ in range(chance.randint(1, 2))], space=space
                )
        _tie(vault, chance, said_turns, nodes)
    return nodes


def say_again(vault: Vault, chance: random.Random) -> None:
    """Tell, import and consolidate something that may have been there before."""
    found = vault.conversations.find(Source.IMPORTED, "jsonl:herons")
    with vault.transaction():
        conversation = found or vault.conversations.create(
            title="Herons", source=Source.IMPORTED, origin="jsonl:herons", external_id="jsonl:herons"
        )
        known = vault.turns.nodes_by_external_id(conversation.id, [f"turn-{number}" for number in range(24)])
        numbers = [number for number in range(24) if f"turn-{number}" not in known]
        told = [
            _say(vault, chance, conversation, number).node for number in chance.sample(numbers, min(3, len(numbers)))
        ]
        notes = vault.conversations.find(Source.NOTE, "notes") or vault.conversations.create(
            title="Notes", source=Source.NOTE, external_id="notes"
        )
        told.append(_say(vault, chance, notes, 99).node)
        for number in range(3):
            _conceive(vault, chance, told, number)


def holdings(vault: Vault) -> dict[str, list[Row]]:
    """Give the rows of each table in an order of their own, with the words of the index and the vectors."""
    database = vault._database
    found: dict[str, list[Row]] = {}
    for name, kind in database.rows(
        "select name, type from pragma_table_list where schema = 'main' and name not like 'sqlite_schema'"
    ):
        vectors = name.startswith("vectors_")
        if kind == "table" and not vectors and name not in UNCOUNTED:
            found[name] = sorted(database.rows(f'select * from "{name}"'), key=repr)
        elif kind == "virtual" and vectors:
            found[name] = sorted(database.rows(f'select passage, vector from "{name}"'))
    with vault.transaction():
        database.run("create virtual table temp.word using fts5vocab(main, lexical, instance)")
        found["words"] = sorted(database.rows("select * from temp.word"))
        database.run("drop table temp.word")
    return found


def unsound(vault: Vault) -> list[object]:
    """Give what is wrong with a vault's rows; nothing when all is well."""
    database = vault._database
    vault.lexical.check()
    wrong: list[object] = []
    wrong += database.rows("pragma foreign_key_check")
    wrong += database.rows("select node from concept where node not in (select concept from support)")
    wrong += database.rows("select id from node where id not in (select node from turn union select node from concept)")
    wrong += database.rows(
        "select id from conversation where source <> 'note' and id not in (select conversation from turn)"
    )
    for (space,) in database.rows("select id from embedding_space"):
        passages = set(database.rows("select id from passage where space = ?", (space,)))
        wrong += passages.symmetric_difference(database.rows(f"select passage from vectors_{space}"))
    steps = database.rows("select answer, node, count(*), max(step) from path_step group by answer, node")
    wrong += [row for row in steps if row[2] != row[3] + 1]
    return wrong


def _say(vault: Vault, chance: random.Random, conversation: Conversation, number: int) -> Turn:
    imported = conversation.source is Source.IMPORTED
    utterance = replace(
        said(
            f"turn {number} {chance.choice('abcde')} {chance.getrandbits(60):x}",
            time=MORNING + timedelta(minutes=number),
        ),
        role=chance.choice([Role.USER, Role.ASSISTANT]),
        source=conversation.source,
        origin=conversation.origin,
        external_id=f"turn-{number}" if imported else None,
    )
    return vault.turns.append(conversation.id, utterance, terms=utterance.text)


def _branch(vault: Vault, chance: random.Random, turns: list[Turn]) -> list[Turn]:
    """Let conversations continue from others, one of them from such a one."""
    said_turns = list[Turn]()
    for number, place in enumerate([*chance.sample(turns, 2), None], start=100):
        branch = vault.conversations.create(source=Source.CHAT)
        vault.branches.put(branch.id, vault.branches.point_of(place or said_turns[-1]))
        said_turns += [_say(vault, chance, branch, number + 10 * each) for each in range(2)]
    return said_turns


def _conceive(vault: Vault, chance: random.Random, turns: list[int], number: int) -> int:
    text = chance.choice(["Zebrafinches", f"concept {number}", f"idea {chance.getrandbits(60):x}"])
    return vault.concepts.add(
        text=text,
        terms=text.lower(),
        maker=chance.choice(list(Maker)),
        category=Category.TERM,
        confidence=chance.random(),
        support=chance.sample(turns, min(len(turns), chance.randint(1, 3))),
    ).node


def _tie(vault: Vault, chance: random.Random, turns: list[Turn], nodes: list[int]) -> None:
    """Give nodes edges, traces, records of answers, tags, expiry times and reasons."""
    for maker in Maker:
        vault.concepts.note_consolidated(maker, chance.sample([turn.node for turn in turns], len(turns) // 2))
    pairs = [chance.sample(nodes, 2) for _ in nodes]
    vault.associations.put_cosines([(one, other, chance.random()) for one, other in pairs])
    vault.associations.put_learned([(one, other, chance.random(), 7) for one, other in pairs[::2]])
    vault.traces.note_used(chance.sample(nodes, len(nodes) // 2), 5)
    vault.traces.pin(chance.sample(nodes, 3), pinned=True)
    vault.traces.archive(chance.sample(nodes, 3))
    vault.traces.end_window(nodes[-1])
    for _ in range(4):
        newer, older = chance.sample(turns, 2)
        vault.successions.put(newer.node, older.node, f"slot {chance.getrandbits(40):x}")
    for answer in chance.sample(turns, len(turns) // 3):
        verdict = Verdict(outcome="known", probability=0.5, reasons=(f"reason {chance.getrandbits(60):x}",))
        lines = [_line(chance, node, nodes) for node in chance.sample([t.node for t in turns], 4)]
        vault.recollections.put(answer.id, lines, verdict)
    for node in chance.sample(nodes, 6):
        vault.tags.add([node], [chance.choice(["birds", "home", f"tag{node}"])])
    database = vault._database
    database.run_each("insert into expiry(node, time_us) values (?, 9)", [(n,) for n in chance.sample(nodes, 3)])
    for turn in chance.sample(turns, 2):
        vault.quarantine.put(turn.node, [f"orders {turn.node}"])


def _line(chance: random.Random, node: int, nodes: list[int]) -> RecalledLine:
    way = tuple((via, "cosine", 0.5) for via in chance.sample(nodes, chance.randint(0, 3)))
    return RecalledLine(node=node, score=chance.random(), injected=True, used=False, parts={"x": 0.5}, path=way)
