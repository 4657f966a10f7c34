"""What is forgotten waits for a while, used by nothing, and comes back whole when it is taken back."""

import os
import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from storage.keys import DataKey
from storage.records import Source
from storage.vault import Vault
from tests.storage.everything import fill, holdings, say_again, unsound
from tests.storage.making import MORNING, plain_bytes, say

SEEDS = range(int(os.environ.get("FORGETTINGS", "4")))
"""Vaults made by chance; FORGETTINGS=200 tries more of them."""
TOMORROW = MORNING + timedelta(days=1)
Fresh = Callable[[], AbstractContextManager[Vault]]


@pytest.fixture(scope="module")
def fresh(pattern: tuple[Path, DataKey], tmp_path_factory: pytest.TempPathFactory) -> Fresh:
    """A way to new empty vaults."""
    origin, key = pattern

    @contextmanager
    def make() -> Iterator[Vault]:
        folder = tmp_path_factory.mktemp("fresh") / "vault"
        shutil.copytree(origin, folder)
        vault = Vault(folder, key)
        try:
            yield vault
        finally:
            vault.close()
            shutil.rmtree(folder)

    return make


def test_every_table_has_rows_that_may_go(fresh: Fresh) -> None:
    """Else what follows would say nothing of a table that a later schema adds."""
    with fresh() as vault:
        fill(vault, random.Random(1))

        empty = {name for name, rows in holdings(vault).items() if not rows}

    assert empty == {"backup", "forgotten_import", "setting"}


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_taken_back_at_once_is_as_if_it_had_never_gone(fresh: Fresh, seed: int) -> None:
    chance = random.Random(seed)
    with fresh() as vault:
        nodes = fill(vault, chance)
        before = holdings(vault)
        chosen = chance.sample(nodes, chance.randint(1, len(nodes)))

        forgetting = vault.put_aside(chosen, now=MORNING, until=TOMORROW)

        assert unsound(vault) == []
        assert holdings(vault) != before
        assert vault.forgettings() == [forgetting]

        assert vault.take_back(forgetting.id) == forgetting

        assert holdings(vault) == before
        assert unsound(vault) == []
        assert vault.forgettings() == []


@pytest.mark.parametrize("seed", SEEDS)
def test_several_come_back_whole_in_whatever_order(fresh: Fresh, seed: int) -> None:
    chance = random.Random(seed)
    with fresh() as vault:
        nodes = fill(vault, chance)
        before = holdings(vault)
        waiting = [
            vault.put_aside(chance.sample(nodes, chance.randint(1, 12)), now=MORNING, until=TOMORROW) for _ in range(4)
        ]
        chance.shuffle(waiting)

        for forgetting in waiting:
            vault.take_back(forgetting.id)
            assert unsound(vault) == []

        assert {
            k: (set(before[k]) - set(v), set(v) - set(before[k])) for k, v in holdings(vault).items() if v != before[k]
        } == {}
        assert holdings(vault) == before


def test_very_many_go_and_come_back_as_few_do(fresh: Fresh) -> None:
    with fresh() as vault:
        conversation = vault.conversations.create(source=Source.CHAT)
        with vault.transaction():
            nodes = [say(vault, conversation, f"shared word{number:05}").node for number in range(1200)]
        before = holdings(vault)

        forgetting = vault.put_aside(nodes[:1100], now=MORNING, until=TOMORROW)

        assert unsound(vault) == []
        assert {node for node, _ in vault.lexical.search(["shared"], limit=2000)} == set(nodes[1100:])
        assert vault.take_back(forgetting.id).turns == 1100
        assert holdings(vault) == before
        assert vault.erase(nodes[:1100]).residue == 0
        content = plain_bytes(vault)
        assert not [number for number in range(1100) if f"word{number:05}".encode() in content]
        vault.turns.revise_terms(nodes[1150], "other")
        vault.erase(nodes[1199:])
        vault.lexical.check()


@pytest.mark.parametrize("seed", SEEDS)
def test_whatever_happens_meanwhile_all_rows_fit_one_another(fresh: Fresh, seed: int) -> None:
    chance = random.Random(seed)
    with fresh() as vault:
        fill(vault, chance)
        for _ in range(14):
            _happen(vault, chance)
            assert unsound(vault) == []
        for forgetting in vault.forgettings():
            vault.take_back(forgetting.id)
            assert unsound(vault) == []
        assert vault._database.value("select count(*) from forgotten_row") == 0


def _happen(vault: Vault, chance: random.Random) -> None:
    """One of the things that happen to a vault."""
    nodes = [node for (node,) in vault._database.rows("select id from node")]
    waiting = [forgetting.id for forgetting in vault.forgettings()]
    match chance.choice(["forget", "forget", "forget", "back", "back", "erase", "due", "say", "revise", "learn"]):
        case "forget":
            vault.put_aside(chance.sample(nodes, min(8, len(nodes))), now=MORNING, until=TOMORROW)
        case "back" if waiting:
            vault.take_back(chance.choice(waiting))
        case "erase":
            assert vault.erase(chance.sample(nodes, min(3, len(nodes)))).residue == 0
        case "due" if waiting:
            receipt = vault.erase_waiting([chance.choice(waiting)], now=TOMORROW)
            assert receipt is not None
            assert receipt.residue == 0
        case "revise" if vault.turns.count():
            turn = chance.choice(vault.turns.listing())
            vault.turns.revise(turn.id, text="other words", terms="other words")
        case "learn":
            say_again(vault, chance)
            pairs = [chance.sample(nodes, 2) for _ in range(9)] if len(nodes) > 1 else []
            vault.associations.put_cosines([(one, other, 0.25) for one, other in pairs])
        case _:
            say_again(vault, chance)
