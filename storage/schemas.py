"""What each migration adds to the schema, as SQL. A text that was shipped is never edited."""

FIRST = """
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

_NODE_ANEW = """
create table node_made(
    id integer primary key autoincrement,
    uid text not null unique,
    kind text not null check (kind in ('episodic', 'semantic')),
    text text not null,
    terms text not null,
    source text not null check (source in ({sources})),
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
"""


def _node_anew(sources: str) -> str:
    """Give what makes the table of nodes anew with these sources.

    SQLite cannot change the checks of a table. Its counter moves along: no number is ever used twice.
    """
    return _NODE_ANEW.replace("{sources}", sources)


SECOND = (
    _node_anew("'chat', 'note', 'imported', 'memory'"),
    """
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
""",
)


THIRD = (
    _node_anew("'chat', 'note', 'imported', 'file', 'tool', 'memory'"),
    """
create table tag(
    node integer not null references node(id) on delete cascade,
    name text not null,
    primary key (node, name)
) strict, without rowid;
create index tag_by_name on tag(name);

create index turn_by_time on turn(time_us);

create table expiry(
    node integer primary key references node(id) on delete cascade,
    time_us integer not null
) strict;

create table quarantine(
    node integer primary key references node(id) on delete cascade,
    reasons text not null,
    accepted integer not null default 0 check (accepted in (0, 1))
) strict;

create table forgetting(
    id integer primary key autoincrement,
    uid text not null unique,
    time_us integer not null,
    until_us integer not null,
    behind_us integer,
    turns integer not null,
    passages integer not null,
    conversations integer not null,
    concepts integer not null
) strict;

create table forgotten_row(
    forgetting integer not null references forgetting(id) on delete cascade,
    number integer not null,
    origin text not null,
    content blob not null,
    primary key (forgetting, number)
) strict, without rowid;

create table forgotten_import(
    digest blob primary key
) strict, without rowid;

create table backup(
    id integer primary key autoincrement,
    path text not null unique,
    time_us integer not null,
    key_id text not null
) strict;

alter table ledger add column probes integer not null default 0;
alter table ledger add column backups integer not null default 0;
""",
)


FOURTH = """
create table branch(
    conversation integer primary key references conversation(id) on delete cascade,
    parent integer not null references conversation(id) on delete cascade,
    before_node integer not null check (before_node > 0),
    check (parent <> conversation)
) strict;
create index branch_by_parent on branch(parent);
create trigger branch_handed_on before delete on conversation begin
    update branch set (parent, before_node) =
        (select own.parent, own.before_node from branch as own where own.conversation = old.id)
    where parent = old.id and exists (select 1 from branch as own where own.conversation = old.id);
end;
"""
