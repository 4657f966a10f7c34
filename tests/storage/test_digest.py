from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.database import Row, Value
from storage.digest import row_bytes, row_of
from storage.errors import VaultDamaged
from storage.records import Conversation, Maker, Turn, Verdict
from storage.vault import Vault
from tests.storage.making import SPACE, conceive, line, passage, say, vector


@pytest.fixture
def turns(vault: Vault, conversation: Conversation) -> list[Turn]:
    """Turns in a vault with something in every table."""
    turns = [say(vault, conversation, word) for word in ("one", "two", "three")]
    one, two, three = (turn.node for turn in turns)
    vault.vectors.begin_space(SPACE)
    vault.vectors.finish_space(SPACE)
    vault.vectors.put(one, [passage(1)], space=SPACE)
    concept = conceive(vault, "four", one)
    vault.concepts.note_consolidated(Maker.SALIENT, [one])
    vault.associations.put_learned([(one, concept.node, 0.5, 1)])
    vault.traces.pin([one], pinned=True)
    vault.traces.end_window(three)
    vault.successions.put(two, one, "number")
    vault.recollections.put(turns[2].id, [line(one)], Verdict(outcome="known", probability=0.9, reasons=("said so",)))
    vault.settings.put("name", "value")
    return turns


def test_reading_leaves_the_digest_as_it_was(vault: Vault, turns: list[Turn]) -> None:
    before = vault.digest()
    assert len(before) == 64

    vault.turns.listing(match_terms=["one"])
    vault.turns.graph_rows(active_only=True)
    vault.lexical.search(["one", "four"], limit=5)
    vault.lexical.check()
    vault.vectors.nearest(SPACE, vector(2), k=1)
    vault.vectors.matrix(SPACE)
    vault.vectors.missing(SPACE, limit=5)
    vault.concepts.listing(match_terms=["four"])
    vault.concepts.graph_rows()
    vault.concepts.pending(Maker.MODEL, limit=5)
    vault.concepts.resting_on([turns[0].node])
    vault.associations.listing()
    vault.traces.births([turns[0].node])
    vault.successions.listing()
    vault.recollections.of_answer(turns[2].id)
    vault.recollections.spikes()
    vault.status()

    assert vault.digest() == before


def test_building_the_file_anew_leaves_the_digest_as_it_was(vault: Vault, turns: list[Turn]) -> None:
    before, bytes_before = vault.digest(), vault.file.read_bytes()

    vault._database.run("vacuum")
    vault._database.run("pragma wal_checkpoint(truncate)")

    assert vault.file.read_bytes() != bytes_before
    assert vault.digest() == before


@pytest.mark.parametrize(
    "write",
    [
        lambda vault, turns: vault.conversations.rename(turns[0].conversation, "other"),
        lambda vault, turns: vault.turns.revise_terms(turns[0].node, "uno"),
        lambda vault, turns: vault.vectors.put(turns[0].node, [passage(2)], space=SPACE),
        lambda vault, turns: vault.concepts.reinforce(turns[2].node + 1, [turns[1].node]),
        lambda vault, turns: vault.concepts.note_consolidated(Maker.MODEL, [turns[1].node]),
        lambda vault, turns: vault.associations.put_learned([(turns[0].node, turns[2].node + 1, 0.5, 2)]),
        lambda vault, turns: vault.traces.note_used([turns[0].node], 1),
        lambda vault, turns: vault.traces.end_window(turns[2].node),
        lambda vault, turns: vault.successions.put(turns[1].node, turns[0].node, "other"),
        lambda vault, turns: vault.recollections.put(turns[2].id, []),
        lambda vault, turns: vault.settings.put("name", "other"),
    ],
)
def test_whatever_is_written_changes_the_digest(
    write: Callable[[Vault, list[Turn]], object], vault: Vault, turns: list[Turn]
) -> None:
    before = vault.digest()

    write(vault, turns)
    vault._database.run("update change set counter = counter - 1")  # it is not this that shows it

    assert vault.digest() != before


def test_even_a_transaction_that_changes_nothing_shows(vault: Vault) -> None:
    before = vault.digest()

    vault.settings.put("name", "value")
    changed = vault.digest()
    vault.settings.put("name", "value")

    assert len({before, changed, vault.digest()}) == 3


VALUES = st.one_of(
    st.none(), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False), st.text("ab1", max_size=3), st.binary()
)


@given(st.lists(st.tuples(VALUES, VALUES), min_size=2, max_size=2))
def test_rows_that_differ_have_other_bytes(rows: list[Row]) -> None:
    one, two = rows

    assert (row_bytes(one) == row_bytes(two)) is (repr(one) == repr(two))


def test_a_value_is_not_taken_for_one_of_another_type_or_place() -> None:
    rows: list[Row] = [(1, 2), (12,), ("12",), (b"12",), (12.0,), ("1", "2"), ("", "12"), (None, "12"), (None,), ()]

    assert len(set(map(row_bytes, rows))) == len(rows)


@given(st.lists(VALUES, max_size=5))
def test_a_row_is_read_off_its_bytes(values: list[Value]) -> None:
    row = tuple(values)

    assert repr(row_of(row_bytes(row))) == repr(row)


@pytest.mark.parametrize("content", [b"", b"\1\0\0\0", row_bytes((1,))[:-1], row_bytes((1,)).replace(b"i", b"x")])
def test_bytes_that_are_no_row_are_damage(content: bytes) -> None:
    with pytest.raises(VaultDamaged, match="restore"):
        row_of(content)
