"""What was promised is there after kill -9, at any moment, and what was forgotten is not.

A few kills for each kind of work by default; ASSISTANT_TEST_KILLS sets how many there are in all.
"""

import os
import random
import shutil
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from storage import migrations
from storage.key_changes import add_recovery_key
from storage.keys import FLOOR_COST
from storage.vault import Vault
from tests.conftest import PASSPHRASE
from tests.storage import old_vaults
from tests.storage.making import key_of
from tests.witness import Witness, Writer, assert_sound
from tests.writer import Deeds, Order

FEW = 8
"""Kills of each kind of work when nothing else is asked for."""
ONE_LIFE = 10
"""Kills of one vault: a small one is checked fast."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """Deeds that are chosen from, and how long they are done at most before the kill."""

    deeds: tuple[str, ...]
    longest_seconds: float


WORKS = {
    "chat": Work(deeds=("chat",), longest_seconds=0.25),
    "import": Work(deeds=("bring_in",), longest_seconds=0.15),
    "forget": Work(deeds=("put_aside", "take_back", "erase_waiting", "erase"), longest_seconds=0.5),
    "rekey": Work(deeds=("give_new_key",), longest_seconds=0.2),
    "backup": Work(deeds=("back_up",), longest_seconds=0.2),
    "mixed": Work(
        deeds=("chat", "bring_in", "put_aside", "take_back", "erase_waiting", "erase", "give_new_key", "back_up"),
        longest_seconds=0.8,
    ),
}
OLD_VAULTS = {"migrate-1": old_vaults.m001, "migrate-2": old_vaults.m002, "migrate-3": old_vaults.m003}
KINDS = len(WORKS) + len(OLD_VAULTS)
ASKED = int(os.environ.get("ASSISTANT_TEST_KILLS", "0"))
KILLS = -(-ASKED // KINDS) or FEW
pytestmark = pytest.mark.timeout(120 + 10 * KILLS)


@pytest.fixture(scope="module")
def tally(request: pytest.FixtureRequest) -> Iterator[dict[str, Counter[str]]]:
    """How often what was in hand at a kill, for each kind of work; told at the end."""
    tallies: dict[str, Counter[str]] = {}
    yield tallies
    terminal, capture = (
        request.config.pluginmanager.get_plugin(name) for name in ("terminalreporter", "capturemanager")
    )
    if terminal is None or capture is None or not ASKED:
        return
    with capture.global_and_fixture_disabled():
        for kind, deeds in tallies.items():
            told = ", ".join(f"{deed} {count}" for deed, count in sorted(deeds.items()))
            busy = deeds.total() - deeds["nothing"]
            terminal.write_line(f"\n{kind}: {deeds.total()} kills, {busy} in the middle of work ({told})")


@pytest.fixture(scope="module")
def writer() -> Iterator[Writer]:
    with Writer() as process:
        yield process


@pytest.fixture(scope="module")
def pattern(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A vault with turns, which is copied, and its recovery key: from a passphrase, the key takes longest."""
    folder = tmp_path_factory.mktemp("pattern") / "vault"
    with Vault.create(folder, PASSPHRASE, cost=FLOOR_COST) as vault:
        key = key_of(vault)
    recovery_key = add_recovery_key(folder, key).text
    deeds = Deeds(folder, recovery_key, random.Random("pattern"))
    with deeds.vault:
        deeds.say()
    return folder, recovery_key


@pytest.mark.parametrize("kind", WORKS)
def test_what_was_promised_holds_after_kills(
    kind: str,
    writer: Writer,
    pattern: tuple[Path, str],
    tally: dict[str, Counter[str]],
    tmp_path: Path,
) -> None:
    work, moments = WORKS[kind], random.Random(kind)
    tally[kind] = Counter()
    for number in range(KILLS):
        folder = tmp_path / str(number // ONE_LIFE) / "vault"
        if number % ONE_LIFE == 0:
            shutil.copytree(pattern[0], folder)
            witness = Witness(folder=folder, secret=pattern[1])
        order = Order(folder=str(folder), secret=pattern[1], deeds=work.deeds, seed=f"{kind} {number}")
        witness.hear(writer.kill_in_the_middle(order, after=moments.uniform(0, work.longest_seconds)))
        witness.check()
        tally[kind][witness.in_hand] += 1
    assert tally[kind]["nothing"] < KILLS / 2, "most kills come in the middle of work"


@pytest.mark.parametrize("kind", OLD_VAULTS)
def test_a_vault_killed_while_it_is_upgraded_has_either_schema(
    kind: str, writer: Writer, tally: dict[str, Counter[str]], tmp_path: Path
) -> None:
    key = OLD_VAULTS[kind](tmp_path / "old")
    with Vault(tmp_path / "old", key) as vault:
        old, before, found = migrations.version(vault._database), _dump(vault), old_vaults.found(vault)
    shutil.copytree(tmp_path / "old", tmp_path / "whole")
    started = time.perf_counter()
    with Vault(tmp_path / "whole", key) as vault:
        migrations.upgrade(vault._database)
    longest_seconds = time.perf_counter() - started
    moments = random.Random(kind)
    tally[kind] = Counter()
    for number in range(KILLS):
        folder = tmp_path / str(number)
        shutil.copytree(tmp_path / "old", folder)
        order = Order(folder=str(folder), secret=key.hexadecimal, deeds=("migrate",), seed="")
        lines = writer.kill_in_the_middle(order, after=moments.uniform(0, longest_seconds))
        with Vault(folder, key) as vault:
            reached = migrations.version(vault._database)
            assert reached == len(migrations.MIGRATIONS) or ["end", "migrate"] not in lines
            assert_sound(vault)
            assert (_dump(vault) == before) is (reached == old)
            assert old_vaults.found(vault) == found
            migrations.upgrade(vault._database)
            assert old_vaults.found(vault) == found
            assert_sound(vault)
        tally[kind]["nothing" if ["end", "migrate"] in lines else f"schema {reached}"] += 1


def _dump(vault: Vault) -> old_vaults.Dump:
    return old_vaults.dump(vault._database)
