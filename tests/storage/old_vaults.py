"""Vaults as earlier versions of the program left them, with rows in every table."""

from functools import cache
from pathlib import Path

from storage import files, migrations
from storage.belongings import Belonging
from storage.database import Database, Row
from storage.keys import FLOOR_COST, DataKey, KeyFile
from storage.vault import Vault
from tests.storage.making import PASSPHRASE, vector

Dump = dict[str, tuple[str, list[Row]]]

_M001_ROWS = """
insert into conversation(id, uid, title, source, origin, external_id) values
    (1, 'c0000001', '', 'chat', '', null),
    (3, 'c0000003', 'Birds', 'imported', 'jsonl:birds.jsonl', 'birds-1'),
    (4, 'c0000004', 'Notes', 'note', '', 'notes');
insert into node(id, uid, kind, text, terms, source, origin) values
    (1, 'aaaa0001', 'episodic', 'Herons nest in the reed', 'heron nest reed', 'chat', ''),
    (2, 'aaaa0002', 'episodic', 'So I have heard', 'hear', 'chat', ''),
    (5, 'aaaa0005', 'episodic', 'Die Rohrdommel ruft 🦆', 'rohrdommel ruft', 'imported', 'jsonl:birds.jsonl'),
    (6, 'aaaa0006', 'episodic', 'A heron''s nest is high', 'heron nest high', 'imported', 'jsonl:birds.jsonl'),
    (7, 'aaaa0007', 'episodic', 'Buy reed', 'buy reed', 'note', ''),
    (9, 'aaaa0009', 'episodic', 'to be forgotten', 'forgotten', 'note', '');
insert into turn(node, conversation, position, role, speaker, time_us, offset_s, external_id, state, model, seed) values
    (1, 1, 0, 'user', 'Wilhelmina', 1773480413589793, 3600, null, 'complete', '', null),
    (2, 1, 1, 'assistant', 'Assistant', 1773480414000000, 3600, null, 'stopped', 'qwen', 42),
    (5, 3, 0, 'other', 'Åsa', 1600000000000000, -12600, 'm-1', 'complete', '', null),
    (6, 3, 4, 'user', 'Wilhelmina', 1600000100000000, -12600, 'm-5', 'failed', '', null),
    (7, 4, 0, 'user', 'Wilhelmina', 1773490000000000, 0, null, 'complete', '', null),
    (9, 4, 1, 'user', 'Wilhelmina', 1773490000000001, 0, null, 'complete', '', null);
insert into recollection(answer, node, rank, score, injected, used) values (2, 6, 1, 1.5, 1, 1), (2, 7, 2, 0.25, 1, 0);
insert into setting(key, value) values ('terms.version', '1');
insert into ledger(uid, time_us, turns, passages, conversations, pages_scanned, residue, pending, digest) values
    ('eeee0001', 1773480000000000, 1, 2, 0, 41, 0, 0, 'ab');
update change set counter = 17;
delete from node where id = 9;
insert into embedding_space(id, model, dimension, pooling, digest, finished) values
    (2, 'paper', 32, 'mean', '0000000000000000000000000000000000000000000000000000000000000000', 1);
create virtual table vectors_2 using vec0(passage integer primary key, vector float[32] distance_metric=cosine);
"""


_M002_ROWS = """
insert into node(id, uid, kind, text, terms, source, origin) values
    (10, 'aaaa0010', 'episodic', 'The bittern moved to the other shore', 'bittern move shore', 'chat', ''),
    (11, 'aaaa0011', 'semantic', 'Rohrdommel', 'rohrdommel', 'memory', ''),
    (12, 'aaaa0012', 'semantic', 'Wilhelmina likes herons', 'wilhelmina like heron', 'memory', ''),
    (15, 'aaaa0015', 'semantic', 'to be forgotten too', 'forgotten', 'memory', '');
insert into turn(node, conversation, position, role, speaker, time_us, offset_s, external_id, state, model, seed)
    values (10, 1, 2, 'user', 'Wilhelmina', 1773480500000000, 7200, null, 'complete', '', null);
insert into concept(node, maker, category, confidence) values
    (11, 'salient', 'term', 0.5), (12, 'model', 'preference', 0.9), (15, 'distilled', 'factual', 1.0);
insert into support(concept, turn) values (11, 5), (11, 6), (12, 1);
insert into consolidated(maker, turn) values ('salient', 1), ('salient', 5), ('model', 1);
insert into association(low, high, cosine, hebbian, updated_us) values
    (1, 6, 0.75, 0.5, 1773480414000000), (5, 11, 0, 0.25, 1773480415000000);
insert into trace(node, pinned, archived, used_count, last_used_us, active_window) values
    (1, 1, 0, 3, 1773480414000000, 4), (7, 0, 1, 0, null, null);
insert into consolidation(number, last_node) values (3, 2), (4, 7);
insert into succession(newer, older, slot) values (10, 5, 'place:bittern');
update recollection set parts = '{"cosine": 0.5}' where node = 6;
insert into path_step(answer, node, step, via, kind, weight) values
    (2, 6, 0, 1, 'temporal', 0.5), (2, 6, 1, 6, 'semantic', 0.25);
insert into verdict(answer, outcome, probability, reasons) values (2, 'known', 0.875, '["told twice"]');
update ledger set concepts = 1;
update change set counter = 29;
delete from node where id = 15;
"""


