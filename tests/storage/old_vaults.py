"""Vaults as earlier versions of the program left them, with rows in every table."""

from pathlib import Path

from storage import files, migrations
from storage.database import Database
from storage.keys import FLOOR_COST, DataKey, KeyFile
from tests.storage.making import PASSPHRASE, vector

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


def m001(folder: Path) -> DataKey:
    """Give the key of a vault of the first schema: its last node was forgotten, and one node has two passages."""
    key = DataKey.random()
    files.make_folder(folder)
    files.make_file(folder / "vault.db")
    database = Database(folder / "vault.db", key)
    migrations.begin(database, migrations.MIGRATIONS[:1])
    with database.transaction():
        database.run(_M001_ROWS)
        for passage, node in ((1, 1), (2, 2), (3, 5), (4, 6), (6, 6)):
            database.run("insert into passage(id, space, node, start, stop) values (?, 2, ?, 0, 9)", (passage, node))
            database.run("insert into vectors_2(passage, vector) values (?, ?)", (passage, vector(passage)))
    database.close()
    KeyFile.for_passphrase(key, PASSPHRASE, FLOOR_COST).write(folder / "keys.json")
    return key
