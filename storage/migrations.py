"""The steps from an empty file to the schema of this version: in order, each in one transaction with its record.

A step that was shipped is never edited; what is wrong with it is put right by the next one.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from storage.database import Database
from storage.errors import VaultDamaged, VaultNewer

Step: TypeAlias = Callable[[Database], None]

_FIRST = """
create table migration(
    version integer primary key,
    applied_us integer not null
) strict;

create table change(
    id integer primary key check (id = 1),
    counter integer not null
) strict;
insert into change(id, counter) values (1, 0);

create table setting(
    key text primary key,
    value text not null
) strict;

create table conversation(
    id integer primary key autoincrement,
    uid text not null unique,
    title text not null,
    source text not null check (source in ('chat', 'note', 'imported')),
    origin text not null,
    external_id text,
    unique (source, external_id)
) strict;

create table node(
    id integer primary key autoincrement,
    uid text not null unique,
    kind text not null check (kind in ('episodic')),
    text text not null,
    terms text not null,
    source text not null check (source in ('chat', 'note', 'imported')),
    origin text not null
) strict;

create table turn(
    node integer primary key references node(id) on delete cascade,
    conversation integer not null references conversation(id),
    position integer not null check (position >= 0),
    role text not null check (role in ('user', 'assistant', 'other')),
    speaker text not null,
    time_us integer not null,
    offset_s integer not null,
    external_id text,
    state text not null check (state in ('complete', 'stopped', 'failed')),
    model text not null,
    seed integer,
    unique (conversation, position),
    unique (conversation, external_id)
) strict;

create table embedding_space(
    id integer primary key autoincrement,
    model text not null,
    dimension integer not null check (dimension > 0),
    pooling text not null,
    digest text not null,
    finished integer not null check (finished in (0, 1)),
    unique (model, dimension, pooling, digest)
) strict;

create table passage(
    id integer primary key autoincrement,
    space integer not null references embedding_space(id) on delete cascade,
    node integer not null references node(id) on delete cascade,
    start integer not null,
    stop integer not null
) strict;
create index passage_by_node on passage(node, space);

create table recollection(
    answer integer not null references node(id) on delete cascade,
    node integer not null references node(id) on delete cascade,
    rank integer not null,
    score real not null,
    injected integer not null check (injected in (0, 1)),
    used integer not null check (used in (0, 1)),
    primary key (answer, node)
) strict;
create index recollection_by_node on recollection(node);

create table ledger(
    id integer primary key autoincrement,
    uid text not null unique,
    time_us integer not null,
    turns integer not null,
    passages integer not null,
    conversations integer not null,
    pages_scanned integer not null,
    residue integer not null,
    pending integer not null check (pending in (0, 1)),
    digest text not null
) strict;

create virtual table lexical using fts5(
    terms, content = 'node', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 0'
);
insert into lexical(lexical, rank) values ('secure-delete', 1);
create trigger node_indexed after insert on node begin
    insert into lexical(rowid, terms) values (new.id, new.terms);
end;
create trigger node_unindexed after delete on node begin
    insert into lexical(lexical, rowid, terms) values ('delete', old.id, old.terms);
end;
create trigger node_reindexed after update of terms on node begin
    insert into lexical(lexical, rowid, terms) values ('delete', old.id, old.terms);
    insert into lexical(rowid, terms) values (new.id, new.terms);
end;
"""

_SECOND = """
create table node_made(
    id integer primary key autoincrement,
    uid text not null unique,
    kind text not null check (kind in ('episodic', 'semantic')),
    text text not null,
    terms text not null,
    source text not null check (source in ('chat', 'note', 'imported', 'memory')),
    origin text not null
) strict;
insert into node_made(id, uid, kind, text, terms, source, origin)
    select id, uid, kind, text, terms, source, origin from node order by id;
delete from sqlite_sequence where name = 'node_made';
insert into sqlite_sequence(name, seq) select 'node_made', seq from sqlite_sequence where name = 'node';
drop table node;
alter table node_made rename to node;
create trigger node_indexed after insert on node begin
    insert into lexical(rowid, terms) values (new.id, new.terms);
end;
create trigger node_unindexed after delete on node begin
    insert into lexical(lexical, rowid, terms) values ('delete', old.id, old.terms);
end;
create trigger node_reindexed after update of terms on node begin
    insert into lexical(lexical, rowid, terms) values ('delete', old.id, old.terms);
    insert into lexical(rowid, terms) values (new.id, new.terms);
end;

create table concept(
    node integer primary key references node(id) on delete cascade,
    maker text not null check (maker in ('salient', 'model', 'distilled')),
    category text not null check (category in (
        'term', 'identity', 'preference', 'event', 'technical', 'user_model', 'factual', 'agent'
    )),
    confidence real not null check (confidence between 0 and 1)
) strict;

