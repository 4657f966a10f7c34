from datetime import timedelta

import pytest

from assistant.memory.archive import put_away
from assistant.memory.parameters import DormancyParameters, HebbianParameters, Parameters
from assistant.memory.plasticity import learn, note_recalled
from storage.vault import Vault
from tests.assistant.memory.test_archive import pass_windows, tell
from tests.conftest import NOON

PARAMETERS = Parameters(archive_reach=1)


def weights(vault: Vault) -> dict[tuple[int, int], float]:
    return {(edge.low, edge.high): edge.hebbian for edge in vault.associations.listing()}


def test_memories_that_were_used_together_are_bound_and_no_others(vault: Vault) -> None:
    one, other, unused = tell(vault, 3)
    learn(vault, [other, one], NOON, PARAMETERS)
    assert weights(vault) == {(one, other): 0.02}
    assert unused not in vault.traces.of()


def test_used_again_after_half_a_year_by_hand(vault: Vault) -> None:
    # 0.02 * 0.995^182.5 + 0.02 = 0.02801
    one, other = tell(vault, 2)
    learn(vault, [one, other], NOON, PARAMETERS)
    learn(vault, [one, other], NOON + timedelta(days=182.5), PARAMETERS)
    assert weights(vault) == {(one, other): pytest.approx(0.02801, abs=1e-5)}


def test_a_memory_used_alone_only_notes_its_use(vault: Vault) -> None:
    one, _ = tell(vault, 2)
    learn(vault, [one], NOON, PARAMETERS)
    learn(vault, [one], NOON + timedelta(days=1), PARAMETERS)
    trace = vault.traces.of()[one]
    assert weights(vault) == {}
    assert trace.used_count == 2
    assert trace.last_used_us == round((NOON + timedelta(days=1)).timestamp() * 1_000_000)


def test_an_answer_that_used_nothing_teaches_nothing(vault: Vault) -> None:
    tell(vault, 2)
    before = vault.digest()
    learn(vault, [], NOON, PARAMETERS)
    assert vault.digest() == before


def test_of_many_memories_only_the_best_are_bound(vault: Vault) -> None:
    nodes = tell(vault, 6)
    learn(vault, nodes[::-1], NOON, Parameters(hebbian=HebbianParameters(most_together=3)))
    assert set(weights(vault)) == {(nodes[3], nodes[4]), (nodes[3], nodes[5]), (nodes[4], nodes[5])}
    assert len(vault.traces.of()) == 6


def test_a_memory_that_was_forgotten_meanwhile_is_left_out(vault: Vault) -> None:
    one, other, gone = tell(vault, 3)
    vault.erase([gone])
    learn(vault, [gone, one, other], NOON, PARAMETERS)
    note_recalled(vault, {gone: 1.0, one: 1.0}, PARAMETERS.dormancy)
    assert weights(vault) == {(one, other): 0.02}
    assert set(vault.traces.of()) == {one, other}


def test_what_was_learned_of_a_memory_goes_with_it(vault: Vault) -> None:
    one, other, third = tell(vault, 3)
    learn(vault, [one, other, third], NOON, PARAMETERS)
    vault.erase([third])
    assert set(weights(vault)) == {(one, other)}


def test_how_alike_two_memories_are_stays_as_it_was(vault: Vault) -> None:
    one, other = tell(vault, 2)
    vault.associations.put_cosines([(one, other, 0.7)])
    learn(vault, [one, other], NOON, PARAMETERS)
    (edge,) = vault.associations.listing()
    assert (edge.cosine, edge.hebbian) == (0.7, 0.02)


def test_a_memory_used_from_the_archive_is_back_with_its_neighbours(vault: Vault) -> None:
    nodes = tell(vault, 5)
    put_away(vault, nodes[:4])
    learn(vault, [nodes[0]], NOON, PARAMETERS)
    assert vault.traces.archived() == nodes[2:4]


def test_all_is_learned_or_nothing(vault: Vault) -> None:
    one, other = tell(vault, 2)
    before = vault.digest()

    def learn_and_fail() -> None:
        with vault.transaction():
            learn(vault, [one, other], NOON, PARAMETERS)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        learn_and_fail()
    assert vault.digest() == before


def test_what_was_recalled_with_some_strength_is_active_in_the_window_that_is_open(vault: Vault) -> None:
    strong, weak, nothing = tell(vault, 3)
    pass_windows(vault, 3)
    note_recalled(vault, {strong: 40.0, weak: 0.3, nothing: 0.0}, DormancyParameters(epsilon=0.01))
    assert {node: trace.active_window for node, trace in vault.traces.of().items()} == {strong: 4}
    note_recalled(vault, {strong: 40.0, weak: 0.4}, DormancyParameters(epsilon=0.01))
    assert set(vault.traces.of()) == {strong, weak}