_M003_ROWS = """
insert into node(id, uid, kind, text, terms, source, origin) values
    (16, 'aaaa0016', 'episodic', 'A page about reed', 'page reed', 'file', 'reed.txt');
insert into turn(node, conversation, position, role, speaker, time_us, offset_s, external_id, state, model, seed)
    values (16, 4, 2, 'other', 'reed.txt', 1773490000000002, 0, null, 'complete', '', null);
insert into tag(node, name) values (1, 'birds'), (16, 'birds');
insert into expiry(node, time_us) values (16, 1773500000000000);
insert into quarantine(node, reasons, accepted) values (16, '["gives orders"]', 0);
insert into forgetting(id, uid, time_us, until_us, behind_us, turns, passages, conversations, concepts) values
    (2, 'ffff0002', 1773490000000000, 1773576400000000, null, 1, 0, 1, 0);
insert into forgotten_import(digest) values (x'0102');
insert into backup(id, path, time_us, key_id) values (1, '/backups/birds', 1773490000000000, 'k1');
update ledger set probes = 2, backups = 1;
update change set counter = 35;
update sqlite_sequence set seq = 17 where name = 'node';
update sqlite_sequence set seq = 5 where name = 'conversation';
"""
_M003_WAITS = (
    Belonging("sqlite_sequence", {"name": "node", "seq": 17}),
    Belonging(
        "conversation", {"id": 5, "uid": "c0000005", "title": "", "source": "chat", "origin": "", "external_id": None}
    ),
    Belonging(
        "node",
        {
            "id": 17,
            "uid": "aaaa0017",
            "kind": "episodic",
            "text": "The reed was cut",
            "terms": "reed cut",
            "source": "chat",
            "origin": "",
        },
    ),
    Belonging(
        "turn",
        {
            "node": 17,
            "conversation": 5,
            "position": 0,
            "role": "user",
            "speaker": "Wilhelmina",
            "time_us": 1773490000000003,
            "offset_s": 0,
            "external_id": None,
            "state": "complete",
            "model": "",
            "seed": None,
        },
    ),
)


def m001(folder: Path) -> DataKey:
    """Give the key of a vault of the first schema: its last node was forgotten, and one node has two passages."""
    return _made(folder, steps=1)


def m002(folder: Path) -> DataKey:
    """Give the key of a vault of the second schema, which began as one of the first; its last node was forgotten."""
    return _made(folder, steps=2)


def m003(folder: Path) -> DataKey:
    """Give the key of a vault of the third schema, which began as one of the first; a conversation waits in it."""
    return _made(folder, steps=3)


@cache
def _keys() -> tuple[DataKey, KeyFile]:
    """Give one key for all old vaults of a process: wrapping it for each would take most of the time."""
    key = DataKey.random()
    return key, KeyFile.for_passphrase(key, PASSPHRASE, FLOOR_COST)


def _made(folder: Path, *, steps: int) -> DataKey:
    key, keys = _keys()
    files.make_folder(folder)
    files.make_file(folder / "vault.db")
    database = Database(folder / "vault.db", key)
    migrations.begin(database, migrations.MIGRATIONS[:1])
    with database.transaction():
        database.run(_M001_ROWS)
        for passage, node in ((1, 1), (2, 2), (3, 5), (4, 6), (6, 6)):
            database.run("insert into passage(id, space, node, start, stop) values (?, 2, ?, 0, 9)", (passage, node))
            database.run("insert into vectors_2(passage, vector) values (?, ?)", (passage, vector(passage)))
    if steps > 1:
        migrations.upgrade(database, migrations.MIGRATIONS[:2])
        with database.transaction():
            database.run(_M002_ROWS)
            for passage, node in ((7, 10), (8, 12)):
                database.run(
                    "insert into passage(id, space, node, start, stop) values (?, 2, ?, 0, 9)", (passage, node)
                )
                database.run("insert into vectors_2(passage, vector) values (?, ?)", (passage, vector(passage)))
    if steps > 2:
        migrations.upgrade(database, migrations.MIGRATIONS[:3])
        with database.transaction():
            database.run(_M003_ROWS)
            database.run_each(
                "insert into forgotten_row(forgetting, number, origin, content) values (2, ?, ?, ?)",
                ((number, row.table, row.content) for number, row in enumerate(_M003_WAITS)),
            )
    database.close()
    keys.write(folder / "keys.json")
    return key


def dump(database: Database) -> Dump:
    """Give all rows of all tables, those of the indexes among them, with the names of their columns."""
    tables = database.rows("select name from pragma_table_list where schema = 'main' and type in ('table', 'shadow')")
    return {name: rows_of(database, name) for (name,) in tables if not name.startswith("sqlite_")}


def rows_of(database: Database, table: str, columns: str = "") -> tuple[str, list[Row]]:
    """Give the rows of a table with the names of the columns they are made of: by default all that it has."""
    if not columns:
        columns = ", ".join(f'"{name}"' for (name,) in database.rows("select name from pragma_table_info(?)", (table,)))
    return columns, database.rows(f'select {columns} from "{table}" order by {columns}')


def found(vault: Vault) -> list[object]:
    """Give what is found in an old vault by each of its indexes, in words that its schema knows."""
    words = "select rowid, bm25(lexical) from lexical where lexical match ? order by bm25(lexical), rowid"
    nearest = "select passage, distance from vectors_2 where vector match ? and k = 10"
    return [
        vault._database.rows(words, ("heron OR reed OR rohrdommel OR forgotten",)),
        vault._database.rows(words, ("heron AND ne *",)),
        vault._database.rows(nearest, (vector(6),)),
        vault._database.rows("select passage, vector from vectors_2 order by passage"),
    ]
