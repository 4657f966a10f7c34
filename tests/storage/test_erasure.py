import random
import secrets
from contextlib import suppress
from pathlib import Path

import pytest

from storage import erasure
from storage.errors import DiskFull, StorageError
from storage.records import Conversation, Receipt, Source, Turn
from storage.vault import Vault
from tests.storage.making import MORNING, PASSPHRASE, SPACE, child, line, passage, plain_bytes, say, vector

SECRET = "quillabeth hides zebrafinches in an aviary near tromso"


@pytest.fixture
def secret(vault: Vault, conversation: Conversation) -> Turn:
    """A turn among others, with vector and recollection."""
    vault.vectors.begin_space(SPACE)
    others = [say(vault, conversation, f"ordinary words number {number}") for number in range(20)]
    turn = say(vault, conversation, SECRET)
    for made in (*others, turn):
        vault.vectors.put(made.node, [passage(made.node)], space=SPACE)
    vault.recollections.put(others[0].id, [line(turn.node)])
    return turn


def traces(vault: Vault, turn: Turn) -> list[bytes]:
    """What of a turn the holder of the key still finds."""
    content = plain_bytes(vault)
    wanted = [*(word.encode() for word in turn.text.split() if len(word) > 6), turn.id.encode()]
    stretch = vector(turn.node)
    wanted += [stretch[at : at + 16] for at in range(0, len(stretch), 16)]
    return [piece for piece in wanted if piece in content]


