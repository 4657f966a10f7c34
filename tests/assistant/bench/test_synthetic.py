"""Vaults of a wanted size."""

from pathlib import Path

import numpy as np
import pytest

from assistant.bench.synthetic import fill, question, words
from assistant.memory.associative import AssociativeMemory
from storage.keys import FLOOR_COST
from storage.records import Maker
from storage.vault import Vault
from tests.doubles import HashEncoder


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    """An empty one."""
    return Vault.create(tmp_path / "vault", "open", cost=FLOOR_COST)


def test_it_is_as_large_as_wanted_and_nothing_is_left_to_do(vault: Vault) -> None:
    encoder = HashEncoder()
    fill(vault, turns=50, concepts=10, archived=30, space=encoder.space)
    assert (vault.turns.count(), vault.concepts.count(), len(vault.traces.archived())) == (80, 10, 30)
    assert len(vault.turns.graph_rows(active_only=True)) == 50
    assert vault.vectors.missing(encoder.space, limit=100) == []
    active = {row.node for row in vault.turns.graph_rows(active_only=True)}
    assert {turn for _, turn in vault.concepts.support()} <= active
    assert not active & set(vault.concepts.pending(Maker.SALIENT, limit=100))
    memory = AssociativeMemory(vault, encoder)
    before = vault.change_counter()
    found = memory.recall(question(np.random.default_rng(0)))
    assert vault.change_counter() == before
    assert len(found.hits) == 10
    assert encoder.encoded == 2  # the question and its core


def test_few_words_come_often_and_most_seldom() -> None:
    said = words(np.random.default_rng(0), 20_000)
    often = sorted((said.count(word) for word in set(said[:500])), reverse=True)
    assert often[0] > 500
    assert len(set(said)) > 5_000


def test_the_same_seed_gives_the_same_vault(tmp_path: Path) -> None:
    told = []
    for name in ("one", "other"):
        vault = Vault.create(tmp_path / name, "open", cost=FLOOR_COST)
        fill(vault, turns=20, concepts=0, archived=0, space=HashEncoder().space, seed=4)
        told.append([turn.text for turn in vault.turns.listing()])
    assert told[0] == told[1]