create table support(
    concept integer not null references concept(node) on delete cascade,
    turn integer not null references turn(node) on delete cascade,
    primary key (concept, turn)
) strict, without rowid;
create index support_by_turn on support(turn);

create table consolidated(
    maker text not null check (maker in ('salient', 'model', 'distilled')),
    turn integer not null references turn(node) on delete cascade,
    primary key (maker, turn)
) strict, without rowid;
create index consolidated_by_turn on consolidated(turn);

create table association(
    low integer not null references node(id) on delete cascade,
    high integer not null references node(id) on delete cascade,
    cosine real not null default 0,
    hebbian real not null default 0,
    updated_us integer not null default 0,
    primary key (low, high),
    check (low < high)
) strict, without rowid;
create index association_by_high on association(high);

create table trace(
    node integer primary key references node(id) on delete cascade,
    pinned integer not null default 0 check (pinned in (0, 1)),
    archived integer not null default 0 check (archived in (0, 1)),
    used_count integer not null default 0 check (used_count >= 0),
    last_used_us integer,
    active_window integer,
    check (not (pinned and archived))
) strict;

create table consolidation(
    number integer primary key autoincrement,
    last_node integer not null
) strict;

create table succession(
    newer integer not null references turn(node) on delete cascade,
    older integer not null references turn(node) on delete cascade,
    slot text not null,
    primary key (newer, older),
    check (newer <> older)
) strict, without rowid;
create index succession_by_older on succession(older);

alter table recollection add column parts text not null default '{}';
create table path_step(
    answer integer not null,
    node integer not null,
    step integer not null,
    via integer not null references node(id) on delete cascade,
    kind text not null,
    weight real not null,
    primary key (answer, node, step),
    foreign key (answer, node) references recollection(answer, node) on delete cascade
) strict, without rowid;
create index path_step_by_via on path_step(via);
create trigger path_broken after delete on path_step begin
    delete from path_step where answer = old.answer and node = old.node;
end;

create table verdict(
    answer integer primary key references node(id) on delete cascade,
    outcome text not null,
    probability real not null,
    reasons text not null
) strict;

alter table ledger add column concepts integer not null default 0;
"""


def m001_conversations_and_their_index(database: Database) -> None:
    """Make the tables for what was said, its index, its vectors and its erasure."""
    database.run(_FIRST)


def m002_concepts_and_what_is_learned(database: Database) -> None:
    """Let nodes be concepts too, and make the tables for what supports them and for what recalling teaches.

    SQLite cannot change the checks of a table, so the table of nodes is made anew. Its counter moves along: no number
    is ever used twice.
    """
    database.run(_SECOND)


MIGRATIONS: tuple[Step, ...] = (m001_conversations_and_their_index, m002_concepts_and_what_is_learned)


def version(database: Database) -> int:
    """Give the schema's version; 0 for an empty file."""
    if not database.value("select count(*) from sqlite_master where name = 'migration'"):
        return 0
    return int(database.value("select coalesce(max(version), 0) from migration"))


def begin(database: Database, steps: Sequence[Step] = MIGRATIONS) -> None:
    """Give an empty file its schema."""
    _apply(database, steps, present=0)


def upgrade(database: Database, steps: Sequence[Step] = MIGRATIONS) -> None:
    """Bring an existing vault to the schema of this version of the program.

    Parameters
    ----------
    database
        The open vault.
    steps
        All steps from the empty file on, in order.

    Raises
    ------
    VaultNewer
        A newer version of the program wrote it.
    VaultDamaged
        It has no schema, although each vault was given one when it was made.

    """
    present = version(database)
    if present == 0:
        message = f"{database.file} is empty. Put back a copy of the vault's folder."
        raise VaultDamaged(message)
    if present > len(steps):
        message = f"The vault has schema {present}, and this program knows {len(steps)}. Install a newer version of it."
        raise VaultNewer(message)
    _apply(database, steps, present=present)


def _apply(database: Database, steps: Sequence[Step], *, present: int) -> None:
    """Apply each step after this version, unless another process did meanwhile.

    A table that is made anew is away for a moment, and rows that refer to it would go with it. So references are not
    enforced meanwhile: all of them are checked before the step counts.
    """
    for number, step in enumerate(steps[present:], start=present + 1):
        with database.without_references(), database.transaction():
            if version(database) < number:
                step(database)
                _refuse_dangling(database)
                database.run(
                    "insert into migration(version, applied_us)"
                    " values (?, cast(unixepoch('subsec') * 1000000 as integer))",
                    (number,),
                )


def _refuse_dangling(database: Database) -> None:
    """Refuse a step that leaves rows which refer to nothing, or that found such rows."""
    dangling = database.row("pragma foreign_key_check")
    if dangling is not None:
        message = f"{database.file} has rows in {dangling[0]!r} that refer to nothing. Put back a copy of its folder."
        raise VaultDamaged(message)
