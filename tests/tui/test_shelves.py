"""The lists beside that of all memories, and what is done with a line of each."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from assistant.memory.arrivals import HORIZON_DAYS, note_arrivals
from storage.instants import to_columns
from storage.keys import FLOOR_COST
from storage.records import Category, Maker, Role, Source, Utterance
from storage.vault import Vault
from tests.conftest import PASSPHRASE
from tests.tui.support import FolderDoor, ListeningApp, plain, run, unlocked, until
from tui.screens.browse import BrowseList
from tui.screens.memory import MemoryScreen
from tui.screens.modals import EditScreen
from tui.screens.shelves import ARCHIVED, CONCEPTS, FADING, PINNED
from tui.screens.views import EVERYTHING, View

HERON, OTTER = "The heron eats at dawn.", "The otter sleeps."
LONG_AGO = datetime(2020, 5, 12, 12, tzinfo=UTC)


def make_vault(folder: Path, *, windows: int = 0) -> None:
    """Keep two memories of long ago and a concept of the first, and let windows pass in silence."""
    with Vault.create(folder / "vault", PASSPHRASE, cost=FLOOR_COST) as vault:
        conversation = vault.conversations.create(title="Birds", source=Source.CHAT)
        nodes = []
        for place, text in enumerate((HERON, OTTER)):
            said = Utterance(
                role=Role.USER, speaker="User", text=text, time=LONG_AGO.replace(minute=place), source=Source.CHAT
            )
            nodes.append(vault.turns.append(conversation.id, said, terms=text.lower()).node)
        vault.concepts.add(
            text="heron", terms="heron", maker=Maker.SALIENT, category=Category.TERM, confidence=1.0, support=nodes[:1]
        )
        note_arrivals(vault, to_columns(LONG_AGO)[0], horizon_days=HORIZON_DAYS)
        for _ in range(windows):
            vault.traces.end_window(nodes[-1])


def listed(app: ListeningApp) -> list[str]:
    shown = [str(option.prompt) for option in app.screen.query_one(BrowseList).options]
    return [next(text for text in (HERON, OTTER, "heron") if line.endswith(text)) for line in shown]


async def opened(pilot: Pilot[Any], app: ListeningApp) -> MemoryScreen:
    await unlocked(pilot)
    await pilot.press("f4")
    await until(pilot, lambda: isinstance(app.screen, MemoryScreen) and listed(app) == [OTTER, HERON])
    await pilot.press("down")
    screen = app.screen
    assert isinstance(screen, MemoryScreen)
    return screen


async def turned_to(pilot: Pilot[Any], screen: MemoryScreen, view: View) -> None:
    """Go on from list to list until it is this one."""
    while screen.view is not view:
        await pilot.press("t")
    await pilot.pause()


def test_a_concept_is_listed_with_what_it_rests_on_and_why_it_has_no_pin(tmp_path: Path) -> None:
    make_vault(tmp_path)

    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path))
        async with app.run_test(size=(120, 30)) as pilot:
            screen = await opened(pilot, app)
            await turned_to(pilot, screen, CONCEPTS)
            await until(pilot, lambda: listed(app) == ["heron"])
            await until(pilot, lambda: HERON in plain(screen, "#detail-facts"))
            assert "pin one to keep it" in plain(screen, "#detail-facts").replace("\n", " ")
            assert plain(screen, "#caption") == "1 concept"
            await pilot.press("p", "e", "r")
            await pilot.pause()
            assert app.screen is screen
            assert app.told == []
            assert not screen.assistant.vault.traces.of()

    run(scene())


def test_p_pins_and_r_archives_and_each_is_taken_back_in_the_list_of_what_was_done_so(tmp_path: Path) -> None:
    make_vault(tmp_path)

    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path))
        async with app.run_test(size=(120, 30)) as pilot:
            screen = await opened(pilot, app)
            await turned_to(pilot, screen, PINNED)
            await until(pilot, lambda: "Nothing is pinned" in plain(screen, "#empty"))
            await turned_to(pilot, screen, EVERYTHING)
            await until(pilot, lambda: len(listed(app)) == 2)
            await pilot.press("space", "space", "p")
            await until(pilot, lambda: app.told == ["Pinned: 2 memories."])
            await turned_to(pilot, screen, PINNED)
            await until(pilot, lambda: listed(app) == [OTTER, HERON])
            await until(pilot, lambda: "pinned    yes" in plain(screen, "#detail-facts"))
            await pilot.press("p")
            await until(pilot, lambda: listed(app) == [HERON])
            assert app.told[-1] == "Unpinned: 1 memory."
            await turned_to(pilot, screen, EVERYTHING)
            await until(pilot, lambda: len(listed(app)) == 2)
            await pilot.press("home", "r")
            await until(pilot, lambda: app.told[-1] == "Archived: 1 memory, still found when a question fits.")
            await turned_to(pilot, screen, ARCHIVED)
            await until(pilot, lambda: listed(app) == [OTTER])
            await until(pilot, lambda: "in the archive" in plain(screen, "#detail-facts"))
            await pilot.press("r")
            await until(pilot, lambda: app.told[-1] == "Back: 1 memory.")
            await until(pilot, lambda: "Nothing rests in the archive." in plain(screen, "#empty"))

    run(scene())


def test_what_fades_is_listed_with_the_reason_and_can_be_corrected_pinned_and_put_away(tmp_path: Path) -> None:
    make_vault(tmp_path, windows=12)

    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path))
        async with app.run_test(size=(120, 30)) as pilot:
            screen = await opened(pilot, app)
            await turned_to(pilot, screen, FADING)
            await until(pilot, lambda: sorted(listed(app)) == [HERON, OTTER])
            await until(pilot, lambda: "days ago" in plain(screen, "#detail-facts"))
            await pilot.press("e")
            await until(pilot, lambda: isinstance(app.screen, EditScreen))
            await pilot.press("escape")
            await until(pilot, lambda: app.screen is screen)
            await pilot.press("p")
            await until(pilot, lambda: len(listed(app)) == 1)
            await pilot.press("r")
            await until(pilot, lambda: "Nothing fades." in plain(screen, "#empty"))
            assert [line.split(":")[0] for line in app.told] == ["Pinned", "Archived"]

    run(scene())


def test_on_a_small_screen_enter_shows_a_memory_alone_and_escape_the_list_again(tmp_path: Path) -> None:
    make_vault(tmp_path)

    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path))
        async with app.run_test(size=(30, 8)) as pilot:
            screen = await opened(pilot, app)
            assert not screen.query_one("#detail").display
            await pilot.press("enter")
            await until(pilot, lambda: screen.query_one("#detail").size.height > 0)
            await until(pilot, lambda: screen.query_one("#detail").max_scroll_y > 0)
            await pilot.press("shift+down")
            await until(pilot, lambda: screen.query_one("#detail").scroll_y > 0)
            await pilot.press("shift+up")
            await until(pilot, lambda: screen.query_one("#detail").scroll_y == 0)
            await pilot.press("escape")
            await until(pilot, lambda: screen.query_one(BrowseList).has_focus)
            assert app.screen is screen

    run(scene())
