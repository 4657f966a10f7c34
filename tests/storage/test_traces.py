import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.records import Conversation, Trace
from storage.traces import birth_windows
from storage.vault import Vault
from tests.storage.making import conceive, say


@pytest.fixture
def nodes(vault: Vault, conversation: Conversation) -> list[int]:
    turns = [say(vault, conversation, word).node for word in ("one", "two", "three")]
    return [*turns, conceive(vault, "four", turns[0]).node]


def test_what_nothing_happened_to_has_no_trace(vault: Vault, nodes: list[int]) -> None:
    assert vault.traces.of() == {}
    assert vault.traces.of(nodes) == {}
    assert vault.traces.archived() == []


def test_use_is_counted_and_the_latest_time_kept(vault: Vault, nodes: list[int]) -> None:
    vault.traces.note_used([nodes[0], nodes[3]], 20)
    vault.traces.note_used([nodes[0], nodes[0], 999], 10)
    vault.traces.note_active([nodes[0], nodes[1]], 4)
    vault.traces.note_active([nodes[0]], 3)

    assert vault.traces.of([nodes[0], nodes[1], 999]) == {
        nodes[0]: Trace(node=nodes[0], pinned=False, archived=False, used_count=2, last_used_us=20, active_window=4),
        nodes[1]: Trace(node=nodes[1], pinned=False, archived=False, used_count=0, last_used_us=None, active_window=4),
    }
    assert list(vault.traces.of()) == [nodes[0], nodes[1], nodes[3]]


def test_what_is_archived_leaves_the_active_graph_until_it_is_restored(vault: Vault, nodes: list[int]) -> None:
    vault.traces.note_used(nodes[:1], 5)
    vault.traces.archive([nodes[0], nodes[2], nodes[3], 999])

    assert vault.traces.archived() == [nodes[0], nodes[2], nodes[3]]
    assert vault.traces.of(nodes[:1])[nodes[0]].used_count == 1
    assert [row.node for row in vault.turns.graph_rows(active_only=True)] == [nodes[1]]
    assert [row.node for row in vault.turns.graph_rows()] == nodes[:3]
    assert vault.turns.count() == 3

    vault.traces.restore([nodes[0], nodes[1], nodes[3]])

    assert vault.traces.archived() == [nodes[2]]
    assert [row.node for row in vault.turns.graph_rows(active_only=True, limit=1)] == [nodes[1]]


def test_what_is_pinned_is_never_archived(vault: Vault, nodes: list[int]) -> None:
    vault.traces.archive([nodes[0]])
    vault.traces.pin(nodes[:2], pinned=True)
    vault.traces.archive(nodes)

    assert vault.traces.archived() == nodes[2:]
    assert [trace.pinned for trace in vault.traces.of().values()] == [True, True, False, False]

    vault.traces.pin([nodes[0]], pinned=False)
    assert vault.traces.archived() == nodes[2:], "letting go of a node does not archive it"
    vault.traces.archive([nodes[0]])
    assert vault.traces.archived() == [nodes[0], *nodes[2:]]


def test_a_node_is_born_in_the_window_that_its_making_fell_into(
    vault: Vault, conversation: Conversation, nodes: list[int]
) -> None:
    assert vault.traces.window() == 0
    assert vault.traces.births(nodes[:1]) == {nodes[0]: 1}

    assert vault.traces.end_window(nodes[1]) == 1
    assert vault.traces.end_window(nodes[3]) == vault.traces.window() == 2
    later = say(vault, conversation, "later").node

    assert vault.traces.births([*nodes, later]) == dict(zip([*nodes, later], [1, 1, 2, 2, 3], strict=True))


@given(
    ends=st.lists(st.integers(0, 30), max_size=8),
    nodes=st.lists(st.integers(0, 40), max_size=8),
)
def test_a_birth_is_the_first_window_that_ended_at_or_after_the_node(ends: list[int], nodes: list[int]) -> None:
    windows = [(2 * place + 1, end) for place, end in enumerate(ends)]

    births = birth_windows(windows, nodes)

    assert births.keys() == set(nodes)
    for node, born in births.items():
        ended = [number for number, end in windows if end >= node]
        assert born == (ended[0] if ended else windows[-1][0] + 1 if windows else 1)


def test_windows_are_counted_on_when_their_nodes_are_forgotten(vault: Vault, nodes: list[int]) -> None:
    vault.traces.end_window(nodes[2])
    vault.traces.pin(nodes, pinned=True)

    vault.erase(nodes[1:3])

    assert vault.traces.end_window(nodes[3]) == 2
    assert vault.traces.births([nodes[0], nodes[3]]) == {nodes[0]: 1, nodes[3]: 2}
    assert list(vault.traces.of()) == [nodes[0], nodes[3]]
