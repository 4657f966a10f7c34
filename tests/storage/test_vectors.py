import time
from dataclasses import replace

import numpy as np
import pytest

from storage.errors import NotFound
from storage.records import Conversation, Passage
from storage.vault import Vault
from tests.storage.making import SPACE, passage, say, vector


@pytest.fixture
def nodes(vault: Vault, conversation: Conversation) -> list[int]:
    vault.vectors.begin_space(SPACE)
    return [say(vault, conversation, f"words {number}").node for number in range(5)]


def test_a_space_is_current_once_it_is_finished(vault: Vault) -> None:
    assert vault.vectors.current_space() is None
    vault.vectors.begin_space(SPACE)
    vault.vectors.begin_space(SPACE)
    assert vault.vectors.current_space() is None
    vault.vectors.finish_space(SPACE)
    assert vault.vectors.current_space() == SPACE


def test_a_new_space_grows_beside_the_old_one_and_then_replaces_it(vault: Vault, nodes: list[int]) -> None:
    vault.vectors.finish_space(SPACE)
    vault.vectors.put(nodes[0], [passage(1)], space=SPACE)
    wider = replace(SPACE, model="wider", dimension=48)

    vault.vectors.begin_space(wider)
    vault.vectors.put(nodes[0], [Passage(start=0, stop=3, vector=vector(2, 48))], space=wider)
    assert vault.vectors.current_space() == SPACE
    assert vault.vectors.matrix(SPACE) == ([nodes[0]], vector(1))

    vault.vectors.finish_space(wider)
    assert vault.vectors.current_space() == wider
    assert vault.vectors.matrix(wider) == ([nodes[0]], vector(2, 48))
    assert vault._database.value("select count(*) from passage") == 1
    with pytest.raises(NotFound, match="paper"):
        vault.vectors.matrix(SPACE)


def test_what_has_no_vector_is_missing_oldest_first(vault: Vault, nodes: list[int]) -> None:
    vault.vectors.put(nodes[1], [passage(1)], space=SPACE)

    assert vault.vectors.missing(SPACE, limit=10) == [nodes[0], *nodes[2:]]
    assert vault.vectors.missing(SPACE, limit=2) == [nodes[0], nodes[2]]


def test_putting_again_replaces(vault: Vault, nodes: list[int]) -> None:
    vault.vectors.put(nodes[0], [passage(1), passage(2, start=10, stop=20)], space=SPACE)
    vault.vectors.put(nodes[0], [passage(3, stop=7)], space=SPACE)

    assert vault.vectors.matrix(SPACE) == ([nodes[0]], vector(3))
    assert vault.status().passages == 1


def test_the_matrix_has_each_passage_in_the_order_of_nodes(vault: Vault, nodes: list[int]) -> None:
    for node in reversed(nodes):
        vault.vectors.put(node, [passage(node), passage(100 + node, start=5, stop=9)], space=SPACE)

    found, content = vault.vectors.matrix(SPACE)

    assert found == [node for node in nodes for _ in range(2)]
    assert content == b"".join(vector(node) + vector(100 + node) for node in nodes)
    assert vault.vectors.matrix(SPACE, since_node=nodes[3])[0] == [nodes[4]] * 2
    assert vault.vectors.matrix(SPACE, nodes=[nodes[2], nodes[0]])[0] == [nodes[0]] * 2 + [nodes[2]] * 2
    assert vault.status().passages == 2 * len(nodes)


def test_the_nearest_nodes_come_by_their_best_passage(vault: Vault, nodes: list[int]) -> None:
    for node in nodes:
        vault.vectors.put(node, [passage(node), passage(100 + node)], space=SPACE)

    found = vault.vectors.nearest(SPACE, vector(100 + nodes[3]), k=2)
    everything = vault.vectors.nearest(SPACE, vector(nodes[0]), k=4096)

    assert (found[0][0], len(found)) == (nodes[3], 2)
    assert found[0][1] == pytest.approx(1.0, abs=1e-6)
    assert sorted(node for node, _ in everything) == nodes
    assert [score for _, score in everything] == sorted((score for _, score in everything), reverse=True)


def test_many_passages_of_one_node_do_not_crowd_out_others(vault: Vault, nodes: list[int]) -> None:
    vault.vectors.put(nodes[0], [passage(1, start=n) for n in range(30)], space=SPACE)
    for node in nodes[1:]:
        vault.vectors.put(node, [passage(100 + node)], space=SPACE)

    assert len(vault.vectors.nearest(SPACE, vector(1), k=3)) == 3


@pytest.mark.parametrize("k", [0, 4097])
def test_a_number_of_neighbours_out_of_range_is_refused(k: int, vault: Vault, nodes: list[int]) -> None:
    with pytest.raises(ValueError, match="4096"):
        vault.vectors.nearest(SPACE, vector(1), k=k)


def test_a_vector_of_another_dimension_is_refused(vault: Vault, nodes: list[int]) -> None:
    with pytest.raises(ValueError, match="32 numbers"):
        vault.vectors.put(nodes[0], [Passage(start=0, stop=1, vector=b"\0" * 64)], space=SPACE)
    with pytest.raises(ValueError, match="32 numbers"):
        vault.vectors.nearest(SPACE, b"", k=1)


def test_a_vector_needs_its_node_and_its_space(vault: Vault, nodes: list[int]) -> None:
    with pytest.raises(NotFound, match="gone"):
        vault.vectors.put(max(nodes) + 1, [passage(1)], space=SPACE)
    unknown = replace(SPACE, digest="f" * 64)
    for ask in (
        lambda: vault.vectors.put(nodes[0], [passage(1)], space=unknown),
        lambda: vault.vectors.missing(unknown, limit=1),
        lambda: vault.vectors.finish_space(unknown),
    ):
        with pytest.raises(NotFound, match="no vectors"):
            ask()


def test_the_matrix_of_ten_thousand_is_read_at_once(vault: Vault, conversation: Conversation) -> None:
    space = replace(SPACE, dimension=384)
    vectors = np.random.default_rng(5).standard_normal((10_000, 384)).astype("<f4")
    vault.vectors.begin_space(space)
    for part in np.split(vectors, 10):
        passages = [Passage(start=0, stop=1, vector=row.tobytes()) for row in part]
        vault.vectors.put(say(vault, conversation, "x").node, passages, space=space)

    seconds = []
    for _ in range(3):
        began = time.process_time()
        nodes, content = vault.vectors.matrix(space)
        seconds.append(time.process_time() - began)

    assert len(nodes) == 10_000
    assert content == vectors.tobytes()
    assert min(seconds) < 0.6, "five times what one core needs"
