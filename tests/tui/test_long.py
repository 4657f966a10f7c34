"""A conversation that is longer than anybody's screen."""

from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from storage.keys import FLOOR_COST
from storage.records import Role, Source, Utterance
from storage.vault import Vault
from tests.conftest import PASSPHRASE
from tests.doubles import ScriptedModel
from tests.tui.support import FolderDoor, ListeningApp, minutes_past_noon, plain, run, say, settled, unlocked, until
from tui.screens.chat import ChatScreen
from tui.widgets.answer import Answer
from tui.widgets.transcript import FIRST_TURNS, MOST_TURNS, STEP_TURNS, Transcript

TURNS = 400
Scene = Callable[[Pilot[Any], ChatScreen, ListeningApp], Awaitable[None]]


@pytest.fixture(scope="module")
def long_vault(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """Give the folder of a vault with one long conversation, and the id of that."""
    folder = tmp_path_factory.mktemp("long")
    with Vault.create(folder / "vault", PASSPHRASE, cost=FLOOR_COST) as vault:
        conversation = vault.conversations.create(title="A long one", source=Source.CHAT).id
        for place in range(TURNS):
            role = Role.ASSISTANT if place % 2 else Role.USER
            said = Utterance(
                role=role, speaker=role.value, text=f"turn {place}", time=minutes_past_noon(place), source=Source.CHAT
            )
            vault.turns.append(conversation, said, terms="turn")
    yield folder, conversation


def play(vault: tuple[Path, str], scene: Scene, *, model: ScriptedModel | None = None) -> None:
    async def show() -> None:
        folder, conversation = vault
        app = ListeningApp(FolderDoor(folder, model), conversation=conversation)
        async with app.run_test() as pilot:
            await scene(pilot, await unlocked(pilot), app)

    run(show())


def places(transcript: Transcript) -> list[int]:
    """Give which turns are drawn."""
    return [int(turn.text.split()[1]) for turn in transcript.turns if turn.text.startswith("turn ")]


def seen(transcript: Transcript) -> dict[int, int]:
    """Give which turns are seen, and on which row each begins."""
    rows = {int(turn.text.split()[1]): turn.region.y for turn in transcript.turns if turn.text.startswith("turn ")}
    return {place: row for place, row in rows.items() if transcript.region.y <= row < transcript.region.bottom}


async def up_to(pilot: Pilot[Any], transcript: Transcript, first: int) -> list[int]:
    """Go up page by page until a turn is drawn; give how many were drawn at each time."""
    drawn = []
    while places(transcript)[0] > first:
        before = places(transcript)[0]
        while places(transcript)[0] == before:
            await pilot.press("pageup")
            await pilot.pause()
        drawn.append(len(transcript.turns))
    return drawn


def test_a_long_conversation_shows_its_end_and_says_what_is_above(long_vault: tuple[Path, str]) -> None:
    async def scene(pilot: Pilot[Any], chat: ChatScreen, app: ListeningApp) -> None:
        transcript = chat.transcript
        assert places(transcript) == list(range(TURNS - FIRST_TURNS, TURNS))
        assert transcript.hidden == (TURNS - FIRST_TURNS, 0)
        await until(pilot, lambda: transcript.scroll_y == transcript.max_scroll_y > 0)
        assert f"{TURNS - FIRST_TURNS} older turns" in plain(chat, "#older")
        assert not chat.query_one("#newer").display
        assert plain(chat, "#title") == "A long one"

    play(long_vault, scene)


def test_however_far_one_goes_no_more_turns_are_drawn_than_a_few_screens_hold(long_vault: tuple[Path, str]) -> None:
    async def scene(pilot: Pilot[Any], chat: ChatScreen, app: ListeningApp) -> None:
        transcript = chat.transcript
        drawn = await up_to(pilot, transcript, TURNS - 4 * FIRST_TURNS)
        assert max(drawn) <= MOST_TURNS
        assert places(transcript) == list(range(places(transcript)[0], places(transcript)[-1] + 1))
        assert transcript.hidden[1] == TURNS - 1 - places(transcript)[-1] > 0
        while transcript.hidden[1]:
            await pilot.press("pagedown")
            await pilot.pause()
            assert len(transcript.turns) <= MOST_TURNS
        assert places(transcript)[-1] == TURNS - 1

    play(long_vault, scene)


def test_what_is_read_stays_where_it_is_while_turns_come_and_go(long_vault: tuple[Path, str]) -> None:
    async def scene(pilot: Pilot[Any], chat: ChatScreen, app: ListeningApp) -> None:
        transcript = chat.transcript
        await up_to(pilot, transcript, TURNS - 2 * FIRST_TURNS)
        for direction, key in ((-1, "pageup"), (1, "pagedown")):
            for _ in range(12):
                before, drawn = seen(transcript), places(transcript)
                step = direction * transcript.scrollable_content_region.height
                await pilot.press(key)
                await until(pilot, lambda: not transcript._moving)
                await pilot.pause()
                both = before.keys() & seen(transcript).keys()
                moved = {before[place] - seen(transcript)[place] for place in both}
                assert len(moved) <= 1
                assert all(abs(rows) <= abs(step) for rows in moved)
                assert drawn != [] and set(seen(transcript)) <= set(places(transcript))

    play(long_vault, scene)
