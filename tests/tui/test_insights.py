"""How the memory stands, in figures and bars."""

from datetime import timedelta
from pathlib import Path

from storage.keys import FLOOR_COST
from storage.records import Role, Source, Utterance
from storage.vault import Vault
from tests.conftest import NOON, PASSPHRASE
from tests.tui.support import FolderDoor, ListeningApp, plain, run, unlocked, until
from tui.screens.insights import InsightsScreen, by_strength, over_time
from tui.widgets.bars import bar, bars


def test_a_bar_is_as_long_as_its_share_and_never_vanishes() -> None:
    assert bar(1.0, 4) == "████"
    assert bar(0.5, 3) == "█▌"
    assert bar(0.0001, 4) == "▏"
    assert bar(0.0, 4) == ""


def test_bars_fit_into_the_width_and_give_way_to_numbers() -> None:
    figures = [("memories", 2000), ("concepts", 1)]
    for width in range(1, 60):
        drawn = [line.plain for line in bars(figures, width=width)]
        assert "2,000" in drawn[0]
        assert max(map(len, drawn)) <= max(width, len("memories 2,000 "))
    assert [line.plain for line in bars([], width=40)] == ["none yet"]


def test_time_is_parted_into_days_or_else_months_or_years() -> None:
    assert over_time(["2026-05-01", "2026-05-01", "2026-04-30"]) == (("2026-04-30", 1), ("2026-05-01", 2))
    days = [f"2026-05-{day:02}" for day in range(1, 20)]
    assert over_time([*days, "2026-04-01"]) == (("2026-04", 1), ("2026-05", 19))
    assert over_time([f"20{year}-{month:02}-01" for year in (24, 25, 26) for month in range(1, 9)]) == (
        ("2024", 8),
        ("2025", 8),
        ("2026", 8),
    )


def test_strength_is_parted_into_tenths_and_what_is_above_stands_in_the_last() -> None:
    parted = dict(by_strength([0.05, 0.95, 1.0, 3.0]))
    assert parted["0.0"] == 1
    assert parted["0.9"] == 3
    assert sum(parted.values()) == 4
    assert by_strength([]) == ()


def test_the_page_counts_what_there_is_and_what_would_fade(tmp_path: Path) -> None:
    with Vault.create(tmp_path / "vault", PASSPHRASE, cost=FLOOR_COST) as vault:
        conversation = vault.conversations.create(title="", source=Source.CHAT)
        nodes = []
        for place in range(3):
            said = Utterance(
                role=Role.USER,
                speaker="User",
                text=f"number {place}",
                time=NOON + timedelta(days=40 * place),
                source=Source.CHAT,
            )
            nodes.append(vault.turns.append(conversation.id, said, terms="number").node)
        vault.associations.put_cosines([(nodes[0], nodes[1], 0.55)])

    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path))
        async with app.run_test(size=(100, 50)) as pilot:
            await unlocked(pilot)
            await pilot.press("f6")
            await until(
                pilot, lambda: isinstance(app.screen, InsightsScreen) and "memories" in plain(app.screen, "#plots")
            )
            shown = [line.split() for line in plain(app.screen, "#plots").splitlines()]
            assert ["ties", "of", "likeness", "1"] in [line[:4] for line in shown]
            assert ["2026-06-21", "1"] in [line[:2] for line in shown]
            assert ["0.5", "1"] in [line[:2] for line in shown]
            assert ["today", "0"] in shown

    run(scene())
