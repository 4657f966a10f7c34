from datetime import datetime, timedelta

from assistant.memory.active import EPOCH
from assistant.memory.archive import maintain, open_window, pin, put_away, reinstate
from assistant.memory.parameters import DormancyParameters, Parameters
from storage.records import RecalledLine, Role, Source, Utterance
from storage.vault import Vault
from tests.conftest import NOON

DAY = timedelta(days=1)
PARAMETERS = Parameters(active_nodes=8, dormancy=DormancyParameters(floor_nodes=4, windows=2))


def tell(vault: Vault, number: int, *, since: datetime = NOON, role: Role = Role.USER) -> list[int]:
    """Keep so many turns of one conversation, one a day; gives their nodes."""
    conversation = vault.conversations.create(source=Source.CHAT)
    return [
        vault.turns.append(
            conversation.id,
            Utterance(role=role, speaker="User", text=f"day {day}", time=since + day * DAY, source=Source.CHAT),
            terms=f"day {day}",
        ).node
        for day in range(number)
    ]


def pass_windows(vault: Vault, number: int) -> None:
    for _ in range(number):
        vault.traces.end_window(vault.turns.listing(limit=1)[0].node)


def answer_with(vault: Vault, used: int, *, day: int) -> None:
    """Keep an answer that drew on a turn."""
    (node,) = tell(vault, 1, since=NOON + day * DAY, role=Role.ASSISTANT)
    (turn,) = vault.turns.by_nodes([node])
    vault.recollections.put(turn.id, [RecalledLine(node=used, score=1.0, injected=True, used=True)])


def active(vault: Vault) -> list[int]:
    return [row.node for row in vault.turns.graph_rows(active_only=True)]


def test_nothing_is_archived_while_all_are_awake_and_fit(vault: Vault) -> None:
    nodes = tell(vault, 8)
    pass_windows(vault, 2)  # born in the first of them, silent in the second
    maintained = maintain(vault, PARAMETERS, NOON + 20 * DAY)
    assert (maintained.active, maintained.dormant, maintained.archived) == (8, 0, ())
    assert active(vault) == nodes


def test_an_empty_vault_has_nothing_to_archive(vault: Vault) -> None:
    assert maintain(vault, PARAMETERS, NOON).archived == ()


def test_dormant_memories_above_the_floor_are_archived_the_oldest_first(vault: Vault) -> None:
    nodes = tell(vault, 7)
    pass_windows(vault, 3)
    epoch = vault.settings.get(EPOCH)
    maintained = maintain(vault, PARAMETERS, NOON + 20 * DAY)
    assert (maintained.active, maintained.dormant, maintained.archived) == (4, 7, tuple(nodes[:3]))
    assert active(vault) == nodes[3:]
    assert vault.settings.get(EPOCH) != epoch
    assert maintain(vault, PARAMETERS, NOON + 20 * DAY).archived == ()


def test_what_was_recalled_lately_does_not_sleep(vault: Vault) -> None:
    nodes = tell(vault, 7)
    pass_windows(vault, 2)
    vault.traces.note_active(nodes[:2], open_window(vault))
    pass_windows(vault, 1)
    assert maintain(vault, PARAMETERS, NOON + 20 * DAY).archived == tuple(nodes[2:5])


def test_above_the_ceiling_the_weakest_go_though_they_are_awake_and_use_makes_strong(vault: Vault) -> None:
    nodes = tell(vault, 9)
    answer_with(vault, nodes[0], day=9)  # the oldest, used a moment ago; the answer itself is a turn too
    assert maintain(vault, PARAMETERS, NOON + 9 * DAY).archived == tuple(nodes[1:3])


def test_the_last_use_counts_though_its_answer_was_forgotten(vault: Vault) -> None:
    nodes = tell(vault, 9)
    microseconds = round((NOON + 8 * DAY).timestamp() * 1_000_000)
    vault.traces.note_used([nodes[0]], microseconds)
    assert maintain(vault, PARAMETERS, NOON + 9 * DAY).archived == (nodes[1],)


def test_a_use_that_is_on_record_and_noted_counts_once(vault: Vault) -> None:
    # 9 days old and used a moment ago: 0.32 + 1; used 4 days ago as well: 0.45 more, where counting twice gives 1 more
    once, twice = tell(vault, 1)[0], tell(vault, 1)[0]
    answer_with(vault, twice, day=5)
    for node in (once, twice):
        answer_with(vault, node, day=9)
    vault.traces.note_used([once], round((NOON + 9 * DAY).timestamp() * 1_000_000) + 5_000)
    few = Parameters(active_nodes=4, dormancy=DormancyParameters(floor_nodes=0))
    pin(vault, [row.node for row in vault.turns.graph_rows() if row.role is Role.ASSISTANT], pinned=True)
    assert maintain(vault, few, NOON + 9 * DAY).archived == (once,)


def test_pinned_memories_are_never_archived(vault: Vault) -> None:
    nodes = tell(vault, 9)
    pin(vault, nodes[:3], pinned=True)
    pass_windows(vault, 3)
    assert maintain(vault, PARAMETERS, NOON + 20 * DAY).archived == tuple(nodes[3:8])
    assert put_away(vault, nodes[:4]) == []
    pin(vault, nodes[:1], pinned=False)
    assert put_away(vault, nodes[:2]) == [nodes[0]]


def test_a_memory_that_is_pinned_comes_back_from_the_archive(vault: Vault) -> None:
    nodes = tell(vault, 3)
    put_away(vault, nodes[:2])
    epoch = vault.settings.get(EPOCH)
    pin(vault, nodes[:1], pinned=True)
    assert active(vault) == [nodes[0], nodes[2]]
    assert vault.settings.get(EPOCH) != epoch


def test_a_memory_comes_back_with_its_archived_neighbours_and_stays(vault: Vault) -> None:
    nodes = tell(vault, 9)
    pass_windows(vault, 3)
    maintain(vault, PARAMETERS, NOON + 20 * DAY)
    assert active(vault) == nodes[5:]
    assert reinstate(vault, [nodes[1], nodes[8]], 1) == nodes[:3]
    assert active(vault) == [*nodes[:3], *nodes[5:]]
    assert maintain(vault, PARAMETERS, NOON + 20 * DAY).archived == tuple(nodes[5:8])


def test_what_is_not_archived_is_left_alone(vault: Vault) -> None:
    nodes = tell(vault, 3)
    before = vault.digest()
    assert reinstate(vault, nodes, 5) == []
    assert put_away(vault, []) == []
    assert vault.digest() == before