def test_an_erased_turn_leaves_no_trace_for_the_holder_of_the_key(vault: Vault, secret: Turn) -> None:
    assert len(traces(vault, secret)) == 11, "all of it is there before"

    receipt = vault.erase([secret.node])

    assert traces(vault, secret) == []
    assert (receipt.turns, receipt.passages, receipt.conversations) == (1, 1, 0)
    assert (receipt.residue, receipt.pending) == (0, False)
    assert receipt.pages_scanned == -(-vault.file.stat().st_size // 4096)
    assert vault.ledger.listing() == [receipt]
    assert not vault.status().purge_pending


def test_deleting_alone_would_leave_traces(vault: Vault, secret: Turn) -> None:
    with vault.transaction():
        erasure._delete(vault._database, [secret.node])

    assert traces(vault, secret) != []
    assert vault.finish_erasures()
    assert traces(vault, secret) == []


def test_what_others_said_too_is_no_residue(vault: Vault, conversation: Conversation, secret: Turn) -> None:
    twin = say(vault, conversation, SECRET)
    vault.vectors.put(twin.node, [passage(secret.node)], space=SPACE)

    receipt = vault.erase([secret.node])

    assert receipt.residue == 0
    assert vault.turns.get(twin.id).text == SECRET
    assert vault.vectors.nearest(SPACE, vector(secret.node), k=1)[0][0] == twin.node
    assert traces(vault, twin) != []


def test_what_could_not_be_purged_is_counted_as_residue(vault: Vault, secret: Turn) -> None:
    vault._database.run("create table stowaway(content)")
    vault._database.run("insert into stowaway values (?)", (secret.text,))

    receipt = vault.erase([secret.node])

    assert receipt.residue > 0
    assert vault.ledger.listing() == [receipt]


def test_a_conversation_left_empty_goes_with_its_title(vault: Vault, secret: Turn) -> None:
    titled = vault.conversations.create(
        title="Xylophonists anonymous", source=Source.IMPORTED, external_id="conv-4711x"
    )
    turns = [say(vault, titled, text) for text in ("one", "two")]
    derived = vault.conversations.create(source=Source.CHAT)
    first = say(vault, derived, "Hippogriffs in the attic")
    say(vault, derived, "second")

    receipt = vault.erase([*(turn.node for turn in turns), first.node])

    assert (receipt.turns, receipt.conversations) == (3, 1)
    assert vault.conversations.find(Source.IMPORTED, "conv-4711x") is None
    assert vault.conversations.get(derived.id).title == "second"
    content = plain_bytes(vault)
    for word in (b"Xylophonists", b"conv-4711x", b"Hippogriffs", titled.id.encode()):
        assert word not in content


def test_a_conversation_that_was_never_used_stays(vault: Vault, conversation: Conversation, secret: Turn) -> None:
    unused = vault.conversations.create(title="later", source=Source.CHAT)

    vault.erase([secret.node])

    assert vault.conversations.get(unused.id) == unused


def test_the_receipt_holds_nothing_of_the_content(vault: Vault, conversation: Conversation) -> None:
    say(vault, conversation, "something that stays")
    receipts: list[Receipt] = []
    for _ in range(2):
        turn = say(vault, conversation, "the same words")
        receipts.append(vault.erase([turn.node]))

    assert receipts[0].digest != receipts[1].digest, "without its salt it cannot be guessed"
    assert len(receipts[0].digest) == 64
    assert "words" not in repr(receipts)
    assert receipts[0].id != receipts[1].id
    assert receipts[0].time > MORNING.replace(year=2020)


def test_erasing_what_is_gone_is_counted_as_nothing(vault: Vault, secret: Turn) -> None:
    vault.erase([secret.node])

    receipt = vault.erase([secret.node, 999_999])

    assert (receipt.turns, receipt.passages, receipt.conversations, receipt.residue) == (0, 0, 0, 0)


def test_an_erasure_is_no_part_of_a_transaction(vault: Vault, secret: Turn) -> None:
    with pytest.raises(StorageError, match="transaction"), vault.transaction():
        vault.erase([secret.node])

    assert vault.turns.get(secret.id) == secret


def test_long_texts_and_every_space_are_covered(vault: Vault, conversation: Conversation, secret: Turn) -> None:
    words = [secrets.token_hex(6) for _ in range(4000)]
    turn = say(vault, conversation, " ".join(words))
    vault.vectors.put(turn.node, [passage(1000 + n, start=n) for n in range(5)], space=SPACE)

    receipt = vault.erase([turn.node])

    content = plain_bytes(vault)
    assert (receipt.passages, receipt.residue) == (5, 0)
    assert not [word for word in words if word.encode() in content]
    assert not [seed for seed in range(1000, 1005) if vector(seed)[48:64] in content]


def test_after_much_coming_and_going_only_what_remains_is_found(vault: Vault, conversation: Conversation) -> None:
    chance = random.Random(3)
    vault.vectors.begin_space(SPACE)
    alive: dict[int, str] = {}
    erased: dict[int, str] = {}

    def add(count: int) -> None:
        with vault.transaction():
            for _ in range(count):
                text = " ".join(secrets.token_hex(5) for _ in range(chance.randint(1, 12)))
                node = say(vault, conversation, text).node
                vault.vectors.put(node, [passage(node)], space=SPACE)
                alive[node] = text

    add(1100)
    for size in (1, 200, 30):
        chosen = chance.sample(sorted(alive), size)
        receipt = vault.erase(chosen)
        assert (receipt.turns, receipt.residue, receipt.pending) == (size, 0, False)
        erased |= {node: alive.pop(node) for node in chosen}
        add(40)
    receipt = vault.erase([])

    content = plain_bytes(vault)
    assert receipt.residue == 0
    assert not [word for text in erased.values() for word in text.split() if word.encode() in content]
    assert not [node for node in erased if vector(node)[64:96] in content]
    assert {turn.node: turn.text for turn in vault.turns.listing()} == alive
    assert vault.vectors.matrix(SPACE) == (sorted(alive), b"".join(vector(node) for node in sorted(alive)))
    for node in chance.sample(sorted(alive), 20):
        assert [found for found, _ in vault.lexical.search(alive[node].split()[:1], limit=5)] == [node]
        assert vault.vectors.nearest(SPACE, vector(node), k=1)[0][0] == node
    vault.lexical.check()
    assert vault._database.value("pragma integrity_check") == "ok"


def test_a_purge_waits_for_another_processs_reader_and_then_completes(vault: Vault, secret: Turn, folder: Path) -> None:
    with child("hold", folder) as (_, say_to, hear_from):
        assert hear_from.readline() == "holding\n"
        with vault._database.patience(100):
            receipt = vault.erase([secret.node])
            assert not vault.finish_erasures()

        assert (receipt.turns, receipt.pending) == (1, True)
        assert vault.ledger.listing() == [receipt]
        assert vault.status().purge_pending
        assert vault.turns.by_nodes([secret.node]) == []
        assert traces(vault, secret) != []

        say_to.write("\n")
        say_to.flush()
        assert hear_from.readline() == "let go\n"

    assert vault.finish_erasures()
    assert traces(vault, secret) == []
    settled = vault.ledger.listing()[0]
    assert (settled.id, settled.pending, settled.residue, settled.turns) == (receipt.id, False, 0, 1)
    assert settled.pages_scanned > 0
    assert vault.finish_erasures(), "nothing is left to do"


def test_opening_finishes_what_was_left_pending(vault: Vault, secret: Turn, folder: Path) -> None:
    with vault.transaction():
        erasure._delete(vault._database, [secret.node])

    with child("hold", folder) as (_, say_to, hear_from):
        assert hear_from.readline() == "holding\n"  # the child finished it when it opened the vault
        assert not vault.status().purge_pending
        say_to.close()

    assert traces(vault, secret) == []


def test_the_next_erasure_finishes_what_was_left_pending(
    vault: Vault, secret: Turn, conversation: Conversation
) -> None:
    other = vault.turns.in_conversation(conversation.id)[0]
    with vault.transaction():
        first, _ = erasure._delete(vault._database, [secret.node])

    second = vault.erase([other.node])

    assert [(kept.id, kept.pending) for kept in vault.ledger.listing()] == [(first.id, False), (second.id, False)]
    assert traces(vault, secret) == []


def test_without_room_the_purge_is_pending_until_there_is_some(
    vault: Vault, conversation: Conversation, secret: Turn
) -> None:
    database = vault._database
    room = database.value("pragma max_page_count")
    for _ in range(2):
        say(vault, conversation, " ".join(secrets.token_hex(5) for _ in range(3000)))
    with database.transaction():
        erasure._delete(database, [secret.node])
    database.run("create table filling(content blob)")
    database.run(f"pragma max_page_count = {database.value('pragma page_count')}")
    for size in (3000, 300, 30):
        with suppress(DiskFull):
            while True:
                database.run("insert into filling values (zeroblob(?))", (size,))

    assert not vault.finish_erasures()
    assert vault.status().purge_pending

    database.run(f"pragma max_page_count = {room}")
    assert vault.finish_erasures()
    assert traces(vault, secret) == []


@pytest.mark.parametrize(
    ("statement", "deleted"),
    [
        ("delete from node", False),
        ("insert into ledger", False),
        ("commit", False),
        ("insert into lexical(lexical) values ('optimize')", True),
        ("vacuum", True),
        ("pragma wal_checkpoint", True),
        ("update ledger", True),
    ],
)
def test_a_kill_in_the_middle_of_an_erasure_is_made_good_by_opening(
    statement: str, deleted: bool, vault: Vault, secret: Turn, folder: Path
) -> None:
    vault.close()
    with child("erase_and_die", folder, str(secret.node), statement) as (process, _, output):
        assert output.read() == "erasing\n"
        assert process.wait() == -9

    with Vault.open(folder, PASSPHRASE) as again:
        assert again._database.value("pragma integrity_check") == "ok"
        again.lexical.check()
        if deleted:
            assert again.turns.by_nodes([secret.node]) == []
            assert traces(again, secret) == []
            assert [(kept.turns, kept.pending) for kept in again.ledger.listing()] == [(1, False)]
        else:
            assert again.turns.by_nodes([secret.node]) == [secret]
            assert again.ledger.listing() == []
            assert again.vectors.nearest(SPACE, vector(secret.node), k=1)[0][0] == secret.node
